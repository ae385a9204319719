// Whatever a run is given, and whatever its functions return or throw: it works, or an error of the package says what is
// wrong. Never `internal`, never an error of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, demo, StepweaveError, Workflow } from "stepweave";

/** A Proxy that answers nothing any more, of an object or of a function. */
function revoked(target) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** Throws at whatever is done with it. */
const hostile = (target) => new Proxy(target, new Proxy({}, { get: (_, trap) => () => { throw new RangeError(`no ${String(trap)} today`); } }));

const cyclic = () => { const one = { list: [] }; one.list.push(one); return one; };

/** Values that nobody would pass on purpose. */
const EVIL = {
  null: () => null,
  "a symbol": () => Symbol("s"),
  "a bigint": () => 12n,
  NaN: () => Number.NaN,
  "-1": () => -1,
  "an empty text": () => "",
  "a text": () => "text",
  true: () => true,
  "a list": () => [],
  "a list of nothing": () => [undefined, null],
  "an object": () => ({}),
  "an object without prototype": () => Object.assign(Object.create(null), { a: 1 }),
  "a function": () => () => undefined,
  "a function that throws": () => () => { throw new Error("no"); },
  "a class": () => class {},
  "a cycle": cyclic,
  "a Date": () => new Date(0),
  "a Map": () => new Map([["a", 1]]),
  "a getter that throws": () => ({ get a() { throw new Error("not to be read"); } }),
  "a toString that throws": () => ({ toString() { throw new Error("no text"); } }),
  "a revoked Proxy": () => revoked({}),
  "a revoked Proxy of a list": () => revoked([]),
  "a revoked Proxy of a function": () => revoked(() => {}),
  "a Proxy that throws": () => hostile({}),
  "a Proxy of a function that throws": () => hostile(() => {}),
  "a list with a Proxy that throws": () => [hostile({})],
  "an object with a Proxy that throws": () => ({ a: hostile({}) }),
  "an object with a symbol": () => ({ a: Symbol("s") }),
};

/** What the values above say. */
const ITS_OWN = /^no \w+ today$|^not to be read$|^no text$|a proxy that has been revoked|Illegal invocation/;

/** What a call came to, when it is not in order. */
async function faultOf(call) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, 30_000, { errors: [new StepweaveError("internal", "it never ends")] })));
  try {
    const given = await Promise.race([call(), late]);
    const errors = [...(given?.errors ?? []), ...(given?.error === undefined ? [] : [given.error])];
    const wrong = errors.find((error) => !(error instanceof StepweaveError) || error.code === "internal");
    return wrong && `resulted in ${wrong.code}: ${wrong.message}`;
  } catch (error) {
    if (error instanceof StepweaveError && error.code !== "internal") return undefined;
    if (error instanceof StepweaveError) return `internal: ${error.message}`;
    // What the value itself throws when it is read is no business of the package's.
    return ITS_OWN.test(String(error?.message)) ? undefined : `${error?.name}: ${error?.message}${process.env.STACKS ? error?.stack : ""}`;
  } finally {
    clearTimeout(timer);
  }
}

/** Calls with each evil value, in each of the places. */
async function assertSaid(what, places) {
  const faults = [];
  for (const [place, call] of Object.entries(places)) {
    for (const [name, make] of Object.entries(EVIL)) {
      const fault = await faultOf(() => call(make()));
      if (fault !== undefined) faults.push(`${place} = ${name}: ${fault}`);
    }
  }
  assert.deepEqual(faults, [], what);
}

/** The same object with one of its keys replaced, for each of them. */
const each = (keys, call) => Object.fromEntries(keys.map((key) => [key, (value) => call({ [key]: value })]));

const noop = { name: "noop", run: () => {} };
const agent = new Agent({ name: "a", model: demo() });
const RUN_OPTIONS = ["state", "secrets", "signal", "fetch", "clock", "journal", "store", "replay", "from", "answers", "seed", "sessionId", "userId", "tenantId", "metadata", "dependencies"];
const asks = new Workflow({ name: "w", steps: [noop, { name: "ask", agent }, { name: "check", condition: "true", steps: [noop] }] });

test("the options of a run", async () => {
  await assertSaid("Workflow", {
    "run()": (value) => asks.run(value),
    "start()": (value) => asks.start(value).result,
    "stream()": async (value) => { for await (const _ of asks.stream(value)); },
    ...each(RUN_OPTIONS, (options) => asks.run(options)),
    ...Object.fromEntries(RUN_OPTIONS.map((key) => [`a getter of ${key}`, (value) => asks.run({ get [key]() { throw value; } })])),
  });
});

