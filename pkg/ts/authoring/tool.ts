import { isInstance, markInAllCopies } from "../api/copies.js";
import { StepweaveError, textOf } from "../api/errors.js";
import type { ProviderToolDocument } from "../api/document.js";
import type { HttpRequestDocument } from "../api/http.js";
import { isObject } from "../api/json.js";
import type { TypeOf, Schema } from "../api/schema.js";
import type { ApprovalFunction, HttpToolDefinition, ProviderToolDefinition, Tool as ToolOf, ToolDefinition, ToolFunction, ToolOptions } from "../api/tool.js";
import type { WorkflowToolDefinition } from "../api/workflow-tool.js";
import { mayBeObject } from "../schema/objects.js";
import { optionsFrom, reading } from "../schema/options.js";
import { isStandardSchema, jsonSchemaOf } from "../schema/standard.js";

const OPTIONS = ["name", "description", "input", "output", "scopes", "needsApproval", "timeoutMs", "version", "execute", "http", "workflow", "provider", "maxUses", "allowedDomains", "blockedDomains"];

/** What a tool may run besides a function, and what it is then. */
const AS_DATA = { http: "a request", workflow: "a workflow" } as const;

type Definition = ToolDefinition | HttpToolDefinition | WorkflowToolDefinition | ProviderToolDefinition;

/** A function that a model may call: made by {@link tool}. It never changes. */
export class Tool<Args = any> implements ToolOf<Args> {
  readonly name: string;
  readonly description: string | undefined;
  readonly input: Schema | undefined;
  readonly output: Schema | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly needsApproval: boolean | ApprovalFunction<Args> | undefined;
  readonly timeoutMs: number | undefined;
  readonly version: string | undefined;
  readonly execute: ToolFunction<Args>;
  readonly http: HttpRequestDocument | undefined;
  readonly workflow: object | undefined;
  readonly provider: Readonly<ProviderToolDocument> | undefined;

  constructor(definition: Definition) {
    const { name, description, input, output, scopes, needsApproval, timeoutMs, version, execute, http, workflow, provider } = reading("a tool", () => checked(definition));
    this.name = name;
    this.description = description;
    this.input = input;
    this.output = output;
    this.scopes = scopes;
    this.needsApproval = needsApproval;
    this.timeoutMs = timeoutMs;
    this.version = version;
    this.execute = execute;
    this.http = http;
    this.workflow = workflow;
    this.provider = provider;
    Object.freeze(this);
    markInAllCopies(Tool);
  }

  /** @internal */
  static get name(): string {
    return "Tool";
  }

