// Runs inside of every runtime: one case of cases.json in the sandbox, and a plain run after it.

/** What is wrong with the outcome of a case. */
export function faultsOf(sandbox, { code, state = {}, limits, expect }) {
  // Steps give patches, tools any value.
  const run = "value" in expect || expect.of === "value" ? sandbox.compute : sandbox.run;
  const lines = [];
  const faults = [];
  const before = JSON.stringify(state);
  let outcome;
  try {
    outcome = { given: run(code, state, { log: (line) => lines.push(line) }, limits) };
  } catch (error) {
    outcome = { error };
  }
  if (expect.error === undefined) {
    if (outcome.error !== undefined) faults.push(`it failed with ${errorText(outcome.error)}`);
    else if (JSON.stringify(outcome.given) !== JSON.stringify(expect.patch ?? expect.value)) faults.push(`it gave ${JSON.stringify(outcome.given)}`);
    else if (!isFrozen(outcome.given)) faults.push("what it gave is not frozen");
  } else if (outcome.error === undefined) {
    faults.push(`it did not fail, but gave ${JSON.stringify(outcome.given)}`);
  } else {
    const { name, code: word, message, hint } = outcome.error;
    const isAsExpected = name === "StepweaveError" && word === expect.error && message.includes(expect.message);
    if (!isAsExpected || !hint?.includes(expect.hint ?? "")) faults.push(`it failed with ${errorText(outcome.error)}`);
  }
  if (expect.log !== undefined && JSON.stringify(lines) !== JSON.stringify(expect.log)) faults.push(`it logged ${JSON.stringify(lines)}`);
  if (JSON.stringify(state) !== before) faults.push("the state has changed");
  faults.push(...faultsAfter(sandbox));
  return faults;
}

/** Whatever the case has done, the next run must work. */
function faultsAfter(sandbox) {
  try {
    const patch = sandbox.run("return { next: state.n + 1, left: typeof left }", { n: 1 }, { log() {} });
    return JSON.stringify(patch) === '{"next":2,"left":"undefined"}' ? [] : [`the next run gave ${JSON.stringify(patch)}`];
  } catch (error) {
    return [`the next run failed with ${errorText(error)}`];
  }
}

function isFrozen(value) {
  return typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
}

function errorText({ name, code, message, hint }) {
  return `${name} ${code}: ${message} [${hint}]`;
}

/** The cases with numbers where they say how many instructions are enough: what this runtime needs, the others must too. */
export function counted(sandbox, entries) {
  return entries.map((entry) => {
    const word = entry.limits?.instructions;
    if (typeof word !== "string") return entry;
    const instructions = leastFor(sandbox, entry) - (word === "one too few" ? 1 : 0);
    return { ...entry, limits: { ...entry.limits, instructions } };
  });
}

function leastFor(sandbox, { code, state = {} }) {
  const isEnough = (instructions) => {
    try {
      sandbox.run(code, state, { log() {} }, { instructions });
      return true;
    } catch {
      return false;
    }
  };
  let [few, enough] = [1, 100_000_000];
  while (few < enough) {
    const middle = Math.floor((few + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else few = middle + 1;
  }
  return few;
}
