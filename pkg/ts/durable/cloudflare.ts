import { StepweaveError } from "../api/errors.js";
import { checkFunctions } from "../journal/check.js";
import { optionsFrom, reading } from "../schema/options.js";
import { PLATFORM_OPTIONS, runDurably, type DurableEngine, type DurableOptions, type DurableOutput, type DurableWorkflow } from "./engine.js";

/** How long a call may take, with all its retries, before the platform gives it up. */
const STEP_TIMEOUT = "1 hour";

/** The longest that the platform waits for an event. */
const LONGEST_WAIT_MS = 365 * 24 * 3_600_000;

/** What the platform keeps of a result: 1 MiB, of characters that take up to three bytes. */
const MAX_RESULT = 340_000;

/** What this uses of the step that a Cloudflare Workflow is given. */
export interface CloudflareStep {
  do(name: string, config: { retries: { limit: number; delay: number }; timeout: "1 hour" }, callback: () => Promise<string>): Promise<string>;
  sleep(name: string, ms: number): Promise<void>;
  waitForEvent(name: string, options: { type: string; timeout: number }): Promise<{ readonly payload: unknown }>;
}

/** What this uses of the event that starts a Cloudflare Workflow. */
export interface CloudflareEvent<State = any> {
  readonly payload: Readonly<State> | undefined;
  readonly instanceId: string;
}

/** What a finished instance of a Cloudflare Workflow gives. */
export type CloudflareOutput<State = any> = DurableOutput<State>;

/**
 * Runs a workflow as a Cloudflare Workflow: called from `run` of a `WorkflowEntrypoint`. The payload is the state; people
 * answer by an event of the type `answers`. A run that fails has the instance fail.
 *
 * ```ts
 * export class Order {
 *   run(event: CloudflareEvent, step: CloudflareStep) {
 *     return runInCloudflare(workflow, event, step);
 *   }
 * }
 * ```
 */
export async function runInCloudflare<State = any>(
  workflow: DurableWorkflow<State>,
  event: CloudflareEvent<Partial<State>>,
  step: CloudflareStep,
  options: Omit<DurableOptions<State>, "id" | "state"> = {},
): Promise<CloudflareOutput<State>> {
  const { payload, instanceId: id } = reading("the event of a Cloudflare Workflow", () => ({ ...event }));
  checkFunctions(workflow, ["start"], "runInCloudflare() needs a workflow", "write runInCloudflare(new Workflow({ … }), event, step)");
  checkFunctions(step, ["do", "sleep", "waitForEvent"], "runInCloudflare() needs the step of a Cloudflare Workflow", "pass on both arguments of its run(event, step)");
  const own = optionsFrom(options, PLATFORM_OPTIONS, "runInCloudflare()");
  const result = await runDurably(cloudflareEngine(step), workflow, { ...own, id, ...(payload !== undefined && { state: payload as Partial<State> }) });
  if (result.status === "error" || result.status === "budget") throw result.error;
  const { status, state } = result;
  if (JSON.stringify(state).length > MAX_RESULT) {
    throw new StepweaveError("limit", "the state at the end of the run is larger than the platform keeps of a result", { hint: "give less: name with `output` what the result is, or keep large values elsewhere" });
  }
  return { status, state } as CloudflareOutput<State>;
}

function cloudflareEngine(step: CloudflareStep): DurableEngine {
  return {
    // What is retried is decided by the document: a step of the platform only fails where the platform does.
    perform: (key, call) => step.do(key, { retries: { limit: 0, delay: 0 }, timeout: STEP_TIMEOUT }, call),
    // The platform's own sleepUntil fails where the time has passed, which it has in a later life of the run.
    sleepUntil: (key, time) => step.sleep(key, Math.max(1, time - Date.now())),
    async waitFor(key, until) {
      const timeout = Math.min(LONGEST_WAIT_MS, Math.max(1, (until ?? Infinity) - Date.now()));
      try {
        const { payload } = await step.waitForEvent(key, { type: "answers", timeout });
        return payload as { readonly [key: string]: unknown };
      } catch (error) {
        // The time for an answer is over; anything else is the platform's own.
        if (/timed out/i.test(String(error))) return undefined;
        throw error;
      }
    },
  };
}
