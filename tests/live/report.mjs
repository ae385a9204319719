// The example workflow on a real endpoint, and what must be true of its run wherever it ran.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { MODEL } from "./llama-server.mjs";

const example = JSON.parse(readFileSync(new URL("../../examples/research-report.json", import.meta.url), "utf8"));

const AGENT_STEPS = ["research", "market", "technology", "risks", "review", "write_up"];
const TOKENS_PER_ANSWER = 60;

/** Answers of a known length, so that there is something to stream. `ignore_eos` is llama.cpp's own. */
export const LONG_ANSWERS = { max_tokens: TOKENS_PER_ANSWER, ignore_eos: true };

/** Answers that nobody would wait for. */
export const ENDLESS_ANSWERS = { max_tokens: 100_000, ignore_eos: true };

/** The example, its models with other parameters. */
export function reportWith(params) {
  return withModels((model) => ({ ...model, params }));
}

/** The example, its models at this base URL. */
export function reportAt(baseUrl, { params = LONG_ANSWERS, secret } = {}) {
  const apiKey = secret === undefined ? {} : { apiKey: { secret } };
  return withModels(() => ({ provider: "openai", model: MODEL, baseUrl, params, ...apiKey }));
}

/** Asserts that the report was written by the model and came in pieces. Errors may be instances or data. */
export function assertReport(events) {
  const { type, result } = events.at(-1);
  assert.equal(type, "run.done", JSON.stringify(result?.errors));
  assert.deepEqual(result.errors, []);
  assert.equal(result.status, "done");
  assert.deepEqual(events.map(({ seq }) => seq), [...events.keys()]);
  let pieces = 0;
  for (const name of AGENT_STEPS) {
    const own = events.filter(({ step }) => step?.name === name);
    const deltas = own.filter(({ type }) => type === "step.delta");
    const done = own.at(-1);
    assert.equal(done.type, "step.done");
    // All pieces were told before the step was done, and together they are the answer.
    pieces += deltas.length;
    assert.equal(deltas.map(({ text }) => text).join(""), done.output);
    assert.equal(result.state[`${name}_output`], done.output);
    assert.ok(done.output.length > 100);
    assert.equal(done.simulated, undefined);
    assert.ok(done.usage.inputTokens > 10, JSON.stringify(done.usage));
    // How many pieces carry these tokens is the server's to choose: it may hold some back and send one more at the end.
    assert.equal(done.usage.outputTokens, TOKENS_PER_ANSWER);
  }
  // A busy machine reads many tokens at once, but never a whole report as one piece for each step.
  assert.ok(pieces >= 3 * AGENT_STEPS.length, `it came in ${pieces} pieces`);
  assert.equal(result.usage.outputTokens, AGENT_STEPS.length * TOKENS_PER_ANSWER);
  assert.ok(result.usage.inputTokens > result.usage.outputTokens);
  const at = (type, name) => events.findIndex((event) => event.type === type && event.step.name === name);
  assert.ok(at("step.start", "risks") < Math.min(at("step.done", "market"), at("step.done", "technology")), "the lanes run at once");
}

/** Waits until something holds. */
export async function until(what, holds, milliseconds = 5000) {
  const deadline = performance.now() + milliseconds;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`still not so after ${milliseconds} ms: ${what}`);
    await sleep(10);
  }
}

function withModels(change) {
  const models = Object.entries(example.models).map(([id, model]) => [id, change(model)]);
  return { ...example, models: Object.fromEntries(models) };
}
