import type { Journal, RunSummary } from "../api/journal.js";
import { damaged, unlessDamaged } from "./errors.js";
import { standingOf } from "./summary.js";

/** What a store keeps of a journal beside its entries; the first version kept their number alone. */
export type Held = number | { readonly count: number; readonly summary: RunSummary };

/** How many entries a store holds; throws where only another version knows. */
export function countOf(held: unknown, place: string): number {
  if (held === undefined) return 0;
  const { count } = Object(typeof held === "number" ? { count: held } : held) as { count?: unknown };
  if (Number.isSafeInteger(count)) return count as number;
  throw damaged(place, "was kept by a version of stepweave that this one does not know", "use the version that kept it, or a newer one; nothing was changed");
}

/**
 * How the run stands. What the first version kept says it by its entries: nothing where those are damaged, as that keeps no
 * other run from being listed.
 */
export async function standingIn(held: Held | undefined, load: () => Promise<Journal | undefined>): Promise<RunSummary | undefined> {
  const byEntries = async (): Promise<RunSummary> => standingOf((await load())?.entries ?? []);
  if (typeof held === "number") return unlessDamaged(byEntries);
  // A later version's is refused as a whole.
  return held?.summary ?? byEntries();
}
