/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object of JSON values. */
export type JsonObject = { readonly [key: string]: Json };

/** One thing that is wrong, or looks wrong, in a document. */
export interface Problem {
  /** Where, such as `steps[2].parallel[0].inputFrom`; empty for the document itself. */
  readonly path: string;
  /** A stable word for the kind of problem. */
  readonly code: string;
  /** What is wrong. */
  readonly message: string;
  /** What to do. */
  readonly hint: string;
  /** An `error` keeps the document from being run, a `warning` does not. */
  readonly severity: "error" | "warning";
}

/**
 * How failed attempts of agent and function steps are repeated: whatever the step's own function throws, unless the
 * error says `retryable: false` or has the code `cancelled`, `limit`, `budget`, `document` or `validation`; and what
 * endpoints answer that may go well later.
 */
export interface RetryPolicy {
  /** Attempts after the first one; 0 when absent. */
  maxRetries?: number | undefined;
  /** Milliseconds before the first repetition; 1000 when absent. */
  backoffMs?: number | undefined;
  /** By how much the wait grows with each repetition; 2 when absent. */
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
  /** Milliseconds that an attempt of a step may take, unless the step says otherwise. */
  stepTimeoutMs?: number | undefined;
  /** Milliseconds until a model has to begin its answer. When absent, its endpoint has five minutes to send anything at all. */
  firstTokenMs?: number | undefined;
  /** Milliseconds that a model may pause within its answer. When absent, its endpoint may send nothing for two minutes. */
  idleMs?: number | undefined;
  /** Instructions that one template or expression may take. */
  templateFuel?: number | undefined;
  /** Steps that a run may start; each round of a loop counts them again. */
  maxSteps?: number | undefined;
  /** Bytes that the state may have as JSON. */
  maxStateBytes?: number | undefined;
  /** Bytes of JSON that a function or a tool may give at once; 33554432 when absent. */
  maxResultBytes?: number | undefined;
  /** Events that a run may emit; 2000000 when absent. */
  maxEvents?: number | undefined;
  /** Tokens, in and out, that the model calls of a run may use; a run that reaches it ends with the status `budget`. */
  maxTokens?: number | undefined;
  /** US dollars that the model calls of a run may cost, likewise. */
  maxCost?: number | undefined;
}

/** Bounds on what one answer of an agent may use. They are looked at before each call of a model. */
export interface AgentLimits {
  /** Tokens, in and out. */
  maxTokens?: number | undefined;
  /** US dollars. */
  maxCost?: number | undefined;
}

/** A function that the host brings. */
export interface HandlerRef {
  /** The name under which the host knows it. */
  handler: string;
  /** Change it when the function does something else: what an older version answered is then not taken from a journal. */
  version?: string | undefined;
}

/** Text to evaluate, or a function of the host. */
export type Source = string | HandlerRef;

/** An expression for each key. */
export type Expressions = { [key: string]: string };

/** Whose endpoint a model is at; `demo` is the offline simulation, `custom` a function of the host. */
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

/** What a model costs, in US dollars per million tokens. */
export interface Price {
  /** Tokens of prompts. */
  input: number;
  /** Tokens of answers. */
  output: number;
  /** Tokens of prompts that the endpoint had kept; as `input` when absent. */
  cachedInput?: number | undefined;
  /** Tokens of prompts that the endpoint keeps from then on; as `input` when absent. */
  cacheWrite?: number | undefined;
  /** What it costs when the prompt is long: all of the prompt, and its answer. */
  longPrompt?: {
    /** A prompt of more tokens is long. */
    above: number;
    input: number;
    output: number;
    cachedInput?: number | undefined;
    cacheWrite?: number | undefined;
  };
}

/** Parameters for the request body, sent as they are, besides the common settings that are translated for each endpoint. */
export type ModelParams = JsonObject & {
  /** How many tokens an answer may have: `max_tokens`, `max_completion_tokens` and the like. */
  maxOutputTokens?: number;
  /** Texts before which an answer ends: `stop` and the like. OpenAI Responses has no such setting. */
  stopSequences?: string[];
  /** How much the model thinks first. */
  reasoningEffort?: "none" | "low" | "medium" | "high";
};

/** How a JSON answer is requested: with the JSON Schema, in the endpoint's JSON mode, or in the prompt. */
export type OutputMode = "schema" | "json" | "prompt";

/** A model as the document has it. */
export interface ModelDocument {
  provider: Provider;
  model: string;
  /** The address of the endpoint; the provider's own when absent. */
  baseUrl?: string | undefined;
  /** The name of the secret that is the key; its value is never in a document. */
  apiKey?: { secret: string } | undefined;
  params?: ModelParams | undefined;
  /** More headers of its requests, never a key. */
  headers?: { readonly [name: string]: string } | undefined;
  /** The version of the endpoint's API, where it has several. */
  apiVersion?: string | undefined;
  /** Whether it takes a temperature and the like; what is known of the model decides when absent. */
  sampling?: boolean | undefined;
  /** How it is made to answer with a JSON value; what is known of the endpoint decides when absent. */
  outputMode?: OutputMode | undefined;
  /** What it costs, over what is known of it. */
  price?: Price | undefined;
  /** HTTP requests to its endpoint that may be in flight at once. */
  concurrency?: number | undefined;
  /** Requests that may begin at its endpoint within a minute. */
  requestsPerMinute?: number | undefined;
  /** For the provider `custom`: the function of the host that answers. */
  handler?: string | undefined;
}

