// Whatever comes over the channel between a page and its worker, and whatever both are set up with: it works, or an error says
// what is wrong. Nothing of it is thrown into the event loop.
import { test } from "node:test";
import { customModel, StepweaveError } from "stepweave";
import { connect, serve } from "stepweave/worker";
import { assertSaid, eachKey } from "./evil.js";

const text = { version: 1, name: "t", steps: [{ id: "a", type: "function", name: "a", run: { set: { n: "1" } } }] };

/** A channel on which messages are heard at once, copied as between threads; what who hears throws comes to who says. */
function channel() {
  const ends = [new Set(), new Set()];
  const said = [];
  const end = (mine, other) => ({
    postMessage: (message) => {
      const copy = structuredClone(message);
      said.push(copy);
      for (const listener of [...ends[other]]) listener({ data: copy });
    },
    addEventListener: (type, listener) => { if (type === "message") ends[mine].add(listener); },
    removeEventListener: (_, listener) => void ends[mine].delete(listener),
  });
  return { page: end(0, 1), worker: end(1, 0), said };
}

/** Whether a message can cross at all. */
function crosses(message) {
  try {
    structuredClone(message);
    return true;
  } catch {
    return false;
  }
}

test("how they are set up", async () => {
  const models = { parrot: customModel("parrot", () => "x") };
  await assertSaid("set up", {
    connect: (value) => { connect(value); },
    "connect(w, value)": (value) => { connect(channel().page, value); },
    ...eachKey("connect", { models }, ["patienceMs", "nonsense"], (options) => { connect(channel().page, options); }),
    "connect's models.m": (m) => { connect(channel().page, { models: { m } }); },
    "a function that gives": (value) => { connect(() => value); },
    ...eachKey("an endpoint", channel().page, ["on", "off", "start"], (endpoint) => { connect(endpoint).close(); }),
    serve: (value) => { serve(value === undefined ? { endpoint: channel().worker } : value); },
    ...eachKey("serve", { endpoint: channel().worker }, ["fetch", "clock", "limits", "allowOrigins", "nonsense"], (options) => { if (options.endpoint !== undefined) serve(options)(); }),
    ...eachKey("serve's endpoint", channel().worker, ["on", "off", "start"], (endpoint) => { serve({ endpoint })(); }),
  });
});

test("what the page calls on its connection", async () => {
  const { page, worker } = channel();
  const stop = serve({ endpoint: worker });
  const engine = connect(page);
  const keys = ["state", "secrets", "signal", "journal", "replay", "from", "onMismatch", "answers", "seed", "limits", "allowOrigins", "relay", "sessionId", "userId", "tenantId", "metadata", "nonsense"];
  await assertSaid("asked", {
    "validate()": (value) => engine.validate(value),
    "start()": (value) => engine.start(value).result,
    "start(d, value)": (value) => engine.start(text, value).result,
    ...eachKey("start", {}, keys, (options) => engine.start(text, options).result),
    "cancel()": (value) => { const run = engine.start(text); run.cancel(value); return run.result; },
  });
  engine.close();
  stop();
});

const TO_WORKER = {
  start: { id: "1", document: JSON.stringify(text), options: {}, models: [] },
  cancel: { id: "1", reason: "x" },
  validate: { id: "1", document: JSON.stringify(text) },
  ping: {},
  part: { id: "1", part: "x" },
  log: { id: "1", message: "x" },
  answered: { id: "1" },
  broke: { id: "1", error: { code: "model", message: "x" } },
  close: {},
};

test("what the worker receives", async () => {
  const { page, worker, said } = channel();
  const stop = serve({ endpoint: worker });
  const tell = async (message) => {
    if (!crosses(message)) return undefined;
    said.length = 0;
    page.postMessage(message);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const wrong = said.find((one) => one?.stepweave === "failed" && one.error?.code === "internal" && one !== said[0]);
    return wrong && { error: StepweaveError.from(wrong.error) };
  };
  await assertSaid("the worker", {
    message: tell,
    stepweave: (stepweave) => tell({ stepweave }),
    ...Object.assign({}, ...Object.entries(TO_WORKER).map(([stepweave, message]) => eachKey(stepweave, { stepweave, ...message }, [], tell))),
  });
  stop();
});

const TO_PAGE = {
  alive: {},
  kept: { id: "1", from: 0, entries: [] },
  events: { id: "1", events: [{ type: "run.start" }] },
  result: { id: "1" },
  problems: { id: "1", problems: [] },
  ask: { id: "2", run: "1", model: "parrot", request: { model: "parrot", messages: [] }, context: {} },
  leave: { id: "1" },
  failed: { id: "1", error: { code: "handler", message: "x" } },
};

test("what the page receives", async () => {
  const tell = async (message, id) => {
    if (!crosses(message)) return undefined;
    const { page, worker, said } = channel();
    const engine = connect(page, { models: { parrot: customModel("parrot", () => "x") } });
    const run = engine.start(text);
    const known = said.find(({ stepweave }) => stepweave === "start").id;
    worker.postMessage(typeof message === "object" && message !== null && id ? { ...message, id: known } : message);
    worker.postMessage({ stepweave: "failed", id: known, error: { code: "handler", message: "the end" } });
    return run.result;
  };
  await assertSaid("the page", {
    message: (value) => tell(value, false),
    stepweave: (stepweave) => tell({ stepweave }, false),
    ...Object.assign({}, ...Object.entries(TO_PAGE).flatMap(([stepweave, message]) => [
      eachKey(stepweave, { stepweave, ...message }, [], (given) => tell(given, false)),
      eachKey(`${stepweave} of a run`, { stepweave, ...message }, [], (given) => tell(given, true)),
    ])),
    ...eachKey("an event", { type: "step.error", error: { code: "handler", message: "x" } }, ["result", "step"], (event) => tell({ stepweave: "events", events: [event] }, true)),
  });
});
