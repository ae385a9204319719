// A secret that is put through everything a run has is in nothing that the run gives.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { Agent, openai, StepweaveError, tool, Workflow } from "stepweave";
import { memoryStore } from "stepweave/stores";
import { fileStore } from "stepweave/stores/node";
import { answering, deferred, END, eventsOf, internal, piece, turn, virtualClock } from "./support.js";

const SECRET = "canary-4f9d1c7e5b2a8036";
/** One that looks different inside of JSON and of an address. */
const ODD = 'odd"quote\\back/slash+7';
const secrets = {
  CANARY: { value: SECRET, origins: ["http://localhost:1"] },
  ODD: { value: ODD, origins: ["http://localhost:1"] },
};
const model = openai("m", { baseUrl: "http://localhost:1/v1", apiKey: { secret: "CANARY" } });
const agent = new Agent({ name: "a", model: openai("m", { baseUrl: "http://localhost:1/v1" }) });

/** Every text that can be reached from a value, as people, logs and serializers reach it. */
function textsOf(value, seen = new Set(), texts = []) {
  if (typeof value === "string") texts.push(value);
  if (typeof value !== "object" || value === null || seen.has(value)) return texts;
  seen.add(value);
  if (value instanceof Map || value instanceof Set) for (const item of value) textsOf(item, seen, texts);
  if (value instanceof Error) texts.push(String(value.stack), String(value));
  for (const key of Reflect.ownKeys(value)) {
    texts.push(String(key));
    textsOf(value[key], seen, texts);
  }
  return texts;
}

function assertClean(value, where) {
  for (const text of textsOf(value)) {
    for (const secret of [SECRET, ODD, JSON.stringify(ODD).slice(1, -1)]) assert.ok(!text.includes(secret), `${where} shows the secret: ${text}`);
  }
  const shown = inspect(value, { depth: 20 });
  assert.ok(!shown.includes(SECRET), `${where} shows the secret when it is printed`);
}

/** The texts of each execution's deltas, joined. */
function joined(events) {
  const texts = {};
  for (const event of events) if (event.type === "step.delta") texts[event.step.key] = (texts[event.step.key] ?? "") + event.text;
  return texts;
}

async function assertRunIsClean(run) {
  const [events, result] = [await eventsOf(run), await run.result];
  for (const event of events) {
    assertClean(event, event.type);
    assertClean(JSON.parse(JSON.stringify(event)), `${event.type} as JSON`);
  }
  assertClean(joined(events), "the joined text");
  assertClean(result, "the result");
  assertClean(result.journal, "the journal");
  assertClean(joined((result.journal?.entries ?? []).flatMap(({ key, told = [] }) => told.map(({ type, value }) => ({ type: `step.${type}`, step: { key }, text: typeof value === "string" ? value : "" })))), "the journal's joined text");
  return { events, result };
}

const halves = (text) => [text.slice(0, 9), text.slice(9)];

const steps = {
  "is returned": () => ({ key: SECRET, text: `the key is ${SECRET}!`, odd: ODD, json: JSON.stringify({ ODD: ODD }) }),
  "is returned deep": async () => ({ a: [{ b: [[{ c: [`x${SECRET}`] }]] }] }),
  "is a key": () => ({ [SECRET]: 1, deep: { [`${SECRET}`]: { [ODD]: 2 } } }),
  "is thrown": () => { throw new Error(`refused: ${SECRET} and ${ODD}`); },
  "is thrown later": async () => { throw new StepweaveError("rate_limit", `no ${SECRET}`, { hint: `not ${SECRET}`, problems: [{ path: SECRET, code: "x", message: SECRET, severity: "error" }] }); },
  "is thrown deep": () => { throw new Error("outer", { cause: new Error("inner", { cause: { config: { headers: new Headers({ authorization: `Bearer ${SECRET}` }) } } }) }); },
  "is thrown as a member": () => { throw Object.assign(new Error("status 401"), { request: { headers: [["x-key", SECRET]] } }); },
  "is thrown as an object": () => { throw { reason: [SECRET] }; },
  "is thrown as a text": () => { throw SECRET; },
  "is logged": (state, { log }) => { log(SECRET); log(`and ${ODD}`); },
  "is kept for others": (state, { sessionState }) => { sessionState.set("k", { deep: [SECRET] }); sessionState.set(SECRET, 1); assert.equal(sessionState.get(SECRET), 1); },
  "is yielded": function* () { yield SECRET; yield { deep: [SECRET] }; },
  "is yielded in pieces": function* () { yield "it is "; yield* halves(SECRET); yield "; "; yield* ODD; yield "."; },
  "is yielded in pieces and then all fails": async function* () { yield* halves(SECRET); throw new Error("no more"); },
  "is yielded in letters": async function* () { yield* `<${SECRET}${SECRET}>`; },
  "is what cannot be kept": () => ({ when: new Date(), [SECRET]: 1, list: { [SECRET]: () => {} } }),
};

