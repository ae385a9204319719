import type { RunResult } from "../api/results.js";
import type { RunOptions } from "../api/run.js";
import type { StepInfo } from "../api/workflow.js";
import { standingOf } from "../journal/summary.js";
import { nearest } from "../schema/nearest.js";
import { type Flags, type Given, misused } from "./arguments.js";
import type { Command } from "./command.js";
import { documentFile, located, workflowOf } from "./document.js";
import { exitOfResult } from "./exit.js";
import type { Io } from "./io.js";
import { storeToRead } from "./journals.js";
import { eventLines, type Progress, progressOn, SILENT } from "./progress.js";
import { BOUND_FLAGS, boundsFrom, JOURNAL_FLAG, storeFrom } from "./run-flags.js";
import { oneLine, shownError, shownTime, shownUsage, shownValue } from "./shown.js";
import { objectFrom } from "./values.js";

const COMMON: Flags = {
  answer: { value: "key=value", multiple: true, about: "a person's answer, by the key that the run shows: --answer boss='{\"approved\": true}', --answer boss=@answer.json" },
  ...JOURNAL_FLAG,
  ...BOUND_FLAGS,
  json: { about: "writes every event as a line of JSON instead of the tree and the final state" },
  quiet: { short: "q", about: "writes nothing but the final state" },
};

/** `stepweave run`. */
export const run: Command = {
  name: "run",
  about: "runs a document; the final state goes to standard output",
  places: ["<file.json>"],
  flags: {
    state: { value: "key=value", multiple: true, short: "s", about: "keys over the document's initial state: key=value, an object as JSON, or @file.json" },
    ...COMMON,
    id: { value: "id", about: "the id of the run, under which its journal is kept; a random one otherwise" },
    pins: { about: "uses the pinned outputs of the document" },
    seed: { value: "number", about: "the random seed" },
  },
  example: 'stepweave run support.json --state customer=Ada --secret OPENAI_API_KEY --journal ./journals',
  run: async (given, io) => {
    const store = storeFrom(given);
    const id = given.one("id");
    if (id !== undefined && store === undefined) throw misused("--id needs --journal", "write --journal ./journals, the folder that the run is kept in");
    if (id !== undefined && (await store?.load(id)) !== undefined) throw misused(`there is a run \`${id}\` in ${given.one("journal")} already`, `stepweave resume ${given.positionals[0]} ${id} --journal ${given.one("journal")} goes on with it`);
    const seed = given.one("seed");
    if (seed !== undefined && !/^\d+$/.test(seed)) throw misused(`--seed is ${JSON.stringify(seed)}`, "write a whole number below 4294967296");
    return carriedOut(given, io, {
      state: await objectFrom(given, "state"),
      ...(given.has("pins") && { pins: true }),
      ...(seed !== undefined && { seed: Number(seed) }),
      // A run in a folder has an id there, so that it can be resumed.
      ...(store !== undefined && { store, journal: id ?? crypto.randomUUID() }),
    });
  },
};

/** `stepweave resume`. */
export const resume: Command = {
  name: "resume",
  about: "goes on with a run that waits, failed or was cut off",
  places: ["<file.json>", "<run>"],
  flags: {
    ...COMMON,
    from: { value: "step", about: "makes a new run of it, which runs again from this step on, by its id or its name" },
    anew: { about: "runs steps again whose requests the document has changed since, under the same id" },
  },
  example: `stepweave resume support.json 6f1c… --journal ./journals --answer boss='{"approved": true}'`,
  run: async (given, io) => {
    const store = await storeToRead(given);
    if (store === undefined) throw misused("`resume` needs --journal", "write --journal ./journals, the folder that the run is kept in");
    const id = given.positionals[1] as string;
    const journal = await store.load(id);
    if (journal === undefined) throw misused(`there is no run \`${id}\` in ${given.one("journal")}`, `stepweave inspect --journal ${given.one("journal")} lists the runs`);
    const from = given.one("from");
    if (from !== undefined && given.has("anew")) throw misused("--from and --anew do not go together", "a run from a step on asks what has changed anew in any case");
    if (from === undefined && given.has("answer") && standingOf(journal.entries).status === "done") throw misused(`the run \`${id}\` is done and waits for no answer`, `stepweave inspect ${id} --journal ${given.one("journal")} shows what it was given; --from STEP runs it again from a step on`);
    return carriedOut(given, io, { store, journal: id, ...(given.has("anew") && { onMismatch: "anew" }), ...(from !== undefined && { replay: "edit", from }) });
  },
};

