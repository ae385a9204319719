import assert from "node:assert/strict";
import { test } from "node:test";
import { type as arktype } from "arktype";
import { Agent, demo, StepweaveError, Tool, tool } from "stepweave";
import { act, observe, ReasoningAgent, synthesize, think, toolSelection } from "stepweave/reasoning";
import { z } from "zod";
import { choosing, model, refusals } from "./chain-support.js";
import { rejection } from "./support.js";

const number = { type: "number" };
const sum = { type: "object", properties: { a: number, b: number }, required: ["a", "b"] };
const add = tool({ name: "add", description: "Adds two numbers.", input: sum, output: number, execute: ({ a, b }) => a + b });
const agentOf = (...tools) => new ReasoningAgent({ name: "a", model: model(), steps: [think("s", (input) => `Think: ${input}`)], tools });

/** What is sent about a tool to the model that chooses. */
async function described(one) {
  const fetch = choosing([]);
  await agentOf(one).run("x", { fetch });
  return /Tools:\n([\s\S]*?)\n\nAnswer with/.exec(fetch.bodies[0].prompt)[1];
}
const signature = async (one) => /Signature: (.*)/.exec(await described(one))[1];

test("1.11/123 a tool has its function, a name, a description and what it takes; it never changes, and can be called", () => {
  assert.deepEqual([add.name, add.description, add.input, add.execute({ a: 1, b: 2 })], ["add", "Adds two numbers.", sum, 3]);
  assert.ok(Object.isFrozen(add) && add instanceof Tool);
  assert.throws(() => void (add.name = "other"), TypeError);
});

test("1.11/124 without a name a tool has its function's; without a description the model reads that there is none", async () => {
  const now = tool(function now() { return 0; });
  assert.deepEqual([now.name, now.description], ["now", undefined]);
  assert.match(await described(now), /\n {2}Description: no description available$/);
  assert.equal(tool({ name: "other", execute: now.execute }).name, "other");
  assert.throws(() => tool([() => 1][0]), { code: "validation", message: "a tool has no name" });
});

test("1.11/125 the signature has names, types, defaults and what comes back; a default of null is none", async () => {
  const input = { type: "object", required: ["query"], properties: {
    query: { type: "string" }, limit: { type: "integer", default: 5 }, lang: { type: ["string", "null"], default: null },
    order: { enum: ["up", "down"], default: "up" }, any: true, list: { type: "array" }, either: { anyOf: [{ type: "number" }, { const: "all" }] },
  } };
  const search = tool({ name: "search", input, output: { type: "array" }, execute: () => [] });
  assert.equal(await signature(search), 'search(query: string, limit: integer = 5, lang?: string | null, order: "up" | "down" = "up", any?: any, list?: array, either?: number | "all") -> array');
  assert.equal(await signature(add), "add(a: number, b: number) -> number");
  assert.equal(await signature(tool(function free() {})), "free(...arguments: any) -> any");
});

test("1.11/125 the signature of a library's schema is that of its JSON Schema", async () => {
  assert.equal(await signature(tool({ name: "z", input: z.object({ city: z.string(), days: z.number().default(3) }), execute: () => 1 })), "z(city: string, days: number = 3) -> any");
  assert.equal(await signature(tool({ name: "ark", input: arktype({ city: "string", "days?": "number" }), execute: () => 1 })), "ark(city: string, days?: number) -> any");
});

test("1.11/126 for the model, a tool is three lines: a dash and its name, and indented its signature and its description", async () => {
  assert.equal(await described(add), "- add\n  Signature: add(a: number, b: number) -> number\n  Description: Adds two numbers.");
});

test("1.11/127 a tool is made of a function alone, of a function with a name and a description, or of an object", () => {
  function twice({ n }) { return 2 * n; }
  assert.deepEqual([tool(twice), tool(twice, { name: "double", description: "Doubles." }), tool({ name: "third", execute: twice })].map(({ name, description }) => [name, description]),
    [["twice", undefined], ["double", "Doubles."], ["third", undefined]]);
  assert.throws(() => tool({ name: "x" }), { code: "validation", message: "a tool needs a function as `execute`" });
  assert.throws(() => tool({ name: "x", exekute: twice }), { message: "the tool x has no option `exekute`", hint: "did you mean `execute`?" });
});

