import type { JsonObject } from "../api/document.js";
import { isStepweaveError, StepweaveError } from "../api/errors.js";
import type { Journal } from "../api/journal.js";
import type { RunResult } from "../api/results.js";
import type { RunOptions } from "../api/run.js";
import type { Usage } from "../api/usage.js";
import type { Workflow } from "../api/workflow.js";
import { checkFunctions } from "../journal/check.js";
import { nearest } from "../schema/nearest.js";
import { kindOf, optionsFrom } from "../schema/options.js";
import { type Asserted, asserted, type Assertion, checkAssertion } from "./assertions.js";
import type { Judge } from "./judge.js";
import { plainList } from "./plain.js";
import { testClock } from "./test-clock.js";

/**
 * One test of a workflow, as data.
 *
 * ```ts
 * const urgent: TestCase = {
 *   name: "what is urgent goes to people",
 *   state: { message: "Help!" },
 *   pins: { draft: "We are on it." },
 *   assert: [{ equals: "people", of: "queue" }],
 * };
 * ```
 */
export interface TestCase {
  readonly name: string;
  /** Keys over the workflow's initial state. */
  readonly state?: JsonObject | undefined;
  /** Outputs of steps that are not run, by their ids; `true` for those of the document. */
  readonly pins?: JsonObject | boolean | undefined;
  /** What people answer, by the keys of `pending`. */
  readonly answers?: JsonObject | undefined;
  /** Nobody else answers in time: what waits for a person with `expiresMs` goes on without an answer, as after that time. */
  readonly expired?: boolean | undefined;
  /** The journal of a run, which answers everything: nothing is called, and a request that has changed since fails the case. It has the state and the answers of its run. */
  readonly recording?: Journal | undefined;
  /** How the run has to end; `done` when absent. */
  readonly status?: RunResult["status"] | undefined;
  readonly assert?: readonly Assertion[] | undefined;
}

/** What one test came to. */
export interface CaseResult {
  readonly name: string;
  readonly passed: boolean;
  readonly status: RunResult["status"];
  /** Why the run ended as it did, and what was asserted. */
  readonly assertions: readonly Asserted[];
  readonly usage: Usage;
  readonly durationMs: number;
}

/** The options of {@link runTests}. */
export interface TestOptions extends Pick<RunOptions, "secrets" | "allowOrigins" | "limits" | "fetch" | "signal" | "dependencies" | "clock"> {
  /** The model that judges rubrics. */
  readonly judge?: Judge | undefined;
  /** Called as soon as a test has ended. */
  readonly onResult?: ((result: CaseResult) => unknown) | undefined;
}

const OPTIONS = ["secrets", "allowOrigins", "limits", "fetch", "signal", "dependencies", "clock", "judge", "onResult"];
const KEYS = ["name", "state", "pins", "answers", "expired", "recording", "status", "assert"];
const STATUSES = ["done", "error", "budget", "suspended", "cancelled"];

/**
 * Runs tests of a workflow one after the other, and gives what each came to. All of them are checked before the first is
 * run. It works with any test runner:
 *
 * ```ts
 * const results = await runTests(workflow, [{ name: "greets", pins: { ask: "Hello!" }, assert: [{ contains: "Hello", of: "ask_output" }] }]);
 * for (const { name, passed, assertions } of results) if (!passed) console.log(name, assertions);
 * ```
 */
export async function runTests(workflow: Pick<Workflow, "start">, cases: readonly TestCase[], options: TestOptions = {}): Promise<readonly CaseResult[]> {
  checkFunctions(workflow, ["start"], "runTests() needs a workflow", "write runTests(new Workflow({ … }), cases)");
  const { judge, onResult, ...given } = optionsFrom(options, OPTIONS, "runTests()");
  if (onResult !== undefined && typeof onResult !== "function") throw new StepweaveError("validation", "the option `onResult` of runTests() is no function");
  if (judge !== undefined && (typeof judge !== "object" || judge === null)) throw new StepweaveError("validation", "the option `judge` of runTests() is no model", { hint: 'pass openai("gpt-5-mini"), or { document } with what a document says of a model' });
  const checked = plainList(cases, "the cases of runTests()");
  checked.forEach(checkCase);
  const results: CaseResult[] = [];
  for (const one of checked as readonly TestCase[]) {
    const result = await ran(workflow, one, given, judge);
    results.push(result);
    await onResult?.(result);
  }
  return results;
}