async function carriedOut(given: Given, io: Io, own: RunOptions): Promise<number> {
  const file = await documentFile(given.positionals[0] as string);
  const workflow = await workflowOf(file, given);
  const progress = progressFor(given, io, workflow.steps);
  const answers = await objectFrom(given, "answer");
  const started = workflow.start({ ...boundsFrom(given, io), ...own, ...(own.from !== undefined && { from: idOfStep(own.from, workflow.steps) }), ...(answers !== undefined && { answers }) });
  const ends = [io.onInterrupt(() => started.cancel("it was interrupted")), io.onUnread(() => started.cancel("nobody reads its output any more"))];
  try {
    for await (const event of started.events) progress.follow(event);
    const result = await started.result;
    progress.end();
    if (!given.has("json")) summed(result, given, io);
    return exitOfResult(result);
  } catch (error) {
    progress.end();
    throw located(error, file);
  } finally {
    for (const end of ends) end();
  }
}

/** The id of the step that a person means. */
function idOfStep(meant: string, steps: readonly StepInfo[]): string {
  const found = steps.find(({ id }) => id === meant) ?? steps.find(({ name }) => name === meant);
  if (found !== undefined) return found.id;
  const near = nearest(meant, steps.flatMap(({ id, name }) => [id, name]));
  throw misused(`there is no step \`${meant}\``, near === undefined ? "write the id or the name of a step" : `did you mean \`${near}\`?`);
}

function progressFor(given: Given, io: Io, steps: Parameters<typeof progressOn>[1]): Progress {
  if (given.has("json")) return eventLines(io.stdout);
  return given.has("quiet") ? SILENT : progressOn(io.stderr, steps);
}

/** How a run ended: to a person on standard error, its state to standard output. */
function summed(result: RunResult, given: Given, { stdout, stderr }: Io): void {
  const journal = given.one("journal");
  if (result.error !== undefined) stderr.write(shownError(result.error));
  if (result.message !== undefined && !given.has("quiet")) stderr.write(`${oneLine(result.message, 4000)}\n`);
  for (const { key, message, tool, schema } of result.pending ?? []) {
    stderr.write(`? ${oneLine(key)}: ${tool === undefined ? oneLine(message ?? "") : `may ${oneLine(tool.name, 80)} be called with ${shownValue(tool.input)}?`}\n`);
    if (schema !== undefined) stderr.write(`  answer: ${shownValue(schema)}\n`);
  }
  if (!given.has("quiet")) {
    const took = result.stepResults.reduce((end, { startedAt, durationMs }) => Math.max(end, startedAt + durationMs), 0) - Math.min(...result.stepResults.map(({ startedAt }) => startedAt));
    stderr.write(`${[`${result.status}${journal === undefined ? "" : ` · ${result.runId}`}`, Number.isFinite(took) ? shownTime(Math.max(0, took)) : undefined, shownUsage(result.usage)].filter((part) => part !== undefined).join(" · ")}\n`);
    if (result.status === "suspended") stderr.write(journal === undefined ? "hint: keep such a run with --journal FOLDER, or give the answer at once with --answer key=value\n" : `hint: stepweave resume ${given.positionals[0]} ${result.runId} --journal ${journal} --answer key=value\n`);
  }
  stdout.write(`${JSON.stringify(result.state, null, 2)}\n`);
}
