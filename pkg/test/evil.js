// Values that nobody would pass on purpose, and what is looked at when they are passed all the same.
import assert from "node:assert/strict";
import { StepweaveError } from "stepweave";

/** A Proxy that answers nothing any more, of an object or of a function. */
function revoked(target) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** Throws at whatever is done with it. */
const hostile = (target) => new Proxy(target, new Proxy({}, { get: (_, trap) => () => { throw new RangeError(`no ${String(trap)} today`); } }));

const cyclic = () => { const one = { list: [] }; one.list.push(one); one.own = one; return one; };

/** Makers, since what was passed once may have been looked at. */
export const EVIL = {
  undefined: () => undefined,
  null: () => null,
  "a symbol": () => Symbol("s"),
  "a bigint": () => 12n,
  NaN: () => Number.NaN,
  "-1": () => -1,
  "1e300": () => 1e300,
  "an empty text": () => "",
  "a text": () => "text",
  "half a pair": () => "\ud800",
  "__proto__": () => "__proto__",
  true: () => true,
  "a list": () => [],
  "a list of nothing": () => [undefined, null],
  "a list with a hole": () => Array(2),
  "a list of objects": () => [{}, { name: "x" }],
  "an object": () => ({}),
  "an object with a list": () => ({ a: [null] }),
  "an object without prototype": () => Object.assign(Object.create(null), { a: 1 }),
  "a key __proto__": () => JSON.parse('{"__proto__": {"a": 1}}'),
  "a frozen object": () => Object.freeze({ a: Object.freeze([1]) }),
  "a function": () => () => undefined,
  "a function that throws": () => () => { throw new Error("no"); },
  "a class": () => class {},
  "an instance": () => new (class Thing { a = 1; })(),
  "a cycle": cyclic,
  "a Date": () => new Date(0),
  "a broken Date": () => new Date(Number.NaN),
  "a Map": () => new Map([["a", 1]]),
  "an Error": () => new Error("an error of its own"),
  "a promise": () => Promise.resolve({}),
  "a promise of nothing good": () => { const one = Promise.reject(new Error("rejected")); one.catch(() => {}); return one; },
  "a getter that throws": () => ({ get a() { throw new Error("not to be read"); } }),
  "a toString that throws": () => ({ toString() { throw new Error("no text"); } }),
  "a toJSON that throws": () => ({ toJSON() { throw new Error("no JSON"); } }),
  "a revoked Proxy": () => revoked({}),
  "a revoked Proxy of a list": () => revoked([]),
  "a revoked Proxy of a function": () => revoked(() => {}),
  "a Proxy that throws": () => hostile({}),
  "a Proxy of a list that throws": () => hostile([]),
  "a Proxy of a function that throws": () => hostile(() => {}),
  "a list with a Proxy that throws": () => [hostile({})],
  "an object with a Proxy that throws": () => ({ a: hostile({}) }),
  "an object with a symbol": () => ({ a: Symbol("s") }),
};

/** What the functions of the caller throw: it comes out of a call as it is. */
const ITS_OWN = /^no$|^no apply today$|'apply' on a proxy|^rejected$|without 'new'/;

/** What the platform refuses, or cannot copy, is said in its own words; and messages between threads are the package's own. */
const IN_OTHER_WORDS = /^(?:a run|a message of the worker|the request to a cassette|the state of the code|the accountId of workersAi\(\)|the (?:options|headers) of toUIMessageStreamResponse\(\)) cannot be read: /;

const HANGS = Symbol("hangs");

/** What a call came to, when it is not in order: it works, or an error of the package says what is wrong. */
export async function faultOf(call, isTame = false) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, 30_000, HANGS)));
  try {
    const given = await Promise.race([call(), late]);
    if (given === HANGS) return "it never ends";
    const errors = [...(given?.errors ?? []), ...(given?.error === undefined ? [] : [given.error])];
    const wrong = errors.find((error) => !(error instanceof StepweaveError) || error.code === "internal");
    return wrong && `resulted in ${wrong.code}: ${wrong.message}`;
  } catch (error) {
    if (error instanceof StepweaveError) {
      // What does not throw by itself can be read: whoever says otherwise has met an error of the package's own.
      const isHidden = isTame && / cannot be read: /.test(error.message) && !IN_OTHER_WORDS.test(error.message);
      return error.code === "internal" || isHidden ? `${error.code}: ${error.message}` : undefined;
    }
    if (ITS_OWN.test(String(error?.message))) return undefined;
    return `${error?.name}: ${error?.message}${process.env.STACKS ? `\n${error?.stack}` : ""}`;
  } finally {
    clearTimeout(timer);
  }
}

/** Calls with each evil value, in each of the places. */
export async function assertSaid(what, places) {
  const faults = [];
  const unhandled = (error) => faults.push(`an unhandled rejection: ${error?.stack ?? error}`);
  process.on("unhandledRejection", unhandled);
  for (const [place, call] of Object.entries(places)) {
    for (const [name, make] of Object.entries(EVIL)) {
      const fault = await faultOf(async () => call(make()), !/Proxy|throws|symbol/.test(name));
      if (fault !== undefined) faults.push(`${place} = ${name}: ${fault}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  process.off("unhandledRejection", unhandled);
  assert.equal(faults.length, 0, `${what}: ${faults.length} faults\n${faults.join("\n")}`);
}

/** A call with what somebody's function gives. No promise resolves with what throws at being looked at. */
export const given = (call) => (value) => {
  try {
    void value?.then;
  } catch {
    return undefined;
  }
  return call(value);
};

/** A call for each of these keys, with an object that has the value there and the rest as it was. */
export const eachKey = (label, whole, keys, call) =>
  Object.fromEntries([...new Set([...Object.keys(whole), ...keys])].map((key) => [`${label}.${key}`, (value) => call({ ...whole, [key]: value })]));
