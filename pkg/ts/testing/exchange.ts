import { StepweaveError, textOf } from "../api/errors.js";
import { bytesOf, type WrittenBytes } from "./bytes.js";
import { isRecordedRequest, type RecordedRequest } from "./request.js";

/** What became of a request: an answer, or the words with which it failed. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** The body, in the pieces in which it came. */
  readonly pieces: readonly WrittenBytes[];
  /** How the body ended, if not as it should: it broke off with these words, or nobody read on. */
  readonly end?: RecordedEnd;
}

/** How a response ended that was not complete. */
export type RecordedEnd = RecordedFailure | "stopped";

/** With which words it failed. */
export interface RecordedFailure {
  readonly failed: string;
  /** That of the runtime, such as `ECONNREFUSED`. */
  readonly code?: string;
  /** Where it went into a connection kept from an earlier answer, which the server was closing. A run sends once more then. */
  readonly connection?: "kept";
}

/** A request, and what was answered. */
export interface Exchange {
  readonly request: RecordedRequest;
  readonly answer: RecordedAnswer | RecordedEnd;
}

/** The text of a cassette's file. */
export function textOfExchanges(exchanges: readonly Exchange[]): string {
  return `${JSON.stringify({ stepweave: "cassette", version: 1, exchanges }, null, 2)}\n`;
}

/** Reads a cassette's file; `name` is how messages call it. */
export function exchangesOf(text: string, name: string): readonly Exchange[] {
  const found = parsed(text, name);
  const { stepweave, version, exchanges } = (found ?? {}) as Record<string, unknown>;
  if (stepweave !== "cassette" || !Array.isArray(exchanges)) throw unreadable(name, "it holds something else");
  if (version !== 1) throw unreadable(name, `it has the version ${JSON.stringify(version)}, and this one of stepweave reads version 1`);
  for (const [at, exchange] of exchanges.entries()) {
    const { request, answer } = (exchange ?? {}) as Record<string, unknown>;
    if (!isRecordedRequest(request) || !(isEnd(answer) || isAnswer(answer))) throw unreadable(name, `its exchanges[${at}] is broken`);
  }
  return exchanges as Exchange[];
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(name, textOf(error));
  }
}

function isAnswer(value: unknown): value is RecordedAnswer {
  if (typeof value !== "object" || value === null) return false;
  const { status, headers, pieces, end } = value as Partial<RecordedAnswer>;
  if (typeof status !== "number" || !Number.isInteger(status) || status < 200 || status > 599) return false;
  if (typeof headers !== "object" || headers === null || !Object.values(headers).every((header) => typeof header === "string")) return false;
  return Array.isArray(pieces) && pieces.every((piece) => bytesOf(piece) !== undefined) && (end === undefined || isEnd(end));
}

function isEnd(value: unknown): value is RecordedEnd {
  return value === "stopped" || (typeof value === "object" && value !== null && typeof (value as { failed?: unknown }).failed === "string");
}

function unreadable(name: string, fault: string): StepweaveError {
  return new StepweaveError("validation", `${name} is no cassette: ${fault}`, {
    hint: "take it back from version control, or delete it and record it again",
  });
}