test("1.11/128 scopes are the types of steps and `all`, which is meant where none is said; case does not matter, others are refused", () => {
  const names = (agent, scope) => agent.listTools(scope).map(({ name }) => name);
  const of = (name, scopes) => tool({ name, scopes, execute: () => 1 });
  const agent = agentOf(of("t", ["THINK"]), of("ao", [" Act", "observe"]), of("s", ["synthesize"]), of("any"));
  assert.deepEqual(["think", "act", "observe", "synthesize", "Think"].map((scope) => names(agent, scope)), [["t", "any"], ["ao", "any"], ["ao", "any"], ["s", "any"], ["t", "any"]]);
  assert.throws(() => agentOf(of("x", ["act", "dream"])), { code: "validation", message: 'there is no scope "dream" for tools', hint: "use think, act, observe, synthesize, all" });
  for (const scopes of [[5], "dream"]) assert.throws(() => agentOf({ tool: () => 1, name: "x", scopes }), { code: "validation", message: "the `scopes` of the tool x is no list of texts" });
  assert.throws(() => agent.listTools("dream"), { message: 'there is no scope "dream" for tools' });
});

test("1.11/129 a tool whose scope is `all` is in every scope", () => {
  const agent = agentOf(tool({ name: "x", scopes: ["all"], execute: () => 1 }));
  for (const scope of ["think", "act", "observe", "synthesize", "all"]) assert.equal(agent.listTools(scope).length, 1);
});

test("1.11/130 two tools of one name are refused", () => {
  assert.throws(() => agentOf(add, { tool: () => 1, name: "add" }), { code: "validation", message: "the agent a has two tools called `add`" });
  const agent = agentOf(add);
  assert.throws(() => agent.registerTool(add), { code: "validation", message: "the agent a has two tools called `add`" });
  assert.deepEqual(agent.listTools().length, 1);
});

test("1.11/131 tools are listed in the order in which they came, with a scope too", () => {
  const agent = agentOf(...["c", "a", "d", "b"].map((name) => tool({ name, scopes: name === "d" ? ["act"] : ["all"], execute: () => 1 })));
  assert.deepEqual([agent.listTools(), agent.listTools("think")].map((tools) => tools.map(({ name }) => name).join("")), ["cadb", "cab"]);
});

test("1.11/132 tools are given as functions, as tools, or with what the agent calls them, and more can be registered", async () => {
  function now() { return "noon"; }
  const agent = agentOf(now, add, { tool: add, name: "plus", description: "Also adds.", scopes: ["act"] }, { tool: () => 5, name: "five" });
  const registered = agent.registerTool(({ n }) => n * 2, { name: "double", description: "Doubles.", scopes: ["observe"] });
  agent.registerTool(registered, { name: "twice" });
  assert.deepEqual(agent.listTools().map(({ name, description }) => [name, description]), [["now", undefined], ["add", "Adds two numbers."], ["plus", "Also adds."], ["five", undefined], ["double", "Doubles."], ["twice", "Doubles."]]);
  assert.deepEqual([add.name, agent.listTools("act").length, agent.listTools("observe").length], ["add", 4, 5]);
  assert.equal(await agent.useTool("plus", { a: 1, b: 2 }), 3);
  assert.equal(await agent.useTool("plus", { a: "1", b: "2" }), 3, "arguments are converted, as those of a model are");
  for (const wrong of [5, {}, "now", null, { tool: 5 }]) assert.throws(() => agentOf(wrong), { code: "validation", message: "the agent a was given a tool that is none" });
  assert.throws(() => new Agent({ name: "a", model: demo(), tools: add }), { message: "the tools of the agent a are no list" });
});

test("1.11/132 a tool that is registered between two runs is there for the second", async () => {
  const agent = new ReasoningAgent({ name: "a", model: model(), steps: [think("s", (input) => input)] });
  const first = choosing([]);
  await agent.run("x", { fetch: first });
  agent.registerTool(add);
  const second = choosing([]);
  await agent.run("x", { fetch: second });
  assert.deepEqual([first.bodies.length, second.bodies.length], [1, 2]);
});

