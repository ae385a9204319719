import { pageOrigin } from "../effects/page.js";
import { causesOf, isStepweaveError, reasonOf, StepweaveError, textOf } from "../api/errors.js";

/** What the protocol says of a call that took too long. */
const TOOK_TOO_LONG = -32001;

/** How messages call a server, and what must not be in them. */
export interface ServerName {
  readonly name: string;
  hide(text: string): string;
}

/** Why a server could not be reached, or would not have us. `trouble` is what went wrong beside it. */
export function connectionFailure(error: unknown, server: ServerName, trouble: Error | undefined): StepweaveError {
  const own = ownOf(error, server);
  if (own !== undefined) return own;
  const status = codeOf(error);
  const said = server.hide(reasonOf(error));
  if (status === 401 || status === 403) return refused(`the MCP server ${server.name} refused the connection (${status}): ${said}`, error);
  if (status === TOOK_TOO_LONG) return tooLate(`the MCP server ${server.name}`, error, because(said, trouble, server));
  if (isOdd(error)) return odd(`the MCP server ${server.name}`, error, said);
  if (status !== undefined) {
    return new StepweaveError("network", `the MCP server ${server.name} could not be used${answered(status, said)}`, {
      cause: error,
      hint: "check the address: servers often are at /mcp; those that only speak the older HTTP+SSE are not supported",
      retryable: isPassing(status),
    });
  }
  return unreachable(error, server, said);
}

/** Why a call failed, in words for the calling model. */
export function callFailure(error: unknown, name: string, server: ServerName, trouble: Error | undefined): StepweaveError {
  const own = ownOf(error, server);
  if (own !== undefined) return own;
  const status = codeOf(error);
  const said = server.hide(reasonOf(error));
  if (status === TOOK_TOO_LONG) return tooLate(`the tool ${name} of the MCP server ${server.name}`, error, because(said, trouble, server));
  if (isOdd(error)) return odd(`the tool ${name} of the MCP server ${server.name}`, error, said);
  if (status === undefined) return unreachable(error, server, said);
  // A token may be over by now; that a person may not use this tool, as 403 says, is the tool's own answer.
  if (status === 401) return refused(`the MCP server ${server.name} refused the call of ${name} (401): ${said}`, error);
  // A server that was restarted does not know the session any more.
  const hint = status === 404 || status === 400 ? "if the server was started again, connect again: call mcpTools() once more" : undefined;
  return new StepweaveError("tool", `the tool ${name} of the MCP server ${server.name} failed${answered(status, said)}`, { cause: error, hint, retryable: isPassing(status) });
}

function refused(message: string, cause: unknown): StepweaveError {
  return new StepweaveError("auth", message, { cause, hint: 'pass what it asks for: mcpTools(url, { headers: { authorization: "Bearer …" } }), or `auth` where it wants OAuth' });
}

/** What was thrown here, such as that a secret could not be renewed: the SDK puts an error of its own around it. */
function ownOf(error: unknown, server: ServerName): StepweaveError | undefined {
  for (const met of causesOf(error)) {
    if (!isStepweaveError(met)) continue;
    // What came between, such as a relay, does not say which server it is about.
    const { code, hint, retryable, message } = met;
    return code === "network" && met !== error ? new StepweaveError(code, `the MCP server ${server.name} could not be reached: ${message}`, { cause: error, hint, retryable }) : met;
  }
  return undefined;
}

/** The number that an error of the SDK has: an HTTP status, or a code of the protocol, which is negative. */
export function codeOf(error: unknown): number | undefined {
  const { code, status, cause } = (error ?? {}) as { code?: unknown; status?: unknown; cause?: unknown };
  if (typeof status === "number") return status;
  if (code === "REQUEST_TIMEOUT") return TOOK_TOO_LONG;
  // What was met while the server's protocol was detected stands behind that.
  if (code === "ERA_NEGOTIATION_FAILED" && cause !== undefined) return codeOf(cause);
  return typeof code === "number" ? code : undefined;
}

/** What a server answered: its status, as many say nothing beside it, and no colon before nothing. */
function answered(status: number, said: string): string {
  const isHttp = status >= 100 && status < 600;
  return `${isHttp ? ` (${status})` : ""}: ${said.replace(/:\s*$/, "")}`;
}

/** Whether a server answered with what the protocol does not have. */
function isOdd(error: unknown): boolean {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return code === "INVALID_RESULT" || name === "ZodError";
}

function odd(what: string, cause: unknown, said: string): StepweaveError {
  return new StepweaveError("tool", `${what} answered with what the protocol does not have: ${firstFault(said)}`, { cause, hint: "tell whoever runs the server: this client takes what the protocol says, and nothing else", retryable: false });
}

/** Of a list of faults as JSON the first one with its place; else the text itself. */
function firstFault(said: string): string {
  try {
    const [{ path, message }] = JSON.parse(said.slice(said.indexOf("["))) as [{ path: readonly (string | number)[]; message: string }];
    return path.length === 0 ? message : `\`${path.map((key, at) => (typeof key === "number" ? `[${key}]` : at === 0 ? key : `.${key}`)).join("")}\`: ${message}`;
  } catch {
    return said;
  }
}

/** Whether the same may be answered later. */
function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function because(said: string, trouble: Error | undefined, server: ServerName): string {
  return trouble === undefined ? said : `${said}; meanwhile: ${server.hide(reasonOf(trouble))}`;
}

function tooLate(what: string, cause: unknown, said: string): StepweaveError {
  return new StepweaveError("timeout", `${what} took too long: ${said}`, { cause, hint: "raise the option `timeoutMs` of mcpTools()", retryable: true });
}

function unreachable(error: unknown, server: ServerName, said: string): StepweaveError {
  if ((error as { name?: unknown } | null)?.name === "AbortError") return new StepweaveError("cancelled", `the MCP server ${server.name} was given up: ${textOf(error)}`, { cause: error });
  const page = pageOrigin();
  const hint = page === undefined
    ? "check that it is up and that the address is right"
    : `check that it is up; for calls from a page, it has to allow ${page} (CORS) and to expose the header mcp-session-id`;
  return new StepweaveError("network", `the MCP server ${server.name} could not be reached: ${said}`, { cause: error, hint, retryable: true });
}
