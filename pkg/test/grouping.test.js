// Which chunks become one file: small graphs, in which a chunk is its size and the names of what it imports and uses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { grouped } from "../grouping.mjs";

/** The files of a graph that have more than one chunk, each with its names in order. */
function joined(graph) {
  const chunks = Object.entries(graph).map(([name, { size = 500, imports = [], uses = [], entry = false, engine = false }]) => [name, { size, imports, uses, entry, engine }]);
  const files = grouped(new Map(chunks), "main");
  assert.deepEqual(files.flat().sort(), Object.keys(graph).sort(), "each chunk is in one file");
  return files.filter(({ length }) => length > 1).map((names) => names.sort().join(" ")).sort();
}

test("what the main entry imports, and nobody needs without the engine, is one file, however large", () => {
  const graph = {
    main: { entry: true, imports: ["engine", "run", "values", "errors"] },
    reasoning: { entry: true, imports: ["engine", "steps", "values", "errors"] },
    log: { entry: true, imports: ["errors"] },
    engine: { engine: true, size: 20_000 },
    run: { size: 9000, imports: ["values"] },
    values: { size: 8000 },
    steps: { size: 17_000, imports: ["engine"] },
    errors: { size: 2000 },
  };
  assert.deepEqual(joined(graph), ["engine run values"]);
});

test("where an entry needs a part of that, what leads to something on use is a file apart", () => {
  const graph = (imports) => ({
    main: { entry: true, imports: ["engine", "run", "clock", "values"] },
    worker: { entry: true, imports },
    engine: { engine: true },
    run: { uses: ["replay"] },
    clock: {},
    values: {},
    replay: { imports: ["clock"] },
  });
  assert.deepEqual(joined(graph(["engine", "run", "clock", "values"])), ["clock engine run values"]);
  assert.deepEqual(joined(graph(["engine", "clock"])), ["clock engine values"]);
});

test("an entry without the engine grows a little for fewer files, and not much", () => {
  const graph = (size) => ({
    main: { entry: true, imports: ["engine", "errors", "trace"] },
    log: { entry: true, imports: ["errors"] },
    otel: { entry: true, imports: ["errors", "trace"] },
    engine: { engine: true },
    errors: {},
    trace: { size },
  });
  assert.deepEqual(joined(graph(1000)), ["errors trace"]);
  assert.deepEqual(joined(graph(1500)), []);
});

test("what is loaded on use stays by itself, and what it needs of the main entry is in no file with the engine if it comes without", () => {
  const graph = {
    main: { entry: true, imports: ["engine", "run", "pointer"], uses: ["check"] },
    mcp: { entry: true, imports: ["tools"] },
    engine: { engine: true, size: 20_000 },
    run: {},
    tools: { uses: ["check"] },
    check: { size: 5000, imports: ["pointer"] },
    pointer: {},
  };
  assert.deepEqual(joined(graph), ["engine run"]);
});

test("nobody is led to code that they could not come to before", () => {
  const graph = {
    main: { entry: true, imports: ["engine", "errors", "schemas"] },
    log: { entry: true, imports: ["errors"] },
    mcp: { entry: true, imports: ["errors", "schemas"] },
    engine: { engine: true },
    errors: {},
    schemas: { size: 300, uses: ["check"] },
    check: {},
  };
  assert.deepEqual(joined(graph), []);
});

test("no file imports one that imports it", () => {
  const graph = (uses) => ({
    main: { entry: true, imports: ["engine", "top"], uses },
    one: { entry: true, imports: ["top"] },
    two: { entry: true, imports: ["middle"] },
    engine: { engine: true },
    top: { size: 300, imports: ["middle"] },
    middle: { size: 300, imports: ["bottom"] },
    bottom: { size: 300 },
  });
  assert.deepEqual(joined(graph([])), ["bottom middle top"]);
  // What is also loaded on use stays by itself, between the two others.
  assert.deepEqual(joined(graph(["middle"])), []);
});
