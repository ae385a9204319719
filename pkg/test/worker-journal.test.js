// Runs in a worker that keep a journal, wait for people and hold code.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { StepweaveError, Workflow } from "stepweave";
import { connect, serve } from "stepweave/worker";
import { eventsOf, rejection, turn } from "./support.js";

const ask = {
  version: 1,
  name: "ask",
  initialState: { drafts: ["a", "b"] },
  steps: [
    { id: "s1", type: "foreach", name: "each", items: "drafts", concurrency: 2, steps: [
      { id: "s2", type: "approval", name: "sign", message: "Send {{ item }}?", schema: { type: "boolean" } },
    ] },
    { id: "s3", type: "function", name: "sum_up", run: { set: { sent: "each_output" } } },
  ],
};
const talk = (instructions) => ({
  version: 1,
  name: "talk",
  models: { m: { provider: "demo", model: "demo" } },
  agents: { a: { model: "m", instructions } },
  steps: [
    { id: "s1", type: "agent", name: "say", agent: "a", inputFrom: "Bees" },
    { id: "s2", type: "agent", name: "again", agent: "a", inputFrom: "{{ say_output }}" },
  ],
});
const coded = (code) => ({ version: 1, name: "coded", initialState: { n: 20 }, steps: [{ id: "s1", type: "function", name: "compute", run: { code } }] });

/** Page and worker in one thread: what crosses is copied all the same. */
function pair(t, options = {}) {
  const { port1, port2 } = new MessageChannel();
  const stop = serve({ endpoint: port2, ...options });
  const engine = connect(port1);
  t.after(() => { engine.close(); stop(); port1.close(); port2.close(); });
  return engine;
}

test("a suspended run says what it waits for, and goes on under its own id", async (t) => {
  const engine = pair(t);
  const run = engine.start(ask, { journal: true });
  const result = await run.result;
  assert.equal(result.status, "suspended");
  const events = await eventsOf(run);
  assert.equal(events.at(-1).type, "run.suspended");
  assert.equal(events.at(-1).result, result);
  assert.deepEqual(events.filter(({ type }) => type === "step.suspended").map(({ step }) => step.key), ["s1#0/s2", "s1#1/s2", "s1"]);
  assert.deepEqual(result.pending.map(({ key, message, schema, step }) => ({ key, message, schema, name: step.name })), [
    { key: "s1#0/s2", message: "Send a?", schema: { type: "boolean" }, name: "sign" },
    { key: "s1#1/s2", message: "Send b?", schema: { type: "boolean" }, name: "sign" },
  ]);
  assert.equal(result.journal.id, run.id);

  const second = engine.start(ask, { journal: result.journal, answers: { "s1#1/s2": false } });
  assert.equal(second.id, run.id);
  const { pending, journal, runId } = await second.result;
  assert.equal(runId, run.id);
  assert.deepEqual(pending.map(({ key }) => key), ["s1#0/s2"]);

  const last = await engine.start(ask, { journal, answers: { "s1#0/s2": true } }).result;
  assert.equal(last.status, "done");
  assert.deepEqual(last.state.sent, [{ sign_output: true }, { sign_output: false }]);
  assert.equal("pending" in last, false);
});

test("a journal crosses as plain data, and only when one was kept", async (t) => {
  const engine = pair(t);
  const without = await engine.start(ask).result;
  assert.equal("journal" in without, false);
  assert.equal(without.status, "suspended");
  const { journal } = await engine.start(ask, { journal: true }).result;
  assert.deepEqual(JSON.parse(JSON.stringify(journal)), journal);
  assert.equal(typeof Object.getOwnPropertyDescriptor((await engine.start(ask, { journal: true }).result), "journal").value, "object");
  // What a worker kept is taken up without one.
  const here = await Workflow.fromDocument(ask).run({ journal, answers: { "s1#0/s2": true, "s1#1/s2": true } });
  assert.deepEqual(here.state.sent, [{ sign_output: true }, { sign_output: true }]);
});

