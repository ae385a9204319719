import type { Problem } from "../api/document.js";
import { isStepweaveError, StepweaveError, textOf } from "../api/errors.js";
import type { Journal } from "../api/journal.js";
import { JOURNAL_DEPTH, journalFrom } from "../journal/check.js";
import { executionOf, isOfWorkflow } from "../journal/execution.js";
import { copyJson, type Redact } from "../json/copy.js";
import { isEqual } from "../json/equal.js";
import type { Cause } from "./cause.js";
import type { Spot } from "./executions.js";
import { unkept, wrong, type Journaling } from "./journaling.js";
import { Logbook, type Start } from "./logbook.js";
import type { Plan } from "./plan.js";
import type { RunRecord } from "./record.js";

/** Opens the journal of a run. */
export async function openLogbook(
  journaling: Journaling,
  run: { readonly id: string; readonly documentName: string; readonly document: string; readonly redact: Redact; readonly causes: ReadonlyMap<number, Cause> },
): Promise<Logbook> {
  const { source, store, replay } = journaling;
  let recorded: Journal | undefined;
  try {
    recorded = typeof source === "string" ? ((await store?.load(source)) ?? undefined) : source;
  } catch (error) {
    throw isStepweaveError(error) ? error : unkept(error);
  }
  // Values taken from it become part of the state: they are copied and checked like the result of a function.
  if (recorded !== undefined) recorded = checked(recorded, run.redact);
  if (recorded === undefined && replay !== "resume") throw wrong(`there is no journal \`${textOf(source)}\` in the store`, "check its name");
  return new Logbook({ ...run, store, recorded: recorded?.entries ?? [], replay });
}

function checked(given: Journal, redact: Redact): Journal {
  const journal = journalFrom(given);
  const start = journal.entries[0]?.ok as Partial<Start> | null | undefined;
  const { state, seed, document, pins = {} } = start ?? {};
  if (typeof state !== "object" || state === null || Array.isArray(state) || typeof seed !== "number" || typeof document !== "string" || typeof pins !== "object" || pins === null) {
    throw wrong("journal.entries[0].ok does not say what was started", "take an unchanged copy of the journal, or start the run anew");
  }
  return redact === undefined ? journal : (copyJson(journal, "journal", JOURNAL_DEPTH, redact) as Journal);
}

/**
 * The state with which a run over a journal begins; throws `validation` when the journal is that of something else.
 * `given` are the keys that came with the run.
 */
export function stateOver(logbook: Logbook, replay: Journaling["replay"], plan: Plan, state: object, given: readonly string[]): object {
  const { start, timeline } = logbook;
  if (start === undefined) return state;
  // The requests in an old journal cannot be compared with those made now: only the same document makes the same ones.
  if (timeline.isOld && replay !== "edit" && start.document !== plan.digest) {
    throw wrong(
      `the journal is of version 1, and the workflow \`${start.workflow}\` is not the one it was kept with`,
      'finish the run with the workflow as it was then and the version of stepweave that began it, or write replay: "edit" to run it anew; ids of steps written in TypeScript have changed since',
    );
  }
  if (replay === "edit") return given.length === 0 ? Object.freeze({ ...start.state }) : state;
  const begun = start.state as Record<string, unknown>;
  if (given.some((key) => !Object.hasOwn(begun, key) || !isEqual(begun[key], (state as Record<string, unknown>)[key]))) {
    throw wrong("the run that the journal tells began with another state", 'leave `state` out, or write replay: "edit"');
  }
  return Object.freeze({ ...begun });
}

/**
 * The pins with which a run over a journal begins; throws `validation` when it began with others. A run is a trial from
 * its beginning to its end, or not at all: one that edits it is another run, and has its own.
 */
export function pinsOver(logbook: Logbook, replay: Journaling["replay"], given: object | false | undefined): object | false {
  const { start } = logbook;
  if (start === undefined || replay === "edit") return given ?? false;
  const { pins: begun = false } = start;
  if (given !== undefined && !isEqual(begun, given)) {
    throw wrong("the run that the journal tells began with other pinned outputs", 'leave `pins` out, or write replay: "edit" to run what was pinned');
  }
  return begun;
}

/**
 * What is said of steps whose answers a journal has and the workflow no longer takes, since it has not the step, or has it in
 * other rounds. Throws `validation` where it has none of them and another name: it would run from its beginning, and whatever
 * the journal waits for would be gone.
 */
