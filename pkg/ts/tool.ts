import { StepweaveError } from "./errors.js";
import { refuseUnknown } from "./options.js";
import type { RunContext, Schema } from "./types.js";

/** What a tool's function is given besides its arguments. */
export interface ToolContext extends RunContext {
  /** Tells this call from the others of its step. */
  readonly callId: string;
  /** The tool's name. */
  readonly tool: string;
}

/** What a tool does. It is given the arguments as one object. */
export type ToolFunction = (args: any, context: ToolContext) => unknown;

/** What can be said of a tool besides its function. */
export interface ToolOptions {
  /** The function's own name when absent. */
  name?: string | undefined;
  /** What it does, for the model that chooses. */
  description?: string | undefined;
  /** What its arguments must be; any object when absent. */
  input?: Schema | undefined;
  /** What it gives, for the model that chooses. */
  output?: Schema | undefined;
  /** The types of steps that may use it, such as `["think", "act"]`; `all` of them when absent. */
  scopes?: readonly string[] | undefined;
  /** Whether a person must agree to each call. */
  needsApproval?: boolean | undefined;
  /** Milliseconds that a call may take. */
  timeoutMs?: number | undefined;
  /** Change it when the function does something else: what an older version answered is then not taken from a journal. */
  version?: string | undefined;
}

/** A {@link Tool} as it is written. */
export interface ToolDefinition extends ToolOptions {
  execute: ToolFunction;
}

const OPTIONS = ["name", "description", "input", "output", "scopes", "needsApproval", "timeoutMs", "version", "execute"];

/** A function that a model may call. It never changes. */
export class Tool {
  readonly name: string;
  readonly description: string | undefined;
  readonly input: Schema | undefined;
  readonly output: Schema | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly needsApproval: boolean;
  readonly timeoutMs: number | undefined;
  readonly version: string | undefined;
  readonly execute: ToolFunction;

  constructor(definition: ToolDefinition) {
    refuseUnknown(definition, OPTIONS, "a tool");
    const { execute, name, description, input, output, scopes, needsApproval, timeoutMs, version } = definition;
    if (typeof execute !== "function") throw wrong("a tool needs a function as `execute`", "write tool({ name, execute: (args) => … })");
    const own = name ?? execute.name;
    if (!/^[\w-]{1,64}$/.test(own)) {
      throw wrong(own === "" ? "a tool has no name" : `a tool cannot be named ${own}`, 'write name: "…": up to 64 letters, digits, `_` and `-`');
    }
    this.name = own;
    this.description = description;
    this.input = input;
    this.output = output;
    this.scopes = scopes && Object.freeze([...scopes]);
    this.needsApproval = needsApproval ?? false;
    this.timeoutMs = timeoutMs;
    this.version = version;
    this.execute = execute;
    Object.freeze(this);
  }
}

/**
 * A tool: a function, what it is called with, and what the model is told of it.
 *
 * ```ts
 * const weather = tool({
 *   name: "weather",
 *   description: "The weather in a city right now.",
 *   input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
 *   execute: async ({ city }, { signal }) => (await fetch(`https://weather.example/${city}`, { signal })).json(),
 * });
 * ```
 *
 * A function alone is a tool too, under its own name: `tool(function now() { return new Date().toISOString(); })`.
 */
export function tool(definition: ToolDefinition): Tool;
export function tool(execute: ToolFunction, options?: ToolOptions): Tool;
export function tool(given: ToolDefinition | ToolFunction, options: ToolOptions = {}): Tool {
  return new Tool(typeof given === "function" ? { ...options, execute: given } : given);
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
