// The workflow whose processes are killed: every kind of block, a wait and a person, with calls that a server counts.
import { Workflow } from "stepweave";

/** Has the server carry out an operation, whose answer becomes the step's. */
async function call(state, { step, idempotencyKey, dependencies }) {
  const response = await dependencies.fetch(`${dependencies.origin}/operations`, { method: "POST", body: JSON.stringify({ operation: `${state.run}/${step.key}`, key: idempotencyKey }) });
  return { [step.name]: await response.text() };
}

export const workflow = new Workflow({
  name: "killed",
  initialState: { n: 0 },
  input: { type: "object", properties: { run: { type: "string" } }, required: ["run"] },
  steps: [
    { name: "first", run: call },
    { name: "both", parallel: [{ name: "left", run: call }, { name: "lane", steps: [{ name: "middle", run: call }, { name: "right", run: call }] }] },
    { name: "pause", wait: { ms: 20 } },
    { name: "each", items: "[1, 2, 3, 4, 5, 6]", concurrency: 2, steps: [{ name: "one", run: call }] },
    { name: "boss", type: "approval", message: "Go on?" },
    { name: "again", repeat: { until: "n >= 3" }, maxIterations: 5, steps: [{ name: "round", run: call }, { name: "count", run: { set: { n: "n + 1" } } }] },
    { name: "last", run: call },
  ],
});

/** The keys of all steps that call. */
export const OPERATIONS = ["first", "both.left", "both.lane.middle", "both.lane.right", ...[0, 1, 2, 3, 4, 5].map((index) => `each#${index}/each.one`), ...[0, 1, 2].map((round) => `again#${round}/again.round`), "last"];
