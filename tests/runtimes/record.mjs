// What happened, in the form in which scenarios expect it: the same as tests/native/record.rs.

/** What came of a run: its result and its events. */
export function told(result, events, document, requests) {
  const order = pathsOf(document.steps);
  const place = (step) => (step === undefined ? 0 : order.indexOf(step.path));
  const observed = { status: result.status, state: result.state, stepResults: result.stepResults.map(stepResult) };
  if (result.usage.inputTokens + result.usage.outputTokens > 0) observed.usage = result.usage;
  const errors = result.errors
    .map((error) => ({ at: error.step === undefined ? order.length : place(error.step), error: { ...errorJson(error), step: error.step?.name } }))
    .sort((one, other) => one.at - other.at);
  if (errors.length > 0) observed.errors = errors.map(({ error }) => error);
  if (requests.length > 0) observed.requests = requests;
  // Which of two steps comes first within a millisecond is nobody's promise.
  const lines = events
    .slice(0, -1)
    .map((event) => ({ at: event.at, place: place(event.step), line: line(event) }))
    .sort((one, other) => one.at - other.at || one.place - other.place);
  const last = events.at(-1);
  lines.push({ at: last?.at, line: last?.type });
  observed.events = lines.map(({ at, line }) => `${at} ${line}`);
  return observed;
}

/** An error, without what is the same as the default. */
export function errorJson({ code, message, hint, retryable }) {
  return { code, message, ...(hint !== undefined && { hint }), ...(retryable && { retryable }) };
}

function stepResult({ error, ...result }) {
  return error === undefined ? result : { ...result, error: errorJson(error) };
}

function line(event) {
  const name = event.step?.name;
  switch (event.type) {
    case "run.start":
      return "run.start";
    case "step.start":
      return event.attempt === 1 ? `step.start ${name}` : `step.start ${name} #${event.attempt}`;
    case "step.delta":
      return `step.delta ${name}: ${event.text}`;
    case "step.done":
      return `step.done ${name}`;
    case "step.error":
      return `step.error ${name} ${event.error.code}${event.retryInMs === undefined ? "" : ` again in ${event.retryInMs}`}`;
    case "step.skipped":
      return `step.skipped ${name}: ${event.reason}`;
    case "run.warning":
      return `run.warning ${event.code}: ${event.message}`;
    default:
      return event.type;
  }
}

/** The path of every step, in the order of the document. */
function pathsOf(steps, path = "steps") {
  return steps.flatMap((step, index) => {
    const own = `${path}[${index}]`;
    const blocks = ["steps", "else", "parallel"].filter((key) => step[key] !== undefined);
    return [own, ...blocks.flatMap((key) => pathsOf(step[key], `${own}.${key}`))];
  });
}