/** Whether an agent has to call a tool: it may, it has to before it answers, it must not, it has to call this one. */
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
  output?: Json | { handler: string; schema?: Json } | undefined;
  /** How many times its model may be called for one answer; 10 when absent. */
  maxTurns?: number | undefined;
  limits?: AgentLimits | undefined;
}

/** A tool as the document has it. */
export interface ToolDocument {
  /** The description of the tool for the model. */
  description?: string | undefined;
  /** JSON Schema of the arguments; any object when absent. */
  input?: Json | undefined;
  /** What runs; the handler of the tool's own name when absent. */
  run?: HandlerRef | { code: string } | undefined;
  /** `true` lets a person allow or refuse each call. */
  needsApproval?: boolean | undefined;
  /** For agents with steps: the types of steps that may call it. */
  scopes?: string[] | undefined;
  /** Milliseconds that a call may take. */
  timeoutMs?: number | undefined;
}

/** The conversation that an agent step goes on with. */
export interface History {
  /** The key of the state that has it: a list of `{ role: "user" | "assistant", content }`. */
  key: string;
  /** How many messages are kept; the oldest are dropped. 20 when absent. */
  maxMessages?: number | undefined;
}

/** What every step of a document has. */
export interface StepDocumentBase {
  id: string;
  name: string;
  /** `false` lets the run go on when the step fails. */
  required?: boolean | undefined;
  /** `false` leaves the step out, as if it were not there. */
  enabled?: boolean | undefined;
  /** What a failure does, instead of what the workflow says. */
  onError?: "stop" | "continue" | undefined;
  /** JSON Schema of the state when the step begins. */
  input?: Json | undefined;
  /** JSON Schema of what the step gives. */
  output?: Json | undefined;
  /** `true` converts values of a wrong type that plainly mean the right one, such as `"3"` for a number. */
  coerce?: boolean | undefined;
  notes?: string | undefined;
  [extension: `x-${string}`]: Json;
}

/** What steps that are attempted, and may be attempted again, have: agents and functions. */
export interface Attempted {
  /** Attempts after the first one, instead of what the retry policy says; which failures are repeated is the same. */
  retryCount?: number | undefined;
  /** Milliseconds that an attempt may take, instead of what `limits.stepTimeoutMs` says. */
  timeoutMs?: number | undefined;
}

/** A step as the document has it. */
export type StepDocument =
  | (StepDocumentBase & Attempted & { type: "agent"; agent: string; inputFrom?: Source; files?: Source; history?: History; fullResponse?: boolean })
  | (StepDocumentBase & Attempted & { type: "function"; run: { set: Expressions } | HandlerRef | { code: string } })
  | (StepDocumentBase & { type: "condition"; condition: Source; steps: StepDocument[]; else?: StepDocument[] })
  | (StepDocumentBase & { type: "switch"; cases: { when: Source; steps: StepDocument[] }[]; default: StepDocument[] })
  | (StepDocumentBase & { type: "parallel"; parallel: StepDocument[]; concurrency?: number; onConflict?: "warn" | "error" })
  | (StepDocumentBase & { type: "sequence"; steps: StepDocument[] })
  | (StepDocumentBase & ForeachRules & { type: "foreach"; items: Source; steps: StepDocument[] })
  | (StepDocumentBase & LoopRules & { type: "loop"; repeat: { while: Source } | { until: Source }; steps: StepDocument[] })
  | (StepDocumentBase & { type: "workflow"; initialState?: JsonObject; with?: Expressions; steps: StepDocument[]; set?: Expressions })
  | (StepDocumentBase & { type: "wait"; wait: Wait })
  | (StepDocumentBase & { type: "approval"; message?: string; schema?: Json });

/** How a foreach treats its items. */
export interface ForeachRules {
  /** The key under which the steps find their item, `item` when absent; its number is under the same with `_index`. */
  as?: string | undefined;
  /** What an item gives: an expression over its state at the end. The keys that it changed, when absent. */
  result?: string | undefined;
  /** How many items may run at once, including those that wait for a person; 1 when absent. */
  concurrency?: number | undefined;
  /** What the failure of an item leads to: the end of the step (the default), null as its result, or no result. */
  onItemError?: "stop" | "null" | "drop" | undefined;
}

/** How often a loop runs. */
export interface LoopRules {
  /** How many times at most. */
  maxIterations: number;
  /** What reaching that number leads to: a failure with the code `limit` (the default), or the step behind the loop. */
  onMax?: "error" | "continue" | undefined;
}

/** How long a wait takes: milliseconds, or up to a time that an expression gives (milliseconds since 1970, or a text such as `2030-01-31T12:00:00Z`). */
export type Wait = { ms: number } | { until: string };

/**
 * A workflow as data: what is stored, shared, drawn in the builder and run anywhere.
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
  /** What models of these names cost, over the built-in prices. */
  prices?: { [model: string]: Price } | undefined;
  steps: StepDocument[];
  retryPolicy?: RetryPolicy | undefined;
  onError?: "stop" | "continue" | undefined;
  limits?: Limits | undefined;
  notes?: string | undefined;
  [extension: `x-${string}`]: Json;
}
