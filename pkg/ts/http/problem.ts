import { isStepweaveError, StepweaveError, type ErrorCode, type StepRef } from "../api/errors.js";
import { isOfCaller, publicError } from "../api/public-error.js";
import type { RunResult } from "../api/results.js";
import { isConflict } from "../journal/errors.js";

/** What went wrong with a call, as RFC 9457 writes it: `application/problem+json`. */
export interface HttpProblem {
  /** Always `about:blank`: `code` says what it is. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** One of the package's codes, or of `unauthorized`, `forbidden`, `not_found`, `method_not_allowed`, `too_large`, `busy`, `not_json`, `changed`. */
  readonly code: string;
  readonly detail: string;
  readonly hint?: string;
  /** The step that failed, if there is one. */
  readonly step?: StepRef;
  /** The run, if there is one. */
  readonly runId?: string;
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  421: "Misdirected Request",
  422: "Unprocessable Content",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

// What the caller can mend is a 4xx, what an endpoint did is a 502 to 504. A busy or refusing endpoint is no 429 or 401:
// these would say that the caller calls too often, or has the wrong token.
const STATUS: Partial<Record<ErrorCode, number>> = {
  validation: 400,
  template: 422,
  limit: 422,
  budget: 422,
  conflict: 409,
  cancelled: 409,
  model: 502,
  auth: 502,
  network: 502,
  unknown_outcome: 502,
  rate_limit: 503,
  timeout: 504,
};

/** A response that is no success, thrown from wherever it becomes clear. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: { readonly hint?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
  }

  response(): Response {
    const { status, code, message, more } = this;
    return problem({ status, code, detail: message, ...(more.hint !== undefined && { hint: more.hint }) }, more.headers);
  }
}

/** Why a run does not begin where as many go on as may, and when it may. */
export function tooManyRuns(): Refused {
  return new Refused(503, "busy", "too many runs go on at once", { hint: "try again in a second", headers: { "retry-after": "1" } });
}

/** A run goes on at this moment, as while another of its approvals is followed: then it may wait for an answer again. */
export function occupied(): Refused {
  return new Refused(409, "conflict", "the run is busy at the moment: try again in a few seconds", { headers: { "retry-after": "3" } });
}

/** Whether another run was faster to continue the journal. */
export function isTaken({ error, warnings }: RunResult): boolean {
  return isConflict(error) || warnings.some(({ code }) => code === "end_conflict");
}

/** The response to a call that failed with this error; callers receive its public form. */
export function failed(error: unknown, runId?: string): Response {
  if (error instanceof Refused) return error.response();
  const { code, message, hint, step } = publicError(error);
  const more = { ...(hint !== undefined && { hint }), ...(step !== undefined && { step }), ...(runId !== undefined && { runId }) };
  // What an endpoint refuses, or gave that does not fit, is no fault of the caller's.
  const isOfRun = code === "validation" && !(isStepweaveError(error) && isOfCaller(error));
  return problem({ status: isOfRun ? 502 : (STATUS[code] ?? 500), code, detail: message, ...more });
}

/** Whether an error is something that whoever serves the workflow should read. */
export function isForTheLog(error: unknown): boolean {
  return !(error instanceof Refused) && !isConflict(error) && !(isStepweaveError(error) && ((error.code === "validation" && isOfCaller(error)) || error.code === "cancelled"));
}

/** Whether an error says that the input of a run does not fit the schema of its workflow. */
export function isInputMisfit({ code, message, step }: StepweaveError): boolean {
  return code === "validation" && step === undefined && message.startsWith("the input of the workflow does not fit");
}

/** Whether a stored run cannot go on with what is deployed: its journal answers other questions, or its document names what the code has no longer. */
export function isUnfit(error: unknown): boolean {
  return isStepweaveError(error) && (error.code === "document" || error.problems?.some(({ code }) => code === "journal_mismatch") === true);
}

// Errors that name their run already.
const named = new WeakSet<object>();

/** What whoever serves the workflow reads of such an error: which run it is, and what can be done for that. Any other error as it is. */
export function ofRun(id: string, error: unknown): unknown {
  if (!isStepweaveError(error) || !isUnfit(error) || named.has(error)) return error;
  const lacking = `deploy again what its document names, or have the run follow what is deployed now: resume(${JSON.stringify(id)}, { document: "newest" })`;
  const { code, message, hint, step } = error;
  // These hints say how a document is given functions, whatever names them: a workflow in code has its own, and has lost one.
  const problems = error.problems?.map((problem) => (problem.code === "unknown_handler" ? { ...problem, hint: lacking } : problem));
  const whole = new StepweaveError(code, `the run \`${id}\` cannot go on with what is deployed: ${message}`, { hint: code === "document" ? lacking : hint, step, problems });
  named.add(whole);
  return whole;
}

/** The response to whoever requests such a run. */
export function changed(): Refused {
  return new Refused(409, "changed", "the workflow has changed since the run began, and what is deployed now cannot continue it; it stays as it was", {
    hint: "whoever serves the workflow puts back what has changed, or has the changed steps run again",
  });
}

function problem(said: Omit<HttpProblem, "type" | "title">, headers: Readonly<Record<string, string>> = {}): Response {
  const body: HttpProblem = { type: "about:blank", title: TITLES[said.status] ?? "Error", ...said };
  return new Response(JSON.stringify(body), { status: said.status, headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...headers } });
}
