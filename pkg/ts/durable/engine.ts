import type { WorkflowDocument } from "../api/document.js";
import type { StepweaveErrorData } from "../api/errors.js";
import { StepweaveError } from "../api/errors.js";
import type { Journal, JournalEntry, JournalStore } from "../api/journal.js";
import type { CancelledResult, DoneResult, Pending, RunResult } from "../api/results.js";
import type { Run, RunOptions } from "../api/run.js";
import type { Workflow } from "../api/workflow.js";
import { checkFunctions } from "../journal/check.js";
import { DOCUMENTS_OF_RUNS, earlier, type Deployed, type DocumentOfRuns } from "../journal/documents.js";
import { stillWaiting } from "../journal/still-waiting.js";
import { RUN_OPTIONS } from "../run/option-names.js";
import { optionsFrom, quoted, withoutUndefined } from "../schema/options.js";
import { notKept, valueOf } from "./kept.js";
import { PIECE, Stretch } from "./stretch.js";

/**
 * What an engine for durable execution has to offer. It starts the same program again after a crash, and gives it what was
 * kept. All is called one after the other, in the same order and with the same keys in every life of a run, so it is of no
 * matter whether the engine finds what it kept by the key or by the position.
 *
 * ```ts
 * const engine = (ctx: { run(name: string, call: () => Promise<string>): Promise<string>; sleep(ms: number): Promise<void>; promise(name: string): Promise<{ [key: string]: unknown }> }): DurableEngine => ({
 *   perform: (key, call) => ctx.run(key, call),
 *   sleepUntil: (_, time) => ctx.sleep(Math.max(0, time - Date.now())),
 *   waitFor: (key) => ctx.promise(key),
 * });
 * ```
 */
