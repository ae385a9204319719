// Programs bundled by the tools that people use: none warns of the package, and what it makes runs.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";
import { installed } from "./installed.mjs";

const MODULES = `
import { Agent, Workflow } from "stepweave";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";
import { toUIMessageStream } from "stepweave/ui";
import { connect } from "stepweave/worker";
`;
const COMMON = MODULES.replaceAll(/import (.*) from (.*);/g, "const $1 = require($2);");
const PROGRAM = `
const agent = new Agent({ name: "a", model: scriptedModel(["bundled"]) });
new Workflow({ name: "w", steps: [{ name: "ask", agent, inputFrom: "{{ q }}" }] })
  .run({ state: { q: "Hi" }, store: memoryStore(), journal: "j" })
  .then(({ status, state }) => console.log(status, state.ask_output, typeof toUIMessageStream, typeof connect));
`;

let home;

before(async () => {
  home = await installed();
  await writeFile(join(home.folder, "modules.mjs"), MODULES + PROGRAM);
  await writeFile(join(home.folder, "common.cjs"), COMMON + PROGRAM);
});
after(() => home.remove());

async function printed(file) {
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: home.folder });
  assert.equal(stdout, "done bundled function function\n");
}

/** Each program in a folder of its own, which says of what kind its files are. */
async function folderFor(name, type) {
  const folder = join(home.folder, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ type }));
  return folder;
}

for (const [entry, kind] of [["modules.mjs", "modules"], ["common.cjs", "common"]]) {
  for (const target of ["node", "web"]) {
    test(`webpack warns of nothing: ${kind} for ${target}`, async () => {
      const folder = await folderFor(`webpack-${kind}-${target}`, "commonjs");
      const compiler = webpack({ mode: "production", target, context: home.folder, entry: `./${entry}`, output: { path: folder, filename: "main.js" }, performance: { hints: false }, optimization: { minimize: false } });
      const stats = await promisify((done) => compiler.run(done))();
      await promisify((done) => compiler.close(done))();
      const { warnings, errors } = stats.toJson({ all: false, warnings: true, errors: true });
      assert.deepEqual([warnings.map(({ message }) => message), errors.map(({ message }) => message)], [[], []]);
      if (target === "node") await printed(join(folder, "main.js"));
    });
  }

  test(`esbuild warns of nothing: ${kind}`, async () => {
    const folder = await folderFor(`esbuild-${kind}`, "module");
    const { warnings, errors } = await esbuild({ absWorkingDir: home.folder, entryPoints: [entry], bundle: true, splitting: true, format: "esm", platform: "neutral", mainFields: ["module", "main"], conditions: ["import"], outdir: folder, outExtension: { ".js": ".mjs" }, logLevel: "silent" });
    assert.deepEqual([warnings.map(({ text }) => text), errors], [[], []]);
    if (kind === "modules") await printed(join(folder, "modules.mjs"));
  });

  test(`vite warns of nothing: ${kind}`, async () => {
    const folder = await folderFor(`vite-${kind}`, "module");
    const warnings = [];
    const note = (message) => void warnings.push(message);
    const customLogger = { info() {}, warn: note, warnOnce: note, error: note, clearScreen() {}, hasErrorLogged: () => false, hasWarned: false };
    await vite({ root: home.folder, configFile: false, customLogger, build: { outDir: folder, emptyOutDir: false, minify: false, chunkSizeWarningLimit: 10_000, rollupOptions: { input: join(home.folder, entry), output: { entryFileNames: "main.mjs" } } } });
    assert.deepEqual(warnings, []);
    // It is for browsers: tests/runtimes runs what Vite makes in one.
    assert.ok((await readdir(folder)).includes("main.mjs"));
  });
}

test("its types are checked in a program whose library has no DOM", async () => {
  const require = createRequire(import.meta.url);
  const tsc = join(require.resolve("typescript/package.json"), "..", "bin", "tsc");
  const entries = ["", "/stores", "/stores/node", "/testing", "/ui", "/worker", "/sandbox", "/wasm"].map((path, index) => `import * as e${index} from "stepweave${path}";`);
  const program = `${entries.join("\n")}
const workflow = new e0.Workflow({ name: "w", steps: [{ name: "x", run: (_, { signal }) => ({ aborted: signal.aborted satisfies boolean }) }] });
const { status } = await workflow.run({ store: e1.memoryStore() });
status satisfies string;
void [e2, e3, e4, e5, e6, e7];
`;
  await writeFile(join(home.folder, "plain.mts"), program);
  await writeFile(join(home.folder, "plain.cts"), 'import { Workflow } from "stepweave";\nvoid new Workflow({ name: "w", steps: [] });\n');
  const types = join(require.resolve("@types/node/package.json"), "..", "..");
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2023", "--typeRoots", types];
  for (const more of [["--types", "node"], ["--types", "", "--skipLibCheck"]]) {
    try {
      await promisify(execFile)(process.execPath, [tsc, ...options, ...more, "plain.mts", "plain.cts"], { cwd: home.folder });
    } catch ({ stdout }) {
      assert.fail(`${more}\n${stdout}`);
    }
  }
});
