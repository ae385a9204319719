import type { HttpRequestDocument, OnUnknown } from "./http.js";
import type { Json, JsonObject } from "./json.js";

export type { Json, JsonObject };

/** A fault, or a probable fault, of a document. */
export interface Problem {
  /** Its path, such as `steps[2].parallel[0].inputFrom`; empty for the document itself. */
  readonly path: string;
  /** A stable code for the kind of problem. */
  readonly code: string;
  /** What is wrong. */
  readonly message: string;
  /** What to do. */
  readonly hint: string;
  /** An `error` prevents the document from being run, a `warning` does not. */
  readonly severity: "error" | "warning";
  /** What certainly ends it, where that is known: `text` instead of the text at `path`. `label` says what that does. */
  readonly fix?: { readonly label: string; readonly text: string };
}

/**
 * How failed attempts of agent, function and `http` steps are repeated: any error that the step's own function throws, unless the
 * error says `retryable: false` or has the code `cancelled`, `limit`, `budget`, `document` or `validation`; and temporary
 * failures of endpoints.
 */
export interface RetryPolicy {
  /** Attempts after the first one; 0 when absent. */
  maxRetries?: number | undefined;
  /** Milliseconds before the first repetition; 1000 when absent. */
  backoffMs?: number | undefined;
  /** The factor by which the wait grows with each repetition; 2 when absent. */
  factor?: number | undefined;
  /** The longest wait in milliseconds; 60000 when absent. */
  maxBackoffMs?: number | undefined;
  /** The random share of the wait, from 0 to 1; 0 when absent. */
  jitter?: number | undefined;
  /** `true` also retries a model that has begun its answer; the text emitted so far is discarded then (`step.reset`). */
  afterFirstDelta?: boolean | undefined;
}

/** Bounds on what one run may use. */
export interface Limits {
  /** Milliseconds until the run ends with a `timeout` error. */
  timeoutMs?: number | undefined;
  /** Milliseconds that an attempt of a step may take by default. */
  stepTimeoutMs?: number | undefined;
  /** Milliseconds until a model has to begin its answer. When absent, its endpoint has five minutes to send anything at all. */
  firstTokenMs?: number | undefined;
  /** Milliseconds that a model may pause within its answer. When absent, its endpoint may send nothing for two minutes. */
  idleMs?: number | undefined;
  /** Units of work that one evaluation of a template or an expression may take. */
  templateFuel?: number | undefined;
  /** Steps that a run may start, those that hold others too; each round of a loop and each item of a foreach counts its own again, and nothing for itself. */
  maxSteps?: number | undefined;
  /** Bytes that the state may have as JSON. */
  maxStateBytes?: number | undefined;
  /** Bytes of JSON that a function, a tool or the schema of a library may return at once, and that the sources and files of an answer may have; 33554432 when absent. */
  maxResultBytes?: number | undefined;
  /** Events that a run may emit; 2000000 when absent. */
  maxEvents?: number | undefined;
  /** Tokens, in and out, that the model calls of a run may use; a run that reaches the limit ends with the status `budget`, whatever tolerates failures. */
  maxTokens?: number | undefined;
  /** US dollars that the model calls of a run may cost; a run that reaches the limit ends with the status `budget`, whatever tolerates failures. */
  maxCost?: number | undefined;
}

/** Bounds on what one answer of an agent may use. They are checked before each model call. */
export interface AgentLimits {
  /** Tokens, in and out. */
  maxTokens?: number | undefined;
  /** US dollars. */
  maxCost?: number | undefined;
}

/** A function that the host provides. */
export interface HandlerRef {
  /** The name under which the host provides it. */
  handler: string;
  /** Change it when the function does something else: journal entries of an older version are then not reused. */
  version?: string | undefined;
}

/** A template or an expression to evaluate, or a function of the host. */
export type Source = string | HandlerRef;

/** An expression for each key. */
export type Expressions = { [key: string]: string };

/** The provider of a model; `demo` is the offline simulation, `custom` a function of the host. */
export type Provider =
  | "openai"
  | "openaiResponses"
  | "anthropic"
  | "gemini"
  | "openrouter"
  | "groq"
  | "mistral"
  | "deepseek"
  | "xai"
  | "together"
  | "ollama"
  | "lmstudio"
  | "vllm"
  | "llamacpp"
  | "azure"
  | "workersAi"
  | "demo"
  | "custom";

