import type { JsonObject } from "../api/document.js";
import { isStepweaveError } from "../api/errors.js";
import type { Journal, JournalEntry } from "../api/journal.js";
import type { RunResult, StepResult } from "../api/results.js";
import type { RunOptions } from "../api/run.js";
import type { Workflow } from "../api/workflow.js";
import { checkFunctions, journalFrom } from "../journal/check.js";
import { isEqual } from "../json/equal.js";
import { optionsFrom } from "../schema/options.js";
import { type Asserted, asserted, type Assertion, checkAssertion } from "./assertions.js";
import type { Judge } from "./judge.js";
import { endOf } from "./cases.js";
import { plainList } from "./plain.js";

/** One side of a comparison. */
export interface WhatIfSide {
  readonly status: RunResult["status"];
  /** US dollars of all model calls of the run, also of those that were not called again; absent where no price is known. */
  readonly cost?: number;
  /** Milliseconds that its agents took, added up. */
  readonly agentMs: number;
  readonly assertions: readonly Asserted[];
  /** Why it is not done. */
  readonly error?: string;
}

/** What a change does to one recorded run. */
export interface WhatIf {
  readonly runId: string;
  /** The replay with the workflow as it was: whether it ends as the recording says. If not, nothing else is done with the run. */
  readonly stands: boolean;
  readonly before: WhatIfSide;
  /** The run with the changed workflow. */
  readonly after?: WhatIfSide;
  /** How many model calls, functions and tools were called for it. All others were answered by the recording. */
  readonly asked: number;
  /** What asking them cost, in US dollars. */
  readonly spent: number;
  /** The keys of the final state whose values differ. */
  readonly differs: readonly string[];
}

/** The options of {@link whatIf}. */
export interface WhatIfOptions extends Pick<RunOptions, "secrets" | "allowOrigins" | "limits" | "fetch" | "signal" | "dependencies"> {
  /** What is asserted of each run, before and after. */
  readonly assert?: readonly Assertion[] | undefined;
  /** The model that judges rubrics. */
  readonly judge?: Judge | undefined;
}

const OPTIONS = ["secrets", "allowOrigins", "limits", "fetch", "signal", "dependencies", "assert", "judge"];

/**
 * What a changed prompt or model does to recorded runs. Each run is first replayed with the workflow as it was, without
 * calling anything, which shows that the recording stands; then with the changed one, and only what has changed, and what
 * depends on it, is called.
 *
 * ```ts
 * const changed = Workflow.fromDocument({ ...workflow.toDocument(), description: "with another prompt" });
 * for (const { runId, asked, differs } of await whatIf(workflow, changed, [journal])) console.log(runId, asked, differs);
 * ```
 */
export async function whatIf(workflow: Pick<Workflow, "start">, changed: Pick<Workflow, "start">, journals: readonly Journal[], options: WhatIfOptions = {}): Promise<readonly WhatIf[]> {
  for (const one of [workflow, changed]) checkFunctions(one, ["start"], "whatIf() needs two workflows", "write whatIf(workflow, changed, journals)");
  const { assert = [], judge, ...reach } = optionsFrom(options, OPTIONS, "whatIf()");
  const assertions = plainList(assert, "the assertions of whatIf()");
  assertions.forEach((one, at) => checkAssertion(one, `assert[${at}]`));
  const recorded = plainList(journals, "the journals of whatIf()").map((journal) => journalFrom(journal as Journal));
  const { dependencies: _, ...judging } = reach;
  const rows: WhatIf[] = [];
  for (const journal of recorded) {
    const before = await ended(workflow, { dependencies: reach.dependencies, journal, replay: "strict" });
    const stands = before.result !== undefined && endsAs(journal, before.result);
    const sideOf = async (side: Ended, others?: Ended): Promise<WhatIfSide> => ({
      status: side.result?.status ?? "error",
      ...(side.result?.usage.cost !== undefined && { cost: side.result.usage.cost }),
      agentMs: timeOf(side.result?.stepResults ?? [], others?.result?.stepResults, side.reused),
      assertions: side.result === undefined || !stands ? [] : await all(assertions as readonly Assertion[], { result: side.result, durationMs: side.durationMs }, { judge, options: judging }),
      ...(side.error !== undefined && { error: side.error }),
    });
    if (!stands || before.result === undefined) {
      const side = await sideOf(before);
      rows.push({ runId: journal.id, stands: false, before: { ...side, error: side.error ?? `the recording ends ${recordedEnd(journal)?.status ?? "nowhere"}` }, asked: 0, spent: 0, differs: [] });
      continue;
    }
    const after = await ended(changed, { ...reach, journal, replay: "edit", pins: pinsIn(journal) }, journal);
    const states = [before.result.state, after.result?.state ?? {}] as Record<string, unknown>[];
    const keys = new Set(states.flatMap((state) => Object.keys(state)));
    rows.push({
      runId: journal.id,
      stands,
      before: await sideOf(before),
      after: await sideOf(after, before),
      asked: after.called.length,
      spent: after.called.reduce((sum, { ok }) => sum + ((Object(ok) as { usage?: { cost?: number } }).usage?.cost ?? 0), 0),
      differs: [...keys].filter((key) => !isEqual(states[0]?.[key], states[1]?.[key])).sort(),
    });
  }
  return rows;
}

