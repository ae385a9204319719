import type { RunContext } from "../../api/functions.js";

/** A value, or the result of an iterator: strings are joined, of other values the last one, of none null. */
export async function collected(value: unknown, run: RunContext): Promise<unknown> {
  const collection = collecting(value, run);
  for (;;) {
    const { done, value } = await collection.next();
    if (done === true) return value;
  }
}

/** The same, giving each of what the iterator gives as it comes. */
export async function* collecting(value: unknown, run: RunContext): AsyncGenerator<unknown, unknown> {
  if (!isIterator(value)) return value;
  let last: unknown = null;
  let text: string | undefined = "";
  for await (const chunk of value) {
    last = chunk;
    text = typeof chunk === "string" && text !== undefined ? text + chunk : undefined;
    yield chunk;
    // Nobody waits for it any more: leaving the loop lets a generator clean up.
    if (run.signal.aborted) break;
  }
  return last === null ? null : (text ?? last);
}

/** Lists, maps and sets are values; what gives its members once is an iterator. */
function isIterator(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.asyncIterator in value || (Symbol.iterator in value && typeof (value as { next?: unknown }).next === "function");
}
