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
export function reportAt(baseUrl, { provider = "openai", params = LONG_ANSWERS, secret } = {}) {
  const apiKey = secret === undefined ? {} : { apiKey: { secret } };
  return withModels(() => ({ provider, model: MODEL, baseUrl, params, ...apiKey }));
}

/** The example in another wire format, with answers of any length. */
export function reportIn({ provider, most }, baseUrl, { secret } = {}) {
  return reportAt(baseUrl, { provider, params: { [most]: TOKENS_PER_ANSWER }, secret });
}

/** Asserts that every step of the report was written by the model and emitted as it came. Errors may be instances or data. */
export function assertWritten(events) {
  const { type, result } = events.at(-1);
  assert.equal(type, "run.done", JSON.stringify(result?.errors));
  for (const name of AGENT_STEPS) {
    const own = events.filter(({ step }) => step?.name === name);
    const { type, output, usage, simulated } = own.at(-1);
    assert.equal(type, "step.done");
    assert.equal(simulated, undefined);
    const deltas = own.filter((event) => event.type === "step.delta").map(({ text }) => text);
    assert.equal(deltas.join(""), output);
    assert.equal(result.state[`${name}_output`], output);
    assert.ok(output.length > 0 && usage.inputTokens > 10 && usage.outputTokens > 0, JSON.stringify(usage));
  }
}

/** Asserts the same of answers that are all {@link LONG_ANSWERS long}, and that they came in pieces. */
export function assertReport(events) {
  assertWritten(events);
  const { result } = events.at(-1);
  assert.deepEqual(result.errors, []);
  assert.equal(result.status, "done");
  // A served workflow keeps its warnings to itself, and with them their numbers.
  assert.ok(events.every(({ seq }, index) => index === 0 || seq > events[index - 1].seq), "events come in their order");
  for (const name of AGENT_STEPS) {
    const { output, usage } = events.findLast(({ step }) => step?.name === name);
    assert.ok(output.length > 100);
    // How many pieces carry these tokens is the server's to choose: it may hold some back and send one more at the end.
    assert.equal(usage.outputTokens, TOKENS_PER_ANSWER);
  }
  const pieces = events.filter(({ type }) => type === "step.delta").length;
  // A page may read all of a short answer at once; that a run is seen while its model writes is shown by those that are cancelled.
  assert.ok(pieces >= AGENT_STEPS.length, `it came in ${pieces} pieces`);
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
