import type { Json } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { Journal } from "../api/journal.js";
import type { Workflow } from "../api/workflow.js";
import { checkFunctions, journalFrom } from "../journal/check.js";
import { isEqual } from "../json/equal.js";
import type { Assertion } from "./assertions.js";
import { endOf, type TestCase } from "./cases.js";
import { evaluated } from "./evaluate.js";

/**
 * Makes a test of a run: it replays the journal, and asserts how the run ended and every key that it changed. The replay is
 * strict, so a journal that the workflow does not fit any more makes no test: the promise rejects.
 *
 * ```ts
 * const { journal } = await workflow.run({ journal: true });
 * if (journal !== undefined) await runTests(workflow, [await recordCase(workflow, journal, "a bee question")]);
 * ```
 */
export async function recordCase(workflow: Pick<Workflow, "start">, journal: Journal, name: string): Promise<TestCase> {
  checkFunctions(workflow, ["start"], "recordCase() needs a workflow", "write recordCase(workflow, result.journal, name)");
  if (typeof name !== "string" || name === "") throw new StepweaveError("validation", "recordCase() needs a name for the test", { hint: "write recordCase(workflow, result.journal, name)" });
  const recording = journalFrom(journal);
  const end = recording.entries.at(-1);
  const status = end?.key === "end" ? (end.ok as { status?: TestCase["status"] }).status : undefined;
  if (status === undefined) throw new StepweaveError("validation", `the run \`${recording.id}\` has no end`, { hint: "resume it first: a test is made of a run that has ended" });
  const { result } = await endOf(workflow.start({ journal: recording, replay: "strict" }));
  if (result.status !== status) throw result.error ?? new StepweaveError("validation", `the run \`${recording.id}\` ended ${status}, and its replay ends ${result.status}`);
  const begun = ((recording.entries[0]?.ok ?? {}) as { state?: Record<string, unknown> }).state ?? {};
  const changed = Object.entries(result.state as Record<string, Json>).filter(([key, value]) => !isEqual(begun[key], value));
  const assert: Assertion[] = await Promise.all(changed.map(async ([key, value]) => ({ equals: value, of: await expressionOf(key) })));
  return { name, recording, status, assert };
}

/** The expression that reads a key of the state. The engine knows which names are words of the language: such a key does not read itself. */
async function expressionOf(key: string): Promise<string> {
  const isName = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(key);
  return isName && (await evaluated(key, { [key]: "itself" }).catch(() => undefined)) === "itself" ? key : `state[${JSON.stringify(key)}]`;
}
