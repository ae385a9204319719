// A page that asks the browser's own model: in the page, and from its worker.
import { Agent, promptApi, Workflow } from "stepweave";
import { connect } from "stepweave/worker";

const engine = connect(new Worker("worker.js", { type: "module" }), { models: { "on-device": promptApi({ languages: ["en", "de"] }) } });

/** Runs one agent over a question; gives what came of it, as data. */
globalThis.ask = async ({ options, agent, in: where = "page", cancelAtDelta = false }) => {
  const downloaded = [];
  const onDownload = (share) => void downloaded.push(share);
  const run = where === "page" ? inPage({ ...options, onDownload }, agent) : engine.start(inWorker(where, agent));
  const deltas = [];
  const logs = [];
  for await (const event of run.events) {
    if (event.type === "step.delta") deltas.push(event.text);
    if (event.type === "run.warning") logs.push(event.message);
    if (event.type === "step.delta" && cancelAtDelta) run.cancel("enough");
  }
  const { status, state, usage, errors } = await run.result;
  return JSON.parse(JSON.stringify({ status, state, usage, deltas, logs, downloaded, error: errors[0]?.toJSON() }));
};

function inPage(options, agent) {
  return new Workflow({ name: "ask", steps: [{ name: "ask", agent: new Agent({ name: "a", model: promptApi(options), ...agent }), inputFrom: "Hi" }] }).start();
}

function inWorker(handler, agent) {
  return {
    version: 1,
    name: "ask",
    models: { own: { provider: "custom", model: "prompt-api", handler } },
    agents: { a: { model: "own", ...agent } },
    steps: [{ id: "s1", type: "agent", name: "ask", agent: "a", inputFrom: "Hi" }],
  };
}
