// What the code that runs a document bounds it by: limits, and how much is given at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, tool, Workflow } from "stepweave";
import { ReasoningAgent } from "stepweave/reasoning";
import { calls, saying } from "./agent-support.js";
import { answering, END, piece, rejection, virtualClock } from "./support.js";

const document = (parts = {}) => ({ version: 1, name: "w", models: { m: { provider: "openai", model: "m", baseUrl: "https://llm.test/v1" } }, agents: { a: { model: "m" } }, steps: [], ...parts });
const set = (id, set, more = {}) => ({ id, type: "function", name: id, run: { set }, ...more });
const loop = { id: "l", type: "loop", name: "l", repeat: { while: "true" }, maxIterations: 1000, onMax: "continue", steps: [set("s", { n: "1" })] };
const ask = { id: "ask", type: "agent", name: "ask", agent: "a", inputFrom: "go" };
const slow = { handlers: { slow: (state, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))) } };
const MOST = { maxCost: 1e6, templateFuel: 5_000_000 };

/** What each limit of the host ends, whose document says another one, or none. */
const ENDED = {
  maxSteps: [{ maxSteps: 5 }, { steps: [loop] }, {}, "limit"],
  maxEvents: [{ maxEvents: 5 }, { steps: [loop] }, {}, "limit"],
  maxStateBytes: [{ maxStateBytes: 20 }, { steps: [set("s", { text: "'a text of some length'" })] }, {}, "limit"],
  templateFuel: [{ templateFuel: 20 }, { initialState: { n: 1 }, steps: [set("s", { sum: Array(100).fill("n").join(" + ") })] }, {}, "limit"],
  timeoutMs: [{ timeoutMs: 50 }, { steps: [{ id: "w", type: "wait", name: "w", wait: { ms: 100_000 } }] }, { clock: virtualClock() }, "timeout"],
  stepTimeoutMs: [{ stepTimeoutMs: 20 }, { steps: [{ id: "s", type: "function", name: "s", run: { handler: "slow" }, timeoutMs: 1_000_000 }] }, {}, "timeout"],
  firstTokenMs: [{ firstTokenMs: 20 }, { steps: [ask] }, { fetch: () => new Promise(() => {}) }, "timeout"],
  maxTokens: [{ maxTokens: 4 }, { steps: [ask, { ...ask, id: "b", name: "b" }] }, { fetch: answering([piece("ok"), END]) }, "budget"],
  maxCost: [{ maxCost: 0.000001 }, { models: { m: { provider: "openai", model: "gpt-5-pro" } }, steps: [ask, { ...ask, id: "b", name: "b" }] }, { fetch: answering([piece("ok"), END]) }, "budget"],
  maxResultBytes: [{ maxResultBytes: 100 }, { steps: [{ id: "s", type: "function", name: "s", run: { handler: "large" } }] }, {}, "limit"],
};

for (const [name, [limits, parts, options, code]] of Object.entries(ENDED)) {
  test(`limits.${name} of a run holds, whatever its document says`, async () => {
    for (const said of [undefined, { [name]: MOST[name] ?? Number.MAX_SAFE_INTEGER }]) {
      const handlers = { ...slow.handlers, large: () => ({ text: "x".repeat(200) }) };
      const workflow = Workflow.fromDocument(document({ ...parts, ...(said && { limits: said }) }), { handlers });
      const result = await workflow.run({ ...options, limits });
      assert.equal(result.errors[0]?.code, code, JSON.stringify(result.errors));
      assert.equal(result.status, code === "budget" ? "budget" : "error");
    }
  });
}

test("idleMs of a run bounds the pauses of a model", async () => {
  const fetch = answering([piece("one "), () => new Promise(() => {})]);
  const { errors } = await Workflow.fromDocument(document({ limits: { idleMs: Number.MAX_SAFE_INTEGER }, steps: [ask] })).run({ fetch, limits: { idleMs: 20 } });
  assert.deepEqual([errors[0].code, errors[0].message], ["timeout", "https://llm.test sent nothing for 20 ms"]);
});

test("a document's own limits hold where they are stricter, and each run has its own bounds", async () => {
  const workflow = Workflow.fromDocument(document({ limits: { maxSteps: 5 }, steps: [loop] }));
  const stopped = async (limits) => (await workflow.run({ limits })).errors[0]?.message;
  const messages = await Promise.all([stopped({ maxSteps: 100 }), stopped({ maxSteps: 3 }), stopped(undefined), stopped({})]);
  assert.deepEqual(messages, [5, 3, 5, 5].map((most) => `the run has started ${most} steps, which is its limit`));
});

