import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { StepweaveError } from "stepweave";
import { durableObjectStore, indexedDbStore, journalFrom, memoryStore, unstorageStore } from "stepweave/stores";
import { fileStore } from "stepweave/stores/node";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import memoryDriver from "unstorage/drivers/memory";
import { cases } from "./stores-conformance.js";
import { folder, places } from "./stores-places.js";
import { rejection } from "./support.js";

const SUMMARY = { status: "running", documentName: "w", updatedAt: 1 };

for (const [name, newPlace] of Object.entries(places)) {
  test(`the ${name} store keeps what stores promise`, async (context) => {
    for (const { name, run } of cases) {
      await context.test(name, async () => {
        const place = await newPlace();
        await run(place);
        await place.remove?.();
      });
    }
  });
}

const start = { key: "start", at: 1, ok: { workflow: "w" } };

test("a journal comes back from its JSON, checked and safe from changes", () => {
  const journal = { version: 1, id: "r", entries: [start, { key: "s1/1", at: 2, error: { code: "handler", message: "no", retryable: false } }] };
  for (const given of [journal, JSON.stringify(journal), journalFrom(journal)]) {
    const read = journalFrom(given);
    assert.deepEqual(read, journal);
    assert.ok(Object.isFrozen(read.entries[0].ok));
  }
});

