import { inputOf, isCount } from "../parts.js";
import type { FinishReason, ModelPart } from "../../api/model-request.js";
import { errorInAnswer } from "./failure.js";

/** A piece of an answer, or all of it: in the form of Workers AI itself, or in that of OpenAI. */
export interface Chunk {
  /** A text; what fits a schema comes as the value itself. */
  readonly response?: unknown;
  readonly tool_calls?: readonly Call[] | null;
  readonly choices?: readonly { readonly delta?: Said; readonly message?: Said; readonly finish_reason?: string | null }[];
  readonly finish_reason?: string | null;
  readonly usage?: Usage | null;
  readonly error?: unknown;
  readonly errors?: readonly unknown[];
}

interface Said {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly Call[] | null;
}

/** A call of a tool, or a piece of one. */
interface Call {
  readonly index?: number;
  readonly id?: string | null;
  readonly name?: string | null;
  readonly arguments?: unknown;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
}

interface Usage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
}

const REASONS: { readonly [word: string]: FinishReason } = {
  stop: "stop",
  length: "length",
  tool_calls: "toolCalls",
  content_filter: "filtered",
};

/** What only answers have. */
const UNDERSTOOD = ["response", "tool_calls", "choices", "usage"];

/** Characters of an unknown response that are quoted. */
const SHOWN = 200;

/** Reads an answer out of its pieces. */
export class Answer {
  /** Whether the stream has said that nothing more comes. */
  isWhole = false;
  readonly #model: string;
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();
  #usage: Usage | undefined;
  #isUnderstood = false;
  /** The last chunk, which is quoted if nothing was understood. */
  #last: unknown;
  #reason: string | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  /** The response parts that a chunk adds; tool calls come at the end, which is marked by undefined. */
  *parts(chunk: Chunk | undefined): Generator<ModelPart> {
    if (chunk === undefined) {
      this.isWhole = true;
      return;
    }
    if (typeof chunk !== "object" || chunk === null) throw new TypeError(`it gave ${JSON.stringify(chunk)}, which is no answer`);
    this.#isUnderstood ||= UNDERSTOOD.some((key) => key in chunk);
    this.#last = chunk;
    const error = chunk.error ?? chunk.errors?.[0];
    if (error != null) throw errorInAnswer(error, this.#model);
    const choice = chunk.choices?.[0];
    const said = choice?.delta ?? choice?.message;
    const reason = choice?.finish_reason ?? chunk.finish_reason;
    if (reason != null) {
      this.#reason = reason;
      this.isWhole = true;
    }
    if (chunk.usage != null) this.#usage = chunk.usage;
    const thought = said?.reasoning_content ?? said?.reasoning;
    if (thought) yield { type: "reasoning", text: thought };
    const text = said?.content ?? chunk.response;
    if (text != null && text !== "") yield { type: "text", text: typeof text === "string" ? text : JSON.stringify(text) };
    for (const [place, call] of (said?.tool_calls ?? chunk.tool_calls ?? []).entries()) this.#call(call.index ?? place, call);
  }

  /** What is left when nothing more comes. */
  *end(): Generator<ModelPart> {
    if (!this.#isUnderstood) throw new TypeError(`it gave ${JSON.stringify(this.#last)?.slice(0, SHOWN)}, which is no answer`);
    for (const { id, name, arguments: text } of this.#calls.values()) {
      yield { type: "toolCall", ...(id !== "" && { id }), name, input: inputOf(text) };
    }
    const { prompt_tokens: inputTokens, completion_tokens: outputTokens, prompt_tokens_details: input, completion_tokens_details: output } = this.#usage ?? {};
    if (isCount(inputTokens) && isCount(outputTokens)) {
      yield {
        type: "usage",
        inputTokens,
        outputTokens,
        ...(isCount(input?.cached_tokens) && { cachedInputTokens: input.cached_tokens }),
        ...(isCount(output?.reasoning_tokens) && { reasoningTokens: output.reasoning_tokens }),
      };
    }
    const reason = this.#reason === undefined ? undefined : (REASONS[this.#reason] ?? "other");
    // Answers that only call tools end with `stop`, or do not say why.
    if (reason !== undefined && !(reason === "stop" && this.#calls.size > 0)) yield { type: "finish", reason };
  }

  #call(index: number, { id, name, arguments: flat, function: nested }: Call): void {
    const called = nested?.name ?? name ?? "";
    const more = nested?.arguments ?? flat ?? "";
    // A last piece without anything says that the call is whole.
    if (!this.#calls.has(index) && called === "") return;
    const call = this.#calls.get(index) ?? { id: "", name: "", arguments: "" };
    this.#calls.set(index, call);
    call.id ||= id ?? "";
    call.name ||= called;
    call.arguments += typeof more === "string" ? more : JSON.stringify(more);
  }
}