test("bounds do not keep a run from being taken up, nor do they make it another run", async () => {
  const parts = { steps: [set("s1", { a: "1" }), { id: "p", type: "approval", name: "ok" }, set("s2", { b: "2" })] };
  const first = await Workflow.fromDocument(document(parts)).run({ journal: true, limits: { maxSteps: 50 } });
  const last = await Workflow.fromDocument(document(parts)).run({ journal: first.journal, answers: { p: true }, limits: { maxSteps: 40, timeoutMs: 60_000 } });
  assert.deepEqual([last.status, last.state.b, last.runId], ["done", 2, first.runId]);
});

test("the limits of a run hold in TypeScript's workflows, in agents with steps and in a custom run too", async () => {
  const large = () => ({ text: "x".repeat(200) });
  const workflow = new Workflow({ name: "w", limits: { maxResultBytes: 1000 }, steps: [{ name: "s", run: large }] });
  assert.equal((await workflow.run()).status, "done");
  assert.equal((await workflow.run({ limits: { maxResultBytes: 100 } })).errors[0].code, "limit");
  const spending = customModel("spending", () => [{ type: "text", text: "ok" }, { type: "usage", inputTokens: 5, outputTokens: 5 }], { price: { input: 1, output: 1 } });
  const { think } = await import("stepweave/reasoning");
  const steps = ["one", "two", "three"].map((name) => think(name, () => "go"));
  const chain = new ReasoningAgent({ name: "c", model: spending, steps });
  const limits = { maxTokens: 15 };
  assert.equal((await chain.run("x")).status, "done");
  assert.equal((await chain.run("x", { limits })).status, "budget");
  const custom = new ReasoningAgent({ name: "c", model: spending, steps, run: async (input, agent) => { for (const name of ["one", "two", "three"]) await agent.steps[name](); } });
  assert.equal((await custom.run("x")).status, "done");
  assert.notEqual((await custom.run("x", { limits })).status, "done");
});

test("limits that bound nothing are refused", async () => {
  const workflow = Workflow.fromDocument(document());
  const refused = [
    [5, "the option `limits` of a run must be an object"],
    [{ maxStep: 5 }, "`limits` of a run has no option `maxStep`"],
    [{ maxSteps: 0 }, "`limits.maxSteps` of a run is 0"],
    [{ timeoutMs: Infinity }, "`limits.timeoutMs` of a run is Infinity"],
    [{ maxTokens: "5" }, "`limits.maxTokens` of a run is no number"],
    [{ templateFuel: 5_000_001 }, "`limits.templateFuel` of a run is 5000001"],
    [{ maxCost: -1 }, "`limits.maxCost` of a run is -1"],
    [{ maxCost: NaN }, "`limits.maxCost` of a run is NaN"],
  ];
  for (const [limits, message] of refused) {
    const error = await rejection(workflow.run({ limits }));
    assert.deepEqual([error.code, error.message], ["validation", message]);
  }
  assert.equal((await workflow.run({ limits: { maxSteps: undefined, maxCost: 0 } })).status, "done");
});

