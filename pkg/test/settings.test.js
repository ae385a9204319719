// One setting of a model has several names: whoever sets it under one has set it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Agent, openai, Workflow } from "stepweave";
import { ReasoningAgent, think } from "stepweave/reasoning";

const body = { choices: [{ message: { content: "ok" }, finish_reason: "stop" }] };

/** What an endpoint is sent besides the conversation. */
async function sent(run) {
  let params;
  const fetch = async (_url, { body: text }) => {
    const { model, messages, stream, stream_options, ...rest } = JSON.parse(text);
    params = rest;
    return Response.json(body);
  };
  const { status, error } = await run({ fetch });
  assert.equal(status, "done", error?.message);
  return params;
}

const model = (params) => openai("gpt-4.1", { baseUrl: "https://models.example/v1", apiKey: "k-0123456789", params });

test("an agent's parameter replaces the model's, in whichever spelling", async () => {
  for (const [own, over] of [[{ top_p: 0.9, presencePenalty: 1 }, { topP: 0.1, presence_penalty: 0 }], [{ topP: 0.9, presence_penalty: 1 }, { top_p: 0.1, presencePenalty: 0 }]]) {
    const agent = new Agent({ name: "a", model: model(own), params: over });
    const workflow = new Workflow({ name: "w", steps: [{ name: "s", agent, inputFrom: "x" }] });
    assert.deepEqual(await sent((options) => workflow.run(options)), { top_p: 0.1, presence_penalty: 0 });
  }
});

test("a parameter of a reasoning step replaces those of its type, of the model and of the agent", async () => {
  const topP = (params, ofStep) => {
    const step = think("s", { ...(ofStep && { model: { name: "gpt-4.1", ...ofStep } }) }, () => "x");
    const agent = new ReasoningAgent({ name: "a", model: model(params[0]), params: params[1], steps: [step] });
    return sent((options) => agent.run("x", options));
  };
  for (const params of [[{}, { topP: 0.1 }], [{ top_p: 0.5 }, { topP: 0.1 }], [{ topP: 0.5 }, { top_p: 0.1 }]]) {
    assert.deepEqual(await topP(params), { temperature: 0.7, top_p: 0.1 }, JSON.stringify(params));
  }
  assert.deepEqual(await topP([{ topP: 0.5 }, {}], { topP: 0.1 }), { temperature: 0.7, top_p: 0.1 });
});

test("the engine and the package know the same names of settings", async () => {
  const [rust, ts] = await Promise.all(["../../core/src/models/settings.rs", "../ts/models/spellings.ts"].map((path) => readFile(new URL(path, import.meta.url), "utf8")));
  const rows = (text, row) => [...text.matchAll(row)].map(([, names]) => [...names.matchAll(/"(\w+)"/g)].map(([, name]) => name));
  const known = rows(rust, /names:\s*&\[([^\]]*)\]/g);
  assert.ok(known.length >= 7);
  assert.deepEqual(rows(ts, /^  \[(.*)\],$/gm), known);
});