export interface DurableEngine {
  /** Calls the function once, and keeps the text that it resolves with; in a later life gives that, and does not call. The function fails only where the process does. */
  perform(key: string, call: () => Promise<string>): Promise<string>;
  /** Resolves at a time, in milliseconds since 1970, which may have passed. Meanwhile the process may end. */
  sleepUntil(key: string, time: number): Promise<void>;
  /** Resolves with answers of people, by the keys of the run's `pending`; with nothing at `until`, if that is given and nobody has answered. */
  waitFor(key: string, until: number | undefined, pending: readonly Pending[]): Promise<{ readonly [key: string]: unknown } | undefined>;
  /** Aborts when this life of the run is over, where the engine detects that: what still goes on in it is given up. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of {@link runDurably}: those of a run, and how it uses its engine. */
export interface DurableOptions<State = any> extends Omit<RunOptions<State>, "journal" | "store" | "replay" | "from" | "signal" | "answers"> {
  /** The id of the run: the same in every life. */
  id: string;
  /** How many steps of the engine the run may take: 1000 by default. One more ends it with the code `limit`. */
  maxSteps?: number | undefined;
  /**
   * How many answers are kept by one step of the engine: 1 by default. With more, a run takes fewer steps, and after a crash
   * up to so many acknowledged calls are repeated.
   */
  answersPerStep?: number | undefined;
  /**
   * With which document a run goes on that waited while another one was deployed: `begun`, the default, the one that it began
   * with, which the engine keeps; or `newest`, where what it has done is unchanged. Its functions are the deployed ones.
   */
  document?: DocumentOfRuns | undefined;
}

/**
 * A workflow that an engine runs. Of one that cannot take another document, runs go on with the document that is deployed.
 *
 * ```ts
 * const start = (engine: DurableEngine, workflow: DurableWorkflow) => runDurably(engine, workflow, { id: "order-17" });
 * ```
 */
export type DurableWorkflow<State = any> = Pick<Workflow<State, any>, "start"> & Partial<Pick<Workflow<State, any>, "toDocument" | "withDocument">>;

/** What an engine keeps of the result of a run that did not fail. */
export type DurableOutput<State> = Pick<DoneResult<State>, "status" | "state"> | Pick<CancelledResult<State>, "status" | "state">;

const MAX_STEPS = 1000;

/** What an engine decides about a run. */
const TAKEN = ["journal", "store", "replay", "from", "signal", "answers"];

/** The names of the options of a run on an engine. */
export const DURABLE_OPTIONS: readonly string[] = ["id", "maxSteps", "answersPerStep", "document", ...RUN_OPTIONS.filter((name) => !TAKEN.includes(name))];

/** The same, where the platform has the id and the state. */
export const PLATFORM_OPTIONS: readonly string[] = DURABLE_OPTIONS.filter((name) => name !== "id" && name !== "state");

/**
 * Runs a workflow on an engine for durable execution, up to its end: what was answered is never called again, and waits and
 * approvals are the engine's. Rejects only when the call was wrong, the engine failed, or a limit of the engine was met.
 *
 * ```ts
 * const start = (engine: DurableEngine) => runDurably(engine, workflow, { id: "order-17", state: { sum: 12 } });
 * ```
 */
export async function runDurably<State = any>(engine: DurableEngine, workflow: DurableWorkflow<State>, options: DurableOptions<State>): Promise<RunResult<State>> {
  checkFunctions(engine, ["perform", "sleepUntil", "waitFor"], "runDurably() needs an engine", "pass an object with perform, sleepUntil and waitFor");
  checkFunctions(workflow, ["start"], "runDurably() needs a workflow", "write runDurably(engine, new Workflow({ … }), { id })");
  const { id, maxSteps = MAX_STEPS, answersPerStep = 1, document = "begun", ...own } = optionsFrom(options, DURABLE_OPTIONS, "runDurably()");
  for (const [name, value] of Object.entries({ maxSteps, answersPerStep })) {
    if (!Number.isInteger(value) || value < 1) throw new StepweaveError("validation", `the option \`${name}\` of runDurably() is ${quoted(value)}`, { hint: "write a whole number above 0" });
  }
  if (!DOCUMENTS_OF_RUNS.includes(document)) throw new StepweaveError("validation", `the option \`document\` of runDurably() is ${quoted(document)}`, { hint: 'write "begun" or "newest"' });
  if (typeof id !== "string" || id === "") throw new StepweaveError("validation", "runDurably() needs the `id` of the run", { hint: "take that of the engine's instance: it has to be the same after a crash" });
  const begun = await begunWith(engine, workflow);
  const started = document === "begun" ? begun : workflow;
  const entries: JournalEntry[] = [];
  let steps = 0;
  const next = (kind: string): string => {
    steps += 1;
    if (steps <= maxSteps) return `${kind} ${steps}`;
    throw new StepweaveError("limit", `the run takes more than ${maxSteps} steps of its engine, which is its limit`, {
      hint: "have a foreach run several items at once: answers that come together take one step; or write answersPerStep: 20; or raise `maxSteps`, and the limit of the engine with it",
    });
  };
  for (let answers: DurableAnswers = {}; ; ) {
    const result = await toItsNextStop(engine, next, entries, answersPerStep, {
      start: (store) => started.start({ longWaitMs: 0, ...withoutUndefined(own), journal: id, store, answers: unrecorded(answers, entries) } as RunOptions<State>),
      again: (journal, longWaitMs) => started.start({ journal, replay: "strict", longWaitMs, limits: (own as RunOptions).limits }),
      answers,
      id,
    });
    if (result.status !== "suspended") return result as RunResult<State>;
    const { pending, wakeAt } = result;
    answers = {};
    if (pending.length > 0) answers = (await engine.waitFor(next("answers"), wakeAt, pending)) ?? {};
    else if (wakeAt !== undefined) await engine.sleepUntil(next("sleep"), wakeAt);
  }
}

/** The workflow with the document that the run began with: the engine has it before anything else. */
async function begunWith(engine: DurableEngine, workflow: DurableWorkflow): Promise<Pick<Workflow, "start">> {
  if (typeof workflow.toDocument !== "function") return workflow;
  const deployed = workflow as Deployed;
  const written = JSON.stringify(deployed.toDocument());
  const piece = (from: number) => async (): Promise<string> => `${from + PIECE < written.length ? "+" : "."}${written.slice(from, from + PIECE)}`;
  let text = "";
  for (let number = 1, isWhole = false; !isWhole; number += 1) {
    const kept = await engine.perform(number === 1 ? "document" : `document ${number}`, piece(text.length));
    if (typeof kept !== "string" || !/^[.+]/.test(kept)) throw notKept();
    isWhole = kept.startsWith(".");
    text += kept.slice(1);
  }
  return earlier(deployed, valueOf(text) as WorkflowDocument);
}

type DurableAnswers = { readonly [key: string]: unknown };

/** The run that is driven here. */
interface Driven {
  readonly id: string;
  /** What people have answered since its last stop. */
  readonly answers: DurableAnswers;
  start(store: JournalStore): Run;
  /** The run over a journal that has its end. */
  again(journal: Journal, longWaitMs?: number): Run;
}

/** Where a run waits. */
interface Stop {
  readonly status: "suspended";
  readonly pending: readonly Pending[];
  readonly wakeAt: number | undefined;
}

/** Drives the run until it ends or waits; entries that an earlier life has kept are taken from the engine. */
async function toItsNextStop(engine: DurableEngine, next: (kind: string) => string, entries: JournalEntry[], answersPerStep: number, run: Driven): Promise<Stop | RunResult> {
  const journal = (): Journal => ({ version: 2, id: run.id, entries: [...entries] });
  let live: Stretch | undefined;
  let text = "";
  const leave = (): void => live?.leave();
  engine.signal?.addEventListener("abort", leave);
  try {
    for (;;) {
      const kept = await engine.perform(next("journal"), () => (live ??= new Stretch((store) => run.start(store), entries.length > 0 ? journal() : undefined, answersPerStep)).piece());
      const { begins, isLast, rejected, content } = Stretch.read(kept);
      if (rejected) throw StepweaveError.from(valueOf(content) as StepweaveErrorData);
      // What an earlier life has not kept as a whole counts for nothing: it was acknowledged to nobody.
      text = begins ? content : text + content;
      if (!isLast) continue;
      const batch = valueOf(text) as JournalEntry[];
      if (!Array.isArray(batch)) throw notKept();
      entries.push(...batch);
      live?.acknowledge();
      // Without entries it waits as its last end says.
      const last = batch.length === 0 ? entries.at(-1) : batch.at(-1);
      if (last?.key !== "end") continue;
      const { status, pending, wakeAt } = last.ok as unknown as Stop;
      // A run that waits is not replayed to find that out: its workflow may have changed since.
      if (status === "suspended") return { status, pending: pending ?? [], wakeAt };
      const still = await stillWaiting(journal(), run.answers, (ended) => run.again(ended, 0));
      return still === undefined ? await (live?.result ?? run.again(journal()).result) : { status: "suspended", pending: still.pending, wakeAt: still.wakeAt };
    }
  } finally {
    engine.signal?.removeEventListener("abort", leave);
    leave();
  }
}

/** The answers that the journal has not taken yet. */
function unrecorded(answers: DurableAnswers, entries: readonly JournalEntry[]): DurableAnswers {
  const taken = new Set(entries.map(({ key }) => key));
  return Object.fromEntries(Object.entries(answers).filter(([key]) => !taken.has(`${key}/answer`)));
}