/** Values of about 200 bytes, and how a function gives them. */
const text = "x".repeat(200);
const LARGE = {
  "a text": () => ({ text }),
  "a list of numbers": () => ({ list: Array.from({ length: 60 }, (_, index) => index) }),
  "many keys": () => Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key${index}`, true])),
  "two values": () => ({ one: text.slice(0, 60), two: [text.slice(0, 60)] }),
  "a promise": async () => ({ text }),
  "what it yields": function* () { for (let count = 0; count < 5; count += 1) yield text.slice(0, 40); },
  "what it yields later": async function* () { for (let count = 0; count < 5; count += 1) yield { part: text.slice(0, 40) }; },
};

test("no function, tool, or check gives more at once than its limit", async () => {
  const limits = { maxResultBytes: 100 };
  for (const [what, give] of Object.entries(LARGE)) {
    const { status, errors } = await new Workflow({ name: "w", retryPolicy: { maxRetries: 3 }, steps: [{ name: "s", run: give }] }).run({ limits });
    assert.deepEqual([status, errors[0]?.code, errors[0]?.message], ["error", "limit", "`s` gave more than 100 bytes of JSON, the limit of what is given at once"], what);
    const said = saying([calls("load")], "done");
    const load = tool({ name: "load", execute: give });
    const agent = new Agent({ name: "a", model: said.model, tools: [load] });
    assert.equal((await new Workflow({ name: "w", steps: [{ name: "s", agent, inputFrom: "go" }] }).run({ limits })).status, "done");
    const [sent] = said.requests[1].messages.at(-1).results;
    assert.deepEqual([sent.isError, sent.output.error.includes("gave more than 100 bytes of JSON")], [true, true], what);
  }
  const others = [
    { name: "s", items: () => [text], steps: [] },
    { name: "s", agent: new Agent({ name: "a", model: saying("x").model }), inputFrom: () => text },
    { name: "s", agent: new Agent({ name: "a", model: saying("x").model }), inputFrom: async () => [{ type: "text", text }] },
  ];
  for (const step of others) assert.equal((await new Workflow({ name: "w", steps: [step] }).run({ limits })).errors[0].code, "limit");
});

test("what may be given at once is bounded where nobody says so", async () => {
  const fits = new Workflow({ name: "w", steps: [{ name: "s", run: () => ({ text: "x".repeat(30 * 1024 * 1024) }) }] });
  assert.equal((await fits.run()).status, "done");
  const large = new Workflow({ name: "w", steps: [{ name: "s", run: () => ({ text: "x".repeat(33 * 1024 * 1024) }) }] });
  assert.equal((await large.run()).errors[0].code, "limit");
});

test("what a request would send is bounded, in whatever part of it", async () => {
  const many = (make) => Array.from({ length: 20 }, (_, index) => make(`k${index}`));
  const keys = Object.fromEntries(many((key) => [key, "{{ big }}"]));
  const parts = { query: { query: keys }, headers: { headers: keys }, json: { method: "POST", body: { json: keys } }, form: { method: "POST", body: { form: keys } }, multipart: { method: "POST", body: { multipart: many((name) => ({ name, text: "{{ big }}" })) } }, filenames: { method: "POST", body: { multipart: many((name) => ({ name, filename: "{{ big }}", file: "small" })) } } };
  const initialState = { big: "x".repeat(4_000_000), small: { mediaType: "text/plain", data: "" } };
  for (const [part, http] of Object.entries(parts)) {
    const step = { id: "h", type: "http", name: "h", http: { url: "https://a.test/", ...http } };
    const { errors } = await Workflow.fromDocument(document({ initialState, steps: [step] })).run({ fetch: () => assert.fail(part) });
    assert.deepEqual([errors[0]?.code, errors[0]?.message, errors[0]?.hint], ["limit", "the values of the request have more than 64 MB together", "send less of them, or several requests"], part);
  }
});

test("values that a limit of the state ends are counted as they come, and not once all of them are there", async () => {
  const big = "x".repeat(500_000);
  const all = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`k${index}`, "big"]));
  const steps = { set: set("s", all), items: { id: "s", type: "foreach", name: "s", items: "xs", result: "big", steps: [] }, with: { id: "s", type: "workflow", name: "s", with: all, steps: [] } };
  for (const [kind, step] of Object.entries(steps)) {
    const { errors } = await Workflow.fromDocument(document({ initialState: { big, xs: Array(3000).fill(1) }, steps: [step] })).run({ limits: { maxStateBytes: 1_000_000 } });
    // The second one is over the limit.
    assert.match(errors[0]?.message, /^with what it gave the state would have 10000\d\d bytes of JSON; 1000000 are its limit$/, kind);
  }
});

test("answers that are read at once have so many bytes together, and room again once the run has taken them", async () => {
  const chunk = new Uint8Array(1_000_000).fill(120);
  const body = () => {
    let left = 30;
    return new ReadableStream({ pull: (to) => ((left -= 1) < 0 ? to.close() : to.enqueue(chunk)) });
  };
  const reading = (concurrency, onItemError) =>
    new Workflow({
      name: "t",
      steps: [{ name: "each", items: "[0] * 14", concurrency, onItemError, result: "page_output", steps: [{ name: "page", http: { url: "https://pages.example/", response: "text", maxBytes: 33_554_432, result: "status" } }] }],
    }).run({ fetch: async () => new Response(body()) });
  const few = await reading(2, "stop");
  assert.deepEqual(few.state.each_output ?? few.errors, new Array(14).fill(200));
  const { state, errors } = await reading(14, "null");
  assert.ok(state.each_output.includes(null), JSON.stringify(state.each_output));
  assert.match(errors.find(({ code }) => code === "limit").message, /answers that are read at once have more than 268435456 bytes/);
});
