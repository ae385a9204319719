// However a run ends: whoever reads its events has what the run has, at whatever event the connection was lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, tool, Workflow } from "stepweave";
import { handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";
import { deferred } from "./support.js";

const later = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
const PIECES = [..."abcdefghijkl"];

/** A model whose calls answer one after the other what these generators give; the last one answers all further calls. */
function model(...answers) {
  let calls = 0;
  return customModel("talker", (...given) => answers[Math.min(calls++, answers.length - 1)](...given));
}

/** Says all pieces, with a while between them. */
async function* slowly() {
  for (const piece of PIECES) yield await later(10, piece);
}

async function* quickly() {
  yield "quick";
}

async function* failing() {
  yield "half ";
  throw new Error("no");
}

const agent = (name, model, step = {}, own = {}) => ({ name, type: "agent", agent: new Agent({ name: "a", model, ...own }), inputFrom: "Hi", ...step });
const yielding = (name, step = {}) => ({ name, run: slowly, ...step });
const end = { name: "end", run: () => ({ ended: true }) };
const called = (name) => ({ type: "toolCall", name, input: {} });
const slowTool = () => tool({ name: "t", execute: () => later(100, 1) });
const cancel = (serve, id) => serve(new Request(`https://flow.example/runs/${id}`, { method: "DELETE" }));
const again = { retryCount: 1 };

// Each with its steps, the options of its run, and what somebody does meanwhile.
const endings = {
  "done": [[agent("x", model(quickly)), end]],
  "error": [[agent("x", model(failing)), end]],
  "another attempt": [[agent("x", model(failing, quickly), again), end]],
  "another model": [[agent("x", model(failing), {}, { fallbacks: [model(quickly)] }), end]],
  "cancelled": [[agent("x", model(slowly)), end], {}, cancel],
  "cancelled, a function that yields": [[yielding("g"), end], {}, cancel],
  "cancelled in a call of a tool": [[agent("x", scriptedModel([["hm ", called("t")], "done"]), {}, { tools: [slowTool()] }), end], {}, cancel],
  "time limit of an attempt": [[agent("x", model(slowly), { timeoutMs: 35 }), end]],
  "time limit of an attempt that is tolerated": [[agent("x", model(slowly), { timeoutMs: 35, required: false }), end]],
  "time limit, then another attempt": [[agent("x", model(slowly, quickly), { timeoutMs: 35, ...again }), end]],
  "time limit, then another attempt, of a function that yields": [[yielding("g", { timeoutMs: 35, required: false, ...again }), end]],
  "time limit in a call of a tool, then another attempt": [[agent("x", scriptedModel([["hm ", called("t")], "done", "more"]), { timeoutMs: 35, required: false, ...again }, { tools: [slowTool()] }), end]],
  "time limit of the run": [[agent("x", model(slowly)), end], { limits: { timeoutMs: 45 } }],
  "time limit of the run, a function that yields": [[yielding("g"), end], { limits: { timeoutMs: 45 } }],
  "time limit between two pieces": [[agent("x", model(slowly), { required: false }), end], { limits: { idleMs: 5 } }],
  "an answer that does not fit": [[agent("x", scriptedModel(["no", '{"a":1}']), {}, { output: { type: "object", properties: { a: { type: "number" } }, required: ["a"] } }), end]],
  "tool": [[agent("x", scriptedModel([["hm ", called("t")], "done"]), {}, { tools: [tool({ name: "t", execute: async function* () { yield "p"; yield "q"; } })] }), end]],
  "budget": [[agent("x", model(async function* () { yield "q"; yield { type: "usage", inputTokens: 100, outputTokens: 100 }; })), agent("y", model(quickly))], { limits: { maxTokens: 50 } }],
};

// What comes beside what: a piece may arrive while the store keeps the answer of a neighbour, and is behind that in the journal.
const beside = {
  "parallel": [[{ name: "p", parallel: [agent("x", model(slowly)), yielding("g"), { name: "f", run: () => later(15, { f: 1 }) }] }, end]],
  "parallel with a failure": [[{ name: "p", parallel: [agent("x", model(slowly)), { name: "f", run: async () => { await later(15); throw new Error("f"); } }] }, end]],
  "parallel, cancelled": [[{ name: "p", parallel: [agent("x", model(slowly)), yielding("g"), { name: "f", run: () => ({}) }] }, end], {}, cancel],
  "parallel, time limit of the run": [[{ name: "p", parallel: [agent("x", model(slowly)), yielding("g"), end] }], { limits: { timeoutMs: 45 } }],
  "parallel, one waits for a person": [[{ name: "p", parallel: [agent("x", model(slowly)), { name: "boss", type: "approval", message: "?" }] }, end]],
  "parallel, one ends the run": [[{ name: "p", parallel: [agent("x", model(slowly)), { name: "s", type: "sequence", steps: [{ name: "w", run: () => later(15, {}) }, { name: "stop", end: { message: "bye" } }] }] }, end]],
  "foreach": [[{ name: "each", items: "[1, 2, 3]", as: "n", concurrency: 2, steps: [agent("x", model(slowly, quickly, failing), { required: false })] }, end]],
  "foreach with a failure": [[{ name: "each", items: "[1, 2, 3]", as: "n", concurrency: 3, steps: [{ name: "f", run: async ({ n }) => { if (n === 2) throw new Error(await later(15, "f")); } }, agent("x", model(slowly))] }, end]],
};

/** What a stream has: the id of each event, and what it is. */
function read(text) {
  return text.split("\n\n").filter((block) => block.includes("data: ")).map((block) => {
    const { type, step, text, tool, attempt, error } = JSON.parse(block.split("data: ")[1]);
    return { id: /^id: (.*)$/m.exec(block)?.[1], is: [type, step?.key, text ?? tool ?? attempt ?? error?.code].filter((part) => part !== undefined).join(" ") };
  });
}

const numbered = (events) => events.filter(({ id }) => id !== undefined);

/** What a reader has who lost the connection behind these events. */
const joined = (seen, rest) => numbered(rest[0]?.is.startsWith("run.start") ? rest : [...seen, ...rest]);

async function streams([steps, run = {}, act]) {
  const store = memoryStore();
  const serve = handler(new Workflow({ name: "served", retryPolicy: { backoffMs: 1, afterFirstDelta: true }, steps }), { public: true, store, run, onError: () => {} });
  const follow = async (id, after) => read(await (await serve(new Request(`https://flow.example/runs/${id}/events`, { headers: after === undefined ? {} : { "last-event-id": after } }))).text());
  const response = await serve(new Request("https://flow.example/runs", { method: "POST", headers: { accept: "text/event-stream" } }));
  const id = response.headers.get("location").split("/").at(-1);
  const text = response.text();
  if (act !== undefined) await later(45).then(() => act(serve, id));
  return { live: read(await text), whole: await follow(id), follow: (after) => follow(id, after) };
}

test("a run that the budget of its server has ended is shown as that", async () => {
  const [steps, run] = endings.budget;
  const serve = handler(new Workflow({ name: "served", steps }), { public: true, store: memoryStore(), run: () => run, onError: () => {} });
  const begun = await (await serve(new Request("https://flow.example/runs", { method: "POST" }))).json();
  const shown = await serve(new Request(`https://flow.example/runs/${begun.runId}`));
  assert.deepEqual([shown.status, await shown.json()], [422, begun]);
});

for (const [name, ending] of Object.entries({ ...endings, ...beside })) {
  test(`a reader has what the run has, whenever the connection was lost: ${name}`, async () => {
    const { live, whole, follow } = await streams(ending);
    if (name in endings) assert.deepEqual(numbered(whole), numbered(live), "the replay is the run");
    assert.deepEqual(whole.map(({ is }) => is).sort(), live.map(({ is }) => is).sort(), "the replay has what the run had");
    for (const events of [live, whole]) {
      for (const [index, { id }] of events.entries()) if (id !== undefined) assert.deepEqual(joined(events.slice(0, index + 1), await follow(id)), numbered(whole));
    }
  });
}

test("what is held back as the beginning of a secret is read again too, where the run was cancelled", async () => {
  const said = deferred();
  const talk = model(async function* () { yield "it is s3c"; said.resolve(); await new Promise(() => {}); });
  const ending = [[agent("x", talk), end], { secrets: { KEY: { value: "s3cret-of-the-server", origins: ["https://api.example"] } } }, async (...run) => (await said.promise, cancel(...run))];
  const { live, whole } = await streams(ending);
  assert.deepEqual(numbered(live).map(({ is }) => is), ["run.start", "step.start x 1", "step.delta x it is ", "step.delta x s3c", "run.cancelled"]);
  assert.deepEqual(numbered(whole), numbered(live));
});

test("a reader with an id that the run has not reads all of it again", async () => {
  const { live, whole, follow } = await streams([[agent("x", model(quickly)), end]]);
  const [number, mark] = live[2].id.split("-");
  for (const id of ["99999-abc", `${number}-${mark}0`, number, `${Number(number) + 1}-${mark}`, "0", "123456789012345678901234567890"]) assert.deepEqual(await follow(id), whole, id);
  assert.deepEqual(await follow(live.at(-1).id), [], "nothing comes behind the last one");
});

test("a reader of half an answer that a process took with it begins again with the one that came anew", async () => {
  const store = memoryStore();
  // The store of a process that ends: it takes nothing more.
  const dying = { ...store, append: (...given) => (given[2] > 0 ? new Promise(() => {}) : store.append(...given)) };
  const talker = (text) => new Workflow({ name: "served", steps: [agent("x", model(async function* () { yield* [...text]; }))] });
  const first = handler(talker("abc"), { public: true, store: dying, onError: () => {} });
  const response = await first(new Request("https://flow.example/runs", { method: "POST", headers: { accept: "text/event-stream" } }));
  const id = response.headers.get("location").split("/").at(-1);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes('"text":"c"')) text += (await reader.read()).value;
  const seen = read(text);
  const second = handler(talker("xyz"), { public: true, store, onError: () => {} });
  const before = await second(new Request(`https://flow.example/runs/${id}/events`));
  assert.deepEqual([before.status, before.headers.get("retry-after")], [409, "3"]);
  await later(5);
  await second.wake({ staleMs: 1 });
  const follow = async (after) => read(await (await second(new Request(`https://flow.example/runs/${id}/events`, { headers: { "last-event-id": after } }))).text());
  const rest = await follow(seen.at(-1).id);
  assert.deepEqual(rest.map(({ is }) => is), ["run.start", "step.start x 1", "step.delta x x", "step.delta x y", "step.delta x z", "step.done x", "run.done"]);
  // What both have in common goes on.
  assert.deepEqual((await follow(seen[1].id)).map(({ is }) => is), rest.slice(2).map(({ is }) => is));
});

