// An agent with two tools on a real endpoint, and what must be true of its run wherever it ran.
import assert from "node:assert/strict";
import { MODEL } from "./llama-server.mjs";

/** The wire formats that llama-server speaks, each with a provider that does and its name for the most tokens of an answer. */
export const FORMATS = [
  { format: "chat completions", provider: "llamacpp", most: "max_tokens" },
  { format: "Responses", provider: "openaiResponses", most: "max_output_tokens" },
  { format: "Messages", provider: "anthropic", most: "max_tokens" },
];

const text = { type: "string", maxLength: 20 };
const taking = (key) => ({ type: "object", properties: { [key]: text }, required: [key], additionalProperties: false });

/** The tools' functions, by the names of their handlers. Pages and Workers receive them as source text. */
export const TOOLS = {
  weather: ({ city }) => ({ city, sky: "clear" }),
  clock: ({ zone }) => `It is noon in ${zone}.`,
};

/**
 * A workflow of one agent that has to call a tool before it answers. Its model takes the likeliest token each time: chosen at random,
 * one run in 250 reached its most tokens within a call.
 */
export function withTools({ provider, most }, baseUrl, { secret } = {}) {
  const apiKey = secret === undefined ? {} : { apiKey: { secret } };
  return {
    version: 1,
    name: "Ask with tools",
    models: { real: { provider, model: MODEL, baseUrl, params: { [most]: 400, temperature: 0 }, ...apiKey } },
    agents: { helper: { model: "real", instructions: "Help people on their way.", tools: ["weather", "clock"], toolChoice: "required" } },
    tools: {
      weather: { description: "The weather in a city.", input: taking("city") },
      clock: { description: "The time in a zone.", input: taking("zone") },
    },
    steps: [{ id: "s1", type: "agent", name: "ask", agent: "helper", inputFrom: "How is the weather in Paris, and what time is it?" }],
  };
}

/** Asserts that tools were called with what fits them, and that the model answered on what they gave. */
export function assertTools(events) {
  const { type, result } = events.at(-1);
  assert.equal(type, "run.done", JSON.stringify(result?.errors));
  const calls = events.filter((event) => event.type === "tool.start");
  assert.ok(calls.length > 0, "no tool was called");
  for (const { callId, tool, input } of calls) {
    const done = events.find((event) => event.type === "tool.done" && event.callId === callId);
    assert.ok(done, JSON.stringify(events.find((event) => event.type === "tool.error" && event.callId === callId)));
    assert.deepEqual(done.output, TOOLS[tool](input));
  }
  const { output, usage } = result.stepResults[0];
  assert.ok(output.length > 0);
  assert.equal(result.state.ask_output, output);
  // Two questions at least: the second one with what the tools gave.
  assert.ok(usage.inputTokens > 100 && usage.outputTokens > 5, JSON.stringify(usage));
}
