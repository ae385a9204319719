// A workflow as one writes it without a library: a loop that keeps the results and the events that the package keeps.

/** Runs steps in order, those with `members` side by side, and gives what a run of the package gives. */
export async function runByHand(workflow, initialState, steps, count) {
  const runId = crypto.randomUUID();
  const stepResults = new Array(count);
  const warnings = [];
  const events = [{ type: "run.start", seq: 0, at: Date.now(), runId, workflow, input: initialState }];
  let state = initialState;
  for (const step of steps) {
    const startedAt = begin(events, runId, step.ref, state);
    // Written out rather than called: another promise for each step would cost a third of the loop.
    if (step.members === undefined) {
      const patch = Object.freeze(await step.run(state));
      finish(events, runId, stepResults, step, startedAt, state, patch);
      state = Object.freeze({ ...state, ...patch });
    } else {
      const patches = await Promise.all(step.members.map((member) => runMember(events, runId, stepResults, member, state)));
      warnOfConflicts(events, runId, warnings, step, patches);
      finish(events, runId, stepResults, step, startedAt, state, undefined);
      state = Object.freeze(Object.assign({}, state, ...patches));
    }
  }
  const result = { runId, status: "done", state, stepResults, usage: { inputTokens: 0, outputTokens: 0 }, errors: [], warnings };
  events.push({ type: "run.done", seq: events.length, at: Date.now(), runId, result });
  return { result, events };
}

async function runMember(events, runId, stepResults, member, state) {
  const startedAt = begin(events, runId, member.ref, state);
  const patch = Object.freeze(await member.run(state));
  finish(events, runId, stepResults, member, startedAt, state, patch);
  return patch;
}

function begin(events, runId, step, input) {
  const at = Date.now();
  events.push({ type: "step.start", seq: events.length, at, runId, step, attempt: 1, input });
  return at;
}

function finish(events, runId, stepResults, { index, ref }, startedAt, input, patch) {
  const at = Date.now();
  const durationMs = at - startedAt;
  const { id, path, name, key } = ref;
  stepResults[index] = { id, path, name, key, status: "done", attempts: 1, startedAt, durationMs };
  const event = { type: "step.done", seq: events.length, at, runId, step: ref, attempts: 1, durationMs, input };
  if (patch !== undefined) event.patch = patch;
  events.push(event);
}

function warnOfConflicts(events, runId, warnings, { ref, members }, patches) {
  const writers = new Map();
  patches.forEach((patch, place) => {
    const { name } = members[place].ref;
    for (const key of Object.keys(patch)) {
      const first = writers.get(key);
      if (first !== undefined) {
        const message = `\`${first}\` and \`${name}\` both wrote \`${key}\`; the value of \`${name}\` stays`;
        warnings.push({ code: "write_conflict", message, step: ref });
        events.push({ type: "run.warning", seq: events.length, at: Date.now(), runId, code: "write_conflict", message, step: ref });
      }
      writers.set(key, name);
    }
  });
}
