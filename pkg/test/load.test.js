// Every entry has the same names, and finds the engine in its own way.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = new URL("../dist/", import.meta.url);
const RUN = `const r = await new m.Workflow({ name: "t", steps: [{ name: "x", run: () => ({ x: 1 }) }] }).run(); console.log(r.status, r.state.x);`;

/** What a program prints in a process of its own. */
const printed = (code) => execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: here, encoding: "utf8" }).trim();

test("all entries export the same names", () => {
  const names = (entry) => printed(`console.log(Object.keys(await import("${entry}")).sort().join())`);
  const expected = names("stepweave");
  for (const entry of ["stepweave/inline", "stepweave/web", "stepweave/slim"]) assert.equal(names(entry), expected);
  for (const file of ["entry-workerd.js", "entry-edge.js"]) {
    const text = readFileSync(new URL(file, dist), "utf8");
    const exported = [...text.matchAll(/export\{([^}]*)\}/g)].flatMap(([, list]) => list.split(",")).map((name) => name.split(" as ").at(-1)).sort();
    assert.equal(exported.join(), expected);
  }
});

test("stepweave/functions exports the same names everywhere, and finds its engine in each way", () => {
  const names = (entry) => printed(`console.log(Object.keys(await import("${entry}")).sort().join())`);
  const expected = names("stepweave/functions");
  for (const way of ["inline", "web", "slim"]) assert.equal(names(`stepweave/functions/${way}`), expected);
  for (const file of ["functions-workerd.js", "functions-edge.js"]) {
    const text = readFileSync(new URL(file, dist), "utf8");
    const exported = [...text.matchAll(/export\{([^}]*)\}/g)].flatMap(([, list]) => list.split(",")).map((name) => name.split(" as ").at(-1)).sort();
    assert.equal(exported.join(), expected);
  }
  for (const way of ["", "/inline", "/web"]) assert.equal(printed(`import * as m from "stepweave/functions${way}"; ${RUN}`), "done 1");
  const read = `import { readFileSync } from "node:fs"; import * as m from "stepweave/functions/slim"; const bytes = readFileSync(new URL(import.meta.resolve("stepweave/functions/wasm")));`;
  assert.equal(printed(`${read} await m.init(bytes); ${RUN}`), "done 1");
});

test("the default entry runs and checks with no init, as ESM and as CommonJS", async () => {
  assert.equal(printed(`import * as m from "stepweave"; if ((await m.validate("{}")).length === 0) throw 1; ${RUN}`), "done 1");
  const cjs = createRequire(import.meta.url)("stepweave");
  assert.ok((await cjs.validate("{}")).length > 0);
});

test("an error that nobody catches fits on a screen", () => {
  for (const code of [
    `import { Workflow } from "stepweave"; await new Workflow({ name: "t", steps: [{ nme: "x" }] }).run();`,
    `require("stepweave").Workflow.prototype.run.call(undefined);`,
  ]) {
    const type = code.startsWith("import") ? "module" : "commonjs";
    const { status, stderr } = spawnSync(process.execPath, [`--input-type=${type}`, "-e", code], { cwd: here, encoding: "utf8" });
    assert.equal(status, 1);
    assert.ok(stderr.length < 8000, `${stderr.length} letters: ${stderr.slice(0, 200)}`);
  }
});

test("stepweave/web loads when it is needed, by a run or by a check", () => {
  const check = `console.log((await m.validate("{}")).length > 0);`;
  assert.equal(printed(`import * as m from "stepweave/web"; ${check} ${RUN}`), "true\ndone 1");
});

test("stepweave/slim takes bytes, a module or an answer; without them it says what is missing", () => {
  const read = `import { readFileSync } from "node:fs"; import * as m from "stepweave/slim"; const bytes = readFileSync(new URL(import.meta.resolve("stepweave/wasm")));`;
  for (const input of ["bytes", "new WebAssembly.Module(bytes)", "new Response(bytes, { headers: { 'content-type': 'application/wasm' } })", "Promise.resolve(new Response(bytes))"]) {
    assert.equal(printed(`${read} await m.init(${input}); ${RUN}`), "done 1");
  }
  assert.match(printed(`${read} try { ${RUN} } catch (e) { console.log(e.code, e.hint); }`), /^internal load "stepweave"/);
  assert.match(printed(`${read} try { await m.init(new Uint8Array(4)); } catch (e) { console.log(e.code, e.message); } await m.init(bytes); ${RUN}`), /^internal the engine cannot be loaded: .*\ndone 1$/s);
});

