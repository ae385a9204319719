import { RE2Set } from "re2js";

/** Memory that a pattern's automaton may take, in bytes; beyond that it is slower and takes none. */
const MAX_MEMORY = 65_536;
/** Compiled patterns that are kept, and the instructions that they may have together. */
const MAX_KEPT = 1000;
const MAX_KEPT_SIZE = 200_000;

interface Kept {
  readonly set: RE2Set;
  readonly size: number;
}

// The one that was used longest ago comes first.
const kept = new Map<string, Kept>();
let keptSize = 0;

/** Whether a pattern in the syntax of RE2 is ready for its next text. */
export function isReady(source: string): boolean {
  return kept.has(source);
}

/** Whether a pattern in the syntax of RE2 is found in a text, in time that grows with the text alone. */
export function isFound(source: string, size: number, text: string): boolean {
  const known = kept.get(source);
  if (known === undefined) keptSize += size;
  else kept.delete(source);
  const entry = known ?? { set: setOf(source), size };
  kept.set(source, entry);
  for (const [oldest, { size }] of kept) {
    if (kept.size <= MAX_KEPT && keptSize <= MAX_KEPT_SIZE) break;
    kept.delete(oldest);
    keptSize -= size;
  }
  return entry.set.match(text).length > 0;
}

/** A set of one: of all that the library offers it alone lets the memory be bounded. */
function setOf(source: string): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, MAX_MEMORY);
  set.add(source);
  return set;
}