/** The price of a model, in US dollars per million tokens. */
export interface Price {
  /** Tokens of prompts. */
  input: number;
  /** Tokens of answers. */
  output: number;
  /** Prompt tokens that the endpoint reads from its cache; as `input` when absent. */
  cachedInput?: number | undefined;
  /** Prompt tokens that the endpoint writes to its cache; as `input` when absent. */
  cacheWrite?: number | undefined;
  /** The prices when the prompt is long: of the whole prompt, and of its answer. */
  longPrompt?: {
    /** A prompt with more tokens is long. */
    above: number;
    input: number;
    output: number;
    cachedInput?: number | undefined;
    cacheWrite?: number | undefined;
  } | undefined;
}

/** Parameters for the request body, sent as they are, besides the common settings that are translated for each endpoint. */
export type ModelParams = { readonly [key: string]: Json | undefined } & {
  /** The maximum number of tokens in an answer: `max_tokens`, `max_completion_tokens` and the like. */
  maxOutputTokens?: number | undefined;
  /** Stop sequences, before which an answer ends: `stop` and the like. OpenAI Responses has no such setting. */
  stopSequences?: string[] | undefined;
  /** How much the model reasons first. */
  reasoningEffort?: "none" | "low" | "medium" | "high" | undefined;
};

/** How a JSON answer is requested: with the JSON Schema, in the endpoint's JSON mode, or in the prompt. */
export type OutputMode = "schema" | "json" | "prompt";

/** What a model's document and its options in TypeScript have alike. */
export interface ModelSettings {
  /** Parameters for the request body: `{ temperature: 0.2, maxOutputTokens: 500 }`. */
  params?: ModelParams | undefined;
  /** More headers of its requests. They must not contain a key. */
  headers?: { readonly [name: string]: string } | undefined;
  /** The version of the endpoint's API, where it has several. */
  apiVersion?: string | undefined;
  /** Whether it accepts sampling parameters such as a temperature; looked up by the model's name when absent. */
  sampling?: boolean | undefined;
  /** How JSON answers are requested; looked up for the endpoint when absent. */
  outputMode?: OutputMode | undefined;
  /** Its prices, instead of the built-in ones. */
  price?: Price | undefined;
  /** HTTP requests to its endpoint that may be in flight at once. */
  concurrency?: number | undefined;
  /** HTTP requests that may start at its endpoint within a minute. */
  requestsPerMinute?: number | undefined;
}

/** A model as the document has it. */
export interface ModelDocument extends ModelSettings {
  provider: Provider;
  model: string;
  /** The address of the endpoint; the provider's own when absent. */
  baseUrl?: string | undefined;
  /** The name of the secret that is the key; its value is never in a document. */
  apiKey?: { secret: string } | undefined;
  /** For the provider `custom`: the function of the host that answers. */
  handler?: string | undefined;
}

/** Whether an agent has to call a tool: it may, it must before it answers, it must not, it must call this one. */
export type ToolChoice = "auto" | "required" | "none" | { readonly tool: string };

/** An agent as the document has it. */
export interface AgentDocument {
  /** A key of the document's `models`. */
  model: string;
  /** Keys of `models` that are called, in this order, when those before them fail. */
  fallbacks?: string[] | undefined;
  instructions?: string | undefined;
  params?: ModelParams | undefined;
  /** Keys of the document's `tools` that it may call. */
  tools?: string[] | undefined;
  toolChoice?: ToolChoice | undefined;
  /**
   * JSON Schema of its answer, which is then a JSON value and no text; or the function that checks it, with the JSON
   * Schema for its model.
   */
  output?: Json | { handler: string; schema?: Json | undefined } | undefined;
  /** How many times its model may be called for one answer; 10 when absent. */
  maxTurns?: number | undefined;
  limits?: AgentLimits | undefined;
}

/** A tool that the provider of the model runs itself, while the model answers. */
export interface ProviderToolDocument {
  /** What it does: search the web, or run code that the model writes. */
  provider: "web_search" | "code_execution";
  /** How often it may search for one answer: Anthropic and OpenRouter. */
  maxUses?: number | undefined;
  /** The only domains that it may search: Anthropic, OpenAI and OpenRouter. */
  allowedDomains?: string[] | undefined;
  /** Domains that it must not find: Anthropic and OpenRouter. */
  blockedDomains?: string[] | undefined;
}