test("a run that is cancelled while the engine loads does not begin", () => {
  const code = `import * as m from "stepweave/web"; const run = new m.Workflow({ name: "t", steps: [{ name: "x", run: () => console.log("ran") }] }).start(); await null; run.cancel(); console.log((await run.result).status);`;
  assert.equal(printed(code), "cancelled");
});

test("no entry reads files or awaits at the top level; what few programs need is loaded when they do", () => {
  const meta = JSON.parse(readFileSync(new URL("meta.json", dist), "utf8"));
  const outputs = Object.fromEntries(Object.entries(meta.outputs).map(([path, output]) => [path.replace("dist/", ""), output]));
  const reached = (name, found = new Set()) => {
    if (found.has(name) || outputs[name] === undefined) return found;
    found.add(name);
    for (const { path } of outputs[name].imports) reached(path.replace("dist/", ""), found);
    return found;
  };
  const later = new Set();
  // What only the command and the stores of Node lead to runs in Node.
  const everywhere = new Set();
  for (const [name, { entryPoint }] of Object.entries(outputs)) if (entryPoint !== undefined && !/^(?:cli|stores-node)/.test(name) && !entryPoint.includes("/cli/")) reached(name, everywhere);
  for (const [name, output] of Object.entries(outputs)) {
    if (!everywhere.has(name)) continue;
    for (const { kind, path, external } of output.imports) {
      // What a user installs beside the package is no part of it.
      if (kind === "dynamic-import" && external !== true) later.add(outputs[path.replace("dist/", "")].entryPoint ?? path);
      assert.ok(!path.startsWith("node:"), name);
    }
  }
  const parts = [...later].map((path) => path.replace(/^ts\//, "")).sort();
  assert.deepEqual(parts, [
    "effects/inside.ts",
    "effects/multipart.ts",
    "effects/oauth.ts",
    "effects/pinned.ts",
    "effects/rate-limiter.ts",
    "effects/readable.ts",
    "effects/relay.ts",
    "effects/renewal.ts",
    "effects/stored-bytes.ts",
    "effects/unreachable.ts",
    "entries/bytes.ts",
    "entries/functions/unneeded.ts",
    "files/pdf.ts",
    "http/ag-ui.ts",
    "http/description.ts",
    "http/form.ts",
    "http/ui-message.ts",
    "json/wide-state.ts",
    "models/ai-sdk/ask.ts",
    "models/prompt-api/ask.ts",
    "models/workers-ai/ask.ts",
    "openapi/yaml.ts",
    "reasoning/compatible/compatible.ts",
    "run/corrections.ts",
    "run/exchanges.ts",
    "run/input-parts.ts",
    "run/model-stream.ts",
    "run/replay.ts",
    "run/schemas.ts",
    "run/servers.ts",
    "schema/json/check.ts",
    "schema/pattern/match.ts",
    "worker/lend.ts",
  ]);
  const carries = (name) => [...reached(name)].some((file) => "ts/entries/bytes.ts" in outputs[file].inputs);
  for (const name of ["entry-inline.js", "functions-inline.js"]) assert.ok(carries(name), name);
  for (const name of ["entry-workerd.js", "entry-edge.js", "entry-slim.js", "functions-workerd.js", "functions-edge.js", "functions-slim.js", "worker.js", "reasoning-workerd.js", "reasoning-edge.js"]) assert.ok(!carries(name), `${name} does not carry the inlined engine`);
});

test("a file that does not come is distinguished from one that may not be compiled, and the next call tries again", async () => {
  const { init, Workflow } = await import("stepweave/slim");
  const NOT_COME = /^a file of the package did not come: serve all of them/;
  const POLICY = /^a page with a Content-Security-Policy must allow /;
  const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) });
  for (const [input, message, hint] of [
    [new Response(null, { status: 404 }), /: {2}answered 404$/, NOT_COME],
    ["http://127.0.0.1:9/stepweave_bg.wasm", /: fetch failed$/, NOT_COME],
    [Promise.reject(new TypeError("Failed to fetch")), /: Failed to fetch$/, NOT_COME],
    [new Response(broken, { headers: { "content-type": "application/wasm" } }), /: terminated$/, NOT_COME],
    [new Uint8Array(4), /WebAssembly\.compile\(\)/, POLICY],
  ]) {
    await assert.rejects(init(input), (error) => {
      assert.equal(error.code, "internal");
      assert.match(error.message, message);
      assert.match(error.hint, hint);
      return true;
    });
  }
  await init(readFileSync(new URL("stepweave_bg.wasm", dist)));
  assert.equal((await new Workflow({ name: "t", steps: [{ name: "x", run: { set: { x: "1" } } }] }).run()).status, "done");
});