/** What a reader has of the answer: the pieces behind the last one that was dropped. */
const answer = (events) => events.reduce((text, { is }) => (is.startsWith("step.reset ") ? "" : text + (/^step.delta \S+ (.*)$/.exec(is)?.[1] ?? "")), "");

const inTime = { timeoutMs: 25, ...again };
const never = new Promise(() => {});

/** Steps whose model begins to answer and says no more until the time of its attempt is over. */
const halting = {
  "an answer": (model) => [agent("x", model(async function* () { yield* "abc"; await never; }), inTime)],
  "an answer that began with reasoning": (model) => [agent("x", model(async function* () { yield { type: "reasoning", text: "hm" }; yield "a"; await never; }), inTime)],
  "an answer for an item": (model) => [{ name: "each", items: "[1]", as: "n", steps: [agent("x", model(async function* () { yield* "abc"; await never; }), inTime)] }],
  "two answers": (model) => [agent("x", model(async function* () { yield* "abc"; await never; }, async function* () { yield* "def"; await never; }), { ...inTime, retryCount: 2 })],
};

for (const [name, steps] of Object.entries(halting)) {
  test(`a reader has one answer of a run whose process ends anywhere behind a time limit that cut others off: ${name}`, async () => {
    let isDone = false;
    for (let most = 1; !isDone; most += 1) {
      const store = memoryStore();
      let end;
      const ended = new Promise((resolve) => (end = resolve));
      // The store of a process that ends: it takes so many entries and nothing more.
      const dying = { ...store, append: (...given) => (given[2] < most ? store.append(...given) : (end(false), never)) };
      const served = (model, store) => handler(new Workflow({ name: "served", retryPolicy: { backoffMs: 1, afterFirstDelta: true }, steps: steps(model) }), { public: true, store, onError: () => {} });
      const first = served((...answers) => model(...answers, quickly), dying);
      const response = await first(new Request("https://flow.example/runs", { method: "POST", headers: { accept: "text/event-stream" } }));
      const id = response.headers.get("location").split("/").at(-1);
      const reader = response.body.getReader();
      const drained = async () => (await reader.read()).done || drained();
      isDone = await Promise.race([ended, drained()]);
      let isAsked = false;
      const second = served(() => model(async function* () { isAsked = true; yield* "xyz"; }), store);
      await later(5);
      await second.wake({ staleMs: 1 });
      const events = read(await (await second(new Request(`https://flow.example/runs/${id}/events`))).text());
      assert.equal(events.at(-1).is, "run.done");
      assert.equal(answer(events), isAsked ? "xyz" : "quick", `${most} entries are kept`);
      await reader.cancel();
    }
  });
}