test("1.11/133 a tool is used by its name without a model; what is wrong with the name, the arguments or the tool is an error of the kind tool", async () => {
  const boom = new RangeError("boom");
  const agent = agentOf(add, function fails() { throw boom; }, function context(_, { tool, signal, dependencies }) { return [tool, signal.aborted, dependencies.db]; });
  assert.equal(await agent.useTool("add", { a: 1, b: 2 }), 3);
  assert.deepEqual(await agent.useTool("context", {}, { dependencies: { db: "mine" } }), ["context", false, "mine"]);
  const missing = await rejection(agent.useTool("subtract", {}));
  assert.deepEqual([missing.code, missing.message, missing.hint], ["tool", "the agent a has no tool called `subtract`", "it has add, fails, context"]);
  const library = tool({ name: "half", input: z.object({ n: z.number() }), execute: ({ n }) => n / 2 });
  assert.equal(await agentOf(library).useTool("half", { n: "4" }), 2);
  const wrong = await rejection(agent.useTool("add", { a: "x" }));
  assert.deepEqual([wrong.code, wrong.problems.map(({ path }) => path)], ["tool", ["b", "a"]]);
  assert.match(wrong.message, /^the tool `add` failed: the input of the tool `add` does not fit its schema: `b` is missing; `a` must be a number/);
  const thrown = await rejection(agent.useTool("fails"));
  assert.deepEqual([thrown.code, thrown.message, thrown.cause], ["tool", "the tool `fails` failed: boom", boom]);
  const busy = agentOf(function busy() { throw new StepweaveError("rate_limit", "full", { hint: "wait", retryable: true, retryAfterMs: 700 }); });
  const { code, hint, retryable, retryAfterMs } = await rejection(busy.useTool("busy"));
  assert.deepEqual([code, hint, retryable, retryAfterMs], ["tool", "wait", true, 700]);
  const controller = new AbortController();
  const hanging = agentOf(function hangs() { controller.abort(); return new Promise(() => {}); });
  assert.equal((await rejection(hanging.useTool("hangs", {}, { signal: controller.signal }))).code, "cancelled");
  const slow = agentOf(tool({ name: "slow", timeoutMs: 10, execute: () => new Promise(() => {}) }));
  assert.match((await rejection(slow.useTool("slow"))).message, /took longer than 10 ms/);
});

test("a tool that is used without a model gets and gives what it would with one: values of a library, iterators, requests and workflows", async () => {
  const used = (one, args, options) => agentOf(tool({ name: "t", ...one })).useTool("t", args, options);
  const dated = { input: z.object({ at: z.coerce.date(), tags: z.array(z.string()).transform((tags) => new Set(tags)) }), execute: ({ at, tags }) => [at.getTime(), tags.size] };
  assert.deepEqual(await used(dated, { at: "1970-01-02", tags: ["a", "a"] }), [86_400_000, 1]);
  assert.equal(await used({ execute: function* () { yield "a"; yield "b"; } }), "ab");
  assert.deepEqual(await used({ execute: async function* () { yield 1; return { two: 2 }; } }), { two: 2 });
  assert.deepEqual(await used({ workflow: { steps: [{ name: "add", run: ({ n }) => ({ more: n + 1 }) }], set: { more: "more" } } }, { n: 1 }), { more: 2 });
  const fetch = async (url, { method }) => Response.json([method, String(url)]);
  assert.deepEqual(await used({ http: { method: "DELETE", url: "https://bees.example/{{ id }}" } }, { id: 7 }, { fetch }), ["DELETE", "https://bees.example/7"]);
  assert.deepEqual(await used({ needsApproval: true, execute: (args) => Object.keys(args) }, JSON.parse('{"__proto__":1,"a":2}')), ["__proto__", "a"]);
});

test("what is wrong with the arguments of a tool that is used without a model is said of the arguments", async () => {
  for (const [args, message] of [
    [{ n: 1n }, "the tool `add` failed: arguments.n is a bigint, which JSON cannot hold"],
    [[1], "the tool `add` failed: its arguments are [1]"],
    ["a", 'the tool `add` failed: its arguments are "a"'],
  ]) {
    const { code, message: said, hint } = await rejection(agentOf(add).useTool("add", args));
    assert.deepEqual([code, said, hint !== undefined], ["tool", message, true]);
  }
});

test("an agent with steps is given no tool that a provider runs", async () => {
  const search = tool({ name: "search", provider: "web_search" });
  const refused = { code: "validation", message: "the agent a has steps, which cannot use the tool `search`: the provider of a model runs it itself" };
  assert.throws(() => agentOf(search), refused);
  const agent = agentOf();
  assert.throws(() => agent.registerTool(search), refused);
  assert.deepEqual(agent.listTools(), []);
});
