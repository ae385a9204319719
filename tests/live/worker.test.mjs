// Workflows in workerd on a real llama-server: the example behind the Worker of examples/cloudflare, and every wire format
// through the installed package in a Worker of a few lines.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { allEventsOf } from "../../examples/cloudflare/test/events.mjs";
import { startWorker } from "../../examples/cloudflare/test/worker.mjs";
import { workerd } from "../runtimes/hosts/workerd.mjs";
import { installed } from "./installed.mjs";
import { MODEL, startLlama } from "./llama-server.mjs";
import { assertReport, assertWritten, ENDLESS_ANSWERS, LONG_ANSWERS, reportIn, reportWith, until } from "./report.mjs";
import { assertTools, FORMATS, TOOLS, withTools } from "./tools.mjs";

const KEY = "sk-live-test";
const STATE = JSON.stringify({ topic: "Night trains", audience: "travellers" });

/** What callers decide of it. */
const INPUT = { type: "object", properties: { topic: { type: "string" }, audience: { type: "string" }, needsReview: { type: "boolean" } } };

let llama;
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepweave-live-"));
  // Guarded, so that nothing works unless the key arrives.
  llama = await startLlama({ apiKey: KEY });
});
after(async () => {
  await llama.stop();
  await rm(folder, { recursive: true });
});

/** The Worker with the example in the place of its own document, on an endpoint. */
async function deployed({ params = LONG_ANSWERS, ...env }, use) {
  const document = join(folder, "workflow.json");
  await writeFile(document, JSON.stringify({ ...reportWith(params), input: INPUT }));
  const worker = await startWorker({ document, env: { LLM_BASE_URL: llama.url, LLM_MODEL: MODEL, LLM_API_KEY: KEY, PUBLIC: "yes", ...env } });
  try {
    await use(new URL("/runs", worker.url));
  } finally {
    await worker.stop();
  }
}

test("the report is written, as events", () =>
  deployed({}, async (url) => {
    const response = await fetch(url, { method: "POST", headers: { accept: "text/event-stream" }, body: STATE });
    const events = await allEventsOf(response);
    assertReport(events.map(({ data }) => data));
    assert.equal(events.at(-1).data.result.state.topic, "Night trains");
  }));

test("the report is written, as JSON, without the review that nobody wants", () =>
  deployed({ params: { max_tokens: 8 } }, async (url) => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify({ needsReview: false }) });
    assert.equal(response.status, 200);
    const { status, state, usage } = await response.json();
    assert.equal(status, "done");
    assert.equal(state.review_output, "No review was asked for.");
    assert.ok(state.write_up_output.length > 0);
    assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0);
  }));

test("the report and an agent with two tools, over every wire format", async (t) => {
  const home = await installed();
  t.after(home.remove);
  await writeFile(join(home.folder, "worker.mjs"), WORKER);
  const wires = FORMATS.flatMap((wire) => [
    { name: `the report over ${wire.format}`, document: reportIn(wire, llama.url, { secret: "LLAMA" }), check: assertWritten },
    { name: `tools over ${wire.format}`, document: withTools(wire, llama.url, { secret: "LLAMA" }), check: assertTools },
  ]);
  const secrets = { LLAMA: { value: KEY, origins: [llama.url] } };
  const entries = wires.map(({ name, document }) => ({ name, document, secrets }));
  const checks = wires.values();
  for await (const events of workerd({ folder: home.folder, entries })) checks.next().value.check(events);
  assert.ok(checks.next().done, "every entry was answered");
});

/** Runs the document that it is sent, and answers with the events. */
const WORKER = `
  import { Workflow } from "stepweave";
  const handlers = { ${Object.entries(TOOLS).map(([name, run]) => `${name}: ${run}`).join(", ")} };
  export default {
    async fetch(request) {
      const { document, secrets } = await request.json();
      const allowOrigins = Object.values(document.models).map(({ baseUrl }) => new URL(baseUrl).origin);
      const events = [];
      for await (const event of Workflow.fromDocument(document, { handlers }).stream({ secrets, allowOrigins })) events.push(event);
      return Response.json(events);
    },
  };
`;

test("hanging up in mid-answer frees the server", () =>
  deployed({ params: ENDLESS_ANSWERS }, async (url) => {
    const client = httpRequest(url, { method: "POST", headers: { accept: "text/event-stream" } });
    client.on("error", () => {});
    const streaming = new Promise((resolve) => {
      client.on("response", (response) => {
        let text = "";
        response.on("error", () => {}).on("data", (chunk) => {
          text += chunk;
          if (text.split("event: step.delta").length > 20) resolve();
        });
      });
    });
    client.end(STATE);
    await streaming;
    client.destroy();
    await until("the slot is free", async () => (await llama.busySlots()) === 0);
  }));

test("a caller learns of a refused key and of an endpoint that is down, and no address", async () => {
  for (const [env, code, words] of [
    [{ LLM_API_KEY: "sk-wrong" }, "auth", /refused the key/],
    [{ LLM_API_KEY: "" }, "auth", /refused the key/],
    [{ LLM_BASE_URL: "http://127.0.0.1:9/v1" }, "network", /could not be reached/],
    [{ LLM_BASE_URL: llama.url.replace("/v1", "/v7") }, "model", /gave no answer/],
  ]) {
    await deployed(env, async (url) => {
      const response = await fetch(url, { method: "POST", body: STATE });
      assert.equal(response.status, 502);
      const problem = await response.json();
      assert.equal(problem.code, code);
      assert.match(problem.detail, words);
      assert.equal(problem.step.name, "research");
      // The identifier of a run is random, and may hold the digits of a status.
      assert.doesNotMatch(JSON.stringify({ ...problem, runId: "" }), /sk-|127\.0\.0\.1|40[14]/);
    });
  }
});
