// An endpoint for agents with steps: it answers as the test says and keeps its requests.
import { END, piece } from "./support.js";
import { openai } from "stepweave";

/** A model at an endpoint of the test's own. */
export const model = (name = "m", params) => openai(name, { baseUrl: "http://llm.example/v1", ...(params && { params }) });

/** A `fetch` that gives these answers in turn; a number is a status, a function makes an answer of the prompt. */
export function endpoint(...answers) {
  const bodies = [];
  const fetch = async (url, init) => {
    const body = JSON.parse(init.body);
    bodies.push({ url, ...body, prompt: body.messages.at(-1).content, system: body.messages.length > 1 ? body.messages[0].content : undefined });
    const next = answers.length > 1 ? answers.shift() : answers[0];
    const answer = typeof next === "function" ? await next(body.messages.at(-1).content, init.signal) : next;
    if (typeof answer === "number") return new Response("{}", { status: answer, headers: { "content-type": "application/json" } });
    return new Response(`${piece(answer)}${END}`, { headers: { "content-type": "text/event-stream" } });
  };
  return Object.assign(fetch, { bodies, prompts: () => bodies.map(({ prompt }) => prompt) });
}

/** An endpoint that answers with its prompt, in brackets. */
export const echo = () => endpoint((prompt) => `<${prompt}>`);

/** The codes of what was refused. */
export function refusals(make) {
  try {
    make();
  } catch (error) {
    return error.problems.map(({ code }) => code);
  }
  throw new Error("nothing was refused");
}

/** The answer of a model that chooses these tools: `["add", { a: 1 }]`, or whole calls. */
export const choice = (...calls) =>
  JSON.stringify({ tool_calls: calls.map((call) => (Array.isArray(call) ? { tool_name: call[0], arguments: call[1], confidence: 0.9, reasoning: "it helps" } : call)) });

/** An endpoint that answers who chooses tools with these calls, or this text, and everybody else with its prompt, in brackets. */
export function choosing(chosen) {
  const answer = typeof chosen === "string" || typeof chosen === "number" ? chosen : choice(...chosen);
  return endpoint((prompt) => (isChoice(prompt) ? answer : `<${prompt}>`));
}

/** Whether a prompt asks which tools to use, or for a better answer to that. */
export const isChoice = (prompt) => prompt.includes('{"tool_calls": [') || prompt.startsWith("That cannot be used");
