// Made by `cargo xtask schema` from the grammar in core/src/grammar.rs: the types of documents have the keys and words that
// the JSON Schema has, and need the same ones.
import type { StepDocument, WorkflowDocument } from "stepweave";

/** The keys that are written out; an index signature is none. */
type Written<T> = keyof { [Key in keyof T as string extends Key ? never : `x-${string}` extends Key ? never : Key]: T[Key] };
/** Of all objects among these. */
type Keys<T> = T extends readonly unknown[] ? never : T extends object ? Written<T> : never;
/** Those that have to be there. */
type Needed<T> = T extends readonly unknown[] ? never : T extends object ? { [Key in Written<T>]-?: undefined extends T[Key] ? never : Key }[Written<T>] : never;
/** What these have there. */
type Of<T, Key> = T extends unknown ? (Key extends keyof T ? NonNullable<T[Key]> : never) : never;
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : { missing: Exclude<Other, One> }) : { unknown: Exclude<One, Other> };

function holds<_Check extends true>(): void {}

holds<Same<Keys<WorkflowDocument>, "agents" | "description" | "initialState" | "input" | "limits" | "models" | "name" | "notes" | "onError" | "output" | "prices" | "retryPolicy" | "steps" | "tools" | "version">>();
holds<Same<Needed<WorkflowDocument>, "name" | "steps" | "version">>();
holds<Same<Keys<Of<Of<WorkflowDocument, "models">, string>>, "apiKey" | "apiVersion" | "baseUrl" | "concurrency" | "handler" | "headers" | "model" | "outputMode" | "params" | "price" | "provider" | "requestsPerMinute" | "sampling">>();
holds<Same<Needed<Of<Of<WorkflowDocument, "models">, string>>, "model" | "provider">>();
holds<Same<Extract<Of<Of<Of<WorkflowDocument, "models">, string>, "provider">, string>, "anthropic" | "azure" | "custom" | "deepseek" | "demo" | "gemini" | "groq" | "llamacpp" | "lmstudio" | "mistral" | "ollama" | "openai" | "openaiResponses" | "openrouter" | "together" | "vllm" | "workersAi" | "xai">>();
holds<Same<Keys<Of<Of<Of<WorkflowDocument, "models">, string>, "apiKey">>, "secret">>();
holds<Same<Needed<Of<Of<Of<WorkflowDocument, "models">, string>, "apiKey">>, "secret">>();
holds<Same<Keys<Of<Of<Of<WorkflowDocument, "models">, string>, "params">>, "maxOutputTokens" | "reasoningEffort" | "stopSequences">>();
holds<Same<Extract<Of<Of<Of<Of<WorkflowDocument, "models">, string>, "params">, "reasoningEffort">, string>, "high" | "low" | "medium" | "none">>();
holds<Same<Extract<Of<Of<Of<WorkflowDocument, "models">, string>, "outputMode">, string>, "json" | "prompt" | "schema">>();
holds<Same<Keys<Of<Of<Of<WorkflowDocument, "models">, string>, "price">>, "cacheWrite" | "cachedInput" | "input" | "longPrompt" | "output">>();
holds<Same<Needed<Of<Of<Of<WorkflowDocument, "models">, string>, "price">>, "input" | "output">>();
holds<Same<Keys<Of<Of<Of<Of<WorkflowDocument, "models">, string>, "price">, "longPrompt">>, "above" | "cacheWrite" | "cachedInput" | "input" | "output">>();
holds<Same<Needed<Of<Of<Of<Of<WorkflowDocument, "models">, string>, "price">, "longPrompt">>, "above" | "input" | "output">>();
holds<Same<Keys<Of<Of<WorkflowDocument, "agents">, string>>, "fallbacks" | "instructions" | "limits" | "maxTurns" | "model" | "output" | "params" | "toolChoice" | "tools">>();
holds<Same<Needed<Of<Of<WorkflowDocument, "agents">, string>>, "model">>();
holds<Same<Keys<Of<Of<Of<WorkflowDocument, "agents">, string>, "params">>, "maxOutputTokens" | "reasoningEffort" | "stopSequences">>();
holds<Same<Extract<Of<Of<Of<Of<WorkflowDocument, "agents">, string>, "params">, "reasoningEffort">, string>, "high" | "low" | "medium" | "none">>();
holds<Same<Extract<Of<Of<Of<WorkflowDocument, "agents">, string>, "toolChoice">, string>, "auto" | "none" | "required">>();
holds<Same<Keys<Of<Of<Of<WorkflowDocument, "agents">, string>, "toolChoice">>, "tool">>();
holds<Same<Needed<Of<Of<Of<WorkflowDocument, "agents">, string>, "toolChoice">>, "tool">>();
holds<Same<Keys<Of<Of<Of<WorkflowDocument, "agents">, string>, "limits">>, "maxCost" | "maxTokens">>();
holds<Same<Keys<Of<Of<WorkflowDocument, "tools">, string>>, "description" | "input" | "needsApproval" | "run" | "scopes" | "timeoutMs">>();
holds<Same<Keys<Of<Of<Of<WorkflowDocument, "tools">, string>, "run">>, "code" | "handler" | "version">>();
holds<Same<Needed<Of<Of<Of<WorkflowDocument, "tools">, string>, "run">>, "code" | "handler">>();
holds<Same<Keys<Of<Of<WorkflowDocument, "prices">, string>>, "cacheWrite" | "cachedInput" | "input" | "longPrompt" | "output">>();
holds<Same<Needed<Of<Of<WorkflowDocument, "prices">, string>>, "input" | "output">>();
holds<Same<Keys<Of<Of<Of<WorkflowDocument, "prices">, string>, "longPrompt">>, "above" | "cacheWrite" | "cachedInput" | "input" | "output">>();
holds<Same<Needed<Of<Of<Of<WorkflowDocument, "prices">, string>, "longPrompt">>, "above" | "input" | "output">>();
holds<Same<Keys<Of<WorkflowDocument, "retryPolicy">>, "afterFirstDelta" | "backoffMs" | "factor" | "jitter" | "maxBackoffMs" | "maxRetries">>();
holds<Same<Extract<Of<WorkflowDocument, "onError">, string>, "continue" | "stop">>();
holds<Same<Keys<Of<WorkflowDocument, "limits">>, "firstTokenMs" | "idleMs" | "maxCost" | "maxEvents" | "maxResultBytes" | "maxStateBytes" | "maxSteps" | "maxTokens" | "stepTimeoutMs" | "templateFuel" | "timeoutMs">>();
holds<Same<Keys<Extract<StepDocument, { type: "agent" }>>, "agent" | "coerce" | "enabled" | "files" | "fullResponse" | "history" | "id" | "input" | "inputFrom" | "name" | "notes" | "onError" | "output" | "required" | "retryCount" | "timeoutMs" | "type">>();
holds<Same<Needed<Extract<StepDocument, { type: "agent" }>>, "agent" | "id" | "name" | "type">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "agent" }>, "onError">, string>, "continue" | "stop">>();
holds<Same<Keys<Of<Extract<StepDocument, { type: "agent" }>, "inputFrom">>, "handler" | "version">>();
holds<Same<Needed<Of<Extract<StepDocument, { type: "agent" }>, "inputFrom">>, "handler">>();
holds<Same<Keys<Of<Extract<StepDocument, { type: "agent" }>, "files">>, "handler" | "version">>();
holds<Same<Needed<Of<Extract<StepDocument, { type: "agent" }>, "files">>, "handler">>();
holds<Same<Keys<Of<Extract<StepDocument, { type: "agent" }>, "history">>, "key" | "maxMessages">>();
holds<Same<Needed<Of<Extract<StepDocument, { type: "agent" }>, "history">>, "key">>();
holds<Same<Keys<Extract<StepDocument, { type: "function" }>>, "coerce" | "enabled" | "id" | "input" | "name" | "notes" | "onError" | "output" | "required" | "retryCount" | "run" | "timeoutMs" | "type">>();
holds<Same<Needed<Extract<StepDocument, { type: "function" }>>, "id" | "name" | "run" | "type">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "function" }>, "onError">, string>, "continue" | "stop">>();
holds<Same<Keys<Of<Extract<StepDocument, { type: "function" }>, "run">>, "code" | "handler" | "set" | "version">>();
holds<Same<Needed<Of<Extract<StepDocument, { type: "function" }>, "run">>, "code" | "handler" | "set">>();
holds<Same<Keys<Extract<StepDocument, { type: "condition" }>>, "coerce" | "condition" | "else" | "enabled" | "id" | "input" | "name" | "notes" | "onError" | "output" | "required" | "steps" | "type">>();
holds<Same<Needed<Extract<StepDocument, { type: "condition" }>>, "condition" | "id" | "name" | "steps" | "type">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "condition" }>, "onError">, string>, "continue" | "stop">>();
holds<Same<Keys<Of<Extract<StepDocument, { type: "condition" }>, "condition">>, "handler" | "version">>();
holds<Same<Needed<Of<Extract<StepDocument, { type: "condition" }>, "condition">>, "handler">>();
holds<Same<Keys<Extract<StepDocument, { type: "parallel" }>>, "coerce" | "concurrency" | "enabled" | "id" | "input" | "name" | "notes" | "onConflict" | "onError" | "output" | "parallel" | "required" | "type">>();
holds<Same<Needed<Extract<StepDocument, { type: "parallel" }>>, "id" | "name" | "parallel" | "type">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "parallel" }>, "onError">, string>, "continue" | "stop">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "parallel" }>, "onConflict">, string>, "error" | "warn">>();
holds<Same<Keys<Extract<StepDocument, { type: "switch" }>>, "cases" | "coerce" | "default" | "enabled" | "id" | "input" | "name" | "notes" | "onError" | "output" | "required" | "type">>();
holds<Same<Needed<Extract<StepDocument, { type: "switch" }>>, "cases" | "default" | "id" | "name" | "type">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "switch" }>, "onError">, string>, "continue" | "stop">>();
holds<Same<Keys<Of<Of<Extract<StepDocument, { type: "switch" }>, "cases">, number>>, "steps" | "when">>();
holds<Same<Needed<Of<Of<Extract<StepDocument, { type: "switch" }>, "cases">, number>>, "steps" | "when">>();
holds<Same<Keys<Of<Of<Of<Extract<StepDocument, { type: "switch" }>, "cases">, number>, "when">>, "handler" | "version">>();
holds<Same<Needed<Of<Of<Of<Extract<StepDocument, { type: "switch" }>, "cases">, number>, "when">>, "handler">>();
holds<Same<Keys<Extract<StepDocument, { type: "foreach" }>>, "as" | "coerce" | "concurrency" | "enabled" | "id" | "input" | "items" | "name" | "notes" | "onError" | "onItemError" | "output" | "required" | "result" | "steps" | "type">>();
holds<Same<Needed<Extract<StepDocument, { type: "foreach" }>>, "id" | "items" | "name" | "steps" | "type">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "foreach" }>, "onError">, string>, "continue" | "stop">>();
holds<Same<Keys<Of<Extract<StepDocument, { type: "foreach" }>, "items">>, "handler" | "version">>();
holds<Same<Needed<Of<Extract<StepDocument, { type: "foreach" }>, "items">>, "handler">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "foreach" }>, "onItemError">, string>, "drop" | "null" | "stop">>();
holds<Same<Keys<Extract<StepDocument, { type: "loop" }>>, "coerce" | "enabled" | "id" | "input" | "maxIterations" | "name" | "notes" | "onError" | "onMax" | "output" | "repeat" | "required" | "steps" | "type">>();
holds<Same<Needed<Extract<StepDocument, { type: "loop" }>>, "id" | "maxIterations" | "name" | "repeat" | "steps" | "type">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "loop" }>, "onError">, string>, "continue" | "stop">>();
holds<Same<Keys<Of<Extract<StepDocument, { type: "loop" }>, "repeat">>, "until" | "while">>();
holds<Same<Needed<Of<Extract<StepDocument, { type: "loop" }>, "repeat">>, "until" | "while">>();
holds<Same<Keys<Of<Of<Extract<StepDocument, { type: "loop" }>, "repeat">, "while">>, "handler" | "version">>();
holds<Same<Needed<Of<Of<Extract<StepDocument, { type: "loop" }>, "repeat">, "while">>, "handler">>();
holds<Same<Keys<Of<Of<Extract<StepDocument, { type: "loop" }>, "repeat">, "until">>, "handler" | "version">>();
holds<Same<Needed<Of<Of<Extract<StepDocument, { type: "loop" }>, "repeat">, "until">>, "handler">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "loop" }>, "onMax">, string>, "continue" | "error">>();
holds<Same<Keys<Extract<StepDocument, { type: "workflow" }>>, "coerce" | "enabled" | "id" | "initialState" | "input" | "name" | "notes" | "onError" | "output" | "required" | "set" | "steps" | "type" | "with">>();
holds<Same<Needed<Extract<StepDocument, { type: "workflow" }>>, "id" | "name" | "steps" | "type">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "workflow" }>, "onError">, string>, "continue" | "stop">>();
holds<Same<Keys<Extract<StepDocument, { type: "wait" }>>, "coerce" | "enabled" | "id" | "input" | "name" | "notes" | "onError" | "output" | "required" | "type" | "wait">>();
holds<Same<Needed<Extract<StepDocument, { type: "wait" }>>, "id" | "name" | "type" | "wait">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "wait" }>, "onError">, string>, "continue" | "stop">>();
holds<Same<Keys<Of<Extract<StepDocument, { type: "wait" }>, "wait">>, "ms" | "until">>();
holds<Same<Needed<Of<Extract<StepDocument, { type: "wait" }>, "wait">>, "ms" | "until">>();
holds<Same<Keys<Extract<StepDocument, { type: "approval" }>>, "coerce" | "enabled" | "id" | "input" | "message" | "name" | "notes" | "onError" | "output" | "required" | "schema" | "type">>();
holds<Same<Needed<Extract<StepDocument, { type: "approval" }>>, "id" | "name" | "type">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "approval" }>, "onError">, string>, "continue" | "stop">>();
holds<Same<Keys<Extract<StepDocument, { type: "sequence" }>>, "coerce" | "enabled" | "id" | "input" | "name" | "notes" | "onError" | "output" | "required" | "steps" | "type">>();
holds<Same<Needed<Extract<StepDocument, { type: "sequence" }>>, "id" | "name" | "steps" | "type">>();
holds<Same<Extract<Of<Extract<StepDocument, { type: "sequence" }>, "onError">, string>, "continue" | "stop">>();
