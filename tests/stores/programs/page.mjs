// In a page and in a worker of it: what the test calls.
import { indexedDbStore } from "stepweave/stores";
import { conformance } from "../../../pkg/test/stores-conformance.js";
import { BATCHES, carryOn, complaints } from "./older.mjs";

const SUMMARY = { status: "running", documentName: "w", updatedAt: 1 };

const delay = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The names and faults of all cases. */
async function conform() {
  const outcomes = [];
  let count = 0;
  for await (const outcome of conformance(() => {
    const name = `place ${(count += 1)}`;
    return { open: () => indexedDbStore({ name }), remove: () => deleted(name) };
  })) {
    outcomes.push(outcome);
  }
  return outcomes;
}

/** Continues a journal `times` times against others that do the same; the keys that were acknowledged, and how often it came second. */
async function race(name, times) {
  const store = indexedDbStore({ name: "race" });
  const won = [];
  let lost = 0;
  while (won.length < times) {
    const held = (await store.load("run"))?.entries.length ?? 0;
    const key = `${name}.${won.length}`;
    try {
      await store.append("run", [{ key, at: 1 }], held, SUMMARY);
      won.push(key);
    } catch (error) {
      if (error.code !== "conflict") throw error;
      lost += 1;
      await delay(Math.random() * 5);
    }
  }
  return { won, lost };
}

/** Resolves when the database is gone; rejects when somebody stands in the way. */
function deleted(name) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onblocked = () => reject(new Error(`the database ${name} is still held open`));
    request.onerror = () => reject(request.error);
  });
}

/** A database of somebody else. */
function foreign(name, version) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => request.result.createObjectStore("theirs");
    request.onsuccess = () => resolve(request.result.close());
    request.onerror = () => reject(request.error);
  });
}

/** The error that an attempt to load from this database ends with. */
async function complaint(name) {
  try {
    await indexedDbStore({ name }).load("run");
  } catch ({ code, message, hint }) {
    return { code, message, hint };
  }
  return undefined;
}

/** Loads a journal through a store that stays open. */
const held = new Map();
async function heldKeys(name) {
  if (!held.has(name)) held.set(name, indexedDbStore({ name }));
  return (await held.get(name).load("run"))?.entries.map(({ key }) => key);
}

async function append(name, key, expectedSeq) {
  await indexedDbStore({ name }).append("run", [{ key, at: 1 }], expectedSeq, SUMMARY);
}

/** A database as the first version of the store made it, with what is put into each of its two places. */
function earlier(name, counts, batches) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      const places = { journals: counts, batches };
      for (const [place, values] of Object.entries(places)) {
        const made = request.result.createObjectStore(place);
        for (const [key, value] of values) made.add(value, key);
      }
    };
    request.onsuccess = () => resolve(request.result.close());
    request.onerror = () => reject(request.error);
  });
}

async function older(name) {
  await earlier(name, [["order-17", 5]], BATCHES.map((entries, index) => [["order-17", index * 2], JSON.stringify(entries)]));
  return carryOn(() => indexedDbStore({ name }));
}

async function later(name) {
  await earlier(name, [["later", { entries: 1, layout: 3 }]], [[["later", 0], JSON.stringify(BATCHES[0])]]);
  return complaints(() => indexedDbStore({ name }));
}

/** A text that nothing compresses. */
function noise(length) {
  return Array.from({ length }, () => String.fromCharCode(0x4000 + Math.random() * 0x4000)).join("");
}

const actions = { conform, race, deleted, foreign, complaint, heldKeys, append, older, later };

if (typeof document === "undefined") {
  onmessage = async ({ data: { action, given } }) => {
    try {
      postMessage({ value: await actions[action](...given) });
    } catch (error) {
      postMessage({ fault: error.stack });
    }
  };
} else {
  globalThis.noise = noise;
  globalThis.act = (action, ...given) => actions[action](...given);
  globalThis.actInWorker = (action, ...given) =>
    new Promise((resolve, reject) => {
      const worker = new Worker("/page.js", { type: "module" });
      worker.onmessage = ({ data: { value, fault } }) => (fault === undefined ? resolve(value) : reject(new Error(fault)));
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage({ action, given });
    });
}
