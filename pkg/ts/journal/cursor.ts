import { isStepweaveError, StepweaveError } from "../api/errors.js";
import { base64url, fromBase64url } from "../json/base64url.js";
import { quoted } from "../schema/options.js";

/** How it begins to be said that a cursor is none: of all that a list is given it is what callers of others pass along. */
const WRONG = "`cursor` of the list is ";

/** What leads to the page behind a position in the order of a store: a text for addresses, which no other text looks like. */
export function cursorAt(position: string): string {
  // As JSON, since the id of a run may have half a surrogate pair.
  return base64url(new TextEncoder().encode(JSON.stringify([position])));
}

/** The position to which a cursor leads; throws `validation` for what is none. */
export function positionAt(cursor: unknown): string {
  const position = typeof cursor === "string" ? positionIn(cursor) : undefined;
  if (position !== undefined) return position;
  throw wrongCursor(cursor);
}

/** The error of a cursor that no page gave. */
export function wrongCursor(cursor: unknown): StepweaveError {
  return new StepweaveError("validation", `${WRONG}${quoted(typeof cursor === "string" ? cursor.slice(0, 100) : cursor)}, which leads to no page`, {
    hint: "pass the `cursor` of the page before as it is, or none for the first page",
  });
}

/** Whether a store refuses a cursor. */
export function isWrongCursor(error: unknown): boolean {
  return isStepweaveError(error) && error.code === "validation" && error.message.startsWith(WRONG);
}

function positionIn(cursor: string): string | undefined {
  try {
    const [position, ...more] = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64url(cursor))) as unknown[];
    return typeof position === "string" && more.length === 0 ? position : undefined;
  } catch {
    return undefined;
  }
}
