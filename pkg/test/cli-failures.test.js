// How the program `stepweave` shows a failure: its reason with every problem, the state that there was, and the exit code.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cli, folderWith } from "./cli-support.js";

const needsEmail = { type: "object", properties: { email: { type: "string" } }, required: ["email"] };
const sets = (set) => ({ id: "s", type: "function", name: "s", run: { set } });

const MISFITS = {
  "the workflow's input": { document: { input: needsEmail, steps: [] }, said: "`email` is missing", place: "email" },
  "the workflow's output": { document: { output: needsEmail, steps: [sets({ email: "1" })] }, said: "must be a string", place: "email", state: { email: 1 } },
  "the input of a step": { document: { initialState: { n: "x" }, steps: [{ ...sets({ m: "n" }), input: { type: "object", properties: { n: { type: "number" } } } }] }, said: "must be a number", place: "n", state: { n: "x" } },
  "an agent's answer": {
    document: { models: { m: { provider: "custom", model: "m" } }, agents: { a: { model: "m", output: needsEmail } }, steps: [{ id: "a", type: "agent", name: "a", agent: "a", inputFrom: "Hi" }] },
    said: "`email` is missing",
    place: "email",
  },
  "a person's answer": { document: { steps: [{ id: "boss", type: "approval", name: "boss", message: "Pay?", schema: needsEmail }] }, args: ["--answer", "boss={}"], said: "`email` is missing", place: "email" },
};

for (const [what, { document, args = [], said, place, state = {} }] of Object.entries(MISFITS)) {
  test(`${what} that does not fit is shown with its reason, and the state is written`, async (t) => {
    const folder = folderWith(t, { "d.json": { version: 1, name: "d", ...document }, "code.mjs": "export const models = { m: () => '{}' };" });
    const withCode = document.models === undefined ? [] : ["--code", "code.mjs"];
    for (const flags of [[], ["-q"]]) {
      const shown = await cli(folder, ["run", "d.json", ...args, ...withCode, ...flags]);
      assert.equal(shown.code, 1, shown.stderr);
      assert.deepEqual(JSON.parse(shown.stdout), state);
      assert.ok(shown.stderr.includes(said), shown.stderr);
      assert.match(shown.stderr, new RegExp(`^ {2}${place}: .+$`, "m"));
      assert.ok(!shown.stderr.includes("fault of stepweave"), shown.stderr);
      assert.equal(shown.stderr.split("change the value").length, 2, `what to do is said once: ${shown.stderr}`);
    }
    const last = (await cli(folder, ["run", "d.json", ...args, ...withCode, "--json"])).stdout.trimEnd().split("\n").at(-1);
    assert.equal(JSON.parse(last).result.error.problems[0].path, place);
  });
}

test("problems of an error that a function throws are shown, whatever they lack, and so many that a person reads them", async (t) => {
  const thrown = ["{ path: 'a', message: 'is red', hint: 'make it blue' }", "{ message: 'no place' }", "{ path: 7 }", "'a text'", "null", ...Array(30).fill("{ path: 'b', message: 'more' }")];
  const code = `export const handlers = { h: () => { throw Object.assign(new Error("refused"), { name: "StepweaveError", code: "handler", problems: [${thrown}] }); } };`;
  const folder = folderWith(t, { "d.json": { version: 1, name: "d", steps: [{ id: "h", type: "function", name: "h", run: { handler: "h" } }] }, "code.mjs": code });
  const { code: exit, stderr, stdout } = await cli(folder, ["run", "d.json", "--code", "code.mjs", "-q"]);
  assert.deepEqual([exit, JSON.parse(stdout)], [1, {}], stderr);
  const lines = stderr.split("\n");
  assert.deepEqual(lines.slice(2, 7), ["  a: is red (make it blue)", "  no place", '  {"path":7}', "  a text", "  null"], stderr);
  assert.ok(lines.includes("  and 15 more"), stderr);
});

test("a replay of a run that was cut off says so, and that resume takes it up", async (t) => {
  const folder = folderWith(t, { "d.json": { version: 1, name: "d", steps: [sets({ a: "1" }), { ...sets({ b: "2" }), id: "t", name: "t" }] } });
  assert.equal((await cli(folder, ["run", "d.json", "--journal", "runs", "--id", "r"])).code, 0);
  const [file] = readdirSync(join(folder, "runs")).map((name) => join(folder, "runs", name));
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  writeFileSync(file, `${lines.slice(0, -1).join("\n")}\n`);
  const { code, stderr } = await cli(folder, ["replay", "d.json", "r", "--journal", "runs"]);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^error: the run `r` has not ended: .*\n {2}hint: stepweave resume d\.json r takes it up/);
  assert.equal((await cli(folder, ["resume", "d.json", "r", "--journal", "runs"])).code, 0);
  assert.equal((await cli(folder, ["replay", "d.json", "r", "--journal", "runs"])).code, 0);
});

