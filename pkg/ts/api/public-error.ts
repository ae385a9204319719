import { isStepweaveError, type ErrorCode, type StepRef, type StepweaveError } from "./errors.js";

/** An error as callers of a served workflow see it. */
export interface PublicError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  /** The step that failed, if there is one. */
  readonly step?: StepRef;
}

/**
 * The public message for errors whose own message may contain addresses, values of the state, or words of an endpoint or a
 * function of the program.
 */
const WORDS: Partial<Record<ErrorCode, string>> = {
  template: "a value that the step needs is not there, or is none that it can use",
  validation: "an endpoint did not accept a request, or a value does not fit the schema of its step",
  limit: "the run met a bound of the workflow or of its model",
  budget: "the run has used what it may use",
  model: "a model gave no answer",
  auth: "an endpoint refused the key of the workflow, or there is none",
  network: "an endpoint could not be reached",
  rate_limit: "an endpoint takes no more requests for now",
  unknown_outcome: "the answer to a request that must not be sent twice is not known",
  timeout: "the run took too long",
  tool: "a tool failed",
  cancelled: "the run was cancelled",
  conflict: "another request has answered, cancelled or resumed the run at the same time: see how it stands now",
};

/** How it is said, with no step, that something of the run does not fit and not of its caller. */
const OF_THE_RUN = /^(?:what `|the (?:answer|input) of `|the output of the workflow|the answer of a request|the relay at |https?:\/\/)/;

/** How it is said of a step that what a person answered does not fit. */
const ANSWERED = "the answer to `";

/**
 * Whether an error is about the caller's own state or answer, so that its message helps to correct it. Whatever else a step says is
 * of the run: an answer of a model or an endpoint, what a function gave, a value that it does not take, or what stopped a step in it.
 */
export function isOfCaller({ code, message, step }: StepweaveError): boolean {
  return code === "validation" && (step === undefined ? !OF_THE_RUN.test(message) : message.startsWith(ANSWERED));
}

/**
 * The error that callers of a served workflow may see: its code, its step, and a message that reveals neither the address of
 * a model, nor what it or a function of the program said, nor what the state has. The error itself is for the log.
 *
 * ```ts
 * async function serve(request: Request): Promise<Response> {
 *   const result = await workflow.run({ signal: request.signal });
 *   if (result.status === "done") return Response.json(result.state);
 *   console.error(result.error);
 *   return Response.json({ error: publicError(result.error) }, { status: 502 });
 * }
 * ```
 */
export function publicError(error: unknown): PublicError {
  if (!isStepweaveError(error)) return { code: "internal", message: "the workflow failed" };
  const { code, message, hint, step } = error;
  const words = isOfCaller(error) ? { message, ...(hint !== undefined && { hint }) } : { message: WORDS[code] ?? "the workflow failed" };
  return { code, ...words, ...(step !== undefined && { step }) };
}
