// What the program `stepweave` says of folders that are not there, of files that are something else, and of what a server keeps.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileStore } from "../dist/stores-node.js";
import { cli, folderWith, started } from "./cli-support.js";

const greet = { version: 1, name: "greet", steps: [{ id: "s", type: "function", name: "s", run: { set: { said: "'hi'" } } }] };

test("inspect lists the runs of a server, and nothing that the server keeps beside them", async (t) => {
  const folder = folderWith(t, { "greet.json": greet });
  const { child, written, ended } = started(folder, ["serve", "greet.json", "--port", "0", "--journal", "runs"], { t });
  while (!written.stdout.includes("is served at")) await once(child.stdout, "data");
  const { runId } = await (await fetch(`${/http:\/\/127\.0\.0\.1:\d+/.exec(written.stdout)[0]}/runs`, { method: "POST", body: "{}" })).json();
  child.kill("SIGTERM");
  await ended;
  // A run that bears the name of its workflow is one all the same.
  assert.equal((await cli(folder, ["run", "greet.json", "--journal", "runs", "--id", "greet"])).code, 0);
  const kept = (await fileStore(join(folder, "runs")).list()).runs.length;
  assert.ok(kept > 2, "the server keeps more than runs");
  const listed = JSON.parse((await cli(folder, ["inspect", "--journal", "runs", "--json"])).stdout);
  assert.deepEqual(listed.map(({ id }) => id).sort(), [runId, "greet"].sort());
  const lines = (await cli(folder, ["inspect", "--journal", "runs"])).stdout.trimEnd().split("\n");
  assert.deepEqual(lines.map((line) => line.split("  ")[0]).sort(), [runId, "greet"].sort());
});

test("a folder of journals that is not there is said to be missing, and an empty one has no runs", async (t) => {
  const folder = folderWith(t, { "greet.json": greet });
  for (const args of [["inspect"], ["inspect", "r"], ["replay", "greet.json", "r"], ["resume", "greet.json", "r"], ["record", "greet.json", "r"], ["what-if", "greet.json", "greet.json"]]) {
    const { code, stderr } = await cli(folder, [...args, "--journal", "./nofolder"]);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, /^error: there is no folder \.\/nofolder\n/, args.join(" "));
  }
  assert.match((await cli(folder, ["inspect", "--journal", "greet.json"])).stderr, /greet\.json is no folder/);
  mkdirSync(join(folder, "empty"));
  const { code, stdout } = await cli(folder, ["inspect", "--journal", "empty"]);
  assert.deepEqual([code, stdout], [0, ""]);
});

test("a file of another kind is said to be one, with what to do with it", async (t) => {
  const folder = folderWith(t, { "pay.json": greet, "pay.test.json": { cases: [] }, "tape.json": { stepweave: "cassette", version: 1, exchanges: [] } });
  assert.equal((await cli(folder, ["run", "pay.json", "--journal", "runs", "--id", "r"])).code, 0);
  const told = [
    [["inspect", "pay.json"], "pay.json is a workflow document, and not the journal of a run", "stepweave run pay.json runs it"],
    [["replay", "pay.json", "pay.json"], "pay.json is a workflow document, and not the journal of a run", "--journal FOLDER"],
    [["test", "pay.json"], "pay.json is a workflow document, and not a file of tests", 'in a file with "cases"'],
    [["inspect", "pay.test.json"], "pay.test.json is a file of tests, and not the journal of a run", "stepweave test pay.test.json runs it"],
    [["run", "pay.test.json"], "pay.test.json is a file of tests, and not a workflow document", "stepweave test pay.test.json runs it"],
    [["inspect", "tape.json"], "tape.json is a cassette, and not the journal of a run", "cassette()"],
  ];
  for (const [args, message, hint] of told) {
    const { code, stderr } = await cli(folder, args);
    assert.deepEqual([code, stderr.split("\n")[0]], [2, `error: ${message}`]);
    assert.ok(stderr.includes(hint), stderr);
  }
});
