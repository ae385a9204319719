// A workflow as one writes it without a library: a loop that keeps results and events.

/** Runs steps in order and gives what a run of the package gives. */
export async function runByHand(workflow, initialState, steps) {
  const runId = crypto.randomUUID();
  const stepResults = [];
  const events = [{ type: "run.start", seq: 0, at: Date.now(), runId, workflow }];
  let state = initialState;
  for (const { id, path, name, run } of steps) {
    const step = { id, path, name };
    const startedAt = Date.now();
    events.push({ type: "step.start", seq: events.length, at: startedAt, step, attempt: 1 });
    const patch = await run(state);
    state = { ...state, ...patch };
    const at = Date.now();
    const durationMs = at - startedAt;
    stepResults.push({ id, path, name, status: "done", attempts: 1, startedAt, durationMs });
    events.push({ type: "step.done", seq: events.length, at, step, attempts: 1, durationMs, patch });
  }
  const result = { runId, status: "done", state, stepResults, usage: { inputTokens: 0, outputTokens: 0 }, errors: [] };
  events.push({ type: "run.done", seq: events.length, at: Date.now(), result });
  return result;
}
