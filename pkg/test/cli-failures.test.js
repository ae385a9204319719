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