/** Refuses what is no test. */
export function checkCase(given: unknown, index: number): asserts given is TestCase {
  const wrong = (message: string, hint: string): StepweaveError => new StepweaveError("validation", `cases[${index}] ${message}`, { hint });
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw wrong(`is ${kindOf(given)}`, 'write { "name": "…", "assert": [ … ] }');
  const stranger = Object.keys(given).find((key) => !KEYS.includes(key));
  if (stranger !== undefined) throw wrong(`has no key \`${stranger}\``, `did you mean \`${nearest(stranger, KEYS) ?? KEYS.join("`, `")}\`?`);
  const { name, state, pins, answers, expired, recording, status, assert = [] } = given as Record<string, unknown>;
  if (typeof name !== "string" || name === "") throw wrong("has no name", 'write "name": "what a person can rely on"');
  for (const [key, value] of Object.entries({ state, answers })) if (value !== undefined && (typeof value !== "object" || value === null || Array.isArray(value))) throw wrong(`has a \`${key}\` that is ${kindOf(value)}`, "write an object");
  if (expired !== undefined && typeof expired !== "boolean") throw wrong(`has an \`expired\` that is ${kindOf(expired)}`, "write true, or leave it out");
  if (recording !== undefined && (state !== undefined || pins !== undefined || answers !== undefined || expired !== undefined)) throw wrong("has a recording, and beside it what the recording has", "leave out `state`, `pins`, `answers` and `expired`");
  if (status !== undefined && !STATUSES.includes(status as string)) throw wrong("has no such status", `write one of ${STATUSES.join(", ")}`);
  if (!Array.isArray(assert)) throw wrong("has an `assert` that is no list", 'write "assert": [{ "equals": … }]');
  assert.forEach((one: unknown, at) => checkAssertion(one, `cases[${index}].assert[${at}]`));
}

async function ran(workflow: Pick<Workflow, "start">, one: TestCase, { dependencies, clock: given, ...reach }: Omit<TestOptions, "judge" | "onResult">, judge: TestOptions["judge"]): Promise<CaseResult> {
  const { name, state, pins, answers, expired = false, recording, status = "done", assert = [] } = one;
  const clock = given ?? (expired ? testClock() : undefined);
  let ended: Awaited<ReturnType<typeof endOf>>;
  try {
    const always = { ...reach, ...(dependencies !== undefined && { dependencies }), ...(clock !== undefined && { clock }) };
    ended = await endOf(
      workflow.start({
        ...always,
        ...(state !== undefined && { state }),
        ...(pins !== undefined && { pins }),
        ...(answers !== undefined && { answers }),
        ...(expired && { journal: true }),
        ...(recording !== undefined && { journal: recording, replay: "strict" as const }),
      }),
    );
    for (let { wakeAt, journal } = ended.result; clock !== undefined && expired && wakeAt !== undefined && journal !== undefined; { wakeAt, journal } = ended.result) {
      await clock.sleep(Math.max(0, wakeAt - clock.now()), new AbortController().signal);
      ended = await endOf(workflow.start({ ...always, journal, ...(answers !== undefined && { answers: openOf(answers, journal) }) }));
    }
  } catch (error) {
    // What is wrong with one test, such as a journal that is none, is no reason to leave the others out.
    if (!isStepweaveError(error) || error.code === "internal" || error.code === "document") throw error;
    return { name, passed: false, status: "error", assertions: [{ passed: false, message: error.message }], usage: { inputTokens: 0, outputTokens: 0 }, durationMs: 0 };
  }
  const { result, durationMs } = ended;
  const isAsWanted = result.status === status;
  const why = result.error === undefined ? (result.pending?.map(({ key }) => `waits for ${key}`).join(", ") ?? "") : `${result.error.message}${result.error.hint === undefined ? "" : ` (${result.error.hint})`}`;
  const assertions: Asserted[] = isAsWanted ? [] : [{ passed: false, message: `ends ${status}: it ended ${result.status}${why === "" ? "" : `, ${why}`}` }];
  for (const assertion of assert) assertions.push(await asserted(assertion, ended, { judge, options: reach }));
  return { name, passed: assertions.every(({ passed }) => passed), status: result.status, assertions, usage: result.usage, durationMs };
}

/** The answers that a run has not taken. */
function openOf(answers: JsonObject, { entries }: Journal): JsonObject {
  const taken = new Set(entries.map(({ key }) => key));
  return Object.fromEntries(Object.entries(answers).filter(([key]) => !taken.has(`${key}/answer`)));
}

/** The end of a run, and how long it took: a replayed one, how long it took then. */
export async function endOf(run: ReturnType<Workflow["start"]>): Promise<{ readonly result: RunResult; readonly durationMs: number }> {
  let [first, last]: [number | undefined, number] = [undefined, 0];
  for await (const { at } of run.events) {
    first ??= at;
    last = at;
  }
  return { result: await run.result, durationMs: last - (first ?? last) };
}