test("what the functions of steps return, throw, yield, log and keep", async () => {
  const step = (part) => new Workflow({ name: "w", initialState: { list: [1] }, steps: [{ name: "s", ...part }] }).run();
  await assertSaid("functions", {
    "run returns": (value) => step({ run: () => value }),
    "run resolves with": (value) => step({ run: async () => value }),
    "run returns under a key": (value) => step({ run: () => ({ a: value }) }),
    "run throws": (value) => step({ run: () => { throw value; } }),
    "run throws with a journal": (value) => new Workflow({ name: "w", steps: [{ name: "s", run: () => { throw value; } }] }).run({ journal: true }).then((result) => { JSON.stringify(result.journal); return result; }),
    "run throws with a secret": (value) => new Workflow({ name: "w", steps: [{ name: "s", run: () => { throw value; } }] }).run({ secrets: { OPENAI_API_KEY: "sk-long-enough-key" } }),
    "run rejects with": (value) => step({ run: () => Promise.reject(value) }),
    "run throws an error of ours with this cause": (cause) => step({ run: () => { throw new StepweaveError("handler", "x", { cause }); } }),
    ...Object.fromEntries(["code", "message", "hint", "step", "retryable", "retryAfterMs", "problems", "cause", "name", "stack", "refused"].map((key) => [
      `an error of ours with this ${key}`,
      (value) => step({ run: () => { throw Object.defineProperty(new StepweaveError("handler", "x"), key, { value, configurable: true, enumerable: true, writable: true }); } }),
    ])),
    ...Object.fromEntries(["message", "cause", "name", "stack", "retryable"].map((key) => [
      `an error with this ${key}`,
      (value) => step({ run: () => { throw Object.defineProperty(new Error("x"), key, { value, configurable: true, enumerable: true, writable: true }); } }),
    ])),
    "an error whose message throws this": (value) => step({ run: () => { throw Object.defineProperty(new Error("x"), "message", { get() { throw value; } }); } }),
    "run yields": (value) => step({ run: function* () { yield value; } }),
    "run logs": (value) => step({ run: (_, { log }) => { log(value); } }),
    "run keeps for the session": (value) => step({ run: (_, { sessionState }) => { sessionState.set(value, value); sessionState.get(value); } }),
    "a condition gives": (value) => step({ condition: () => value, steps: [noop] }),
    "items gives": (value) => step({ items: () => value, type: "foreach", steps: [noop] }),
    "inputFrom gives": (value) => step({ agent, inputFrom: () => value }),
    "files gives": (value) => step({ agent, files: () => value }),
    "cancel()": (value) => { const run = asks.start(); run.cancel(value); return run.result; },
    "the reason of a signal": (value) => asks.run({ signal: AbortSignal.abort(value) }),
    "a listener throws": async (value) => {
      const workflow = new Workflow({ name: "w", steps: [{ name: "s", run: async () => {} }] });
      const { error } = console;
      console.error = () => {};
      workflow.on("*", () => { throw value; });
      try { return await workflow.run(); } finally { console.error = error; }
    },
  });
});

test("what is wrong in a journal's entries", async () => {
  const workflow = new Workflow({ name: "w", steps: [{ name: "s", required: false, run: () => { throw new Error("no"); } }] });
  const { journal } = await workflow.run({ journal: true });
  const cause = (cause) => ({ ...journal, entries: journal.entries.map((entry) => (entry.error === undefined ? entry : { ...entry, error: { ...entry.error, cause } })) });
  // A journal is data: whatever JSON holds may stand in it.
  for (const value of [null, -1, "", "text", true, [], [null], {}, { name: 5, message: [] }, { message: null }]) {
    for (const replay of ["resume", "strict"]) {
      assert.equal(await faultOf(() => workflow.run({ journal: cause(value), replay })), undefined, JSON.stringify(value));
    }
  }
  const { errors } = await workflow.run({ journal: cause(null), replay: "strict" });
  assert.deepEqual([errors[0].message, errors[0].cause], ["no", undefined]);
});

test("errors", async () => {
  await assertSaid("errors", {
    code: (value) => { new StepweaveError(value, "x").toJSON(); },
    message: (value) => { new StepweaveError("handler", value).toJSON(); },
    details: (value) => { new StepweaveError("handler", "x", value).toJSON(); },
    cause: (cause) => { JSON.stringify(new StepweaveError("handler", "x", { cause }).toJSON()); },
    from: (value) => { StepweaveError.from(value); },
  });
});
