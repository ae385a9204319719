// Runs that wait in an object and in a Cloudflare Workflow, in workerd, while another version of their Worker is deployed.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { bundled } from "../edge/worker.mjs";
import { Counting } from "./counting.mjs";
import { Life } from "./life.mjs";

let folder;
let worker;
let counting;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepweave-deploys-"));
  worker = await bundled(fileURLToPath(new URL("programs/deploys.mjs", import.meta.url)));
  counting = await new Counting().start();
});

after(async () => {
  counting.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The steps behind the approval are what `back` says. */
const documentOf = (factor, back) => ({
  version: 1,
  name: "orders",
  input: { type: "object", properties: { run: { type: "string" }, n: { type: "number" } } },
  steps: [
    { id: "sum", name: "sum", type: "function", run: { set: { sum: `n * ${factor}` } } },
    { id: "price", name: "price", type: "function", run: { handler: "price" } },
    { id: "boss", name: "boss", type: "approval", message: `Ship ${factor}?` },
    ...back,
  ],
});
const YESTERDAY = documentOf(2, [{ id: "ship", name: "ship", type: "function", run: { handler: "ship" } }]);
const TODAY = { ...documentOf(3, [{ id: "thank", name: "thank", type: "function", run: { set: { thanked: "true" } } }]), name: "sales" };

/** The Worker with this document, over what the one before has left. */
const deploy = (document, functions = "price ship") =>
  new Life(
    {
      compatibilityDate: "2026-01-01",
      ...worker,
      bindings: { ORIGIN: counting.origin, DOCUMENT: JSON.stringify(document), FUNCTIONS: functions },
      durableObjects: { Orders: { className: "Orders", useSQLite: true } },
      durableObjectsPersist: join(folder, "objects"),
      workflows: { Jobs: { name: "jobs", className: "Jobs" } },
      workflowsPersist: join(folder, "workflows"),
      handleRuntimeStdio: () => {},
    },
    { authorization: "Bearer a-token-of-more-than-sixteen-characters" },
  );

const calledBy = (run) => counting.arrivals.filter(({ operation }) => operation.startsWith(`${run}/`)).map(({ operation }) => operation);
const yes = { boss: { approved: true } };

test("runs that wait in an object go on with the document that they began with, and those without their functions stay as they are", { timeout: 60_000 }, async () => {
  const first = deploy(YESTERDAY);
  const runs = await Promise.all(["a", "b"].map(async (run) => (await first.call("POST", "/runs", { run, n: 1 })).json()));
  assert.deepEqual(runs.map(({ pending }) => pending[0].message), ["Ship 2?", "Ship 2?"]);
  await first.leave();

  const second = deploy(TODAY);
  const [a, b] = runs.map(({ runId }) => `/runs/${runId}`);
  const done = await (await second.call("POST", `${a}/answers`, yes)).json();
  assert.deepEqual([done.state.ship, done.state.thanked], ["did a/ship/2", undefined]);
  assert.match(await (await second.call("GET", `${a}/events`)).text(), /"key":"ship".*\n[^]*event: run\.done/);
  const { runId, pending } = await (await second.call("POST", "/runs", { run: "c", n: 1 })).json();
  assert.equal(pending[0].message, "Ship 3?");
  assert.equal((await (await second.call("POST", `/runs/${runId}/answers`, yes)).json()).state.thanked, true);
  await second.leave();

  const third = deploy(TODAY, "price");
  const refused = await third.call("POST", `${b}/answers`, yes);
  assert.deepEqual([refused.status, (await refused.json()).code], [409, "changed"]);
  await third.leave();

  const fourth = deploy(TODAY);
  assert.equal((await (await fourth.call("POST", `${b}/answers`, yes)).json()).state.ship, "did b/ship/2");
  await fourth.leave();
  assert.deepEqual(["a", "b", "c"].map(calledBy), [["a/price/2", "a/ship/2"], ["b/price/2", "b/ship/2"], ["c/price/3"]], "nobody is called again, and nobody else");
});

test("a run that waits in a Cloudflare Workflow goes on with the document that it began with", { timeout: 60_000 }, async () => {
  const first = deploy(YESTERDAY);
  await first.call("POST", "/jobs/j1", { run: "j1", n: 1 });
  while (calledBy("j1").length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  await first.leave();
  const second = deploy(TODAY);
  await second.call("PUT", "/jobs/j1", yes);
  await second.call("POST", "/jobs/j2", { run: "j2", n: 1 });
  await second.call("PUT", "/jobs/j2", yes);
  const ended = async (id) => {
    for (;;) {
      const { status, output, error } = await (await second.call("GET", `/jobs/${id}`)).json();
      assert.notEqual(status, "errored", JSON.stringify(error));
      if (status === "complete") return output.state;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  assert.deepEqual(await ended("j1"), { run: "j1", n: 1, sum: 2, price: "did j1/price/2", boss_output: { approved: true }, ship: "did j1/ship/2" });
  assert.equal((await ended("j2")).thanked, true);
  await second.leave();
  // The first process may have ended before it kept the answer.
  assert.deepEqual([...new Set(calledBy("j1"))], ["j1/price/2", "j1/ship/2"]);
});
