// What every journal store promises. It runs wherever a store does: it uses nothing but the language.
//
// A place is where journals are kept: `place.open()` gives a store over it, each time another one if there can be several.

const promises = [
  {
    name: "what was never begun is not there",
    async run({ open }) {
      const store = open();
      same(await store.load("nobody"), undefined);
      same(await store.list(), { runs: [] });
      await store.delete("nobody");
      await refused(store.append("nobody", [entry("a")], 3), "conflict", "it holds 0 entries where this run expected 3 entries");
      same(await store.load("nobody"), undefined);
      same(await open().list(), { runs: [] });
    },
  },
  {
    name: "any JSON comes back as it was, through another store too",
    async run({ open }) {
      const entries = NASTY.map((ok, index) => ({ key: `each#${index}/s1/1`, asked: "a1b2", at: 1767225600000 + index, ok }));
      entries.push({ key: "s2/1", at: 0.5, error: { code: "network", message: "é \ud800 lost", retryable: true, hint: "again" } });
      entries.push({ key: "\ud800\u0000\n\"", at: 2, told: [{ type: "log", message: "\u2028" }, { type: "set", key: "__proto__", value: JSON.parse('{"__proto__":1}') }] });
      entries.push({ key: "nothing", at: 3 });
      const store = open();
      let count = 0;
      for (const size of [1, 2, entries.length - 3]) {
        await store.append("nasty", entries.slice(count, count + size), count);
        count += size;
      }
      for (const each of [store, open()]) same(await each.load("nasty"), { version: 1, id: "nasty", entries });
    },
  },
  {
    name: "any id names a journal of its own",
    async run({ open }) {
      const store = open();
      for (const [index, id] of IDS.entries()) await store.append(id, [entry(`k${index}`, id)], 0);
      const other = open();
      same((await idsIn(other)).sort(), [...IDS].sort());
      for (const [index, id] of IDS.entries()) same(await other.load(id), { version: 1, id, entries: [entry(`k${index}`, id)] });
      for (const id of IDS.slice(1)) await other.delete(id);
      same(await idsIn(store), [IDS[0]]);
      same((await store.load(IDS[0])).entries.length, 1);
    },
  },
  {
    name: "an append that expects something else is refused and changes nothing",
    async run({ open }) {
      const store = open();
      await store.append("run", [entry("a"), entry("b")], 0);
      for (const expected of [0, 1, 3, 1000]) {
        const error = await refused(store.append("run", [entry("x")], expected), "conflict", "another run has continued the journal `run`: it holds 2 entries");
        check(typeof error.hint === "string" && error.hint !== "", "a conflict says what to do");
        await refused(open().append("run", [entry("x")], expected), "conflict", "holds 2 entries");
      }
      same((await open().load("run")).entries, [entry("a"), entry("b")]);
      await store.append("run", [entry("c")], 2);
      same((await open().load("run")).entries, [entry("a"), entry("b"), entry("c")]);
    },
  },
  {
    name: "stores over the same place see each other's entries",
    async run({ open }) {
      const stores = [open(), open(), open()];
      for (let count = 0; count < 30; count += 1) await stores[count % 3].append("run", [entry(`k${count}`)], count);
      for (const store of stores) same((await store.load("run")).entries.map(({ key }) => key), Array.from({ length: 30 }, (_, index) => `k${index}`));
    },
  },
  {
    name: "of several that append at the same moment exactly one wins, with all it brought",
    async run({ open }) {
      const stores = [open(), open(), open(), open()];
      const expected = [];
      for (let round = 0; round < 12; round += 1) {
        const offers = stores.flatMap((store, place) => [0, 1].map((turn) => ({ store, batch: Array.from({ length: 1 + ((place + turn + round) % 3) }, (_, index) => entry(`r${round}/${place}.${turn}/${index}`)) })));
        const outcomes = await Promise.allSettled(offers.map(({ store, batch }) => store.append("race", batch, expected.length)));
        const winners = offers.filter((_, index) => outcomes[index].status === "fulfilled");
        same(winners.length, 1);
        for (const { status, reason } of outcomes) if (status === "rejected") same(reason.code, "conflict");
        expected.push(...winners[0].batch);
        for (const { store } of offers) same((await store.load("race")).entries, expected);
      }
    },
  },
  {
    name: "what no store could give back is refused as a whole",
    async run({ open }) {
      const store = open();
      await store.append("run", [entry("a")], 0);
      const cycle = {};
      cycle.self = cycle;
      for (const [bad, message] of [
        [{ key: "b", at: 1, ok: { f: () => {} } }, "entries[1].ok.f is a function"],
        [{ key: "b", at: 1, ok: [Number.NaN] }, "entries[1].ok[0] is NaN"],
        [{ key: "b", at: 1, ok: 1n }, "entries[1].ok is a bigint"],
        [{ key: "b", at: 1, ok: cycle }, "entries[1].ok.self refers back"],
        [{ key: "", at: 1 }, "entries[1].key is empty, not a key"],
        [{ key: "b", at: "now" }, "entries[1].at is a string"],
        [{ key: "b", at: 1, ok: 1, error: { code: "handler", message: "no" } }, "entries[1] has an answer and an error"],
        [{ key: "b", at: 1, error: "no" }, "entries[1].error is not an error"],
        [{ key: "b", at: 1, told: [{}] }, "entries[1].told[0] does not say"],
        [null, "entries[1] is null, not an entry"],
      ]) {
        await refused(store.append("run", [entry("x"), bad], 1), "validation", message);
      }
      await refused(store.append("run", { length: 1 }, 1), "validation", "entries is an object");
      await refused(store.append("run", [entry("x")], -1), "validation", "expectedSeq is -1");
      await refused(store.append("run", [entry("x")], undefined), "validation", "expectedSeq is undefined");
      await refused(store.append("", [entry("x")], 0), "validation", "the id of a journal is empty");
      same((await open().load("run")).entries, [entry("a")]);
    },
  },
  {
    name: "no entries are no journal, but are compared all the same",
    async run({ open }) {
      const store = open();
      await store.append("run", [], 0);
      same(await store.load("run"), undefined);
      same(await store.list(), { runs: [] });
      await store.append("run", [entry("a")], 0);
      await store.append("run", [], 1);
      await refused(store.append("run", [], 0), "conflict", "holds 1 entry where this run expected 0 entries");
      same((await open().load("run")).entries, [entry("a")]);
    },
  },
  {
    name: "a deleted journal is gone for every store, and can begin again",
    async run({ open }) {
      const [one, other] = [open(), open()];
      await one.append("run", [entry("a"), entry("b")], 0);
      await one.append("run", [entry("c")], 2);
      await one.append("kept", [entry("k")], 0);
      await other.delete("run");
      same(await one.load("run"), undefined);
      same(await idsIn(one), ["kept"]);
      await refused(one.append("run", [entry("d")], 3), "conflict", "holds 0 entries where this run expected 3 entries");
      // As long as before, so that only what is in it distinguishes it from the old one.
      await other.append("run", [entry("e"), entry("f")], 0);
      await other.append("run", [entry("g")], 2);
      await one.append("run", [entry("h")], 3);
      same((await open().load("run")).entries.map(({ key }) => key), ["e", "f", "g", "h"]);
      same((await open().load("kept")).entries, [entry("k")]);
    },
  },
  {
    name: "nobody can change what is kept",
    async run({ open }) {
      const store = open();
      const given = [{ key: "a", at: 1, ok: { deep: [{ n: 1 }] } }];
      const appended = store.append("run", given, 0);
      given[0].ok.deep[0].n = 2;
      given.push(entry("b"));
      await appended;
      const loaded = await store.load("run");
      attempt(() => (loaded.entries[0].ok.deep[0].n = 3));
      attempt(() => loaded.entries.push(entry("c")));
      same((await store.load("run")).entries, [{ key: "a", at: 1, ok: { deep: [{ n: 1 }] } }]);
      await open().append("run", [entry("d")], 1);
      same((await open().load("run")).entries.length, 2);
    },
  },
  {
    name: "long journals and large answers",
    async run({ open }) {
      const store = open();
      const expected = [];
      const append = async (batch) => {
        await store.append("long", batch, expected.length);
        expected.push(...batch);
      };
      for (let count = 0; count < 100; count += 1) await append(Array.from({ length: 1 + (count % 20) }, (_, index) => entry(`k${count}.${index}`)));
      await append([{ key: "ascii", at: 1, ok: "x".repeat(700_000) }]);
      await append([{ key: "wide", at: 1, ok: "é✅🐝\ud800".repeat(100_000) }, entry("after")]);
      await append(Array.from({ length: 5000 }, (_, index) => entry(`many${index}`, { index })));
      same(await open().load("long"), { version: 1, id: "long", entries: expected });
      await store.append("long", [entry("end")], expected.length);
      same((await open().load("long")).entries.at(-1), entry("end"));
      await store.delete("long");
      same(await open().load("long"), undefined);
    },
  },
  {
    name: "runs are listed by how they stand, without their journals",
    async run({ open }) {
      const store = open();
      const summaries = {
        asks: { status: "suspended", owner: "ann", documentName: "order {1}", updatedAt: 5 },
        sleeps: { status: "running", wakeAt: 700, owner: "ann", documentName: "order", updatedAt: 6 },
        dozes: { status: "running", wakeAt: 900.5, owner: "bob", documentName: "é \"}]\n\ud800", updatedAt: 7 },
        works: { status: "running", documentName: "order", updatedAt: 8 },
        done: { status: "done", documentName: "order", updatedAt: 9 },
      };
      for (const [id, summary] of Object.entries(summaries)) {
        await store.append(id, [entry("a", "x".repeat(50_000))], 0, { status: "running", documentName: "before", updatedAt: 1 });
        await store.append(id, [entry("b"), entry("c")], 1, { ...summary, more: "than there is" });
      }
      for (const each of [store, open()]) {
        const { runs } = await each.list();
        same(Object.fromEntries(runs.map(({ id, ...summary }) => [id, ordered(summary)]).sort()), Object.fromEntries(Object.entries(summaries).map(([id, summary]) => [id, ordered(summary)]).sort()));
        const found = async (filter) => (await idsIn(each, filter)).sort();
        same(await found({ status: "suspended" }), ["asks"]);
        same(await found({ status: "running" }), ["dozes", "sleeps", "works"]);
        same(await found({ owner: "ann" }), ["asks", "sleeps"]);
        same(await found({ owner: "nobody" }), []);
        same(await found({ wakeBefore: 700 }), ["sleeps"]);
        same(await found({ wakeBefore: 699 }), []);
        same(await found({ wakeBefore: 1000, owner: "bob", status: "running" }), ["dozes"]);
      }
      await store.append("asks", [entry("d")], 3, { status: "done", documentName: "order", updatedAt: 10 });
      same(await idsIn(open(), { status: "suspended" }), []);
      const conflict = store.append("done", [entry("x")], 1, { status: "error", documentName: "order", updatedAt: 99 });
      await refused(conflict, "conflict", "holds 3 entries");
      same((await open().list({ status: "error" })).runs, []);
    },
  },
  {
    name: "pages have every run once, however small they are",
    async run({ open }) {
      const store = open();
      const ids = Array.from({ length: 23 }, (_, index) => `run ${index}`);
      for (const [index, id] of ids.entries()) await store.append(id, [entry("a")], 0, { status: index % 3 === 0 ? "done" : "running", documentName: "w", updatedAt: index });
      for (const limit of [1, 2, 7, 22, 23, 24]) {
        const pages = [];
        for (let cursor; pages.length === 0 || cursor !== undefined; ) {
          const page = await open().list({ limit, ...(cursor !== undefined && { cursor }) });
          check(page.runs.length <= limit, `${page.runs.length} runs on a page of ${limit}`);
          pages.push(page.runs.map(({ id }) => id));
          cursor = page.cursor;
        }
        same(pages.flat().sort(), [...ids].sort());
        same(pages.length, Math.ceil(ids.length / limit));
      }
      const some = await store.list({ status: "done", limit: 5 });
      same(some.runs.length, 5);
      // What is deleted and added between pages leaves the others as they are.
      await store.delete(some.runs[4].id);
      const rest = await store.list({ status: "done", limit: 5, cursor: some.cursor });
      same([...some.runs, ...rest.runs].map(({ id }) => id).sort(), ids.filter((_, index) => index % 3 === 0).sort());
      same(rest.cursor, undefined);
    },
  },
  {
    name: "a cursor leads on from any id, and says nothing of where the runs are kept",
    async run({ open }) {
      const store = open();
      for (const id of IDS) await store.append(id, [entry("a")], 0);
      const found = [];
      for (let cursor; found.length === 0 || cursor !== undefined; ) {
        const page = await open().list({ limit: 1, ...(cursor !== undefined && { cursor }) });
        found.push(...page.runs.map(({ id }) => id));
        cursor = page.cursor;
        if (cursor === undefined) break;
        check(/^[\w-]+$/.test(cursor), `the cursor ${cursor} is no text for addresses`);
        const position = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
        for (const word of [".jsonl", "journals", "my:", "stepweave"]) check(found.at(-1).includes(word) || !position.includes(word), `the cursor ${position} has ${word}`);
      }
      same(found.sort(), [...IDS].sort());
    },
  },
  {
    name: "a summary or a filter that is none is refused",
    async run({ open }) {
      const store = open();
      for (const [summary, message] of [
        [undefined, "must have `status`: one of running, suspended"],
        [null, "must have `status`"],
        [{ documentName: "w", updatedAt: 1 }, "must have `status`"],
        [{ status: "asleep", documentName: "w", updatedAt: 1 }, "must have `status`"],
        [{ status: "done", updatedAt: 1 }, "must have `documentName`: a text"],
        [{ status: "done", documentName: "w" }, "must have `updatedAt`: a time"],
        [{ status: "done", documentName: "w", updatedAt: Number.NaN }, "must have `updatedAt`: a time"],
        [{ status: "done", documentName: "w", updatedAt: 1, wakeAt: "soon" }, "must have `wakeAt`: a time"],
        [{ status: "done", documentName: "w", updatedAt: 1, owner: 7 }, "must have `owner`: a text"],
      ]) await refused(store.append("run", [entry("a")], 0, summary), "validation", message);
      same(await store.load("run"), undefined);
      for (const [filter, message] of [
        [{ status: "asleep" }, '`status` of the list is "asleep"'],
        [{ owner: 7 }, "`owner` of the list is 7"],
        [{ wakeBefore: "soon" }, '`wakeBefore` of the list is "soon"'],
        [{ cursor: 7 }, "`cursor` of the list is 7"],
        ...["garbage", "run", "", "../../etc/passwd", "ab-12-x", "W10", "WyJhIiwiYiJd", "Wzdd", "bnVsbA", "_w", "WyJhIl"].map((cursor) => [{ cursor }, `\`cursor\` of the list is ${JSON.stringify(cursor)}, which leads to no page`]),
        [{ limit: 0 }, "`limit` of the list is 0"],
        [{ limit: 1.5 }, "`limit` of the list is 1.5"],
      ]) await refused((async () => store.list(filter))(), "validation", message);
    },
  },
  {
    name: "a journal of version 2 says so, and one without a version is of version 1",
    async run({ open }) {
      const store = open();
      const begun = { key: "start", at: 1, ok: { version: 2, workflow: "w", document: "d", state: {}, seed: 1, owner: "ann" } };
      await store.append("new", [begun, { key: "s/1/run", asked: "q", at: 2, seq: 2, ok: [{}], told: [{ type: "delta", value: "x", at: 1.5, seq: 1 }] }], 0);
      const { version, ...old } = begun.ok;
      await store.append("old", [{ ...begun, ok: old }], 0);
      same([(await open().load("new")).version, (await open().load("old")).version], [2, 1]);
      same((await open().load("new")).entries[1].told, [{ type: "delta", value: "x", at: 1.5, seq: 1 }]);
      same(version, 2);
    },
  },
];