export function goneSteps(logbook: Logbook, plan: Plan): readonly string[] {
  const known = loopsAround(plan);
  const [gone, moved] = [new Set<string>(), new Set<string>()];
  let isKnown = false;
  for (const key of logbook.timeline.keys()) {
    const around = executionOf(key)?.split("/") ?? [];
    const id = around.pop();
    if (id === undefined || isOfWorkflow(id)) continue;
    const loops = known.get(id);
    if (loops === undefined) gone.add(id);
    else if (!areOf(loops, around)) moved.add(id);
    isKnown ||= loops !== undefined;
  }
  const { workflow = plan.name } = logbook.start ?? {};
  const asked = logbook.askedSteps;
  if (workflow !== plan.name && !isKnown && (gone.size > 0 || asked.length > 0) && !asked.some((id) => known.has(id))) throw strange(workflow, plan.name);
  return [
    ...[...gone].map((id) => `the journal has answers of the step \`${id}\`, which the workflow no longer has; a step that was renamed keeps its answers with id: ${JSON.stringify(id)}`),
    ...[...moved].map((id) => `the journal has answers of the step \`${id}\` from outside of the rounds that it stands in now, and they are not those of any round: it runs anew`),
  ];
}

/** The ids of the steps, each with those of the foreach and loop steps around it; none is said of one in a tool. */
function loopsAround({ steps }: Plan): Map<string, readonly string[] | "any"> {
  const found = new Map<string, readonly string[] | "any">();
  const open: { readonly path: string; readonly inside: readonly string[] }[] = [{ path: "", inside: [] }];
  for (const { ref, type } of steps) {
    while (open.length > 1 && !ref.path.startsWith(open.at(-1)?.path as string)) open.pop();
    const around = open.at(-1)?.inside ?? [];
    found.set(ref.id, ref.path.startsWith("steps[") ? around : "any");
    if (type === "foreach" || type === "loop") open.push({ path: `${ref.path}.`, inside: [...around, ref.id] });
  }
  return found;
}

/** Whether the rounds that an execution was in are those of these loops. */
function areOf(loops: readonly string[] | "any", rounds: readonly string[]): boolean {
  return loops === "any" || (loops.length === rounds.length && loops.every((id, index) => rounds[index]?.split("#")[0] === id));
}

/** The error of a journal that another workflow has kept. The run can go on as it was, as one can whose questions have changed. */
function strange(workflow: string, name: string): StepweaveError {
  const message = `the journal is of the workflow \`${workflow}\`, of whose steps \`${name}\` has none`;
  const hint = 'resume it with the workflow that began it, or write replay: "edit" to begin another run with its state';
  return new StepweaveError("validation", message, { hint, problems: [{ path: "name", code: "journal_mismatch", message, hint, severity: "error" }] });
}

/** The error of a run whose requests differ from those that its journal answers. */
export function mismatchError(mismatches: readonly { readonly spot: Spot; readonly key: string }[], id: string, record: RunRecord): StepweaveError {
  const problems: Problem[] = mismatches.map(({ spot, key }) => {
    const { path, name, key: execution } = record.refOf(spot.step, spot.scope);
    const message = `\`${name}\` (${execution}) ${whyMismatch(key)}`;
    return { path, code: "journal_mismatch", message, hint: "put it back as it was, or have it asked anew", severity: "error" };
  });
  const shown = problems.slice(0, 3).map(({ message }) => message);
  const more = problems.length - shown.length;
  return new StepweaveError("validation", `the journal \`${id}\` has answers to other questions than the workflow asks now: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`, {
    hint: 'run the workflow as it was, or write onMismatch: "anew" to have these steps, and what depends on them, asked anew in the same run',
    problems,
  });
}

/** The error of a run whose input does not fit what the workflow demands of one now. It stays as it was. */
export function inputError({ message }: StepweaveError): StepweaveError {
  const problem: Problem = { path: "input", code: "journal_mismatch", message, hint: "let the schema take what runs have begun with, or run the workflow as it was", severity: "error" };
  return new StepweaveError("validation", `a run that has begun cannot go on with the workflow as it is now: ${message}`, { hint: problem.hint, problems: [problem] });
}

/** What may differ, by the kind of request. */
function whyMismatch(key: string): string {
  const call = key.slice(key.lastIndexOf("/") + 1);
  if (call === "answer") return key.split("/").at(-2)?.startsWith("tool") ? "asks a person about another call of a tool" : "asks a person something else: its message or its schema is another";
  if (/^http(?:$|\.)/.test(call)) return "sends another request: its address, its headers or its body are others";
  if (call.startsWith("model")) return "asks its model something else: what it is told, its parameters or its tools are others";
  if (call.startsWith("tool")) return "calls a tool with another input, or another version of it";
  if (call === "deadline") return "waits for another time";
  return "asks its function something else: the state that it sees, its name or its version is another";
}
