// Runs the scenarios through the package, in whatever runtime this is loaded. It knows no runtime and no file.
import { faultsOf, leaks } from "./invariants.mjs";
import { network } from "./network.mjs";
import { readOnly } from "./read-only.mjs";
import { errorJson, observedOf } from "./record.mjs";
import { Script } from "./script.mjs";
import { smoke } from "./smoke.mjs";
import { VirtualTime } from "./virtual-time.mjs";

/** What is tried where there is no scenario. */
const CHECKS = { smoke, decorators, network, "read-only": readOnly };

/** It is compiled for the runs of the package alone: whoever runs scenarios only has none. */
async function decorators({ reasoning, ...main }) {
  return (await import("./decorators.mjs")).decorators(main, reasoning);
}

/** Runs everything, one after another; yields what `outcomeOf` gives. */
export async function* conformance(stepweave, entries) {
  await warmUp(stepweave);
  for (const entry of entries) yield await outcomeOf(stepweave, entry);
}

/** Loads what only some runs need: virtual time does not know that a file is on its way. */
export async function warmUp({ Workflow }) {
  const models = {
    m: { provider: "openai", model: "m", baseUrl: "http://model.test", concurrency: 1 },
    f: { provider: "custom", model: "warm" },
  };
  const steps = [
    { id: "s", type: "agent", name: "ask", agent: "a", inputFrom: { handler: "parts" } },
    { id: "h", type: "http", name: "get", required: false, http: { url: "http://warm.api.test/" } },
  ];
  const handlers = { warm: () => "warm", parts: () => ["warm", { type: "text", text: "up" }] };
  const document = { version: 1, name: "warm-up", input: {}, models, agents: { a: { model: "m", fallbacks: ["f"] } }, steps };
  const fetch = async () => Promise.reject(new TypeError("not reached"));
  await Workflow.fromDocument(document, { handlers }).run({ journal: true, fetch });
}

/** Runs one scenario; or, where there is none, the check of that name. Gives `{ name, observed, faults }`. */
export async function outcomeOf(stepweave, { name, scenario, endpoint }) {
  const faults = [];
  let observed;
  try {
    if (scenario !== undefined) observed = await observe(stepweave, scenario, faults);
    else faults.push(...(await CHECKS[name](stepweave, endpoint)));
  } catch (error) {
    faults.push(`it threw ${error?.stack ?? error}`);
  }
  return { name, observed, faults };
}

/** Runs one scenario in virtual time, and tells what came of it as tests/native/record.rs does. */
async function observe(stepweave, scenario, faults) {
  const time = new VirtualTime();
  const script = new Script(scenario, time, faults);
  const { state, secrets, cancelAtMs, answers, pins, then = [] } = scenario;
  const text = textOf(scenario);
  const problems = await stepweave.validate(text);
  // As an object where the scenario has it as one, so that both ways in are taken.
  const workflow = stepweave.Workflow.fromDocument(scenario.document ?? text, { handlers: script.handlers });
  const journal = then.length > 0 ? true : undefined;
  const run = workflow.start({ state, secrets, answers, pins, journal, seed: SEED, fetch: script.fetch, clock: time.clock });
  if (cancelAtMs !== undefined) time.after(cancelAtMs, () => run.cancel());
  const { result, error, events } = await followed(run, time, faults);
  const further = error === undefined ? await takenUp(stepweave, scenario, result, time, script, faults, script.requests.splice(0)) : undefined;
  script.checkUsedUp();
  if (error !== undefined) {
    faults.push(...leaks(secrets, [error]));
    return refused(error, problems, faults);
  }
  faults.push(...faultsOf(stepweave, { result, events, secrets }));
  const observed = observedOf(result, events, JSON.parse(text), further.requests);
  const all = { ...(problems.length > 0 && { problems }), ...observed, ...(then.length > 0 && { then: further.then }) };
  return withoutRuntimeWords(all, script.runtimeWords);
}

/** What chance begins with, here and in the native runs of scenarios. */
const SEED = 7;

/** The further runs over the journal, one after another. */
async function takenUp(stepweave, { document, secrets, then = [] }, first, time, script, faults, requests) {
  let { journal } = first;
  const observed = [];
  for (const again of then) {
    const { replay = "resume", from, onMismatch, answers, pins, document: other = document, afterMs } = again;
    const text = JSON.stringify(other);
    const problems = await stepweave.validate(text);
    if (afterMs !== undefined) time.skip(afterMs);
    // Journals are data: this one has been stored.
    const stored = JSON.parse(JSON.stringify(journal));
    const workflow = stepweave.Workflow.fromDocument(text, { handlers: script.handlers });
    const run = workflow.start({ journal: stored, replay, from, onMismatch, answers, pins, secrets, fetch: script.fetch, clock: time.clock });
    const { result, error, events } = await followed(run, time, faults);
    if (error !== undefined) {
      observed.push(refused(error, problems, faults));
      continue;
    }
    faults.push(...faultsOf(stepweave, { result, events, secrets }));
    observed.push({ ...(problems.length > 0 && again.document !== undefined && { problems }), ...observedOf(result, events, other, script.requests.splice(0)) });
    journal = result.journal;
  }
  return { then: observed, requests };
}

/** Follows a run to its end, and lets time pass when nothing else can happen. */
async function followed(run, time, faults) {
  const events = [];
  let brokenOff;
  const listen = async () => {
    for await (const event of run.events) {
      time.note();
      events.push(event);
    }
  };
  const listening = listen().catch((error) => (brokenOff = error));
  let outcome;
  const end = (given) => {
    time.note();
    outcome = given;
  };
  run.result.then(
    (result) => end({ result }),
    (error) => end({ error }),
  );
  for (;;) {
    await time.untilQuiet();
    if (outcome !== undefined) break;
    if (!time.pass() && !(await time.isStirred())) {
      faults.push("the run waits for something that never comes");
      run.cancel();
    }
  }
  await listening;
  if (brokenOff !== outcome.error) faults.push(`the events break off with another error than the result: ${brokenOff}`);
  return { ...outcome, events };
}

function refused(error, problems, faults) {
  if (error.code !== "document") return { rejects: errorJson(error) };
  // Only a run knows which functions there are.
  const isWrongInItself = problems.some(({ severity }) => severity === "error");
  if (isWrongInItself && JSON.stringify(error.problems) !== JSON.stringify(problems)) {
    faults.push("the run is refused for other problems than validate() finds");
  }
  return { problems: error.problems };
}

/** What a runtime says in its own words is nobody's promise. */
function withoutRuntimeWords(observed, runtimeWords) {
  if (runtimeWords.length === 0) return observed;
  const plain = (text) => runtimeWords.reduce((left, words) => left.replaceAll(words, "<the runtime's own words>"), text);
  return JSON.parse(JSON.stringify(observed, (_, value) => (typeof value === "string" ? plain(value) : value)));
}

function textOf({ document, documentText, nested }) {
  if (nested === undefined) return documentText ?? JSON.stringify(document);
  const leaf = { id: "leaf", type: "function", name: "leaf", run: { set: { reached: "true" } } };
  let step = JSON.stringify(leaf);
  for (let level = nested - 1; level > 0; level -= 1) {
    step = `{"id":"s${level}","type":"sequence","name":"level ${level}","steps":[${step}]}`;
  }
  return `{"version":1,"name":"nested","steps":[${step}]}`;
}