test("a wrong answer is refused with its violations, as the step's error", async (t) => {
  const engine = pair(t);
  const { journal } = await engine.start(ask, { journal: true }).result;
  const result = await engine.start(ask, { journal, answers: { "s1#0/s2": "yes" } }).result;
  assert.equal(result.status, "error");
  assert.ok(result.error instanceof StepweaveError);
  assert.deepEqual([result.error.code, result.error.step.key, result.error.problems.length], ["validation", "s1#0/s2", 1]);
  // It was not kept: the question is still open.
  const again = await engine.start(ask, { journal: result.journal, answers: { "s1#0/s2": true, "s1#1/s2": true } }).result;
  assert.equal(again.status, "done");
});

test("strict replay emits the same events; an edit runs again what has changed", async (t) => {
  let calls = 0;
  const engine = pair(t, { fetch: async () => { calls += 1; throw new Error("nothing is sent"); } });
  const run = engine.start(talk("Be brief."), { journal: true, seed: 7 });
  const { journal, state } = await run.result;
  assert.equal(journal.entries[0].ok.seed, 7);
  const strict = engine.start(talk("Be brief."), { journal, replay: "strict" });
  assert.equal(strict.id, run.id);
  assert.deepEqual((await strict.result).state, state);
  const replayed = await eventsOf(strict);
  assert.ok(replayed.filter(({ type }) => type === "step.done").every((event) => event.replayed));

  const edit = engine.start(talk("Be brief."), { journal, replay: "edit", from: "s2" });
  assert.notEqual(edit.id, run.id);
  const edited = await edit.result;
  assert.equal(edited.runId, edit.id);
  assert.equal(edited.journal.id, edit.id);
  const done = (await eventsOf(edit)).filter(({ type }) => type === "step.done");
  assert.deepEqual(done.map(({ step, replayed }) => [step.id, replayed === true]), [["s1", true], ["s2", false]]);
  assert.equal(calls, 0);
});

test("a run that is taken up again can be cancelled, also beside another one over the same journal", async (t) => {
  const slow = { now: () => 0, sleep: () => new Promise(() => {}) };
  const engine = pair(t, { clock: slow });
  const waiting = { version: 1, name: "wait", steps: [{ id: "s1", type: "approval", name: "go" }, { id: "s2", type: "wait", name: "rest", wait: { ms: 1000 } }] };
  const { journal } = await engine.start(waiting, { journal: true }).result;
  const [one, two] = [1, 2].map(() => engine.start(waiting, { journal, answers: { s1: true } }));
  assert.equal(one.id, two.id);
  await turn();
  one.cancel("enough");
  assert.equal((await one.result).status, "cancelled");
  let ended = false;
  void two.result.then(() => (ended = true));
  await turn();
  assert.equal(ended, false);
  two.cancel();
  assert.equal((await two.result).status, "cancelled");
});

test("errors inside of loops come back as StepweaveErrors with their execution", async (t) => {
  const engine = pair(t);
  const failing = { version: 1, name: "fail", steps: [{ id: "s1", type: "foreach", name: "each", items: "[1, 0]", steps: [{ id: "s2", type: "function", name: "divide", run: { set: { part: "nobody.home[item]" } } }] }] };
  const run = engine.start(failing, { journal: true });
  const result = await run.result;
  assert.equal(result.status, "error");
  for (const error of [result.error, ...result.errors, ...result.stepResults.flatMap((step) => step.error ?? [])]) assert.ok(error instanceof StepweaveError);
  assert.equal(result.errors[0].step.key, "s1#0/s2");
  assert.equal(result.journal.entries[0].key, "start");
});

