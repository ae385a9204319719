import type { AnsweredStep } from "../journal/answered.js";
import { inspect as inspected, type Inspection } from "../journal/inspect.js";
import { totalOf } from "../json/usage.js";
import { type Given, misused } from "./arguments.js";
import type { Command } from "./command.js";
import { documentFile, refuseBroken, workflowOf } from "./document.js";
import { EXIT } from "./exit.js";
import { flagged } from "./flagged.js";
import type { Io } from "./io.js";
import { isRun, journalNamed, storeToRead } from "./journals.js";
import { JOURNAL_FLAG } from "./run-flags.js";
import { oneLine, shownTime, shownUsage, shownValue } from "./shown.js";

/** `stepweave inspect`. */
export const inspect: Command = {
  name: "inspect",
  about: "shows a journal as a tree with times, usage, cost and errors; without a run it lists the runs of a folder",
  places: ["[run | journal.json]"],
  flags: {
    ...JOURNAL_FLAG,
    document: { value: "file.json", about: "the document of the run: steps have their names then" },
    json: { about: "writes what is known as JSON" },
  },
  example: "stepweave inspect 6f1c… --journal ./journals --document support.json",
  run: async (given, io) => {
    const [name] = given.positionals;
    if (name === undefined) return listed(given, io);
    const journal = await journalNamed(name, given);
    const inspection = (await inspected({ load: async () => journal }, journal.id)) as Inspection;
    if (given.has("json")) io.stdout.write(`${JSON.stringify(inspection, null, 2)}\n`);
    else io.stdout.write(shown(inspection, await namesIn(given)));
    return EXIT.done;
  },
};

async function listed(given: Given, { stdout }: Io): Promise<number> {
  const store = await storeToRead(given);
  if (store === undefined) throw misused("`inspect` needs a run or a folder", "write --journal ./journals, or the path of a journal's JSON file");
  const rows: object[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.list({ cursor });
    for (const run of page.runs) {
      if (!(await isRun(run, store))) continue;
      if (given.has("json")) rows.push(run);
      else stdout.write(`${oneLine(run.id)}  ${run.status}  ${oneLine(run.documentName)}  ${new Date(run.updatedAt).toISOString()}\n`);
    }
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  if (given.has("json")) stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  return EXIT.done;
}

/** The names of a document's steps by their ids. */
async function namesIn(given: Given): Promise<ReadonlyMap<string, string>> {
  const path = given.one("document");
  if (path === undefined) return new Map();
  const file = await documentFile(path);
  await refuseBroken(file);
  return new Map((await workflowOf(file, given)).steps.map(({ id, name }) => [id, name]));
}

function shown(run: Inspection, names: ReadonlyMap<string, string>): string {
  const { id, status, documentName, startedAt, updatedAt, state, steps, pending, error, reason } = run;
  const usage = shownUsage(totalOf(steps.map(({ usage }) => usage)));
  const lines = [
    `${oneLine(documentName)} · ${oneLine(id)}`,
    `${[status, new Date(startedAt).toISOString(), shownTime(updatedAt - startedAt), usage].filter((part) => part !== undefined).join(" · ")}`,
    `began with ${shownValue(state)}`,
  ];
  const seen = new Set<string>();
  for (const step of steps) {
    const segments = step.key.split("/");
    // What an execution is in is a line of its own, once.
    for (let depth = 0; depth < segments.length - 1; depth += 1) {
      const outer = segments.slice(0, depth + 1).join("/");
      if (seen.has(outer)) continue;
      seen.add(outer);
      lines.push(`${"  ".repeat(depth)}  ${named(segments[depth] as string, names)}`);
    }
    seen.add(step.key);
    lines.push(`${"  ".repeat(segments.length - 1)}${markOf(step)} ${named(segments.at(-1) as string, names)}  ${noteOf(step, run)}`);
  }
  for (const { key, message, tool } of pending) lines.push(`? ${oneLine(key)}: ${oneLine(tool === undefined ? (message ?? "") : `may ${tool.name} be called?`)}`);
  if (error !== undefined) lines.push(`error: ${oneLine(error.message, 1000)}${error.hint === undefined ? "" : `\n  hint: ${oneLine(flagged(error.hint), 1000)}`}`);
  if (reason !== undefined) lines.push(`cancelled: ${oneLine(reason)}`);
  return `${lines.join("\n")}\n`;
}

function named(segment: string, names: ReadonlyMap<string, string>): string {
  const at = segment.indexOf("#");
  const id = at < 0 ? segment : segment.slice(0, at);
  return `${oneLine(names.get(id) ?? id)}${at < 0 ? "" : ` ${oneLine(segment.slice(at))}`}`;
}

function markOf({ standing, error }: AnsweredStep): string {
  if (standing === "answered") return error === undefined ? "✓" : "✗";
  return { sent: "!", waiting: "…", late: "✗" }[standing];
}

function noteOf({ standing, answers, answeredAt, usage, error }: AnsweredStep, run: Inspection): string {
  const parts = [
    openOf(standing, run),
    answeredAt === undefined ? undefined : `at ${shownTime(answeredAt - run.startedAt)}`,
    answers > 1 ? `${answers} answers` : undefined,
    shownUsage(usage),
    error === undefined ? undefined : `${error.code}: ${oneLine(error.message)}`,
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

/** What is open of a step; nothing where it has its answer. */
function openOf(standing: AnsweredStep["standing"], { status }: Inspection): string | undefined {
  if (standing === "sent") return "sent, no answer so far: its outcome is unknown";
  if (standing === "late") return "its time limit was over before an answer came";
  if (standing === "waiting") return status === "running" || status === "suspended" ? "waits" : "waited when the run ended";
  return undefined;
}