test("a limit of the run has an exit code of its own, and the limit of a step is a failure", async (t) => {
  const nap = (id, more) => ({ id, type: "wait", name: id, wait: { ms: 20 }, ...more });
  const document = (steps, limits) => ({ version: 1, name: "d", steps, ...(limits !== undefined && { limits }) });
  const folder = folderWith(t, {
    "long.json": document([nap("a", { wait: { ms: 60_000 } })]),
    "own.json": document([nap("a", { wait: { ms: 60_000 } })], { timeoutMs: 1 }),
    "steps.json": document([nap("a"), nap("b")], { maxSteps: 1 }),
    "bytes.json": document([sets({ a: "'12345678901234567890'" })], { maxStateBytes: 10 }),
    "loop.json": document([{ id: "l", type: "loop", name: "l", repeat: { while: "true" }, maxIterations: 2, steps: [{ ...sets({ a: "1" }) }] }]),
    "inner.json": document([{ id: "l", type: "loop", name: "l", repeat: { while: "true" }, maxIterations: 9, steps: [{ ...sets({ a: "1" }) }] }], { maxSteps: 3 }),
    "fuel.json": document([sets({ a: "1 + 1 + 1 + 1 + 1 + 1 + 1 + 1" })], { templateFuel: 3 }),
    "step.json": document([{ id: "h", type: "function", name: "h", timeoutMs: 1, run: { handler: "h" } }]),
    "code.mjs": "export const handlers = { h: () => new Promise((resolve) => setTimeout(resolve, 200)) };",
  });
  const exits = [["long.json", "--timeout", "0.001"], ["own.json"], ["steps.json"], ["bytes.json"], ["inner.json"], ["loop.json"], ["fuel.json"], ["step.json", "--code", "code.mjs"]].map(async (args) => (await cli(folder, ["run", ...args])).code);
  assert.deepEqual(await Promise.all(exits), [4, 4, 4, 4, 4, 1, 1, 1]);
});

test("the message of an end step is shown, however it ends the run", async (t) => {
  const ends = (status) => ({ version: 1, name: "d", initialState: { who: "Ann" }, steps: [{ id: "e", type: "end", name: "e", end: { status, message: "Not for {{ who }}\u001b[2J" } }] });
  const folder = folderWith(t, { "done.json": ends("done"), "error.json": ends("error") });
  for (const [file, exit] of [["done.json", 0], ["error.json", 1]]) {
    const { code, stdout, stderr } = await cli(folder, ["run", file]);
    assert.deepEqual([code, JSON.parse(stdout)], [exit, { who: "Ann" }], stderr);
    assert.match(stderr, /^(?:error: )?Not for Ann\[2J$/m);
  }
  assert.equal((await cli(folder, ["run", "done.json", "-q"])).stderr, "");
});

test("a run that waits is advised once how it is kept", async (t) => {
  const folder = folderWith(t, { "d.json": { version: 1, name: "d", steps: [{ id: "boss", type: "approval", name: "boss", message: "Pay?" }] } });
  const { code, stderr } = await cli(folder, ["run", "d.json"]);
  assert.equal(code, 3);
  assert.equal(stderr.split("--journal FOLDER").length, 2, stderr);
  assert.match(stderr, /^hint: keep such a run with --journal FOLDER, or give the answer at once with --answer key=value$/m);
});

test("JSON that is no workflow is said to be none, and a document that lacks something has its problems", async (t) => {
  const folder = folderWith(t, { "package.json": { name: "x", version: "1.0.0", private: true }, "list.json": [1], "d.json": { version: 1, nme: "d", steps: [] } });
  for (const command of ["run", "validate", "types"]) {
    const { code, stderr } = await cli(folder, [command, "package.json"]);
    assert.deepEqual([code, stderr], [2, `error: package.json is no workflow document: it has no \`steps\`\n  hint: a document is { "version": 1, "name": "…", "steps": [ … ] }; stepweave new makes one\n`]);
  }
  assert.match((await cli(folder, ["run", "list.json"])).stderr, /it must be a workflow \(an object\)/);
  assert.match((await cli(folder, ["validate", "d.json"])).stdout, /did you mean `name`/);
});
