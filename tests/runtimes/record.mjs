// What happened, in the form in which scenarios expect it: the same as tests/native/record.rs.

/** What came of a run: its result and its events. */
export function observedOf(result, events, document, requests) {
  const ofTools = Object.values(document.tools ?? {}).flatMap((tool) => pathsOf(tool.run?.workflow?.steps ?? []));
  const order = [...pathsOf(document.steps), ...ofTools];
  const index = (id) => order.findIndex((step) => step.id === id);
  // The rounds of loops and the calls of tools that an execution is in come before its step: the loop itself has none.
  const place = (step) =>
    step === undefined
      ? []
      : step.key.split("/").flatMap((part) => {
          const [, id, round, turn, call, attempt = 1] = /^(.*?)(?:#(\d+)|#tool(\d+)\.(\d+)(?:@(\d+))?)?$/.exec(part);
          if (turn !== undefined) return [index(id), Number(turn) * 1000 + Number(attempt) * 100 + Number(call)];
          return [index(id), round === undefined ? 0 : Number(round) + 1];
        });
  const observed = { status: result.status, state: result.state, stepResults: result.stepResults.map(stepResult) };
  if (result.usage.inputTokens + result.usage.outputTokens > 0) observed.usage = result.usage;
  const errors = result.errors
    .map((error) => ({ at: error.step === undefined ? [order.length] : place(error.step), error: { ...errorJson(error), step: error.step?.name } }))
    .sort((one, other) => compared(one.at, other.at));
  if (errors.length > 0) observed.errors = errors.map(({ error }) => error);
  const warnings = result.warnings
    .map(({ at, code, message, step }) => ({ at, place: place(step), warning: { code, message, ...(step !== undefined && { step: step.name }) } }))
    .sort((one, other) => one.at - other.at || compared(one.place, other.place));
  if (warnings.length > 0) observed.warnings = warnings.map(({ warning }) => warning);
  if (result.pending !== undefined) observed.pending = result.pending.map(({ step, ...rest }) => ({ ...rest, step: step.name }));
  if (requests.length > 0) observed.requests = requests;
  // Which of two steps comes first within a millisecond is nobody's promise.
  const lines = events
    .slice(0, -1)
    .map((event) => ({ at: event.at, place: place(event.step), line: line(event) }))
    .sort((one, other) => one.at - other.at || compared(one.place, other.place));
  const last = events.at(-1);
  lines.push({ at: last?.at, line: last?.type });
  observed.events = lines.map(({ at, line }) => `${at} ${line}`);
  return observed;
}

/** An error, without what is the same as the default. */
export function errorJson({ code, message, hint, retryable }) {
  return { code, message, ...(hint !== undefined && { hint }), ...(retryable && { retryable }) };
}

/** The key of an execution is given where it says more than the id. */
function stepResult({ error, key, ...result }) {
  const named = key === result.id ? result : { ...result, key };
  return error === undefined ? named : { ...named, error: errorJson(error) };
}

function compared(one, other) {
  for (let place = 0; place < Math.max(one.length, other.length); place += 1) {
    const difference = (one[place] ?? -1) - (other[place] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function line(event) {
  const { id, key } = event.step ?? {};
  const name = id === key ? event.step?.name : `${event.step.name} [${key}]`;
  switch (event.type) {
    case "run.start":
      return "run.start";
    case "step.start":
      return event.attempt === 1 ? `step.start ${name}` : `step.start ${name} #${event.attempt}`;
    case "step.delta":
      return `step.delta ${name}: ${event.text}`;
    case "step.reasoning":
      return `step.reasoning ${name}: ${event.text}`;
    case "step.reset":
      return `step.reset ${name}`;
    case "tool.start":
      return `tool.start ${name} ${event.tool}${by(event)} ${JSON.stringify(event.input)}`;
    case "tool.done":
      return `tool.done ${name} ${event.tool}${by(event)} ${JSON.stringify(event.output)}`;
    case "tool.error":
      return `tool.error ${name} ${event.tool}${by(event)} ${event.error.code}`;
    case "step.done":
      return `step.done ${name}`;
    case "step.error":
      return `step.error ${name} ${event.error.code}${event.retryInMs === undefined ? "" : ` again in ${event.retryInMs}`}`;
    case "step.skipped":
      return `step.skipped ${name}: ${event.reason}`;
    case "step.suspended":
      return `step.suspended ${name}`;
    case "run.warning":
      return `run.warning ${event.code}: ${event.message}`;
    default:
      return event.type;
  }
}

/** Every step, in the order of the document. */
function pathsOf(steps) {
  return steps.flatMap((step) => {
    const cases = step.cases?.map((one) => one.steps) ?? [];
    const blocks = [step.steps, step.else, step.expired, step.parallel, ...cases, step.default].filter((block) => block !== undefined);
    return [step, ...blocks.flatMap((block) => pathsOf(block))];
  });
}

function by({ byProvider }) {
  return byProvider === true ? " by the provider" : "";
}
