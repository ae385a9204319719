// What holds for every run, whatever the scenario.

/** Faults of a run that ended: of its events, its errors, and what it must never show. */
export function* faultsOf(stepweave, { result, events, secrets }) {
  yield* faultsOfEvents(result, events);
  for (const error of result.errors) yield* faultsOfError(stepweave, error);
  if (["error", "budget"].includes(result.status) !== result.errors.includes(result.error)) yield "the error that stopped the run is not among its errors";
  yield* faultsOfSteps(result);
  if (!Object.isFrozen(result.state)) yield "the state can be written to";
  if ({}.polluted !== undefined) yield "a patch reached into Object.prototype";
  yield* leaks(secrets, [result, events]);
}

/** A fault for each secret whose value can be read somewhere. */
export function* leaks(secrets, shown) {
  const values = Object.values(secrets ?? {}).map((secret) => secret.value ?? secret);
  for (const text of textsOf(shown, new Set())) {
    for (const value of values) if (text.includes(value)) yield `a secret's value is shown: ${text}`;
  }
}

function* faultsOfEvents(result, events) {
  if (events.some((event, index) => event.seq !== index)) yield "the events do not count up from 0";
  const ends = events.filter(({ type }) => ["run.done", "run.error", "run.budget", "run.cancelled", "run.suspended"].includes(type));
  const last = events.at(-1);
  if (ends.length !== 1 || ends[0] !== last) yield "the last event is not the only end";
  else if (last.result !== result || last.type !== `run.${result.status}`) yield "the last event carries another result";
}

function* faultsOfSteps({ stepResults, errors }) {
  const failures = stepResults.map(({ error }) => error).filter((error) => error !== undefined);
  for (const { name, status, error } of stepResults) {
    if ((status === "error") !== (error !== undefined)) yield `${name} has an error without the status \`error\`, or the other way round`;
    if (error === undefined) continue;
    if (error.step?.name !== name) yield `the error of ${name} names another step`;
    // What fails in itself is in the list; what was stopped by a step inside of it has that step's error as its cause.
    if (!errors.includes(error) && !failures.includes(error.cause)) yield `the error of ${name} comes from nowhere`;
    if (error.hint?.includes("`cause`") && error.cause === undefined) yield `the error of ${name} has no cause`;
  }
}

function* faultsOfError(stepweave, error) {
  if (!(error instanceof stepweave.StepweaveError)) yield `an error is no StepweaveError: ${error}`;
  const data = JSON.stringify(error);
  const same = JSON.stringify(stepweave.StepweaveError.from(JSON.parse(data)));
  if (data !== same) yield `an error does not survive as data: ${data} became ${same}`;
}

/** Every text that can be reached, also those of errors, which no JSON shows. */
function* textsOf(value, seen) {
  if (typeof value === "string") yield value;
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  for (const key of Object.getOwnPropertyNames(value)) {
    yield key;
    yield* textsOf(value[key], seen);
  }
}
