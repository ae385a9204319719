// Frozen values do not change, so their size is found once.
const sizes = new WeakMap<object, number>();

/** About how many bytes of JSON a value takes. */
export function bytesOf(value: unknown): number {
  if (typeof value === "string") return JSON.stringify(value).length;
  if (typeof value !== "object" || value === null) return String(value).length;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const members = Object.entries(value);
  let size = 1 + Math.max(members.length, 1);
  for (const [key, member] of members) size += Array.isArray(value) ? bytesOf(member) : bytesOfMember(key, member);
  sizes.set(value, size);
  return size;
}

/** The same of a member of an object, with its key. */
export function bytesOfMember(key: string, value: unknown): number {
  return bytesOf(value) + JSON.stringify(key).length + 1;
}

/** A state of more keys is not copied with each change. */
export const MOST_COPIED = 64;

/** Whether a state has more keys than that. */
export function isWide(state: object): boolean {
  return Object.keys(state).length > MOST_COPIED;
}

/**
 * A value as JSON text that every reader takes. JavaScript's texts may have half of a character, as they do when they are
 * cut; JSON then has it as an escape that the engine and many endpoints refuse. It becomes U+FFFD, as in anything that is encoded.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.includes("\\ud") ? text.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === "\\\\" ? found : "\\ufffd")) : text;
}
