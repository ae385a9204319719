import { isStepweaveError, StepweaveError } from "../api/errors.js";
import type { RunResult } from "../api/results.js";
import { misused } from "./arguments.js";
import type { Command } from "./command.js";
import { CODE_FLAG, documentFile, refuseBroken, workflowOf } from "./document.js";
import { EXIT } from "./exit.js";
import { journalNamed } from "./journals.js";
import { progressOn, SILENT } from "./progress.js";
import { JOURNAL_FLAG } from "./run-flags.js";
import { oneLine, shownError, shownProblem } from "./shown.js";
import type { Journal, JournalEntry } from "../api/journal.js";
import type { Workflow } from "../api/workflow.js";

/** `stepweave replay`. */
export const replay: Command = {
  name: "replay",
  about: "runs a document over a recorded run without calling anything, and says what has changed",
  places: ["<file.json>", "<run | journal.json>"],
  flags: { ...JOURNAL_FLAG, ...CODE_FLAG, quiet: { short: "q", about: "writes nothing but the final state" } },
  example: "stepweave replay support.json 6f1c… --journal ./journals",
  run: async (given, { stdout, stderr }) => {
    const file = await documentFile(given.positionals[0] as string);
    const journal = await journalNamed(given.positionals[1] as string, given);
    const end = journal.entries.at(-1);
    if (end?.key !== "end") throw misused(`the run \`${journal.id}\` has not ended: it goes on, or was cut off`, `stepweave resume ${file.path} ${given.positionals[1]} takes it up, with the --journal that it is in`);
    await refuseBroken(file);
    const workflow = await workflowOf(file, given);
    const progress = given.has("quiet") ? SILENT : progressOn(stderr, workflow.steps);
    const run = workflow.start({ journal, replay: "strict" });
    for await (const event of run.events) progress.follow(event);
    progress.end();
    const result = await run.result;
    const changes = changesIn(result, end);
    if (changes === undefined) {
      if (!given.has("quiet")) stderr.write(`nothing has changed: the run ends as it did, ${result.status}\n`);
      stdout.write(`${JSON.stringify(result.state, null, 2)}\n`);
      return EXIT.done;
    }
    stderr.write(`the document has changed since this run, and the run would not be the same:\n`);
    const all = given.one("code") === undefined ? await allChanges(workflow, journal) : [];
    for (const change of all) stderr.write(`  ${change}\n`);
    if (all.length === 0) stderr.write(shownError(changes));
    return EXIT.failed;
  },
};

/** Why a replay is not the run that the journal has, whose last entry this is; nothing when it is. */
function changesIn(result: RunResult, end: JournalEntry): StepweaveError | undefined {
  const recorded = (end.ok ?? {}) as { status?: string; error?: { code?: string; message?: string } };
  if (recorded.status === result.status && recorded.error?.message === result.error?.message) return undefined;
  return result.error ?? new StepweaveError("validation", `the run ended ${oneLine(String(recorded.status))}, and now it ends ${result.status}`, { hint: "compare the document with the one that it was run with" });
}

/** Every step whose requests have changed. Nothing is sent: what is not in the journal is refused. */
async function allChanges(workflow: Workflow, journal: Journal): Promise<readonly string[]> {
  const fetch = (): never => {
    throw new StepweaveError("network", "a replay sends nothing");
  };
  try {
    await workflow.run({ journal, fetch });
    return [];
  } catch (error) {
    return isStepweaveError(error) ? (error.problems ?? []).map((problem) => shownProblem(problem)) : [];
  }
}
