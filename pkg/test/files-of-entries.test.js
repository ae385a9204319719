// How many files an entry loads, and which: few, none that is for later, and none of the engine where it is not needed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const dist = new URL("../dist/", import.meta.url);
const nameOf = (path) => path.replace("dist/", "");
const { outputs } = JSON.parse(readFileSync(new URL("meta.json", dist), "utf8"));
const scripts = new Map(Object.entries(outputs).filter(([path]) => path.endsWith(".js")).map(([path, output]) => [nameOf(path), output]));

const leadingTo = (name, kinds) => scripts.get(name).imports.filter(({ kind, path }) => kinds.includes(kind) && scripts.has(nameOf(path))).map(({ path }) => nameOf(path));

/** A file and all that it loads at once, or also later. */
function loaded(name, kinds = ["import-statement"]) {
  const found = new Set([name]);
  for (const file of found) for (const next of leadingTo(file, kinds)) found.add(next);
  return [...found];
}

const later = new Set([...scripts.keys()].flatMap((name) => leadingTo(name, ["dynamic-import"])));
const entries = [...scripts].filter(([name, { entryPoint }]) => entryPoint !== undefined && !later.has(name)).map(([name]) => name);
const hasEngine = (files) => files.some((file) => Object.keys(scripts.get(file).inputs).some((input) => input.endsWith("_glue.js")));

/** The entries that work without the engine. The main ones and those of `stepweave/functions` load few files. */
const WITHOUT_ENGINE = ["durable", "files", "http", "log", "mcp", "mcp-server", "openapi", "otel", "sandbox", "sandbox-edge", "sandbox-workerd", "stores", "stores-node", "types", "ui"];
const FILES = { "entry-slim": 10, "entry-web": 10, "entry-workerd": 11, "entry-edge": 11, "entry-inline": 12, "functions-slim": 2, "functions-web": 2, "functions-workerd": 2, "functions-edge": 2, "functions-inline": 3 };

test("the main entries load a few files", () => {
  for (const [entry, most] of Object.entries(FILES)) {
    const files = loaded(`${entry}.js`);
    assert.ok(files.length <= most, `${entry} loads ${files.length} files: ${files.join(", ")}`);
  }
});

test("an entry imports all of its files itself, so that none is found only when another has come", () => {
  // The command finds them on a disk.
  for (const entry of entries.filter((name) => name !== "cli.js")) assert.deepEqual(new Set([entry, ...leadingTo(entry, ["import-statement"])]), new Set(loaded(entry)), entry);
});

test("what is loaded on use is in no start", () => {
  assert.ok(later.size > 20);
  for (const entry of entries) assert.deepEqual(loaded(entry).filter((file) => later.has(file)), [], entry);
});

test("entries that need no engine lead to none, at once or later", () => {
  for (const entry of WITHOUT_ENGINE) assert.ok(!hasEngine(loaded(`${entry}.js`, ["import-statement", "dynamic-import"])), entry);
  assert.ok(hasEngine(loaded("entry-slim.js")) && hasEngine(loaded("functions-slim.js")));
});

test("no file imports one that imports it", () => {
  for (const name of scripts.keys()) {
    for (const next of leadingTo(name, ["import-statement"])) assert.ok(!loaded(next).includes(name), `${name} and ${next}`);
  }
});

test("a file's imports are said as they are", () => {
  for (const [name, { imports }] of scripts) {
    const text = readFileSync(new URL(name, dist), "utf8");
    for (const { path, external } of imports) if (external !== true) assert.ok(text.includes(`"./${nameOf(path)}"`), `${name} imports ${path}`);
  }
});
