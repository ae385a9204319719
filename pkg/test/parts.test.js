// A part of the engine is loaded for the first document that needs it, and no other document can reach it.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { differences } from "../../tests/runtimes/difference.mjs";
import { outcomeOf, warmUp } from "../../tests/runtimes/scenario.mjs";
import { read } from "../../tests/runtimes/scenarios.mjs";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const places = [];
after(() => places.forEach((place) => rmSync(place, { recursive: true })));

/** The package in a place of its own, without the files of these parts. */
async function packageWithout(parts, entry = "entry-inline.js") {
  const place = mkdtempSync(join(tmpdir(), "stepweave-parts-"));
  places.push(place);
  cpSync(dist, place, { recursive: true });
  const { outputs } = JSON.parse(readFileSync(join(dist, "meta.json"), "utf8"));
  for (const part of parts) {
    const [text] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === `ts/entries/${part}-bytes.ts`);
    rmSync(join(place, text.replace("dist/", "")));
    rmSync(join(place, `stepweave_${part}.wasm`));
  }
  return import(pathToFileURL(join(place, entry)).href);
}

const functions = { version: 1, name: "f", input: {}, steps: [{ id: "s", type: "function", name: "s", run: { handler: "one" } }] };
const expression = { version: 1, name: "e", steps: [{ id: "s", type: "function", name: "s", run: { set: { x: "1 + 1" } } }] };
const agent = { version: 1, name: "a", models: { m: { provider: "demo", model: "m" } }, agents: { a: { model: "m" } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a" }] };
const both = { ...agent, name: "b", steps: [...agent.steps, ...expression.steps.map((step) => ({ ...step, id: "t", name: "t" }))] };
const handlers = { one: () => ({ x: 1 }) };

for (const { missing, refused, least } of [
  { missing: ["templates", "models"], refused: [expression, agent, both], least: 30 },
  { missing: ["templates"], refused: [expression, both], least: 40 },
  { missing: ["models"], refused: [agent, both], least: 90 },
]) {
  test(`without ${missing.join(" and ")}, whatever does not need that does all it should`, async () => {
    const stepweave = await packageWithout(missing);
    const runOf = (document) => stepweave.Workflow.fromDocument(document, { handlers }).run({ journal: true });
    if (!missing.includes("models")) await warmUp(stepweave);
    for (const document of [functions, expression, agent, both]) {
      if (!refused.includes(document)) assert.equal((await runOf(document)).status, "done");
    }
    for (const document of refused) {
      for (const tried of [runOf(document), stepweave.validate(document)]) {
        await assert.rejects(tried, ({ code, message }) => code === "internal" && /^the engine cannot be loaded: /.test(message));
      }
    }
    let whole = 0;
    for (const { name, scenario } of await read("")) {
      const { observed, faults } = await outcomeOf(stepweave, { name, scenario });
      // What needs the part says so before it begins; nothing else may be missed.
      if (faults.length === 1 && faults[0].includes("the engine cannot be loaded")) continue;
      assert.deepEqual([...faults, ...differences(scenario.expect, observed)], [], name);
      whole += 1;
    }
    assert.ok(whole >= least, `only ${whole} scenarios could run`);
  });
}

test("parts are loaded once, by the first document that needs them, and every later instance has them at once", async () => {
  const stepweave = await packageWithout([]);
  const { Module } = WebAssembly;
  const { compile } = WebAssembly;
  const compiled = [];
  const noted = (bytes) => compiled.push(bytes.byteLength);
  WebAssembly.compile = (bytes) => (noted(bytes), compile(bytes));
  WebAssembly.Module = class extends Module {
    constructor(bytes) {
      noted(bytes);
      super(bytes);
    }
  };
  try {
    const run = (document) => stepweave.Workflow.fromDocument(document, { handlers }).run();
    await run(functions);
    assert.equal(compiled.length, 1);
    await Promise.all([run(both), run(both), stepweave.validate(both)]);
    assert.equal(compiled.length, 3);
    await Promise.all([run(expression), run(agent)]);
    assert.equal(compiled.length, 3);
  } finally {
    Object.assign(WebAssembly, { Module, compile });
  }
});

test("stepweave/slim takes the parts that it is given, and finds the others", async () => {
  const { init, Workflow } = await packageWithout(["templates"], "entry-slim.js");
  const bytes = (name) => readFileSync(join(dist, `stepweave_${name}.wasm`));
  await assert.rejects(init(bytes("bg"), { models: new Uint8Array(4) }), ({ code }) => code === "internal");
  await init(undefined, { templates: new Response(bytes("templates"), { headers: { "content-type": "application/wasm" } }) });
  assert.equal((await Workflow.fromDocument(both).run()).status, "done");
});

const NOT_COME = /^a file of the package did not come: serve all of them/;
const POLICY = /^a page with a Content-Security-Policy must allow /;

test("a file that does not come is told apart from one that may not be compiled, and the next call tries again", async () => {
  const { init, Workflow } = await packageWithout(["templates"], "entry-slim.js");
  await init(readFileSync(join(dist, "stepweave_bg.wasm")));
  const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) });
  for (const [models, message, hint] of [
    [new Response(null, { status: 404 }), /: {2}answered 404$/, NOT_COME],
    ["http://127.0.0.1:9/stepweave_models.wasm", /: fetch failed$/, NOT_COME],
    [Promise.reject(new TypeError("Failed to fetch")), /: Failed to fetch$/, NOT_COME],
    [new Response(broken, { headers: { "content-type": "application/wasm" } }), /: terminated$/, NOT_COME],
    [new Uint8Array(4), /WebAssembly\.compile\(\)/, POLICY],
  ]) {
    await assert.rejects(init(undefined, { models }), (error) => {
      assert.equal(error.code, "internal");
      assert.match(error.message, message);
      assert.match(error.hint, hint);
      return true;
    });
  }
  await assert.rejects(Workflow.fromDocument(expression).run(), ({ hint }) => NOT_COME.test(hint));
  assert.equal((await Workflow.fromDocument(agent).run()).status, "done");
});