/** A tool of an MCP server. The `description` and the `input` that stand beside it are what is sent to models. */
export interface McpToolDocument {
  /** The address of the server, literally: https, or http on this machine. */
  url: string;
  /** The tool's name at the server. */
  tool: string;
  /** The fingerprint of its name, description and schemas as they were when it was taken: `mcpToolDocuments()` of `stepweave/mcp` writes it. */
  hash: string;
  /** The secret that is sent along: as a bearer token, or in a header. */
  auth?: { bearer: { secret: string } } | { header: { name: string; value: { secret: string } } } | undefined;
  /** `true` lets the server ask a person in the midst of a call. */
  elicitation?: boolean | undefined;
}

/** A tool as the document has it. */
export interface ToolDocument {
  /** The description of the tool for the model. */
  description?: string | undefined;
  /** JSON Schema of the arguments; any object when absent. */
  input?: Json | undefined;
  /** What runs; the handler of the tool's own name when absent. */
  run?: HandlerRef | { code: string } | { http: HttpRequestDocument } | { workflow: InnerWorkflowDocument } | { mcp: McpToolDocument } | ProviderToolDocument | undefined;
  /**
   * `true` requires a person's approval for each call; a handler decides that for each call, over its arguments. When absent, a
   * request that does more than read requires it, a workflow with such a request too, and a tool of an MCP server; nothing
   * else does.
   */
  needsApproval?: boolean | HandlerRef | undefined;
  /** For agents with steps: the types of steps that may call it. */
  scopes?: string[] | undefined;
  /** Milliseconds that a call may take. */
  timeoutMs?: number | undefined;
}

/** The conversation that an agent step continues. */
export interface History {
  /** The key of the state that has it: a list of messages, with tool calls, their results, images and files. */
  key: string;
  /** How many messages are kept; the oldest are dropped. 20 when absent. */
  maxMessages?: number | undefined;
  /** About how many tokens the messages that are kept may have; not bounded when absent. */
  maxTokens?: number | undefined;
  /** A key of `agents`: the one that sums up the older messages, instead of their being dropped. */
  summary?: string | undefined;
}

/** What every step of a document has. */
export interface StepDocumentBase {
  id: string;
  name: string;
  /** `false` lets the run continue when the step fails. */
  required?: boolean | undefined;
  /** `false` leaves the step out, as if it did not exist. */
  enabled?: boolean | undefined;
  /** What a failure does, instead of the workflow's setting. */
  onError?: "stop" | "continue" | undefined;
  /** JSON Schema of the state when the step begins. */
  input?: Json | undefined;
  /** JSON Schema of the step's result. */
  output?: Json | undefined;
  /** `true` converts values of a wrong type whose meaning is unambiguous, such as `"3"` for a number. */
  coerce?: boolean | undefined;
  notes?: string | undefined;
  [extension: `x-${string}`]: Json;
}

/** The keys of steps with attempts: agents, functions and requests. */
export interface Attempted {
  /** Attempts after the first one, instead of the retry policy's number; which failures are repeated is the same. */
  retryCount?: number | undefined;
  /** Milliseconds that an attempt may take, instead of `limits.stepTimeoutMs`. */
  timeoutMs?: number | undefined;
}

/** A step as the document has it. */
export type StepDocument =
  | (StepDocumentBase & Attempted & { type: "agent"; agent: string; inputFrom?: Source | undefined; files?: Source | undefined; history?: History | undefined; fullResponse?: boolean | undefined })
  | (StepDocumentBase & Attempted & { type: "function"; run: { set: Expressions } | HandlerRef | { code: string } })
  | (StepDocumentBase & Attempted & { type: "http"; http: HttpRequestDocument; onUnknown?: OnUnknown | undefined })
  | (StepDocumentBase & { type: "condition"; condition: Source; steps: StepDocument[]; else?: StepDocument[] | undefined })
  | (StepDocumentBase & { type: "switch"; cases: { name?: string | undefined; when: Source; steps: StepDocument[] }[]; default: StepDocument[] })
  | (StepDocumentBase & { type: "parallel"; parallel: StepDocument[]; concurrency?: number | undefined; onConflict?: "warn" | "error" | undefined })
  | (StepDocumentBase & { type: "sequence"; steps: StepDocument[] })
  | (StepDocumentBase & ForeachRules & { type: "foreach"; items: Source; steps: StepDocument[] })
  | (StepDocumentBase & LoopRules & { type: "loop"; repeat: { while: Source } | { until: Source }; steps: StepDocument[] })
  | (StepDocumentBase & InnerWorkflowDocument & { type: "workflow" })
  | (StepDocumentBase & { type: "wait"; wait: Wait })
  | (StepDocumentBase & { type: "end"; end: Exit })
  | (StepDocumentBase & { type: "approval"; message?: string | undefined; schema?: Json | HandlerRef | undefined; approved?: Source | undefined; steps?: StepDocument[] | undefined; else?: StepDocument[] | undefined; expiresMs?: number | undefined; expired?: StepDocument[] | undefined });

