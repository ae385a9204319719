// Runs as each version of the AI SDK that is in use reads them, over HTTP. Version 7 wants Node 22, which npm has.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { installed } from "./installed.mjs";

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const reader = fileURLToPath(new URL("ui-reader.mjs", import.meta.url));
/** The Node.js that runs this, if it is new enough, else the one that npm has for this machine. */
const node22 = Number(process.versions.node.split(".")[0]) >= 22 ? process.execPath : require.resolve(`node-${process.platform}-${process.arch}/bin/node`);

/** Each version: the package, the Node.js that it runs in, and how it asks whether a tool may be called. */
const VERSIONS = [
  { name: "ai5", node: process.execPath, approvals: "data" },
  { name: "ai6", node: process.execPath, approvals: "tool" },
  { name: "ai", node: node22, approvals: "tool" },
];

let home;
let ui;
let scriptedModel;

before(async () => {
  home = await installed();
  ui = await home.load("stepweave/ui");
  ({ scriptedModel } = await home.load("stepweave/testing"));
});
after(() => home.remove());

/** What a version makes of a run. */
async function read({ name, node }, run_, options, message) {
  const server = createServer((_, response) => {
    const { status, headers, body } = ui.toUIMessageStreamResponse(run_, options);
    response.writeHead(status, Object.fromEntries(headers));
    Readable.fromWeb(body).on("error", () => {}).pipe(response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    const address = `http://127.0.0.1:${server.address().port}/`;
    const { stdout } = await run(node, [reader, name, address, ...(message === undefined ? [] : [JSON.stringify(message)])]);
    return JSON.parse(stdout);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const texts = (parts) => parts.filter(({ type }) => type === "text").map(({ text }) => text);
const call = (name, input) => ({ type: "toolCall", name, input });

for (const version of VERSIONS) {
  const { version: number } = require(`${version.name}/package.json`);
  describe(`ai ${number}`, () => {
    const asking = (model, options = {}) => {
      const { Agent, Workflow } = home.stepweave;
      const { retryPolicy, ...agent } = options;
      return new Workflow({ name: "t", ...(retryPolicy && { retryPolicy }), steps: [{ name: "ask", agent: new Agent({ name: "a", model, ...agent }), inputFrom: "Hi" }] });
    };

    test("runs in a Node.js that it supports", async () => {
      const { node } = await read(version, asking(scriptedModel(["Hi"])).start());
      assert.ok(Number(node.split(".")[0]) >= (version.name === "ai" ? 22 : 18), node);
    });

    test("an answer that broke off is followed by the whole one", async () => {
      const model = scriptedModel([["Half of ", new home.stepweave.StepweaveError("network", "it broke off", { retryable: true })], "The whole"]);
      const { message, errors } = await read(version, asking(model, { retryPolicy: { maxRetries: 1, backoffMs: 1, afterFirstDelta: true } }).start());
      assert.deepEqual([errors, texts(message.parts), texts(ui.shownParts(message)), message.metadata.status], [[], ["Half of ", "The whole"], ["The whole"], "done"]);
    });

    test("a structured answer that does not fit its schema is followed by one that does", async () => {
      const output = { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] };
      const model = scriptedModel(["The sum is 5.", '{"sum":5}']);
      const { message, errors } = await read(version, asking(model, { output }).start());
      assert.deepEqual([errors, texts(ui.shownParts(message)), message.metadata.status], [[], ['{"sum":5}'], "done"]);
    });

    test("reasoning, calls of tools, failures and several agents at once are read to the end", async () => {
      const { Agent, tool, Workflow } = home.stepweave;
      const weather = tool({ name: "weather", execute: ({ city }) => { if (city === "Atlantis") throw new Error("it sank"); return { city }; } });
      const model = scriptedModel([[{ type: "reasoning", text: "two at once" }, "Let me look. ", call("weather", { city: "Oslo" }), call("weather", { city: "Atlantis" })], "Blue."]);
      const { message, errors } = await read(version, asking(model, { tools: [weather] }).start());
      assert.deepEqual([errors, message.parts.filter(({ type }) => type === "tool-weather").map(({ state }) => state), texts(message.parts)], [[], ["output-available", "output-error"], ["Let me look. ", "Blue."]]);

      const members = ["one", "two", "three"].map((name) => ({ name, agent: new Agent({ name, model: home.stepweave.demo() }), inputFrom: name }));
      const many = await read(version, new Workflow({ name: "t", steps: [{ name: "all", parallel: members }] }).start());
      assert.deepEqual([many.errors, texts(many.message.parts).length], [[], 3]);

      const failed = await read(version, new Workflow({ name: "t", steps: [{ name: "fail", run: () => { throw new Error("it broke"); } }] }).start());
      assert.deepEqual([failed.errors, failed.message.metadata.status], [["the workflow failed"], "error"]);
    });

    test("sources and files of an answer are parts of the message", async () => {
      const sources = [{ url: "https://bees.test/", title: "Bees" }, { url: "https://hives.test/" }, { title: "wings.pdf", text: "they beat" }, { url: "javascript:alert(1)", title: "Unsafe" }];
      const files = [{ type: "image", mediaType: "image/png", data: "aGk=" }, { type: "image", mediaType: "image/*", url: "https://bees.test/b.png" }, { type: "image", mediaType: "image/*", url: "javascript:alert(1)" }];
      const model = scriptedModel([["Bees dance.", ...sources.map((source) => ({ type: "source", ...source })), ...files]]);
      const { message, errors } = await read(version, asking(model).start());
      const found = message.parts.filter(({ type }) => /^(?:source|file)/.test(type)).map(({ sourceId, providerMetadata, ...part }) => part);
      assert.deepEqual([errors, texts(message.parts), found], [[], ["Bees dance."], [
        { type: "source-url", url: "https://bees.test/", title: "Bees" },
        { type: "source-url", url: "https://hives.test/" },
        { type: "source-document", mediaType: "text/plain", title: "wings.pdf" },
        { type: "source-document", mediaType: "text/plain", title: "Unsafe" },
        { type: "file", mediaType: "image/png", url: "data:image/png;base64,aGk=" },
        { type: "file", mediaType: "image/*", url: "https://bees.test/b.png" },
      ]]);
      const [, , quoted] = message.parts.filter(({ type }) => type.startsWith("source"));
      const answer = message.parts.find(({ type }) => type === "text").providerMetadata.stepweave.answer;
      assert.deepEqual(quoted.providerMetadata.stepweave, { answer, text: "they beat" });
      assert.equal(new Set(message.parts.flatMap(({ sourceId }) => sourceId ?? [])).size, 4);
      assert.equal(message.parts.at(-1).type, "file");
    });

    test("an answer that is an image alone is a step of the message, behind the calls that led to it", async () => {
      const { tool } = home.stepweave;
      const look = tool({ name: "look", execute: () => "seen" });
      const model = scriptedModel([[call("look", {})], [{ type: "image", mediaType: "image/png", data: "aGk=" }]]);
      const { message, errors } = await read(version, asking(model, { tools: [look] }).start());
      const kinds = message.parts.map(({ type }) => type).filter((type) => type !== "data-step");
      assert.deepEqual([errors, kinds], [[], ["step-start", "tool-look", "step-start", "file"]]);
      // Who is not shown the words of a step is not shown its sources and files.
      const hidden = scriptedModel([["Hi", { type: "source", url: "https://bees.test/" }]]);
      const { message: short } = await read(version, asking(hidden).start(), { shows: () => false });
      assert.deepEqual(short.parts.map(({ type }) => type), ["data-step"]);
    });

    test("a call of a tool waits for a person, and the run goes on in the same message", async () => {
      const { tool } = home.stepweave;
      const pay = tool({ name: "pay", needsApproval: true, execute: ({ sum }) => `paid ${sum}` });
      const { approvals } = version;
      for (const approved of [true, false]) {
        const model = scriptedModel([["I will pay.", call("pay", { sum: 5 })], "So be it."]);
        const first = asking(model, { tools: [pay] }).start({ journal: true });
        const waiting = await read(version, first, { approvals, messageId: "m" });
        assert.deepEqual([waiting.errors, waiting.message.metadata.status], [[], "suspended"]);
        const part = waiting.message.parts.find(({ type }) => type === "tool-pay");
        let answers;
        if (approvals === "data") {
          const { id, data } = waiting.message.parts.find(({ type }) => type === "data-approval");
          assert.deepEqual([part.state, part.toolCallId, data.message], ["input-available", data.toolCallId, "May `pay` be called?"]);
          answers = { [id]: approved };
        } else {
          assert.equal(part.state, "approval-requested");
          Object.assign(part, { state: "approval-responded", approval: { id: part.approval.id, approved } });
          answers = ui.answersOf([waiting.message]);
        }
        const again = asking(model, { tools: [pay] }).start({ journal: (await first.result).journal, answers });
        const { message, errors } = await read(version, again, { approvals, continues: waiting.message }, waiting.message);
        const { state, output } = message.parts.find(({ type }) => type === "tool-pay");
        assert.deepEqual([errors, message.id, texts(message.parts), output], [[], "m", ["I will pay.", "So be it."], approved ? "paid 5" : undefined]);
        assert.equal(state, approved ? "output-available" : approvals === "data" ? "output-error" : "output-denied");
      }
    });

    test("an approval step, a cancelled run and one that yields are read to the end", async () => {
      const { Workflow } = home.stepweave;
      const sign = await read(version, new Workflow({ name: "t", steps: [{ type: "approval", name: "sign", message: "Sign here" }] }).start({ journal: true }));
      assert.deepEqual([sign.errors, sign.message.parts.find(({ type }) => type === "data-approval").data.message], [[], "Sign here"]);
      const cancelled = new Workflow({ name: "t", steps: [{ name: "wait", wait: { ms: 60_000 } }] }).start();
      setTimeout(() => cancelled.cancel("enough"), 20);
      assert.deepEqual((await read(version, cancelled)).errors, []);
      const yields = new Workflow({ name: "t", steps: [{ name: "count", run: function* () { yield "one, "; yield "two"; } }] });
      assert.deepEqual(texts((await read(version, yields.start())).message.parts), ["one, two"]);
    });
  });
}