interface Ended {
  readonly result: RunResult | undefined;
  readonly durationMs: number;
  readonly error: string | undefined;
  /** What was called, and what the recording answered. */
  readonly called: readonly JournalEntry[];
  readonly reused: ReadonlySet<string>;
}

async function ended(workflow: Pick<Workflow, "start">, options: RunOptions, journal?: Journal): Promise<Ended> {
  try {
    const { result, durationMs } = await endOf(workflow.start(options));
    // An answer that is taken over keeps its time.
    const known = new Map(journal?.entries.map((entry) => [entry.key, entry]));
    const answers = (journal === undefined ? [] : (result.journal?.entries ?? [])).filter(({ key }) => /\/\d+\/[^/]+$/.test(key));
    const isKnown = ({ key, at }: JournalEntry): boolean => known.get(key)?.at === at;
    return {
      result,
      durationMs,
      error: result.error?.message ?? (result.status === "suspended" ? `waits for ${result.pending.map(({ key }) => key).join(", ")}` : undefined),
      called: answers.filter((entry) => !isKnown(entry)),
      reused: new Set(answers.filter(isKnown).map(({ key }) => key.replace(/\/\d+\/[^/]+$/, ""))),
    };
  } catch (error) {
    if (!isStepweaveError(error) || error.code === "internal") throw error;
    // A workflow that cannot be run is no row of its own; one that its recording's pins do not fit any more is.
    if (error.code === "document" && options.pins === undefined) throw error;
    return { result: undefined, durationMs: 0, error: error.message, called: [], reused: new Set() };
  }
}

/** The time of a run's agents. An answer that was taken over took as long as it did then. */
function timeOf(steps: readonly StepResult[], before: readonly StepResult[] | undefined, reused: ReadonlySet<string>): number {
  const then = new Map(before?.map(({ key, durationMs }) => [key, durationMs]));
  return steps.filter(({ usage }) => usage !== undefined).reduce((sum, { key, durationMs }) => sum + (reused.has(key) ? (then.get(key) ?? durationMs) : durationMs), 0);
}

async function all(assert: readonly Assertion[], run: { readonly result: RunResult; readonly durationMs: number }, judging: Parameters<typeof asserted>[2]): Promise<readonly Asserted[]> {
  const results: Asserted[] = [];
  for (const assertion of assert) results.push(await asserted(assertion, run, judging));
  return results;
}

/** The pins with which a recorded run began: what was not called then is not called for a comparison either. */
function pinsIn({ entries }: Journal): JsonObject | undefined {
  const [start] = entries;
  return start?.key === "start" ? (Object(start.ok) as { pins?: JsonObject }).pins : undefined;
}

function recordedEnd({ entries }: Journal): { readonly status?: string; readonly error?: { readonly message?: string } } | undefined {
  const end = entries.at(-1);
  return end?.key === "end" ? (Object(end.ok) as { status?: string }) : undefined;
}

function endsAs(journal: Journal, { status, error }: RunResult): boolean {
  const end = recordedEnd(journal);
  return end?.status === status && end.error?.message === error?.message;
}