for (const [name, run] of Object.entries(steps)) {
  test(`a secret that ${name} by a function is shown nowhere`, async () => {
    const workflow = new Workflow({ name: "t", initialState: { first: `initially ${SECRET}` }, steps: [{ name: "leak", run, required: false }, { name: "use", run: (state, { sessionState }) => ({ again: state.key ?? null, kept: sessionState.get("k") ?? null }) }] });
    for (const options of [{}, { journal: true }]) {
      const { result, events } = await assertRunIsClean(workflow.start({ secrets, ...options }));
      assert.equal(result.status, "done");
      assert.equal(result.state.first, "initially [secret CANARY]");
      if (options.journal !== true) continue;
      // What is replayed says the same.
      const again = await assertRunIsClean(workflow.start({ secrets, journal: JSON.parse(JSON.stringify(result.journal)), replay: "strict" }));
      assert.deepEqual(again.result.state, result.state);
      assert.deepEqual(joined(again.events), joined(events));
    }
  });
}

test("a text in pieces keeps all of its other letters", async () => {
  const text = `bees fly by day; can canary canary-4f9d1c7e5b ${SECRET} canary-4f9`;
  const workflow = new Workflow({ name: "t", steps: [{ name: "say", run: function* () { yield* text; } }] });
  const { events, result } = await assertRunIsClean(workflow.start({ secrets, journal: true }));
  const expected = text.replace(SECRET, "[secret CANARY]");
  assert.equal(result.state.say_output, expected);
  assert.equal(joined(events).say, expected);
  assert.ok(events.filter(({ type }) => type === "step.delta").length > 10, "it still comes piece by piece");
});

test("without secrets, pieces come as they are", async () => {
  const workflow = new Workflow({ name: "t", steps: [{ name: "say", run: function* () { yield "can"; yield ""; yield "ary"; } }] });
  const events = await eventsOf(workflow.start());
  assert.deepEqual(events.filter(({ type }) => type === "step.delta").map(({ text }) => text), ["can", "", "ary"]);
});

test("the tail of a text is held back only as long as it may begin a secret", async () => {
  const { Tail } = await internal("run/tail.ts");
  const tailOf = (...secrets) => {
    const texts = secrets.sort((a, b) => b.length - a.length);
    return new Tail({ texts, redact: (text) => texts.reduce((shown, secret) => shown.replaceAll(secret, "*"), text) });
  };
  const released = (tail, ...pieces) => [...pieces.map((one) => tail.push(one)), tail.release()];
  assert.deepEqual(released(tailOf("abcdefgh"), "xab", "cd", "x"), ["x", "", "abcdx", ""]);
  assert.deepEqual(released(tailOf("abcdefgh"), "xabc", "defgh", "y"), ["x", "*", "y", ""]);
  assert.deepEqual(released(tailOf("abcdefgh"), "abcdefg"), ["", "abcdefg"]);
  assert.deepEqual(released(tailOf("abababac"), "abab", "abab", "ac"), ["", "ab", "*", ""]);
  // One that begins another is held until it is plain which of them it is.
  assert.deepEqual(released(tailOf("abcdefgh", "abcdefghijkl"), "abcdefgh", "ijkl"), ["", "*", ""]);
  assert.deepEqual(released(tailOf("abcdefgh", "abcdefghijkl"), "abcdefgh", "ix"), ["", "*ix", ""]);
  // The end of a whole one may look like the beginning of another.
  assert.deepEqual(released(tailOf("abcdefSK", "SK-12345"), "abcdefSK", "-12345"), ["*", "-12345", ""]);
  const long = "a".repeat(100_000);
  assert.equal(released(tailOf("aaaaaaaaaaaab"), ...long).join(""), long);
});