  /** @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(value, this, Tool);
  }
}

/**
 * A tool: a function, an HTTP request or a workflow, the schema of its arguments, and its description for the model.
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
 * With `http` instead of a function it is a request over the arguments, which stands in the document:
 *
 * ```ts
 * const country = tool({
 *   name: "country",
 *   input: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
 *   http: { url: "https://countries.example/v1/{{ code }}", result: "body.name" },
 * });
 * ```
 *
 * With `workflow` it is steps over the arguments, or a whole workflow; their end is the result:
 *
 * ```ts
 * const shorten = tool({
 *   name: "shorten",
 *   input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
 *   workflow: { steps: [{ name: "ask", agent: writer, inputFrom: "Shorten this: {{ text }}" }], set: { short: "ask_output" } },
 * });
 * ```
 *
 * With `provider` it is one that the provider of the model runs itself:
 *
 * ```ts
 * const search = tool({ name: "search", provider: "web_search", allowedDomains: ["example.com"] });
 * ```
 *
 * The schema is a JSON Schema or one of a library (zod, valibot, arktype, …); the arguments have its type. A function alone
 * is a tool too, under its own name: `tool(function now() { return new Date().toISOString(); })`.
 */
export function tool<const Input extends Schema | undefined = undefined>(definition: ToolDefinition<Input>): Tool<TypeOf<Input>>;
export function tool<const Input extends Schema | undefined = undefined>(definition: HttpToolDefinition<Input>): Tool<TypeOf<Input>>;
export function tool(definition: ProviderToolDefinition): Tool<any>;
export function tool<const Input extends Schema | undefined = undefined>(definition: WorkflowToolDefinition<Input>): Tool<TypeOf<Input>>;
export function tool<const Input extends Schema | undefined = undefined>(execute: ToolFunction<TypeOf<Input>>, options?: ToolOptions<Input>): Tool<TypeOf<Input>>;
export function tool(given: Definition | ToolFunction, options: ToolOptions = {}): Tool {
  // Some libraries have functions for schemas.
  if (reading("a tool", () => isStandardSchema(given))) throw wrong("a tool is made of an object or a function, and was given a schema", 'write tool({ name: "search", input: schema, execute: ({ query }) => … })');
  if (typeof given === "function") {
    const { name, ...rest } = optionsFrom(options, OPTIONS, "a tool");
    return new Tool({ ...rest, name: name ?? reading("a tool", () => given.name), execute: given });
  }
  if (typeof given === "object" && given !== null) return new Tool(given);
  throw wrong("a tool is made of an object or a function", 'write tool({ name: "search", execute: ({ query }) => … })');
}

// A function that is used several times is one tool.
const toolsOfFunctions = new WeakMap<ToolFunction, Tool>();

/** @internal The tool that this is, or that a plain function makes; nothing for anything else. */
export function toolFrom(given: unknown): Tool | undefined {
  if (given instanceof Tool) return given;
  if (typeof given !== "function" || isStandardSchema(given)) return undefined;
  const execute = given as ToolFunction;
  const made = toolsOfFunctions.get(execute) ?? new Tool({ name: execute.name, execute });
  toolsOfFunctions.set(execute, made);
  return made;
}

// What all providers take: OpenAI and Anthropic allow a digit or a dash in front, Gemini does not.
const NAME = /^[A-Za-z_][\w-]{0,63}$/;

/** What is said of a tool, seen to be right. */
function checked(definition: Definition) {
  const { execute: given, http, workflow, provider, maxUses, allowedDomains, blockedDomains, name, description, input, output, scopes, needsApproval, timeoutMs, version } = optionsFrom(definition as ToolDefinition & HttpToolDefinition & WorkflowToolDefinition & ProviderToolDefinition, OPTIONS, typeof definition?.name === "string" ? `the tool ${definition.name}` : "a tool");
  // A tool that is made of another one has what that has.
  const written = given === notCalled ? undefined : given;
  const data = http !== undefined ? "http" : workflow !== undefined ? "workflow" : undefined;
  if (data !== undefined && written !== undefined) throw wrong(`a tool has ${AS_DATA[data]} and a function, but runs only one of them`, `leave out \`${data}\` or \`execute\``);
  if (http !== undefined && workflow !== undefined) throw wrong("a tool has a request and a workflow, but runs only one of them", "put the request into a step of the workflow");
  const provided = providedBy(provider, { maxUses, allowedDomains, blockedDomains });
  if (provided !== undefined) refuseBeside({ execute: written, http, workflow, input, output, needsApproval, timeoutMs, version });
  const isHere = data === undefined && provided === undefined;
  const execute = isHere ? written : notCalled;
  if (typeof execute !== "function") throw wrong("a tool needs a function as `execute`", 'write tool({ name: "search", execute: ({ query }) => … })');
  // An inline function has the name of the option.
  const own: unknown = name ?? (!isHere || execute.name === "execute" ? "" : execute.name);
  if (own === "") throw wrong("a tool has no name", 'write name: "…", or give its function a name');
  if (typeof own !== "string" || !NAME.test(own)) {
    throw wrong(`a tool cannot be named \`${textOf(own)}\``, "take up to 64 letters, digits, `_` and `-`, no digit or `-` first: models take no others");
  }
  const refuse = (key: string, need: string, hint: string): never => {
    throw wrong(`the \`${key}\` of the tool ${own} is no ${need}`, hint);
  };
  if (description !== undefined && typeof description !== "string") refuse("description", "text", "say in a sentence what the tool does");
  if (input !== undefined && !isObjectSchema(input)) refuse("input", "schema of an object", 'write input: { type: "object", properties: { … } }, or a Standard Schema of an object');
  if (output !== undefined && !isSchema(output)) refuse("output", "schema", 'write output: { type: "object", properties: { … } }, or a Standard Schema');
  if (needsApproval !== undefined && typeof needsApproval !== "boolean" && typeof needsApproval !== "function") refuse("needsApproval", "true, false or function", "write needsApproval: true, or ({ sum }) => sum > 100");
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs > 0)) refuse("timeoutMs", "whole number from 1 on", "write milliseconds: timeoutMs: 10_000");
  if (version !== undefined && (typeof version !== "string" || version === "")) refuse("version", "text", 'write version: "2"');
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string"))) refuse("scopes", "list of texts", 'write scopes: ["think", "act"]');
  if (workflow !== undefined && (typeof workflow !== "object" || workflow === null || Array.isArray(workflow))) refuse("workflow", "workflow", "write workflow: { steps: [ … ] }, or pass a new Workflow({ … })");
  return { name: own, description, input, output, scopes: scopes && Object.freeze([...scopes]), needsApproval: isHere ? (needsApproval ?? false) : needsApproval, timeoutMs, version, execute, http, workflow, provider: provided };
}

/** What the provider is to run, with its bounds. A tool that is made of another one has both in one object. */
function providedBy(provider: unknown, bounds: Omit<ProviderToolDocument, "provider">): Readonly<ProviderToolDocument> | undefined {
  const set = Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined));
  if (provider !== undefined) return Object.freeze({ ...(typeof provider === "object" ? (provider as ProviderToolDocument) : { provider: provider as ProviderToolDocument["provider"] }), ...set });
  if (Object.keys(set).length > 0) throw wrong("only a tool of the provider's has bounds on searches", 'write provider: "web_search" beside them, or leave them out');
  return undefined;
}

/** What a provider runs itself comes past nobody here. */
function refuseBeside(options: Record<string, unknown>): void {
  const [key] = Object.entries(options).find(([, option]) => option !== undefined) ?? [];
  if (key === undefined) return;
  const why = key === "needsApproval" ? ": nobody can be asked before its calls" : "";
  throw wrong(`a tool that the provider of the model runs itself has no \`${key}\`${why}`, `leave out \`${key}\`, or take a tool of your own`);
}

/** Requests and workflows are the engine's to run, and what is the provider's runs there. */
function notCalled(): never {
  throw wrong("a tool that is a request, a workflow or the provider's is not called by itself", "let an agent call it in a workflow");
}

function isSchema(schema: unknown): boolean {
  return isStandardSchema(schema) || typeof schema === "boolean" || (isObject(schema));
}

function isObjectSchema(schema: unknown): boolean {
  // What a library does not say of its schema, such as of a transform, is shown by the first call.
  return mayBeObject(isStandardSchema(schema) ? jsonSchemaOf(schema, "input") : schema);
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
