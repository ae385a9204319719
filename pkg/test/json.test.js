import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { internal, random } from "./support.js";

const { bytesOf, copyJson, copyPatch, diff, isEqual, join, jsonText, merge, mergeAll, NotJson, MAX_DEPTH, sharedKeys, TooLarge } = await internal({
  "./json/copy.ts": ["copyJson", "copyPatch", "MAX_DEPTH", "TooLarge"],
  "./json/equal.ts": ["isEqual"],
  "./json/not-json.ts": ["NotJson"],
  "./json/patch.ts": ["diff", "join", "merge", "mergeAll", "sharedKeys"],
  "./json/size.ts": ["bytesOf", "jsonText"],
});

function anyJson(next, depth = 0) {
  const pick = Math.floor(next() * (depth > 4 ? 6 : 8));
  const texts = ["", "a", "é✅", "__proto__", "\u0000", "0", "toString"];
  switch (pick) {
    case 0: return null;
    case 1: return next() < 0.5;
    case 2: return Math.floor(next() * 1e6) - 5e5;
    case 3: return next() * 1e-9;
    case 4: return texts[Math.floor(next() * texts.length)];
    case 5: return -0;
    case 6: return Array.from({ length: Math.floor(next() * 4) }, () => anyJson(next, depth + 1));
    default: return JSON.parse(`{${Array.from({ length: Math.floor(next() * 4) }, (_, n) => `${JSON.stringify(texts[Math.floor(next() * texts.length)] + (n || ""))}:${JSON.stringify(anyJson(next, depth + 1))}`).join(",")}}`);
  }
}

function isFrozenThroughout(value) {
  return typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozenThroughout));
}

test("a copy says what JSON says, is frozen throughout, and is shared when copied again", () => {
  const next = random(7);
  for (let count = 0; count < 3000; count += 1) {
    const value = anyJson(next);
    const before = JSON.stringify(value);
    const copy = copyJson(value, "value");
    assert.equal(JSON.stringify(copy), before);
    assert.equal(JSON.stringify(value), before, "the original is left alone");
    assert.ok(isFrozenThroughout(copy));
    assert.equal(copyJson(copy, "value"), copy);
    assert.ok(isEqual(copy, value) && isEqual(value, copy));
    if (typeof value === "object" && value !== null) assert.notEqual(copy, value);
    assert.ok(!Object.is(copyJson(-0, "value"), undefined));
  }
});

test("merge is a spread without the keys that reach a prototype, and diff finds its way back", () => {
  const next = random(11);
  for (let count = 0; count < 2000; count += 1) {
    const state = copyPatch({ a: anyJson(next), b: anyJson(next), c: anyJson(next) }, "state");
    const patch = copyPatch({ b: anyJson(next), d: anyJson(next) }, "patch");
    const merged = merge(state, patch);
    assert.deepEqual(merged, { ...state, ...patch });
    assert.ok(Object.values(merged).every(isFrozenThroughout));
    const difference = diff(state, merged);
    assert.deepEqual(merge(state, difference), merged);
    for (const key of Object.keys(difference)) assert.notEqual(JSON.stringify(difference[key]), JSON.stringify(state[key]));
    assert.deepEqual(Object.keys(diff(merged, merged)), []);
  }
});

test("spreading the state costs what changed: the rest is shared", () => {
  const state = copyPatch({ big: Array.from({ length: 1000 }, (_, n) => ({ n })), n: 1 }, "state");
  const patch = copyPatch({ ...state, n: 2 }, "patch");
  assert.equal(patch.big, state.big);
  assert.equal(copyPatch({ items: [...state.big, { n: "new" }] }, "patch").items[5], state.big[5]);
});

