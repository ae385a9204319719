// The sandbox of code steps: the cases of tests/sandbox, and what only a program around it can see.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { Workflow } from "stepweave";
import { sandbox } from "stepweave/sandbox";
import { counted, faultsOf } from "../../tests/sandbox/outcome.mjs";

const pkg = fileURLToPath(new URL("..", import.meta.url));
const dist = join(pkg, "dist");
const cases = JSON.parse(readFileSync(new URL("../../tests/sandbox/cases.json", import.meta.url), "utf8"));
const nobody = { log() {} };
const run = (code, state = {}, limits) => sandbox.run(code, state, nobody, limits);
const failure = (...args) => {
  try {
    run(...args);
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
};

describe("each case, and a run after it", () => {
  for (const one of counted(sandbox, cases)) test(one.name, () => assert.deepEqual(faultsOf(sandbox, one), []));
});

/** The fewest instructions that the code gets by with. */
function workOf(code, state) {
  let [least, most] = [1, 100_000_000];
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    try {
      run(code, state, { instructions: middle });
      most = middle;
    } catch (error) {
      assert.equal(error.code, "limit");
      least = middle + 1;
    }
  }
  return least;
}

test("equal runs take equal work, whatever ran before", () => {
  const code = "const list = []; for (let i = 0; i < 2000; i += 1) list.push({ i, text: `number ${i}` }); return { n: list.length + state.n }";
  const work = workOf(code, { n: 1 });
  assert.ok(work > 20_000);
  failure("globalThis.all = []; for (;;) all.push({})");
  failure("for (;;);");
  failure("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)");
  for (let count = 0; count < 20; count += 1) run("return { n: 1 }");
  assert.equal(workOf(code, { n: 1 }), work);
});

test("an endless loop ends", () => {
  failure("for (;;);");
  for (const code of ["for (;;);", "/(a+)+$/.test('a'.repeat(50) + 'b')", "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", "const b = new Uint8Array(8e6); for (;;) b.slice()"]) {
    assert.equal(failure(code).code, "limit", code);
  }
});

test("hundreds of runs that break their machine leave nothing behind", () => {
  for (let count = 0; count < 300; count += 1) {
    assert.equal(failure("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", {}, { instructions: 1 }).code, "limit");
    assert.deepEqual(run("return { ok: typeof left }; globalThis.left = 1"), { ok: "undefined" });
  }
});

test("code that runs where the program's own stack has nearly ended fails, and the next run works", () => {
  const outcomes = new Set();
  const dive = () => {
    try {
      dive();
    } catch {
      // Every level on the way up tries, from the one without any stack left.
      if (outcomes.size < 500) outcomes.add(attempt());
    }
  };
  const attempt = () => {
    try {
      return run("let n = 0; (function f() { n += 1; f() })()").n;
    } catch (error) {
      return error;
    }
  };
  dive();
  assert.ok([...outcomes].every((error) => error instanceof RangeError || ["limit", "internal", "handler"].includes(error.code)));
  assert.deepEqual(run("return { ok: true }"), { ok: true });
});

test("a listener of the log may run code itself, and may throw", () => {
  const inner = [];
  const logger = { log: (line) => inner.push(line, run("return { twice: state.n * 2 }", { n: 2 }).twice) };
  assert.deepEqual(sandbox.run("ctx.log('a'); ctx.log('b'); return { done: true }", {}, logger), { done: true });
  assert.deepEqual(inner, ["a", 4, "b", 4]);
  assert.throws(() => sandbox.run("ctx.log('a')", {}, { log: () => assert.fail("mine") }), /mine/);
  assert.deepEqual(run("return { ok: true }"), { ok: true });
});

test("the state is read once and stays as it is", () => {
  const state = Object.freeze({ list: Object.freeze([1, { a: 2 }]) });
  assert.deepEqual(run("return { list: state.list, frozen: Object.isFrozen(state.list[1]) }", state), { list: [1, { a: 2 }], frozen: true });
  const big = { list: Array.from({ length: 20_000 }, (_, index) => ({ index, text: `number ${index}` })) };
  assert.deepEqual(run("return { n: state.list.length, last: state.list.at(-1) }", big), { n: 20_000, last: big.list.at(-1) });
  const huge = failure("return {}", { text: "x".repeat(4e7) });
  assert.equal(huge.code, "limit");
  assert.match(huge.message, /needs more memory/);
});

test("the cause of an error has the code's own stack", () => {
  const { cause, stack } = failure("function inner() {\n  throw new TypeError('no');\n}\ninner();");
  assert.equal(`${cause.name}: ${cause.message}`, "TypeError: no");
  assert.match(cause.stack, /inner \(code:2:\d+\)[^]*code:4:\d+/);
  assert.match(stack, /StepweaveError/);
});