/**
 * What every store promises. Where a case is about entries alone, its appends say that the run goes on.
 * @type {{ name: string, run(place: { open(): any }): Promise<void> }[]}
 */
export const cases = promises.map(({ name, run }) => ({ name, run: ({ open }) => run({ open: () => summarised(open()) }) }));

function summarised(store) {
  return {
    load: (id) => store.load(id),
    append: (id, entries, expectedSeq, ...summary) => store.append(id, entries, expectedSeq, summary.length === 0 ? { status: "running", documentName: "w", updatedAt: 1 } : summary[0]),
    list: (filter) => store.list(filter),
    delete: (id) => store.delete(id),
  };
}

async function idsIn(store, filter) {
  return (await store.list({ limit: 1000, ...filter })).runs.map(({ id }) => id);
}

function ordered(summary) {
  return Object.fromEntries(Object.entries(summary).sort());
}

/** Runs every case, each at a place of its own; gives the name and, if it failed, what is wrong. */
export async function* conformance(newPlace) {
  for (const { name, run } of cases) {
    const place = await newPlace();
    let fault;
    try {
      await run(place);
    } catch (error) {
      fault = error?.stack ?? String(error);
    }
    await place.remove?.();
    yield { name, fault };
  }
}

const NASTY = [
  null, true, 0, -1.5e-7, 2 ** 53 + 2, 1e308, "", "\u0000\u001f\u007f\u2028\ufeff", "é e\u0301 日本 🐝 \ud83d", "\udc00\ud800", '{"a":1}', "\n\r\n", "\\u0041",
  [], {}, [[[]], [null]], { "": 1, " ": 2, "a.b": 3 }, { 10: "ten", 9: "nine", x: "x" },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":null}'),
  nested(500), { list: Array.from({ length: 300 }, (_, index) => ({ index, text: "é".repeat(index) })) },
  "2026-01-01T00:00:00.000Z", "undefined", "NaN", "stepweave 1 2 []",
];