/** Steps over a state of their own: those of a workflow step, or of a tool. */
export interface InnerWorkflowDocument {
  initialState?: JsonObject | undefined;
  /** An expression for each key that they are given; the whole state outside, or all arguments, when absent. */
  with?: Expressions | undefined;
  steps: StepDocument[];
  /** An expression for each key that they give; their whole state when absent. */
  set?: Expressions | undefined;
}

/** How a foreach treats its items. */
export interface ForeachRules {
  /** The key under which the steps find their item, `item` when absent; its index has the same key with `_index`. */
  as?: string | undefined;
  /** The result of an item: an expression over its final state. The keys that it changed, when absent. */
  result?: string | undefined;
  /** How many items may run at once, including those that wait for a person; 1 when absent. */
  concurrency?: number | undefined;
  /** What the failure of an item does: it ends the step (the default), the result is null, or there is no result. */
  onItemError?: "stop" | "null" | "drop" | undefined;
}

/** How often a loop runs. */
export interface LoopRules {
  /** The maximum number of rounds. */
  maxIterations: number;
  /** What reaching that number does: it is a failure with the code `limit` (the default), or the run continues after the loop. */
  onMax?: "error" | "continue" | undefined;
}

/** How long a wait takes: milliseconds, or until the time of an expression (milliseconds since 1970, or a string such as `2030-01-31T12:00:00Z`). */
export type Wait = { ms: number } | { until: string };

/** What an end step ends, and how. */
export interface Exit {
  /**
   * `run`, the default: the run or, in a workflow step, the run of that workflow. `round`: the current round of the innermost
   * loop, which then decides about the next one. `item`: the item of the innermost foreach.
   */
  scope?: "run" | "round" | "item" | undefined;
  /** `done`, the default, as if its last step had been reached; `error` is a failure that nothing inside of it tolerates. */
  status?: "done" | "error" | undefined;
  /** A template: the output of the step or, with `error`, the message of the failure. */
  message?: string | undefined;
}

/**
 * A workflow as data, which can be stored, shared, drawn in the builder and run anywhere.
 *
 * ```json
 * { "version": 1, "name": "greet", "steps": [
 *   { "id": "s1", "type": "function", "name": "hello", "run": { "set": { "greeting": "'Hello ' ~ who" } } }
 * ] }
 * ```
 */
export interface WorkflowDocument {
  version: 1;
  name: string;
  description?: string | undefined;
  /** JSON Schema of the state a run starts with. */
  input?: Json | undefined;
  /** JSON Schema of the state a run ends with. */
  output?: Json | undefined;
  /** The state every run begins with; a run's own `state` is merged over it. */
  initialState?: JsonObject | undefined;
  models?: { [id: string]: ModelDocument } | undefined;
  agents?: { [id: string]: AgentDocument } | undefined;
  tools?: { [name: string]: ToolDocument } | undefined;
  /** Prices of models by name, instead of the built-in ones; not of models that code provides to the document. */
  prices?: { [model: string]: Price } | undefined;
  steps: StepDocument[];
  retryPolicy?: RetryPolicy | undefined;
  onError?: "stop" | "continue" | undefined;
  limits?: Limits | undefined;
  notes?: string | undefined;
  /** Outputs of steps for runs with the option `pins: true`, by the ids of the steps. */
  pins?: JsonObject | undefined;
  [extension: `x-${string}`]: Json;
}
