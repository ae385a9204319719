import { StepweaveError } from "./errors.js";
import type { RunEvent } from "./events.js";
import { publicError, type PublicError } from "./public-error.js";
import { PUBLIC_BASE, PUBLIC_FIELDS } from "./public-fields.js";
import { publicState, publicValue } from "./public-value.js";
import type { Pending, RunResult, StepResult } from "./results.js";

/** A result of a step as callers of a served workflow may see it. */
export interface PublicStepResult extends Omit<StepResult, "error" | "toolDecisions" | "responseId"> {
  readonly error?: PublicError;
}

/** What a run waits for, as callers of a served workflow may see it. */
export interface PublicPending extends Omit<Pending, "tool"> {
  /** The `input` is there only for who may answer. */
  readonly tool?: { readonly name: string; readonly callId: string; readonly input?: any };
}

/** A result as callers of a served workflow may see it. */
export interface PublicResult<State = any> extends Pick<RunResult<State>, "runId" | "status" | "state" | "usage"> {
  readonly stepResults: readonly PublicStepResult[];
  readonly errors: readonly PublicError[];
  /** What the end step said that ended the run well. */
  readonly message?: string;
  /** Of `errors`, the one that stopped the run. */
  readonly error?: PublicError;
  readonly pending?: readonly PublicPending[];
  readonly wakeAt?: number;
}

/** What the id ends with of the step that makes the input of an agent with steps of its own. */
export const INPUT_STEP = ".input";

type Fields = typeof PUBLIC_FIELDS;

/** The public fields of an event; errors and results in their public form. */
type Shown<Event, State> = Event extends { readonly type: infer Type extends keyof Fields }
  ? {
      readonly [Key in keyof Pick<Event, Extract<keyof Event, (typeof PUBLIC_BASE)[number] | Fields[Type][number]>>]: Key extends "error"
        ? PublicError
        : Key extends "result"
          ? PublicResult<State>
          : Event[Key];
    }
  : never;

/** An event as callers of a served workflow may see it. */
export type PublicEvent<State = any> = Shown<RunEvent<State>, State>;

/**
 * The event that callers of a served workflow may see: without prompts, inputs, what tools got and gave, and what else is
 * internal, and with errors as {@link publicError} says them. `undefined` for events that are not for callers: warnings, log
 * lines and the reasoning of models. The page docs/events.md lists the fields.
 *
 * ```ts
 * for await (const event of workflow.stream()) {
 *   const shown = publicEvent(event);
 *   if (shown !== undefined) console.log(`data: ${JSON.stringify(shown)}`);
 * }
 * ```
 */
export function publicEvent<State>(event: RunEvent<State>): PublicEvent<State> | undefined {
  // What a later version adds is not for callers until it says so.
  if (!isPublic(event) || ("step" in event && makesInput(event.step))) return undefined;
  const all = event as unknown as Readonly<Record<string, unknown>>;
  const shown: Record<string, unknown> = {};
  for (const key of [...PUBLIC_BASE, ...PUBLIC_FIELDS[event.type as keyof Fields]]) {
    if (Object.hasOwn(all, key)) shown[key] = all[key];
  }
  if ("output" in shown) shown.output = publicValue(shown.output);
  if ("error" in event) shown.error = publicError(event.error);
  if ("result" in event) shown.result = publicResult(event.result);
  return shown as PublicEvent<State>;
}

/**
 * The result that callers of a served workflow may see: its state, what became of the steps, and errors as
 * {@link publicError} says them; no warnings, no journal, and of the tools that wait for a person their names alone. Of
 * conversations and full answers it has what was said, without reasoning and without what tools got and gave.
 *
 * ```ts
 * const result = await workflow.run();
 * console.log(JSON.stringify(publicResult(result)));
 * ```
 */
export function publicResult<State>(result: RunResult<State>): PublicResult<State> {
  if (!isResult(result)) throw new StepweaveError("validation", "publicResult() needs the result of a run", { hint: "pass what workflow.run() resolves with" });
  const { runId, status, state, usage, errors, message, error, pending, wakeAt } = result;
  const stepResults = result.stepResults.filter((step) => !makesInput(step)).map(({ error: failure, toolDecisions, responseId, ...step }) => ({
    ...step,
    ...("output" in step && { output: publicValue(step.output) }),
    ...(failure !== undefined && { error: publicError(failure) }),
  }));
  return {
    runId,
    status,
    state: publicState(state),
    stepResults,
    usage,
    errors: errors.map(publicError),
    ...(message !== undefined && { message }),
    ...(error !== undefined && { error: publicError(error) }),
    ...(pending !== undefined && { pending: pending.map(publicPending) }),
    ...(wakeAt !== undefined && { wakeAt }),
  };
}

function publicPending({ tool, schema, ...pending }: Pending): PublicPending {
  if (tool === undefined) return schema === undefined ? pending : { ...pending, schema };
  // What else the schema says is of the tool's input.
  return { ...pending, schema: DECISION, tool: { name: tool.name, callId: tool.callId } };
}

/** What is answered about a call, by whoever may answer. */
const DECISION = {
  anyOf: [
    { type: "boolean" },
    { type: "object", properties: { approved: { type: "boolean" }, input: { type: "object" }, reason: { type: "string" } }, required: ["approved"], additionalProperties: false },
  ],
};

/**
 * Whether this step makes the input of an agent with steps of its own, which is a prompt: the first one inside of the
 * agent's, whose id and name are both the agent's id and this word. Of a step that a person names so, the one or the other
 * begins with the step that it is in, or it is in none.
 */
function makesInput(step: Pick<StepResult, "id" | "name" | "path"> | undefined): boolean {
  return step !== undefined && step.id.endsWith(INPUT_STEP) && step.name === step.id && step.path.endsWith(".steps[0]");
}

/** Whether this is an event of which callers see something, whatever it is. */
function isPublic(event: unknown): boolean {
  try {
    const { type } = event as { type?: unknown };
    return typeof type === "string" && Object.hasOwn(PUBLIC_FIELDS, type);
  } catch {
    return false;
  }
}

/** Whether this is a result, whatever it is. */
function isResult(result: unknown): boolean {
  try {
    const { stepResults, errors } = result as { stepResults?: unknown; errors?: unknown };
    return Array.isArray(stepResults) && Array.isArray(errors);
  } catch {
    return false;
  }
}
