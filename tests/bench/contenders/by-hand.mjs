// A workflow as one writes it without a library: a loop that keeps the results and the events that the package keeps.

/** Runs steps in order, those with `members` side by side, and gives what a run of the package gives. */
export async function runByHand(workflow, initialState, steps, count) {
  const runId = crypto.randomUUID();
  const stepResults = new Array(count);
  const events = [{ type: "run.start", seq: 0, at: Date.now(), runId, workflow }];
  let state = initialState;
  for (const step of steps) {
    const startedAt = begin(events, step.ref);
    // Written out rather than called: another promise for each step would cost a third of the loop.
    if (step.members === undefined) {
      const patch = Object.freeze(await step.run(state));
      state = Object.freeze({ ...state, ...patch });
      finish(events, stepResults, step, startedAt, patch);
    } else {
      const patches = await Promise.all(step.members.map((member) => runMember(events, stepResults, member, state)));
      warnOfConflicts(events, step, patches);
      state = Object.freeze(Object.assign({}, state, ...patches));
      finish(events, stepResults, step, startedAt, undefined);
    }
  }
  const result = { runId, status: "done", state, stepResults, usage: { inputTokens: 0, outputTokens: 0 }, errors: [] };
  events.push({ type: "run.done", seq: events.length, at: Date.now(), result });
  return { result, events };
}

async function runMember(events, stepResults, member, state) {
  const startedAt = begin(events, member.ref);
  const patch = Object.freeze(await member.run(state));
  finish(events, stepResults, member, startedAt, patch);
  return patch;
}

function begin(events, step) {
  const at = Date.now();
  events.push({ type: "step.start", seq: events.length, at, step, attempt: 1 });
  return at;
}

function finish(events, stepResults, { index, ref }, startedAt, patch) {
  const at = Date.now();
  const durationMs = at - startedAt;
  const { id, path, name, key } = ref;
  stepResults[index] = { id, path, name, key, status: "done", attempts: 1, startedAt, durationMs };
  const event = { type: "step.done", seq: events.length, at, step: ref, attempts: 1, durationMs };
  if (patch !== undefined) event.patch = patch;
  events.push(event);
}

function warnOfConflicts(events, { ref, members }, patches) {
  const writers = new Map();
  patches.forEach((patch, place) => {
    const { name } = members[place].ref;
    for (const key of Object.keys(patch)) {
      const first = writers.get(key);
      if (first !== undefined) {
        const message = `\`${first}\` and \`${name}\` both wrote \`${key}\`; the value of \`${name}\` stays`;
        events.push({ type: "run.warning", seq: events.length, at: Date.now(), code: "write_conflict", message, step: ref });
      }
      writers.set(key, name);
    }
  });
}
