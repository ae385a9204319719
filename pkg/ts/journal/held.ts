import type { RunSummary } from "../api/journal.js";
import { damaged } from "./errors.js";

/** What a store keeps of a journal beside its entries; the first version kept their number alone. */
export type Held = number | { readonly count: number; readonly summary: RunSummary };

/** How many entries a store holds; throws where only another version knows. */
export function countOf(held: unknown, place: string): number {
  if (held === undefined) return 0;
  const { count } = Object(typeof held === "number" ? { count: held } : held) as { count?: unknown };
  if (Number.isSafeInteger(count)) return count as number;
  throw damaged(place, "was kept by a version of stepweave that this one does not know", "use the version that kept it, or a newer one; nothing was changed");
}

/** How the run stands; nothing where the first version kept it. */
export function heldSummary(held: Held | undefined): RunSummary | undefined {
  return typeof held === "object" ? held.summary : undefined;
}