test("each bad value is named by its path and comes with advice", () => {
  class Bee { constructor() { this.n = 1; } }
  const sparse = [1, , 3];
  const cycle = { a: [] };
  cycle.a.push({ back: cycle });
  let deep = {};
  for (let level = 0; level < 600; level += 1) deep = { deep };
  const cases = [
    [{ f: () => 1 }, "patch.f is a function"],
    [{ "with space": { s: Symbol("x") } }, 'patch["with space"].s is a symbol'],
    [{ n: 10n }, "patch.n is a bigint"],
    [{ n: [0, Number.NaN] }, "patch.n[1] is NaN"],
    [{ n: Number.POSITIVE_INFINITY }, "patch.n is Infinity"],
    [{ d: new Date(0) }, "patch.d is a Date"],
    [{ m: new Map() }, "patch.m is a Map"],
    [{ s: new Set() }, "patch.s is a Set"],
    [{ b: new Bee() }, "patch.b is a Bee"],
    [{ e: new Error("x") }, "patch.e is an Error"],
    [{ b: new Uint8Array(1) }, "patch.b is a Uint8Array"],
    [{ bytes: new Uint8Array(2) }, "patch.bytes is a Uint8Array"],
    [{ boxed: new String("x") }, "patch.boxed is a String"],
    [{ p: Promise.resolve() }, "patch.p is a Promise"],
    [{ list: sparse }, "patch.list[1] is a hole in an array"],
    [{ cycle }, "patch.cycle.a[0].back refers back to an object that holds it (a cycle)"],
    [{ deep }, `patch.deep.deep.deep is nested deeper than ${MAX_DEPTH} levels`],
    [{ get bad() { throw new Error("ouch"); } }, "patch.bad cannot be read: ouch"],
    [{ in: { get bad() { throw new Error("ouch"); } } }, "patch.in.bad cannot be read: ouch"],
    [{ json: { toJSON() { return 1; } } }, "patch.json.toJSON is a function"],
  ];
  for (const [value, message] of cases) {
    assert.throws(() => copyPatch(value, "patch"), (error) => {
      assert.ok(error instanceof NotJson, String(error));
      assert.equal(error.message, message);
      assert.ok(error.hint.length > 5);
      return true;
    });
  }
});

test("the advice names what stands there by its last name, and by what stands in brackets behind it", () => {
  for (const [value, hint] of [
    [{ at: new Date(0) }, "return at.toISOString()"],
    [{ in: { "a.b": new Date(0) } }, 'return in["a.b"].toISOString()'],
    [{ "x.y": [new Map()] }, 'return Object.fromEntries(patch["x.y"][0])'],
    [{ 'q"].z': { "]": 1n } }, 'return String(patch["q\\"].z"]["]"]), or Number(patch["q\\"].z"]["]"]) if it is small'],
  ]) {
    assert.throws(() => copyPatch(value, "patch"), (error) => (assert.equal(error.hint, hint), true));
  }
});

test("undefined members are dropped as JSON does, symbol keys too", () => {
  assert.deepEqual(copyPatch({ a: undefined, b: { c: undefined, d: 1 }, e: [undefined], [Symbol("s")]: 1 }, "patch"), { b: { d: 1 }, e: [null] });
});

test("objects of another realm and without a prototype are plain; proxies that behave are too", () => {
  const foreign = vm.runInNewContext("({ list: [1, { a: 2 }], none: null })");
  assert.deepEqual(copyPatch(foreign, "patch"), { list: [1, { a: 2 }], none: null });
  assert.deepEqual(copyPatch({ bare: Object.assign(Object.create(null), { x: 1 }) }, "patch"), { bare: { x: 1 } });
  assert.deepEqual(copyPatch({ proxy: new Proxy({ x: [1] }, {}) }, "patch"), { proxy: { x: [1] } });
});

test("values that change while they are read cannot slip past the check", () => {
  let reads = 0;
  const sly = { get x() { reads += 1; return reads === 1 ? [1] : () => {}; } };
  assert.deepEqual(copyPatch({ sly }, "patch"), { sly: { x: [1] } });
  assert.equal(reads, 1);
});

test("a key called __proto__ deep inside stays data", () => {
  const value = JSON.parse('{ "in": { "__proto__": { "polluted": true } } }');
  const copy = copyPatch(value, "patch");
  assert.equal(copy.in.polluted, undefined);
  assert.deepEqual(Object.keys(copy.in), ["__proto__"]);
  assert.equal(JSON.stringify(copy), JSON.stringify(value));
});

test("what is nested as deep as allowed is copied", () => {
  let deep = 1;
  for (let level = 0; level < MAX_DEPTH; level += 1) deep = [deep];
  assert.ok(copyPatch({ deep }, "patch").deep);
  assert.throws(() => copyPatch({ deep: [deep] }, "patch"), NotJson);
});