test("what is no journal is refused with the place of its fault", () => {
  const journal = (entries, more) => ({ version: 1, id: "r", entries, ...more });
  for (const [given, message] of [
    ["{", "the journal is not JSON"],
    ["", "the journal is not JSON"],
    [[], "the journal is a list, not an object"],
    ["null", "the journal is null, not an object"],
    [undefined, "journal is undefined"],
    [{ steps: [] }, "journal.version is missing: this is something else than a journal"],
    [journal([start], { version: 3 }), "journal.version is 3; this version of stepweave reads 1 and 2"],
    [journal([start], { version: 2 }), "journal.version is 2, and its first entry says 1"],
    [journal([start], { version: "1" }), 'journal.version is "1"'],
    [journal([start], { id: 7 }), "journal.id is a number, not the run's id"],
    [journal([start], { id: "" }), "journal.id is empty"],
    [journal({}), "journal.entries is an object, not a list of entries"],
    [journal(undefined), "journal.entries is missing"],
    [journal([]), "journal.entries[0].key is missing: a journal begins with the entry `start`"],
    [journal([{ key: "s1/1", at: 1 }]), 'journal.entries[0].key is "s1/1", where a journal begins with `start`'],
    [journal([start, { at: 1 }]), "journal.entries[1].key is missing"],
    [journal([start, { key: "a" }]), "journal.entries[1].at is missing"],
    [journal([start, { key: "a", at: 1, asked: 5 }]), "journal.entries[1].asked is a number"],
    [journal([start, { key: "a", at: 1, error: { code: "x" } }]), "journal.entries[1].error is not an error"],
    [journal([start, { key: "a", at: 1, told: {} }]), "journal.entries[1].told is an object, not a list"],
    [journal([start, { key: "a", at: 1, ok: new Date(0) }]), "journal.entries[1].ok is a Date"],
    [journal([start, [start]]), "journal.entries[1] is a list, not an entry"],
    [`{"version":1,"id":"r","entries":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "is nested deeper than"],
  ]) {
    assert.throws(() => journalFrom(given), (error) => {
      assert.ok(error instanceof StepweaveError);
      assert.equal(error.code, "validation");
      assert.ok(error.message.includes(message), error.message);
      assert.ok(error.hint);
      return true;
    });
  }
});

test("a store of unstorage finds the place of what was changed behind its back", async () => {
  const { path, remove } = await folder();
  const storage = createStorage({ driver: fsDriver({ base: path }) });
  const store = () => unstorageStore(storage);
  for (let count = 0; count < 4; count += 1) await store().append("run", [{ ...start, at: count }], count, SUMMARY);
  const files = (await readdir(path, { recursive: true })).filter((name) => /\d{12}$/.test(name)).sort();
  assert.equal(files.length, 4);
  const last = join(path, files[3]);
  const whole = await readFile(last, "utf8");
  for (let length = 0; length < whole.length; length += 1) {
    await writeFile(last, whole.slice(0, length));
    assert.equal((await store().load("run")).entries.length, 3, `the last one, torn after ${length} characters, is not there`);
  }
  await store().append("run", [{ ...start, at: 30 }], 3, SUMMARY);
  assert.deepEqual((await store().load("run")).entries.map(({ at }) => at), [0, 1, 2, 30]);

  const second = join(path, files[1]);
  const text = await readFile(second, "utf8");
  await writeFile(second, text.slice(0, -1));
  assert.match((await rejection(store().load("run"))).message, /^`journals:id-run:000000000001` in the storage is not what was stored there$/);
  await rm(second);
  const error = await rejection(store().load("run"));
  assert.equal(error.code, "validation");
  assert.match(error.message, /^the journal `run` lacks `journals:id-run:000000000001` in the storage$/);
  await remove();
});

test("a prefix that drivers would change is refused", () => {
  for (const prefix of ["", "a/b", ":a", "a::b", "a?b", "a b"]) {
    assert.throws(() => unstorageStore(createStorage(), { prefix }), { code: "validation", message: `the prefix ${JSON.stringify(prefix)} is no beginning of a key` });
  }
});

test("a damaged journal keeps no other from being listed in a Durable Object, and is listed as its summary has it", async () => {
  const kept = new Map();
  const values = {
    get: async (key) => kept.get(key),
    put: async (key, value) => void kept.set(key, value),
    delete: async (key) => kept.delete(key),
    list: async ({ prefix, startAfter = "" }) => new Map([...kept].filter(([key]) => key.startsWith(prefix) && key > startAfter).sort(([one], [other]) => (one < other ? -1 : 1))),
  };
  const store = durableObjectStore({ ...values, transaction: (work) => work(values), sync: async () => {} });
  const listed = async () => (await store.list()).runs.map(({ id, status }) => `${id} ${status}`);
  for (const id of ["a", "b", "c"]) await store.append(id, [start], 0, SUMMARY);
  kept.delete([...kept.keys()].find((key) => key.includes("entries") && key.includes('"b"')));
  assert.match((await rejection(store.load("b"))).message, /lacks entries: 0 of 1/);
  assert.deepEqual(await listed(), ["a running", "b running", "c running"]);
  // The first version kept no summaries.
  kept.set([...kept.keys()].find((key) => key.includes("journal") && key.includes('"b"')), 1);
  assert.deepEqual(await listed(), ["a running", "c running"]);
});

test("where there is no IndexedDB, the store says so and what to use", async () => {
  const error = await rejection(indexedDbStore().load("run"));
  assert.equal(error.code, "validation");
  assert.match(error.message, /^there is no IndexedDB here/);
  assert.match(error.hint, /fileStore/);
});

test("what stores kept before there were summaries is read, listed and continued", async () => {
  const begun = { key: "start", at: 1, ok: { workflow: "w", document: "d", state: {}, seed: 1 } };
  const ended = { key: "end", at: 7, ok: { status: "suspended" } };
  const batch = (entries) => `stepweave 1 ${JSON.stringify(entries).length} ${JSON.stringify(entries)}`;
  const storage = createStorage({ driver: memoryDriver() });
  await storage.setItem("journals:id-old:000000000000", batch([begun, { key: "a/1/run", at: 2, ok: [{}] }]));
  await storage.setItem("journals:id-old:000000000002", batch([ended]));
  const { path, remove } = await folder();
  const sumOf = (body) => createHash("sha256").update(body).digest("hex").slice(0, 16);
  let text = "";
  let after = "";
  for (const [from, entries] of [[0, [begun, { key: "a/1/run", at: 2, ok: [{}] }]], [2, [ended]]]) {
    const content = `"after":"${after}",${from === 0 ? '"id":"old",' : ""}"from":${from},"entries":${JSON.stringify(entries)},"to":${from + entries.length},"by":"ab"`;
    const body = `{"stepweave":1,"size":${Buffer.byteLength(content) + 26},${content}`;
    after = sumOf(body);
    text += `\n${body},"sum":"${after}"}`;
  }
  await writeFile(join(path, `old-${createHash("sha256").update("old", "utf16le").digest("hex").slice(0, 32)}.jsonl`), text);
  for (const store of [unstorageStore(storage), fileStore(path)]) {
    const journal = await store.load("old");
    assert.deepEqual([journal.version, journal.entries.map(({ key }) => key)], [1, ["start", "a/1/run", "end"]]);
    assert.deepEqual(await store.list({ status: "suspended" }), { runs: [{ id: "old", status: "suspended", documentName: "w", updatedAt: 7 }] });
    await store.append("old", [{ key: "b/1/run", at: 9, ok: [{}] }], 3, { status: "running", documentName: "w", updatedAt: 9 });
    assert.deepEqual((await store.list()).runs, [{ id: "old", status: "running", documentName: "w", updatedAt: 9 }]);
    assert.equal((await store.load("old")).entries.length, 4);
  }
  await remove();
});

test("a store of files lists by the ends of files: what a crash or a second writer left there misleads nobody", async () => {
  const { path, remove } = await folder();
  const store = fileStore(path);
  const summary = (status, updatedAt) => ({ status, documentName: "w", updatedAt });
  await store.append("run", [{ ...start, ok: { workflow: "w" } }], 0, summary("running", 1));
  await store.append("run", [{ key: "end", at: 2, ok: { status: "suspended" } }], 1, summary("suspended", 2));
  const [file] = await readdir(path);
  const whole = await readFile(join(path, file), "utf8");
  const last = whole.slice(whole.lastIndexOf("\n"));
  const listed = async () => (await fileStore(path).list()).runs.map(({ status, updatedAt }) => `${status} ${updatedAt}`);
  assert.deepEqual(await listed(), ["suspended 2"]);
  // A line that was cut off, and one of somebody who was second.
  await writeFile(join(path, file), whole + last.slice(0, 90));
  assert.deepEqual(await listed(), ["suspended 2"]);
  await writeFile(join(path, file), whole + whole.slice(0, whole.lastIndexOf("\n")));
  assert.deepEqual(await listed(), ["suspended 2"]);
  await remove();
});
