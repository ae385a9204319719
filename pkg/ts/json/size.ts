// Frozen values do not change, so their size is found once. What has less than `WORTH_KEEPING` besides the values that are
// kept is counted each time: a table of every small list would take longer than they do.
const sizes = new WeakMap<object, number>();
const WORTH_KEEPING = 128;

/** About how many bytes of JSON a value takes. */
export function bytesOf(value: unknown): number {
  return counted(value).bytes;
}

/** The same, and how many of them are not kept. */
function counted(value: unknown): { readonly bytes: number; readonly unkept: number } {
  if (typeof value !== "object" || value === null) {
    const { length } = typeof value === "string" ? JSON.stringify(value) : String(value);
    return { bytes: length, unkept: length };
  }
  const known = sizes.get(value);
  if (known !== undefined) return { bytes: known, unkept: 0 };
  const members = Object.entries(value);
  let bytes = 1 + Math.max(members.length, 1);
  let unkept = bytes;
  for (const [key, member] of members) {
    const inner = counted(member);
    bytes += inner.bytes + (Array.isArray(value) ? 0 : bytesOfKey(key));
    unkept += inner.unkept;
  }
  if (unkept < WORTH_KEEPING) return { bytes, unkept };
  sizes.set(value, bytes);
  return { bytes, unkept: 0 };
}

/** The same of a member of an object, with its key. */
export function bytesOfMember(key: string, value: unknown): number {
  return bytesOf(value) + bytesOfKey(key);
}

function bytesOfKey(key: string): number {
  return JSON.stringify(key).length + 1;
}

/** A state of more keys is not copied with each change. */
export const MOST_COPIED = 64;

// Of a million keys even the list takes a second.
const widths = new WeakMap<object, number>();

/** How many keys a state has. None that is given changes. */
export function widthOf(state: object): number {
  const known = widths.get(state);
  if (known !== undefined) return known;
  const width = Object.keys(state).length;
  if (width > MOST_COPIED) widths.set(state, width);
  return width;
}

/** Whether a state has more keys than are copied. */
export function isWide(state: object): boolean {
  return widthOf(state) > MOST_COPIED;
}

/**
 * A value as JSON text that every reader takes. JavaScript's texts may have half of a character, as they do when they are
 * cut; JSON then has it as an escape that the engine and many endpoints refuse. It becomes U+FFFD, as in anything that is encoded.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.includes("\\ud") ? text.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === "\\\\" ? found : "\\ufffd")) : text;
}
