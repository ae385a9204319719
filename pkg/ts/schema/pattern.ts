import { StepweaveError } from "../api/errors.js";
import { type PatternFault, readPattern } from "./pattern/read.js";

/** Instructions of a pattern whose automaton is mostly kept; a larger one is followed instruction by instruction. */
const MAX_KEPT = 100;
/** Steps of work that looking at an instruction takes for a character, in such a pattern and in a larger one. */
const LOOKING = { kept: 0.5, followed: 2 };
/** Steps of work that beginning with a text takes. */
const BEGINNING = 100;
/** Steps of work that making an instruction ready takes. */
const MAKING = 50;

let matching: typeof import("./pattern/match.js") | undefined;

/** Loads what matches patterns, where one of these schemas may have some. */
export async function loadPatterns(schemas: readonly unknown[]): Promise<void> {
  if (matching === undefined && schemas.some(mentionsPatterns)) matching = await import("./pattern/match.js");
}

/** A compiled pattern of a schema. */
export class Pattern {
  readonly #source: string;
  /** How many instructions it has. */
  readonly size: number;

  constructor(source: string, size: number) {
    this.#source = source;
    this.size = size;
  }

  /** The steps of work that looking for it in a text takes at most. */
  workFor(text: string): number {
    const making = loaded().isReady(this.#source) ? 0 : this.size * MAKING;
    const looking = this.size > MAX_KEPT ? LOOKING.followed : LOOKING.kept;
    return making + BEGINNING + Math.ceil(this.size * (text.length + 1) * looking);
  }

  /** Whether it is found in a text. */
  isIn(text: string): boolean {
    return loaded().isFound(this.#source, this.size, text);
  }
}

export type { PatternFault };

/** Reads a pattern. */
export function patternOf(text: string): Pattern | PatternFault {
  const read = readPattern(text);
  return "message" in read ? read : new Pattern(read.source, read.size);
}

/** Whether a pattern may stand somewhere in a schema: nothing is missed, and a key that is only called so is taken for one. */
function mentionsPatterns(schema: unknown): boolean {
  const open = [schema];
  const seen = new Set<object>();
  for (let part = open.pop(); open.length > 0 || part !== undefined; part = open.pop()) {
    if (typeof part !== "object" || part === null || seen.has(part)) continue;
    seen.add(part);
    if (Object.hasOwn(part, "pattern") || Object.hasOwn(part, "patternProperties")) return true;
    for (const member of Object.values(part)) if (typeof member === "object" && member !== null) open.push(member);
  }
  return false;
}

function loaded(): NonNullable<typeof matching> {
  if (matching !== undefined) return matching;
  throw new StepweaveError("internal", "what matches patterns has not been loaded for this schema");
}
