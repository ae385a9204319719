// What each provider's own client reads from recorded answers, over real HTTP and however the bytes are cut, is what
// expected/ says. The Rust readers are compared with the same files (tests/native/wire).
//   UPDATE_EXPECTED=1 node --test tests/wire/sdks.test.mjs    writes the files anew
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, mock, test } from "node:test";
import { modesFor, pieces } from "./boundaries.mjs";
import * as chat from "./clients/chat.mjs";
import * as gemini from "./clients/gemini.mjs";
import * as messages from "./clients/messages.mjs";
import * as responses from "./clients/responses.mjs";
import { ABSENT, recordings } from "./recordings.mjs";
import { startReplay } from "./replay.mjs";
import { expectation, RULES } from "./rules.mjs";

const CLIENTS = { chat, responses, messages, gemini };
const FOLDER = new URL("./expected/", import.meta.url);
const found = recordings();
const hosts = [...new Set(found?.map(({ host }) => host))];

let replay;
before(async () => {
  // Gemini's client warns of each part that is not text.
  mock.method(console, "warn", () => {});
  replay = await startReplay();
});
after(() => replay.stop());

async function readAs({ format, bytes }, mode) {
  return expectation(format, await CLIENTS[format].read(replay.play(pieces(bytes, mode))));
}

test("a client gets the pieces one by one", async () => {
  const sent = pieces(Buffer.from("data: x\n\n".repeat(100)), "random");
  const response = await fetch(replay.play(sent));
  const got = [];
  for await (const piece of response.body) got.push(piece);
  assert.equal(Buffer.concat(got).toString(), Buffer.concat(sent).toString());
  // A busy machine may hand over two at once.
  assert.ok(got.length > 0.9 * sent.length, `${sent.length} pieces arrived as ${got.length}`);
});

if (found === undefined) {
  test("the clients read what is expected", { skip: ABSENT });
} else if (process.env.UPDATE_EXPECTED === "1") {
  test("the expected files are written", async () => {
    mkdirSync(FOLDER, { recursive: true });
    for (const host of hosts) {
      const entries = {};
      for (const recording of found.filter((one) => one.host === host)) entries[recording.name] = await readAs(recording, "all");
      writeFileSync(fileOf(host), `${JSON.stringify(entries, undefined, 2)}\n`);
    }
  });
} else {
  for (const host of hosts) {
    const ofHost = found.filter((one) => one.host === host);
    const count = ofHost.reduce((sum, { bytes }) => sum + modesFor(bytes).length, 0);
    test(`${host}: ${ofHost.length} recordings, ${count} readings`, async () => {
      const expected = JSON.parse(readFileSync(fileOf(host), "utf8"));
      assert.deepEqual(ofHost.map(({ name }) => name), Object.keys(expected));
      for (const recording of ofHost) {
        for (const mode of modesFor(recording.bytes)) assert.deepEqual(await readAs(recording, mode), expected[recording.name], `${recording.name}, ${mode}`);
      }
    });
  }

  test("nothing is expected of recordings that are not there", () => {
    assert.deepEqual(readdirSync(FOLDER).sort(), hosts.map((host) => `${host}.json`));
  });

  test("every rule is needed", () => {
    const used = new Set(hosts.flatMap((host) => Object.values(JSON.parse(readFileSync(fileOf(host), "utf8")))).flatMap(({ rules = [] }) => rules));
    assert.deepEqual(RULES.map(({ name }) => name).filter((name) => !used.has(name)), []);
  });
}

function fileOf(host) {
  return new URL(`${host}.json`, FOLDER);
}
