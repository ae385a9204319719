// The projects that the page exports: each is installed with what its files say, its own tests pass, and so does a whole run.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { installed } from "../live/installed.mjs";
import { NODE } from "./restate.mjs";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

let home;
before(async () => {
  home = await installed();
});
after(() => home.remove());

/** Runs a program in a folder, with the Node that projects ask for; gives its exit code and all that it said. */
const run = (folder, program, ...words) =>
  new Promise((done) => {
    const env = { ...process.env, PATH: [dirname(NODE), path("../../node_modules/.bin"), process.env.PATH].join(delimiter), NODE_OPTIONS: "", DENO_NO_UPDATE_CHECK: "1", WRANGLER_SEND_METRICS: "false" };
    // Of a test inside of a test the runner would report to this one.
    delete env.NODE_TEST_CONTEXT;
    execFile(program, words, { cwd: folder, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => done({ code: error?.code ?? 0, said: stdout + stderr }));
  });

/** A copy of a project as its person has it after `npm install`: each package in the version that the project pins. */
async function installedProject(context, name) {
  const folder = await mkdtemp(join(tmpdir(), "stepweave-project-"));
  context.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await cp(path(`../projects/${name}`), folder, { recursive: true });
  const { version } = JSON.parse(await readFile(join(home.folder, "node_modules/stepweave/package.json"), "utf8"));
  if (name === "deno") {
    const config = JSON.parse(await readFile(join(folder, "deno.json"), "utf8"));
    assert.deepEqual(config.imports, { stepweave: `npm:stepweave@${version}`, "stepweave/": `npm:/stepweave@${version}/` });
    // What npm has is not what is tested here: the packed package takes its place.
    await writeFile(join(folder, "deno.json"), JSON.stringify({ ...config, imports: {}, nodeModulesDir: "manual" }));
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", dependencies: { stepweave: version } }));
    await link(folder, "stepweave", join(home.folder, "node_modules/stepweave"));
    return folder;
  }
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  for (const [dependency, pinned] of Object.entries({ ...dependencies, ...devDependencies })) {
    const place = dependency === "stepweave" ? join(home.folder, "node_modules/stepweave") : await placeOf(dependency);
    assert.equal(JSON.parse(await readFile(join(place, "package.json"), "utf8")).version, pinned, dependency);
    await link(folder, dependency, place);
  }
  if (name === "restate") {
    const server = `@restatedev/restate-server-${process.platform}-${process.arch}`;
    await link(folder, server, await placeOf(server));
  }
  return folder;
}

async function link(folder, name, place) {
  const at = join(folder, "node_modules", name);
  await mkdir(dirname(at), { recursive: true });
  await symlink(place, at, "dir");
}

/** The folder of a package that this repository has installed. */
async function placeOf(name) {
  for (const paths of [path("."), path("../..")]) {
    const place = join(paths, "node_modules", name);
    if (await readFile(join(place, "package.json")).catch(() => undefined)) return place;
  }
  throw new Error(`${name} is not installed: cargo xtask test durable installs it`);
}

for (const [name, programs, ...command] of [
  ["durable-object", ["orders.whole.js"], "npm", "test"],
  ["workflows", ["orders.whole.js"], "npm", "test"],
  ["deno", ["orders.whole.js"], "deno", "task", "test"],
  ["node", ["orders.whole.js", "orders.node.js"], "npm", "test"],
  ["restate", ["orders.restate.js"], "npm", "test"],
]) {
  test(`the project ${name} is installed, tested, and runs a workflow to its end`, { timeout: 240_000 }, async (context) => {
    const folder = await installedProject(context, name);
    for (const program of programs) await cp(path(`programs/${program}`), join(folder, `test/${program.replace(".js", ".test.js")}`));
    const { code, said } = await run(folder, ...command);
    assert.equal(code, 0, said);
    for (const line of [/a run is started, answered, and gets as far as it can/, /a run waits for two people/]) assert.match(said, line);
  });
}

for (const [name, bound] of [["durable-object", /env\.RUNS \(Runs\)/], ["workflows", /env\.RUNS \(Runs\)/]]) {
  test(`wrangler takes the project ${name} and finds what is bound`, { timeout: 60_000 }, async (context) => {
    const folder = await installedProject(context, name);
    const { code, said } = await run(folder, NODE, "node_modules/wrangler/bin/wrangler.js", "deploy", "--dry-run");
    assert.equal(code, 0, said);
    assert.match(said, bound);
    assert.match(said, /Total Upload: [\d.]+ KiB \/ gzip: [\d.]+ KiB/);
    // What every plan of the platform takes.
    assert.ok(Number(/gzip: ([\d.]+) KiB/.exec(said)[1]) < 3 * 1024, said);
  });
}

test("functions that only its person has are named where a run needs them, and once they are written it goes on", { timeout: 120_000 }, async (context) => {
  const folder = await installedProject(context, "calling");
  const unwritten = await run(folder, "npm", "test");
  assert.notEqual(unwritten.code, 0);
  assert.match(unwritten.said, /the function "`price` \*\/ <\/script>.{0,3}n```" is not written yet: write it in src\/code\.js/);
  const file = join(folder, "src/code.js");
  const text = await readFile(file, "utf8");
  const written = ["() => true", "() => ({ sum: 12 })", '() => "found"', '() => "Thanks."'];
  await writeFile(file, text.replace(/\(\) => unwritten\("(?:[^"\\]|\\.)*"\)/g, () => written.shift()));
  assert.deepEqual(written, []);
  const { code, said } = await run(folder, "npm", "test");
  assert.equal(code, 0, said);
});