test("only `stepweave/sandbox` carries the interpreter, and its notices are shipped", () => {
  const { outputs } = JSON.parse(readFileSync(join(dist, "meta.json"), "utf8"));
  const reached = (name, found = new Set()) => {
    if (found.has(name) || outputs[name] === undefined) return found;
    found.add(name);
    for (const { path } of outputs[name].imports) reached(path, found);
    return found;
  };
  const inputs = (entry) => [...reached(`dist/${entry}`)].flatMap((name) => Object.keys(outputs[name].inputs));
  for (const entry of ["entry-inline.js", "entry-web.js", "entry-workerd.js", "entry-edge.js", "entry-slim.js", "worker.js"]) {
    assert.deepEqual(inputs(entry).filter((input) => /sandbox/.test(input)), [], entry);
  }
  assert.ok(inputs("sandbox.js").includes("sandbox:#quickjs"));
  for (const entry of ["sandbox-workerd.js", "sandbox-edge.js"]) assert.ok(!inputs(entry).includes("sandbox:#sandbox-text"), entry);
  assert.ok(!readFileSync(join(dist, "index.cjs"), "utf8").includes("QTS_"));
  const notice = readFileSync(join(dist, "sandbox-LICENSE.txt"), "utf8");
  assert.match(notice, /Jake Teton-Landis[^]*Fabrice Bellard/);
});

describe("the hook of the main package", () => {
  const folder = mkdtempSync(join(tmpdir(), "stepweave-code-"));
  const bundled = (name, format) => {
    const outfile = join(folder, name);
    buildSync({ absWorkingDir: pkg, entryPoints: ["ts/run/code.ts"], bundle: true, format, platform: "neutral", minifySyntax: true, outfile });
    return outfile;
  };
  const printed = (code, type) => execFileSync(process.execPath, [`--input-type=${type}`, "-e", code], { encoding: "utf8" }).trim();

  test("loads the sandbox from beside it on request, also from CommonJS", (t) => {
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const hook = bundled("code.mjs", "esm");
    const use = "console.log(code.codeRunnerNow()); code.codeRunnerLater().then((runner) => console.log(runner.run('return { a: 1 }', {}, console), code.codeRunnerNow() === runner))";
    const missing = "code.codeRunnerLater().catch((error) => console.log(error.code, error.message, error.hint))";
    const from = `import * as code from ${JSON.stringify(pathToFileURL(hook).href)};`;
    assert.match(printed(from + missing, "module"), /^handler the sandbox of code steps cannot be loaded put an import of "stepweave\/sandbox" into the program/);
    const own = "Object.assign(new Error('no network'), { name: 'StepweaveError', code: 'handler', hint: 'connect' })";
    assert.match(printed(`${from}code.setCodeSource(() => Promise.reject(${own}));${missing}`, "module"), /^handler no network connect$/);
    symlinkSync(join(dist, "sandbox.js"), join(folder, "sandbox.js"));
    assert.equal(printed(from + use, "module"), "undefined\n{ a: 1 } true");
    assert.equal(printed(`const code = require(${JSON.stringify(bundled("code.cjs", "cjs"))});${use}`, "commonjs"), "undefined\n{ a: 1 } true");
    // A bundler must neither find nor follow the import: a program without code steps pays nothing.
    writeFileSync(join(folder, "app.mjs"), `import { codeRunnerLater } from ${JSON.stringify(hook)}; globalThis.later = codeRunnerLater;`);
    const { outputFiles } = buildSync({ entryPoints: [join(folder, "app.mjs")], bundle: true, format: "iife", minify: true, write: false, logLevel: "silent" });
    assert.ok(outputFiles[0].contents.length < 20_000);
  });
});

test("the example of docs/code-steps.md prints what it says", () => {
  const text = readFileSync(new URL("../../docs/code-steps.md", import.meta.url), "utf8");
  const [, code, output] = /```js\n(import \{ sandbox \}[^]*?)```\n\n```text\n([^]*?)```/.exec(text);
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: pkg, encoding: "utf8" }), output);
});

test("code of many comments is looked at once, and not in every way in which it could be read", () => {
  for (const code of [`//${" //".repeat(60)}`, "/**/".repeat(60)]) assert.doesNotThrow(() => run(code));
  assert.match(failure(`${"/* a */ // b\n".repeat(60)}(state) => 1`).message, /a function that nobody calls/);
});

test("code that does not compile is not tried again", async () => {
  const { stepResults, error } = await new Workflow({ name: "w", steps: [{ name: "q", retryCount: 2, run: { code: "retrun 1" } }] }).run();
  assert.deepEqual([stepResults[0].attempts, error.code, error.retryable], [1, "handler", false]);
});
