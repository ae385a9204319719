import { isObject } from "../api/json.js";

/** An object somewhere in a description. Nothing is known of its members until they are looked at. */
export type Part = Readonly<Record<string, unknown>>;

/** A schema as a tool has it. */
export type ToolSchema = boolean | Record<string, unknown>;

/** The members of a map of parts; nothing where it is none. What is no part stays: whoever follows references refuses it. */
export function entriesOf(map: unknown): [string, unknown][] {
  return isObject(map) ? Object.entries(map) : [];
}

/** The items of a list; none where it is no list. */
export function itemsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

/** Characters of a text that are read: nothing shows more of them, and the same text may stand in every operation. */
const MAX_TEXT = 4000;

/** A text, without the white space around it; nothing where it is none, or empty. */
export function textFrom(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.slice(0, MAX_TEXT).trim() : "";
  return text === "" ? undefined : text;
}

/** A text in one piece for a model, which pays for each character. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half of a character is no character.
  const cut = text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "");
  return `${cut.trimEnd()}…`;
}
