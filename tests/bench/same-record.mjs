import assert from "node:assert/strict";
import { contender as plain } from "./contenders/plain.mjs";
import { workflowOf } from "./contenders/stepweave.mjs";

/** The plain loop must keep all that the package keeps, or comparing the two says nothing. */
export async function assertSameRecord(shape) {
  const run = workflowOf(shape).start();
  const events = [];
  for await (const event of run.events) events.push(event);
  const result = await run.result;
  const written = await plain.prepare(shape)();
  assert.deepEqual(timeless(written.events), timeless(events), `the plain loop tells other events of ${shape.id}`);
  assert.deepEqual(timeless(written.result), timeless(result), `the plain loop gives another result of ${shape.id}`);
  for (const { state } of [written.result, result]) assert(Object.isFrozen(state));
}

const TIMES = new Set(["at", "startedAt", "durationMs", "runId"]);

function timeless(record) {
  return JSON.parse(JSON.stringify(record, (key, value) => (TIMES.has(key) ? null : value)));
}
