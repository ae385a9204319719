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
  /** The journal of a run that went well, and what its test is called. */
  readonly record?: { readonly journal: Journal; readonly name: string } | undefined;
}

/** What a test came to, or the tests with one more, or why there are none. The last one is the end. */
export type Tested = { readonly result: CaseResult } | { readonly tests: string } | { readonly error: string } | { readonly end: true };

/** What the worker lets requests do. */
export type Reach = Pick<RunOptions, "fetch" | "mayReach" | "files">;

/** Does what is ordered, and says what comes of it. */
export async function test(order: TestOrder, reach: Reach, say: (tested: Tested) => void): Promise<void> {
  try {
    const { cases, ...beside } = casesOf(order.tests);
    const workflow = Workflow.fromDocument(order.document);
    if (order.record !== undefined) {
      const added = await recordCase(workflow, order.record.journal, order.record.name);
      say({ tests: JSON.stringify({ ...beside, cases: [...cases, added] }, undefined, 2) });
    } else {
      const { fetch, mayReach, files } = reach;
      const start: Workflow["start"] = (options) => workflow.start({ ...options, mayReach, files, ...(order.relay && { relay: order.relay }) });
      await runTests({ start }, cases as readonly TestCase[], { secrets: order.secrets, fetch, ...(beside["judge"] !== undefined && { judge: { document: beside["judge"] } as Judge }), onResult: (result) => say({ result }) });
    }
  } catch (error) {
    const { message, hint } = error as { message?: string; hint?: string };
    say({ error: `${message ?? String(error)}${hint === undefined ? "" : `: ${hint}`}` });
  }
  say({ end: true });
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