test("JSON text has no half of a character, and keeps what only looks like one", () => {
  assert.equal(jsonText({ "a\ud83d": ["\udc1d", "🐝", "\\ud83d", "\\\ud83d"] }), '{"a\\ufffd":["\\ufffd","🐝","\\\\ud83d","\\\\\\ufffd"]}');
});

test("joining states gives what merging their changes gives, unless two changed the same key", () => {
  const next = random(11);
  const keys = ["a", "b", "c", "d", "toString"];
  const some = (state) => {
    const changed = { ...state };
    for (const key of keys) if (next() < 0.15) changed[key] = anyJson(next);
    return copyJson(changed, "state");
  };
  let joins = 0;
  for (let round = 0; round < 2_000; round += 1) {
    const state = some({ a: { deep: [1] }, b: 0 });
    const ends = Array.from({ length: Math.floor(next() * 4) }, () => some(state));
    const patches = ends.map((end) => diff(state, end));
    const joined = join(state, ends);
    if (sharedKeys(patches).length > 0) assert.equal(joined, undefined);
    else assert.deepEqual(Object.entries(joined), Object.entries(mergeAll(state, patches)));
    if (joined !== undefined && ends.length > 1) joins += 1;
  }
  assert.ok(joins > 200 && joins < 1_500, `${joins} joins`);
});

/** How many entries tables got while something was done. */
function entriesOf(act) {
  const tables = [[WeakSet, "add"], [WeakMap, "set"], [Map, "set"]];
  const own = tables.map(([{ prototype }, name]) => prototype[name]);
  let entries = 0;
  tables.forEach(([{ prototype }, name], index) => {
    prototype[name] = function (...given) {
      entries += 1;
      return own[index].apply(this, given);
    };
  });
  try {
    act();
  } finally {
    tables.forEach(([{ prototype }, name], index) => (prototype[name] = own[index]));
  }
  return entries;
}

test("many small lists fill no table, side by side or in each other, and are shared all the same", () => {
  const nested = (levels) => (levels === 0 ? [] : [nested(levels - 1)]);
  for (const [most, value] of [[7000, Array.from({ length: 100_000 }, () => [])], [7000, Array.from({ length: 200 }, () => nested(500))]]) {
    let copy;
    assert.ok(entriesOf(() => (copy = copyJson(value, "value"))) < most);
    assert.ok(entriesOf(() => bytesOf(copy)) < most);
    assert.equal(copyJson([copy[7]], "value")[0], copy[7]);
  }
});

test("a value that is held many times over is copied a few times", () => {
  let value = ["x"];
  for (let level = 0; level < 100; level += 1) value = [value, value];
  let copy = copyJson(value, "value", undefined, undefined, 10_000);
  for (let level = 0; level < 100; level += 1) copy = copy[level % 2];
  assert.deepEqual(copy, ["x"]);
});

test("an empty list takes more room than its brackets", () => {
  assert.throws(() => copyJson(Array.from({ length: 1000 }, () => []), "value", undefined, undefined, 4000), TooLarge);
});

test("neither a spread of a copy nor its clone is taken for the copy", () => {
  const copy = copyJson({ a: [1], b: {} }, "value");
  for (const other of [{ ...copy }, Object.assign({}, copy), structuredClone(copy)]) assert.notEqual(copyJson(other, "value"), other);
  const changed = Object.assign({ ...copy }, { a: [() => 1] });
  assert.throws(() => copyJson(Object.freeze(changed), "value"), NotJson);
});

test("what was copied with its secrets is copied again where they are taken out", () => {
  const redact = (text) => text.replaceAll("key", "[k]");
  const shown = copyJson({ a: ["key"] }, "value");
  const hidden = copyJson(shown, "value", undefined, redact);
  assert.deepEqual(hidden, { a: ["[k]"] });
  assert.equal(copyJson(hidden, "value", undefined, redact), hidden);
  assert.equal(copyJson(hidden, "value"), hidden);
  assert.notEqual(copyJson(hidden, "value", undefined, (text) => text), hidden);
});