test("a reader has one answer of a run that failed at a time limit and was resumed", async () => {
  const store = memoryStore();
  const served = (model) => handler(new Workflow({ name: "served", steps: [agent("x", model, { timeoutMs: 25 })] }), { public: true, store, onError: () => {} });
  const begun = await (await served(model(async function* () { yield* "abc"; await never; }))(new Request("https://flow.example/runs", { method: "POST" }))).json();
  assert.equal(begun.status, 504);
  const second = served(model(async function* () { yield* "xyz"; }));
  assert.equal((await second.resume(begun.runId)).status, "done");
  const text = await (await second(new Request(`https://flow.example/runs/${begun.runId}/events`))).text();
  assert.equal(answer(read(text)), "xyz");
});

test("a live run whose reader has what it does not have begins again for that one", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const store = memoryStore();
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const serve = handler(new Workflow({ name: "served", steps: [{ name: "slow", run: () => gate }] }), { public: true, store, onError: () => {} });
  const { runId } = await (await serve(new Request("https://flow.example/runs", { method: "POST", headers: { prefer: "respond-async" } }))).json();
  const following = serve(new Request(`https://flow.example/runs/${runId}/events`, { headers: { "last-event-id": "9-abc" } }));
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  context.mock.timers.tick(1);
  const reader = (await following).body.pipeThrough(new TextDecoderStream()).getReader();
  const come = reader.read();
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  context.mock.timers.tick(8000);
  assert.deepEqual(read((await come).value).map(({ is }) => is), ["run.start", "step.start slow 1"]);
  release({});
  context.mock.timers.reset();
  await reader.cancel();
});