test("what is wrong with a journal, an answer or an option rejects", async (t) => {
  const engine = pair(t);
  const codeOf = async (options) => (await rejection(engine.start(ask, options).result)).code;
  assert.equal(await codeOf({ journal: { version: 9 } }), "validation");
  assert.equal(await codeOf({ replay: "strict" }), "validation");
  assert.equal(await codeOf({ seed: 0.5 }), "validation");
  assert.match((await rejection(engine.start(ask, { journal: true, answers: { s1: { f: () => {} } } }).result)).message, /answers\.s1\.f is a function/);
  const stranger = await rejection(engine.start(ask, { store: {} }).result);
  assert.match(stranger.message, /a run in a worker has no option `store`/);
});

test("code steps run in a worker", async (t) => {
  const engine = pair(t);
  const run = engine.start(coded("ctx.log('computing'); return { twice: state.n * 2 };"), { journal: true });
  assert.deepEqual((await run.result).state, { n: 20, twice: 40 });
  const warning = (await eventsOf(run)).find(({ type }) => type === "run.warning");
  assert.deepEqual([warning.code, warning.message, warning.step.id], ["log", "computing", "s1"]);
  const failed = await engine.start(coded("return state.nobody.home;")).result;
  assert.equal(failed.errors[0].code, "handler");
  assert.match(failed.errors[0].message, /line 1/);
});

const here = dirname(fileURLToPath(import.meta.url));

/** A worker's script as a bundler makes it, in a folder of its own where the package's other files are not beside it. */
async function bundled(t, options) {
  const outdir = mkdtempSync(join(tmpdir(), "stepweave-worker-"));
  t.after(() => rmSync(outdir, { recursive: true }));
  const contents = `import { parentPort } from "node:worker_threads"; import "stepweave"; import { serve } from "stepweave/worker"; serve({ endpoint: parentPort, ${options} });`;
  await build({
    stdin: { contents, resolveDir: here, sourcefile: "worker.js" },
    bundle: true, splitting: true, format: "esm", platform: "node", outdir, outExtension: { ".js": ".mjs" }, chunkNames: "part-[hash]", entryNames: "worker", logLevel: "error",
  });
  const worker = new Worker(join(outdir, "worker.mjs"));
  t.after(() => worker.terminate());
  return { engine: connect(worker), text: readFileSync(join(outdir, "worker.mjs"), "utf8") };
}

test("a bundled worker loads the sandbox with the first code step, from a part of its own", async (t) => {
  const { engine, text } = await bundled(t, 'sandbox: () => import("stepweave/sandbox")');
  assert.match(text, /import\("\.\/part-/);
  assert.deepEqual((await engine.start(coded("return { twice: state.n * 2 };")).result).state, { n: 20, twice: 40 });
});

test("a bundled worker that brings no sandbox says what to write", async (t) => {
  const { engine } = await bundled(t, "");
  const { errors } = await engine.start(coded("return {};")).result;
  assert.equal(errors[0].code, "handler");
  assert.match(errors[0].hint, /import of "stepweave\/sandbox"/);
});

test("a page learns what is added to a journal as it is, and a run that was cut off goes on with it", async (t) => {
  const worker = pair(t);
  const kept = [];
  const keep = (from, entries) => kept.splice(from, Infinity, ...entries.map((entry) => JSON.stringify(entry)));
  const run = worker.start(ask, { journal: true, onJournal: keep });
  const { journal } = await run.result;
  // In a turn of its own.
  await turn();
  assert.deepEqual(kept.map((entry) => JSON.parse(entry)), JSON.parse(JSON.stringify(journal.entries)));
  const entries = kept.map((entry) => JSON.parse(entry));
  const again = await pair(t).start(ask, { journal: { version: entries[0].ok.version ?? 1, id: run.id, entries }, onJournal: keep }).result;
  assert.equal(again.status, "suspended");
  assert.deepEqual(again.pending, journal && (await run.result).pending);
  const refused = await rejection(worker.start(ask, { onJournal: 7 }).result);
  assert.equal(refused.code, "validation");
  assert.match(refused.message, /onJournal/);
});