const endpoints = {
  "echoes it in pieces": () => answering([piece("your key "), ...[...SECRET].map((letter) => piece(letter)), piece(" and "), ...halves(ODD).map(piece), piece("."), END]),
  "echoes it in a piece that breaks off": () => answering([piece(`x${SECRET.slice(0, 12)}`), piece(SECRET.slice(12)), () => { throw new Error(`socket with ${SECRET} closed`); }]),
  "echoes it in an error": () => answering([JSON.stringify({ error: { message: `bad key ${SECRET} ${ODD}`, type: SECRET, code: ODD } })], { status: 401 }),
  "echoes it in an error that is no JSON": () => answering([`<html>${SECRET} ${JSON.stringify(ODD)} ${encodeURIComponent(ODD)}</html>`], { status: 500, headers: { "content-type": "text/html" } }),
  "echoes it in an error within the stream": () => answering([piece("a"), `data: ${JSON.stringify({ error: { message: `bad ${SECRET}` } })}\n\n`]),
  "echoes it in headers": () => answering([piece("a"), END], { headers: { "x-key": SECRET, "content-type": "text/event-stream", "retry-after": SECRET } }),
  "redirects to it": () => answering([""], { status: 302, headers: { location: `http://elsewhere.example/?key=${SECRET}` } }),
  "says another type": () => answering([SECRET], { headers: { "content-type": `text/${SECRET}` } }),
  "counts it as usage": () => answering([piece("a"), `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: SECRET }], usage: { prompt_tokens: SECRET, completion_tokens: 2, [SECRET]: 1 } })}\n\ndata: [DONE]\n\n`]),
  "speaks of it where no JSON is": () => answering([`data: {${SECRET}\n\n`]),
  "cannot be reached": () => async () => { throw new TypeError("fetch failed", { cause: new Error(`connect with ${SECRET}`) }); },
  "is refused by the caller": () => async () => { throw new StepweaveError("network", `not to ${SECRET}`, { hint: SECRET, cause: { headers: { authorization: SECRET } } }); },
};

for (const [name, fetchOf] of Object.entries(endpoints)) {
  test(`a secret that an endpoint ${name} is shown nowhere`, async () => {
    const agent = new Agent({ name: "a", model });
    const workflow = new Workflow({ name: "t", steps: [{ name: "ask", agent, inputFrom: `say {{ key }}`, required: false }, { name: "use", run: (state) => ({ again: state.ask_output ?? null }) }] });
    for (const options of [{}, { journal: true }]) {
      const fetch = fetchOf();
      const { result, events } = await assertRunIsClean(workflow.start({ state: { key: `<${SECRET}>` }, secrets, fetch, clock: virtualClock(), ...options }));
      assert.equal(result.status, "done");
      if (fetch.calls !== undefined) assert.equal(new Headers(fetch.calls[0].init.headers).get("authorization"), `Bearer ${SECRET}`, "it goes where it is meant to go");
      if (options.journal !== true) continue;
      const again = await assertRunIsClean(workflow.start({ secrets, journal: JSON.parse(JSON.stringify(result.journal)), replay: "strict", fetch: () => assert.fail("nothing is sent") }));
      assert.deepEqual(joined(again.events), joined(events));
    }
  });
}

test("a secret that a model thinks of, and calls tools by and with, is shown nowhere", async () => {
  const chunk = (delta, finish_reason = null) => `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`;
  const call = (index, name, args) => ({ index, id: `${SECRET}-${index}`, function: { name, arguments: JSON.stringify(args) } });
  const calls = [call(0, SECRET, {}), call(1, "find", { [SECRET]: [ODD] }), call(2, "fail", { key: SECRET }), call(3, "strict", { key: SECRET })];
  const asks = [[...halves(SECRET).map((reasoning) => chunk({ reasoning })), chunk({ tool_calls: calls }), chunk({}, "tool_calls")], [piece("done"), END]];
  const tools = [
    tool({ name: "find", execute: (args) => ({ args, found: `at ${SECRET}` }) }),
    tool({ name: "fail", execute: () => { throw new Error(`no ${SECRET}`); } }),
    tool({ name: "strict", input: { type: "object", properties: { key: { enum: ["a"] } } }, execute: () => "never" }),
  ];
  const workflow = new Workflow({ name: "t", steps: [{ name: "ask", agent: new Agent({ name: "a", model, tools }), inputFrom: "go", fullResponse: true }] });
  for (const options of [{}, { journal: true }]) {
    const left = [...asks];
    const fetch = (url, init) => answering(left.shift())(url, init);
    const { result, events } = await assertRunIsClean(workflow.start({ secrets, fetch, clock: virtualClock(), ...options }));
    assert.equal(result.status, "done");
    assert.deepEqual(events.filter(({ type }) => type.startsWith("tool.")).map(({ type, callId, tool }) => [type, callId, tool]).sort(), [
      ["tool.done", "[secret CANARY]-1", "find"],
      ["tool.error", "[secret CANARY]-0", "[secret CANARY]"],
      ["tool.error", "[secret CANARY]-2", "fail"],
      ["tool.error", "[secret CANARY]-3", "strict"],
      ["tool.start", "[secret CANARY]-0", "[secret CANARY]"],
      ["tool.start", "[secret CANARY]-1", "find"],
      ["tool.start", "[secret CANARY]-2", "fail"],
      ["tool.start", "[secret CANARY]-3", "strict"],
    ]);
  }
});

