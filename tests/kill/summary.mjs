// What must be the same however often a run was interrupted: everything but times and the run's id.

export function summary({ status, state, stepResults, usage, errors, error }) {
  const stoppedBy = error?.step?.key;
  return { status, state, stepResults: stepResults.map((result) => plainResult(result, stoppedBy)), usage, errors: errors.map(plain).sort(byKey), stoppedBy };
}

/** What stopped the run is tried again when it is resumed, as often as that is. */
function plainResult({ startedAt, durationMs, error, attempts, ...rest }, stoppedBy) {
  return { ...rest, ...(rest.key !== stoppedBy && { attempts }), ...(error && { error: plain(error) }) };
}

function plain({ code, message, step }) {
  return { code, message, step };
}

// Which of two members of a parallel fails first is nobody's promise.
function byKey(one, other) {
  return String(one.step?.key).localeCompare(String(other.step?.key)) || one.message.localeCompare(other.message);
}
