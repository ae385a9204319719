import type { Json } from "../api/document.js";
import { isStepweaveError, StepweaveError, textOf } from "../api/errors.js";
import type { FinishReason, ModelPart } from "../api/model-request.js";
import { RefusedError } from "../effects/refusal.js";
import { copyJson } from "../json/copy.js";
import { NotJson } from "../json/not-json.js";

/** Iterates over response parts. `return` means that no more are wanted. */
export interface PartIterator {
  next(): unknown;
  return?(): unknown;
}

/** The response parts of a model's function; throws `model` when it returned something else. */
export function partsOf(answer: unknown, model: string): PartIterator {
  if (typeof answer === "string") return [answer][Symbol.iterator]() as PartIterator;
  if (typeof answer === "object" && answer !== null) {
    const { getReader } = answer as { getReader?: unknown };
    if (typeof getReader === "function") {
      const reader = (answer as ReadableStream<unknown>).getReader();
      return { next: () => reader.read(), return: () => reader.cancel() };
    }
    if (Symbol.asyncIterator in answer) return (answer as AsyncIterable<unknown>)[Symbol.asyncIterator]() as PartIterator;
    if (Symbol.iterator in answer) return (answer as Iterable<unknown>)[Symbol.iterator]() as PartIterator;
  }
  throw new StepweaveError("model", `the model \`${model}\` gave ${shown(answer)}, which is no answer`, {
    hint: 'return a text or a list of parts such as [{ type: "text", text: "…" }], or yield such parts',
  });
}

/** Reads the response parts of an answer, and checks each of them. */
export class PartReader {
  readonly #model: string;
  readonly #parts: PartIterator;
  #count = 0;
  #hasCalls = false;
  #hasEnded = false;
  /** The first half of a character whose second one has to come with the next text. */
  #half = "";

  constructor(model: string, parts: PartIterator) {
    this.#model = model;
    this.#parts = parts;
  }

