// What bounds a run holds also where it is in a worker, whichever side says it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { customModel } from "stepweave";
import { connect, serve } from "stepweave/worker";
import { answering, END, piece, rejection } from "./support.js";

const loop = { version: 1, name: "w", limits: { maxSteps: 1_000_000 }, steps: [{ id: "l", type: "loop", name: "l", repeat: { while: "true" }, maxIterations: 1000, onMax: "continue", steps: [{ id: "s", type: "function", name: "s", run: { set: { n: "1" } } }] }] };
const asking = (baseUrl) => ({ version: 1, name: "w", models: { m: { provider: "openai", model: "m", baseUrl } }, agents: { a: { model: "m" } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "go" }] });

/** What comes of runs in a worker that serves so. */
async function served(options, use, connecting) {
  const { port1, port2 } = new MessageChannel();
  const stop = serve({ endpoint: port2, ...options });
  const engine = connect(port1, connecting);
  try {
    return await use(engine);
  } finally {
    engine.close();
    stop();
    port1.close();
  }
}

test("of the limits of a page and of its worker the stricter ones hold", async () => {
  for (const [worker, page, most] of [[undefined, { maxSteps: 4 }, 4], [{ maxSteps: 3 }, undefined, 3], [{ maxSteps: 3 }, { maxSteps: 9 }, 3], [{ maxSteps: 9 }, { maxSteps: 2 }, 2]]) {
    const { errors } = await served({ limits: worker }, (engine) => engine.start(loop, { limits: page }).result);
    assert.deepEqual([errors[0].code, errors[0].message], ["limit", `the run has started ${most} steps, which is its limit`]);
  }
});

test("a run in a worker reaches what both sides allow, and on a server nothing inside where neither says so", async () => {
  const [one, two] = ["https://one.test", "https://two.test"];
  for (const [worker, page, reached] of [[undefined, undefined, [one, two]], [[one], undefined, [one]], [undefined, [two], [two]], [[one, two], [two], [two]], [[one], [two], []], [["http://127.0.0.1:1"], undefined, ["http://127.0.0.1:1"]]]) {
    for (const origin of [one, two, "http://127.0.0.1:1"]) {
      const fetch = answering([piece("ok"), END]);
      const { errors } = await served({ allowOrigins: worker, fetch }, (engine) => engine.start(asking(`${origin}/v1`), { allowOrigins: page }).result);
      assert.deepEqual([errors[0]?.code, fetch.calls.length], reached.includes(origin) ? [undefined, 1] : ["network", 0], `${origin} of ${worker} and ${page}`);
    }
  }
});

test("a worker may decide about each request to an origin, and its page cannot", async () => {
  const origins = [];
  for (const [answer, calls] of [[true, 1], [false, 0], ["yes", 0], [Promise.resolve(true), 1]]) {
    const fetch = answering([piece("ok"), END]);
    const mayReach = (origin) => (origins.push(origin), answer);
    const { errors } = await served({ mayReach, fetch }, (engine) => engine.start(asking("https://one.test/v1")).result);
    assert.deepEqual([errors[0]?.code, fetch.calls.length], calls === 1 ? [undefined, 1] : ["network", 0]);
  }
  assert.deepEqual(origins, Array(4).fill("https://one.test"));
});

test("bounds that bound nothing are refused on either side", async () => {
  assert.throws(() => serve({ endpoint: new MessageChannel().port1, limits: { maxStep: 1 } }), { code: "validation", message: "`limits` of serve() has no option `maxStep`" });
  assert.throws(() => serve({ endpoint: new MessageChannel().port1, allowOrigins: ["x"] }), { code: "validation", message: "allowOrigins[0] of serve() is no http(s) address" });
  assert.throws(() => serve({ endpoint: new MessageChannel().port1, mayReach: true }), { code: "validation", message: "the option `mayReach` of serve() is no function" });
  assert.throws(() => serve({ limit: {} }), { code: "validation", message: "serve() has no option `limit`" });
  for (const options of [{ limits: { maxSteps: 0 } }, { allowOrigins: "https://one.test" }]) {
    const error = await rejection(served({}, (engine) => engine.start(loop, options).result));
    assert.equal(error.code, "validation");
  }
});

test("a model of the page is called by agents, and not by steps", async () => {
  let calls = 0;
  const models = { lent: customModel("lent", () => { calls += 1; return "hi"; }) };
  const step = { version: 1, name: "w", steps: [{ id: "s", type: "function", name: "s", run: { handler: "lent" } }] };
  const error = await rejection(served({}, (engine) => engine.start(step).result, { models }));
  assert.deepEqual([error.code, error.problems[0].code, calls], ["document", "guarded_function", 0]);
});