test("what a model said until it is cancelled has no secret, and nothing else is lost", async () => {
  for (const [said, shown] of [[[piece("x "), ...halves(SECRET).map(piece), piece(" y "), piece(SECRET.slice(0, 10))], `x [secret CANARY] y ${SECRET.slice(0, 10)}`], [[piece(`so ${SECRET.slice(0, 22)}`)], `so ${SECRET.slice(0, 22)}`]]) {
    const stuck = deferred();
    const workflow = new Workflow({ name: "t", steps: [{ name: "ask", agent, inputFrom: "go" }] });
    const run = workflow.start({ secrets, fetch: answering([...said, () => stuck.promise]), clock: virtualClock() });
    await turn();
    run.cancel(`because of ${SECRET}`);
    const { events, result } = await assertRunIsClean(run);
    assert.equal(result.stepResults[0].text, shown);
    assert.equal(joined(events).ask, shown, "the events say the same");
    assert.equal(events.at(-1).reason, "because of [secret CANARY]");
  }
});

test("an answer of a person, a state, a seed and a message show no secret", async () => {
  const workflow = new Workflow({ name: "t", steps: [{ name: "ok", type: "approval", message: "may {{ key }} go?" }, { name: "use", run: (state) => ({ said: state.ok_output }) }] });
  const first = await assertRunIsClean(workflow.start({ state: { key: SECRET, [SECRET]: [ODD] }, secrets, journal: true }));
  assert.equal(first.result.status, "suspended");
  const [{ key, message }] = first.result.pending;
  assert.equal(message, "may [secret CANARY] go?");
  const then = await assertRunIsClean(workflow.start({ secrets, journal: first.result.journal, answers: { [key]: { it: SECRET, [SECRET]: [`${ODD}`] } } }));
  assert.deepEqual(then.result.state.said, { it: "[secret CANARY]", "[secret CANARY]": ["[secret ODD]"] });
});

test("a value that another run made without secrets is redacted all the same", async () => {
  // Values that were copied once are shared, and one of a run without this secret used to be shown as it was.
  const { state } = await new Workflow({ name: "t", steps: [{ name: "x", run: () => ({ deep: { key: SECRET } }) }] }).run();
  const workflow = new Workflow({ name: "t", initialState: { mine: { key: SECRET } }, steps: [{ name: "x", run: () => ({ deep: state.deep, whole: state }) }] });
  await assertRunIsClean(workflow.start({ secrets, state: { given: state.deep } }));
  // And one that was redacted is not kept from a run that has nothing to hide.
  assert.equal((await workflow.run()).state.whole.deep.key, SECRET);
});

test("a store's bytes have no secret, and neither has its failure", async () => {
  const folder = await mkdtemp(join(tmpdir(), "canary-"));
  try {
    const store = fileStore(folder);
    const workflow = new Workflow({ name: "t", initialState: { first: SECRET }, steps: Object.entries(steps).map(([name, run], index) => ({ name: `n${index}`, run, required: false })) });
    const asking = new Workflow({ name: "u", steps: [{ name: "ask", agent, inputFrom: "go" }] });
    for (const options of [{ journal: "one" }, { journal: "one" }]) await assertRunIsClean(workflow.start({ secrets, store, ...options }));
    await assertRunIsClean(asking.start({ secrets, store, fetch: endpoints["echoes it in pieces"](), clock: virtualClock() }));
    const files = await readdir(folder);
    assert.equal(files.length, 2);
    for (const file of files) {
      const text = await readFile(join(folder, file), "utf8");
      assert.ok(text.length > 100);
      for (const secret of [SECRET, ODD, JSON.stringify(ODD).slice(1, -1), JSON.stringify(JSON.stringify(ODD).slice(1, -1)).slice(1, -1)]) assert.ok(!text.includes(secret), file);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  const failing = { ...memoryStore(), append: async () => { throw new Error(`put with ${SECRET} refused`, { cause: { key: SECRET } }); } };
  const run = new Workflow({ name: "t", steps: [{ name: "x", run: () => ({}) }] }).start({ secrets, store: failing });
  const error = await run.result.then(() => assert.fail(), (thrown) => thrown);
  assertClean(error, "the rejection");
  assert.match(error.message, /put with \[secret CANARY\] refused/);
});

test("listeners and clocks that fail show no secret", async () => {
  const workflow = new Workflow({ name: "t", steps: [{ name: "x", run: async () => { await turn(); } }] });
  workflow.on("step.start", () => { throw new Error(`listener ${SECRET}`); });
  const { events } = await assertRunIsClean(workflow.start({ secrets }));
  assert.ok(events.some(({ type, message }) => type === "run.warning" && message.includes("listener [secret CANARY]")));
  const clock = { now: () => { throw new Error(SECRET, { cause: SECRET }); }, sleep: async () => {} };
  const error = await workflow.run({ secrets, clock }).then(() => assert.fail(), (thrown) => thrown);
  assertClean(error, "the rejection");
});