const IDS = [
  "run", "RUN", "Run", "a/b", "a\\b", "a:b", "a", "..", ".", "../../up", "/etc/passwd", "C:\\x", "con", "nul.txt", "a.jsonl", "é", "e\u0301", "日本", "🐝", "\ud800", "\udc00", "_d800",
  " ", "a b", "%2e%2e", "a?b#c", "x$", "id-a", "a:-b", "a:000000000000", "000000000000", "\u0000", "a\nb", '"', '"/', "\\", "__proto__", "constructor", "-", "y".repeat(97), "y".repeat(98), "y".repeat(300), `${"y".repeat(300)}z`,
  "3f2a8c1e-0b7d-4a7e-9d7c-2f1e5b6a7c8d",
];

function nested(levels) {
  let value = "core";
  for (let level = 0; level < levels; level += 1) value = level % 2 ? [value] : { value };
  return value;
}

function entry(key, ok = { patch: { [key]: key } }) {
  return { key, at: 1767225600000, ok };
}

function check(holds, what) {
  if (!holds) throw new Error(what);
}

/** Compared as JSON: it shows each half of a surrogate pair, and keys that reach a prototype. */
function same(actual, expected) {
  const [left, right] = [actual, expected].map((value) => JSON.stringify(value) ?? "nothing");
  if (left === right) return;
  let at = 0;
  while (left[at] === right[at]) at += 1;
  const part = (text) => `${text.slice(Math.max(0, at - 60), at + 60)} (of ${text.length} characters)`;
  throw new Error(`it is …${part(left)}\n where …${part(right)} was expected`);
}

async function refused(promise, code, message) {
  let error;
  try {
    await promise;
  } catch (thrown) {
    error = thrown;
  }
  check(error !== undefined, `not refused, where this was expected: ${message}`);
  check(error.name === "StepweaveError" && error.code === code, `${error.code} instead of ${code}: ${error.stack}`);
  check(error.message.includes(message), `the message is: ${error.message}\n where this was expected: ${message}`);
  return error;
}

/** What is frozen may refuse to be changed. */
function attempt(change) {
  try {
    change();
  } catch (error) {
    check(error instanceof TypeError, error.message);
  }
}
