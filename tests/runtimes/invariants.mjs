// What holds for every run, whatever the scenario.
import { EVENTS } from "./events.mjs";

/** Faults of a run that ended: of its events, its errors, and what it must never show. */
export function* faultsOf(stepweave, { result, events, secrets }) {
  yield* faultsOfEvents(result, events);
  for (const event of events) yield* faultsOfEvent(stepweave, event);
  yield* faultsOfPublic(stepweave, events);
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

const SHAPES = new Map(EVENTS.map((shape) => [shape.name, shape]));

/** What a value of each kind is. */
const KINDS = {
  text: (value) => typeof value === "string",
  count: (value) => Number.isInteger(value) && value >= 0,
  milliseconds: (value) => Number.isFinite(value) && value >= 0,
  true: (value) => value === true,
  any: (value) => value !== undefined && typeof value !== "function",
  step: (value) => ["id", "path", "name", "key"].every((key) => typeof value[key] === "string"),
  error: (value, { StepweaveError }) => value instanceof StepweaveError,
  usage: (value) => KINDS.count(value.inputTokens) && KINDS.count(value.outputTokens),
  "warning code": (value) => /^[a-z_]+$/.test(value),
  "tool decisions": (value) => Array.isArray(value),
  sources: (value) => value.length > 0 && value.every(({ url, title, text }) => typeof (url ?? title ?? text) === "string"),
  files: (value) => value.length > 0 && value.every(({ mediaType, data, url }) => typeof mediaType === "string" && typeof (data ?? url) === "string"),
  result: (value) => typeof value.status === "string",
};

/** What of an event is not as the table of events has it. */
function* faultsOfEvent(stepweave, event) {
  const shape = SHAPES.get(event.type);
  if (shape === undefined) return yield `the table of events has no ${event.type}`;
  const known = new Set(["type", ...shape.fields.map(({ key }) => key)]);
  for (const key of Object.keys(event)) if (!known.has(key)) yield `${event.type} has the field ${key}, which the table of events does not have`;
  for (const { key, kind, always } of shape.fields) {
    if (event[key] === undefined) {
      if (always || Object.hasOwn(event, key)) yield `${event.type} has no ${key}`;
    } else if (!KINDS[kind](event[key], stepweave)) yield `${event.type} has a ${key} that is no ${kind}: ${String(event[key])}`;
  }
  // By reference: a state is frozen, and no event has a copy of it.
  if (["run.start", "step.start", "step.done"].includes(event.type) && !Object.isFrozen(event.input)) yield `the input of ${event.type} can be written to`;
}

/** What callers of a served workflow would receive beyond what the table of events allows. */
function* faultsOfPublic({ publicEvent }, events) {
  for (const event of events) {
    const { public: isPublic, fields } = SHAPES.get(event.type) ?? {};
    const shown = publicEvent(event);
    if (isPublic !== (shown !== undefined)) yield `${event.type} is ${isPublic ? "not" : "also"} shown to callers`;
    if (shown === undefined) continue;
    const allowed = fields.filter((field) => field.public && event[field.key] !== undefined).map(({ key }) => key);
    if (Object.keys(shown).sort().join() !== ["type", ...allowed].sort().join()) yield `callers receive ${Object.keys(shown)} of ${event.type}`;
  }
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
