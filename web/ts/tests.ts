// Tests of a workflow in the worker: they run as its runs do, and reach what those reach.
import { recordCase, runTests, type CaseResult, type Judge, type TestCase } from "stepweave/testing";
import { Workflow, type Journal, type RunOptions } from "stepweave/web";
import type { RemoteRunOptions } from "stepweave/worker";

/** What is to be tested, or a run of which a test is to be made. */
export interface TestOrder {
  readonly document: string;
  /** `{ cases, judge? }` as JSON text. */
  readonly tests: string;
  readonly secrets: RunOptions["secrets"];
  readonly relay: RemoteRunOptions["relay"];
  /** What is recorded: the run with this journal, which went well, under the name of its test; or once more the test at this place of the cases. */
  readonly record?: { readonly name: string; readonly journal: Journal } | { readonly name: string; readonly again: number } | undefined;
}

/** What a test came to, with its place among the cases; and what no longer fits where that is why it did not pass. */
export type Result = CaseResult & { readonly at: number; readonly misfit?: string };

/** What a test came to, or the tests with one more, or why there are none. The last one is the end. */
export type Tested = { readonly result: Result } | { readonly tests: string } | { readonly error: string } | { readonly end: true };

/** What the worker lets requests do. */
export type Reach = Pick<RunOptions, "fetch" | "mayReach" | "files">;

/** Does what is ordered, and says what comes of it. */
export async function test(order: TestOrder, reach: Reach, say: (tested: Tested) => void): Promise<void> {
  try {
    const { cases, ...beside } = casesOf(order.tests);
    const workflow = Workflow.fromDocument(order.document);
    const { fetch, mayReach, files } = reach;
    const start: Workflow["start"] = (options) => workflow.start({ ...options, mayReach, files, ...(order.relay && { relay: order.relay }) });
    const { record, secrets } = order;
    const tested = (some: readonly unknown[], first: number): Promise<unknown> => {
      let at = first;
      const onResult = (result: CaseResult): void => say({ result: { ...withMisfit(result, order.document), at: at++ } });
      return runTests({ start }, some as readonly TestCase[], { secrets, fetch, ...(beside["judge"] !== undefined && { judge: { document: beside["judge"] } as Judge }), onResult });
    };
    const keep = (all: readonly unknown[]): void => say({ tests: JSON.stringify({ ...beside, cases: all }, undefined, 2) });
    if (record === undefined) await tested(cases, 0);
    else if ("journal" in record) keep([...cases, await recordCase(workflow, record.journal, record.name)]);
    else {
      const made = await recordedAgain(workflow, start, cases[record.again], record.name, { secrets, fetch });
      keep(cases.with(record.again, made));
      await tested([made], record.again);
    }
  } catch (error) {
    const { message, hint } = error as { message?: string; hint?: string };
    say({ error: `${message ?? String(error)}${hint === undefined ? "" : `: ${hint}`}` });
  }
  say({ end: true });
}

/** How the package says that a recording does not fit: the key of the execution whose request that is. */
const MISFIT = /the journal does not fit: at `([^`]*)` the run that it tells (asked nothing of the kind|was asked something else)/;

/** The result of a test whose recording does not fit in the words of the page. What else it found follows from that. */
function withMisfit(result: CaseResult, document: string): Omit<Result, "at"> {
  const [found] = result.assertions.flatMap(({ message }) => [MISFIT.exec(message)].filter((match) => match !== null));
  if (found === undefined) return result;
  const [, key = "", what] = found;
  const step = `“${nameOf(key.slice(key.lastIndexOf("/") + 1), document)}”`;
  const misfit = what === "was asked something else" ? `${step} sends something else now than when this was recorded.` : `${step} sends something now for which nothing was recorded.`;
  return { ...result, misfit, assertions: [] };
}

/** The name of the step with an id. */
function nameOf(id: string, document: string): string {
  let name = id;
  JSON.parse(document, (_, value: unknown) => {
    const step = Object(value) as { id?: unknown; name?: unknown };
    if (step.id === id && typeof step.name === "string") name = step.name;
    return value;
  });
  return name;
}

/** The test of this name with a recording of the workflow as it is now: what is as it was answers as recorded, all else runs. */
async function recordedAgain(workflow: Workflow, start: Workflow["start"], given: unknown, name: string, options: Pick<RunOptions, "secrets" | "fetch">): Promise<TestCase> {
  const { name: own, recording, status, assert = [] } = Object(given) as TestCase;
  if (recording === undefined || own !== name) throw new Error("the tests have changed since they were run: run them again");
  const { result } = start({ ...options, journal: recording, replay: "edit" });
  const { status: ended, journal, error } = await result;
  if (ended !== (status ?? "done") || journal === undefined) throw error ?? new Error(`${JSON.stringify(name)} was not recorded: its run ended ${ended}`);
  const made = await recordCase(workflow, journal, name);
  // What it gives is asserted anew; what a person has written besides stays.
  const written = assert.filter((one) => !("equals" in one));
  return { ...made, assert: [...(made.assert ?? []), ...written] };
}

/** The cases of a text, and what else is in it. */
function casesOf(text: string): Record<string, unknown> & { readonly cases: readonly unknown[] } {
  if (text.trim() === "") return { cases: [] };
  const given = JSON.parse(text) as unknown;
  const { cases } = Object(given) as { cases?: unknown };
  if (!Array.isArray(cases)) throw new Error('these tests have no cases: write { "cases": [ … ] }');
  const elsewhere = cases.find((one: unknown) => typeof (Object(one) as { recording?: unknown }).recording === "string") as { name?: unknown } | undefined;
  if (elsewhere !== undefined) throw new Error(`the recording of ${JSON.stringify(elsewhere.name)} is in a file of its own: npx stepweave test reads it there`);
  return { ...(given as object), cases };
}
