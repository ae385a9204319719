import type { RunContext } from "./functions.js";
import type { ProviderToolDocument } from "./document.js";
import type { HttpRequestDocument } from "./http.js";
import type { Schema, TypeOf } from "./schema.js";

/**
 * What a tool's function is given besides its arguments. `idempotencyKey` is another one for each call.
 *
 * ```ts
 * const read: ToolFunction = async ({ url }, { callId, tool, signal }) => (await fetch(url, { signal })).text();
 * ```
 */
export interface ToolContext extends RunContext {
  /** Identifies this call among those of its step. */
  readonly callId: string;
  /** The tool's name. */
  readonly tool: string;
}

/**
 * The function of a tool. It receives the arguments as one object, and returns any JSON value. The message of an error goes
 * back to the model, which may continue without it.
 */
export type ToolFunction<Args = any> = (args: Args, context: ToolContext) => unknown;

/**
 * Decides whether a person has to allow a call: over its arguments, before anything is called. What it throws fails the step.
 * A journal keeps its decision.
 *
 * ```ts
 * const isLarge: ApprovalFunction<{ euros: number }> = ({ euros }) => euros > 100;
 * ```
 */
export type ApprovalFunction<Args = any> = (args: Args, context: RunContext) => boolean | PromiseLike<boolean>;

/** What can be said of a tool besides its function. */
export interface ToolOptions<Input = Schema | undefined> {
  /** The function's own name when absent. */
  name?: string | undefined;
  /** What it does, in words for the model. */
  description?: string | undefined;
  /** What its arguments must be: the schema of an object. Any object when absent. */
  input?: Input | undefined;
  /** The schema of its result, for agents with steps: the selecting model sees it. */
  output?: Schema | undefined;
  /** For agents with steps: the types of steps that may use it, such as `["think", "act"]`; all of them when absent. */
  scopes?: readonly string[] | undefined;
  /**
   * `true` lets a person allow or refuse each call: the run is suspended until then. A function says of which calls. Requests
   * that do more than read, and workflows with such requests, need it unless this is false.
   */
  needsApproval?: boolean | ApprovalFunction<TypeOf<Input>> | undefined;
  /** Milliseconds that a call may take. */
  timeoutMs?: number | undefined;
  /** Change it when the function does something else: what an older version answered is then not taken from a journal. */
  version?: string | undefined;
}

/** A {@link Tool} as it is written. */
export interface ToolDefinition<Input = Schema | undefined> extends ToolOptions<Input> {
  execute: ToolFunction<TypeOf<Input>>;
}

/** A {@link Tool} that is a request, as it is written. Its templates see the arguments, and nothing of the state. */
export interface HttpToolDefinition<Input = Schema | undefined> extends Omit<ToolOptions<Input>, "version"> {
  name: string;
  http: HttpRequestDocument;
}

/** A {@link Tool} that the provider of the model runs itself, as it is written. Nobody can be asked before its calls. */
export interface ProviderToolDefinition extends ProviderToolDocument {
  name: string;
  /** What it is for, for people. */
  description?: string | undefined;
  /** For agents with steps: the types of steps that may use it; all of them when absent. */
  scopes?: readonly string[] | undefined;
}

/** A function that a model may call: made by `tool`. It never changes. */
export interface Tool<Args = any> {
  readonly name: string;
  readonly description: string | undefined;
  readonly input: Schema | undefined;
  readonly output: Schema | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly needsApproval: boolean | ApprovalFunction<Args> | undefined;
  readonly timeoutMs: number | undefined;
  readonly version: string | undefined;
  readonly execute: ToolFunction<Args>;
  /** The request that it is, instead of a function. */
  readonly http: HttpRequestDocument | undefined;
  /** The workflow that it is, or its steps, instead of a function. */
  readonly workflow: object | undefined;
  /** What the provider of the model runs, instead of a function. */
  readonly provider: Readonly<ProviderToolDocument> | undefined;
}