  /** The next part, or undefined after the last one, which is always `finish`; throws a StepweaveError. */
  async next(): Promise<ModelPart | undefined> {
    while (!this.#hasEnded) {
      const { done, value } = await this.#nextOf();
      if (this.#hasEnded) return undefined;
      if (done === true) {
        this.#hasEnded = true;
        return { type: "finish", reason: this.#hasCalls ? "toolCalls" : "stop" };
      }
      this.#count += 1;
      const part = checked(value, (what) => wrongPart(value, what, this.#count, this.#model));
      if (part.type === "text" || part.type === "reasoning") {
        const whole = this.#joined(part.text);
        if (whole === "") continue;
        return { ...part, text: whole };
      }
      if (part.type === "toolCall") this.#hasCalls = true;
      if (part.type === "finish") {
        this.close();
        this.#hasEnded = true;
      }
      return part;
    }
    return undefined;
  }

  /** Stops reading: no more parts are wanted. */
  close(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // What it does to end does not concern the run any more.
    const end = async (): Promise<void> => void (await this.#parts.return?.());
    end().catch(() => {});
  }

  async #nextOf(): Promise<{ done?: unknown; value?: unknown }> {
    try {
      // Taken apart here: what is no object has neither.
      const { done, value } = (await this.#parts.next()) as { done?: unknown; value?: unknown };
      return { done, value };
    } catch (error) {
      throw failureOfModel(error, this.#model);
    }
  }

  /** A text that is cut in the middle of a character is emitted without it, until the rest comes. */
  #joined(text: string): string {
    const whole = this.#half + text;
    this.#half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? "";
    return this.#half === "" ? whole : whole.slice(0, -1);
  }
}

/** What a tool is called with. What is no JSON is passed on as the text that it is: it does not fit the tool's schema. */
export function inputOf(text: string): Json {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Whether this is a number of tokens: an endpoint may count in its own way, and what is no whole number is not counted. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The failure of a model's function; an error of ours keeps what it says. */
export function failureOfModel(thrown: unknown, model: string): StepweaveError {
  if (thrown instanceof RefusedError) return thrown;
  if (isStepweaveError(thrown)) {
    const { code, message, hint, retryable, retryAfterMs, problems, cause = thrown } = thrown;
    return new StepweaveError(code, message, { hint, retryable, retryAfterMs, problems, cause });
  }
  return new StepweaveError("model", `the model \`${model}\` failed: ${textOf(thrown)}`, {
    cause: thrown,
    hint: "the model's own function threw this: see `cause`",
    // It is called again only when the error says that this can help.
    retryable: (thrown as { retryable?: unknown } | null | undefined)?.retryable === true,
  });
}

const REASONS: readonly string[] = ["stop", "length", "toolCalls", "filtered", "refused", "other"] satisfies FinishReason[];

/** The part with its known keys and nothing else. */
function checked(given: unknown, wrong: (what: string) => StepweaveError): ModelPart {
  if (typeof given === "string") return { type: "text", text: given };
  if (typeof given !== "object" || given === null) throw wrong("a part is a text or an object with a `type`");
  const part = given as Record<string, unknown>;
  const { type, text } = part;
  switch (type) {
    case "text":
    case "reasoning":
      if (typeof text !== "string") throw wrong(`a \`${type}\` part needs \`text\`, a string`);
      return { type, text };
    case "toolCall": {
      const { id, name, input } = part;
      if (typeof name !== "string" || name === "") throw wrong("a `toolCall` part needs `name`, the tool's name");
      if (id !== undefined && typeof id !== "string") throw wrong("the `id` of a `toolCall` part is a string");
      if (input === undefined) throw wrong("a `toolCall` part needs `input`, an object; {} if the tool takes nothing");
      return { type, ...(id !== undefined && { id }), name, input: plain(input, "input", wrong) };
    }
    case "echo": {
      const { value } = part;
      if (value === undefined) throw wrong("an `echo` part needs `value`, any JSON");
      return { type, value: plain(value, "value", wrong) };
    }
    case "usage": {
      const { inputTokens, outputTokens } = part;
      const counts = { inputTokens, outputTokens, ...there(part, ["cachedInputTokens", "cacheWriteTokens", "reasoningTokens"]) };
      for (const [key, count] of Object.entries(counts)) {
        if (!isCount(count)) throw wrong(`\`${key}\` of a \`usage\` part is a whole number from 0 on`);
      }
      return { type, ...counts } as ModelPart;
    }
    case "source":
      return { type, ...texts(part, ["url", "title", "text"], wrong) };
    case "response": {
      const { id } = part;
      if (typeof id !== "string") throw wrong("a `response` part needs `id`, a string");
      return { type, id };
    }
    case "image":
    case "file": {
      const { mediaType, data, url } = part;
      if (typeof mediaType !== "string" || mediaType === "") throw wrong(`a part of the type \`${type}\` needs \`mediaType\`, such as "image/png"`);
      if ((data === undefined) === (url === undefined)) throw wrong(`a part of the type \`${type}\` needs either \`data\`, as base64, or \`url\``);
      return { type, mediaType, ...texts(part, ["data", "url", "name"], wrong) };
    }
    case "finish": {
      const { reason } = part;
      if (typeof reason !== "string" || !REASONS.includes(reason)) throw wrong(`the \`reason\` of a \`finish\` part is one of ${REASONS.join(", ")}`);
      if (text !== undefined && typeof text !== "string") throw wrong("the `text` of a `finish` part is a string");
      return { type, reason: reason as FinishReason, ...(text !== undefined && { text }) };
    }
    default:
      throw wrong("the `type` of a part is text, reasoning, toolCall, echo, usage, source, image, file, response or finish");
  }
}

/** The members of these names that are there. */
function there(part: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (part[name] === undefined ? [] : [[name, part[name]]])));
}

function texts(part: Record<string, unknown>, names: readonly string[], wrong: (what: string) => StepweaveError): Record<string, string> {
  const found = there(part, names);
  const other = Object.keys(found).find((name) => typeof found[name] !== "string");
  if (other !== undefined) throw wrong(`the \`${other}\` of a part of the type \`${textOf(part["type"])}\` is a string`);
  return found as Record<string, string>;
}

function plain(value: unknown, root: string, wrong: (what: string) => StepweaveError): Json {
  try {
    return copyJson(value, root) as Json;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw wrong(`${error.message}, which JSON cannot hold`);
  }
}

function wrongPart(part: unknown, what: string, count: number, model: string): StepweaveError {
  return new StepweaveError("model", `part ${count} of the answer of the model \`${model}\` cannot be used: ${what}; it is ${shown(part)}`, {
    hint: 'give parts such as { type: "text", text: "…" } or { type: "toolCall", name: "search", input: { … } }',
  });
}

/** Characters of a wrong value that are quoted. */
const SHOWN = 120;

function shown(value: unknown): string {
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  let text: string | undefined;
  try {
    text = typeof value === "object" ? JSON.stringify(value) : String(value);
  } catch {
    return "an object that cannot be shown";
  }
  if (text === undefined) return "an object that cannot be shown";
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
