import type { Usage } from "../api/usage.js";

/** What several calls used together. What none of them counted is not counted. */
export function totalOf(usages: Iterable<Usage | undefined>): Usage {
  const total: { -readonly [Kind in keyof Usage]: Usage[Kind] } = { inputTokens: 0, outputTokens: 0 };
  for (const usage of usages) for (const [kind, count] of Object.entries(usage ?? {})) total[kind as keyof Usage] = (total[kind as keyof Usage] ?? 0) + count;
  // The error of sums of fractions is far behind what any price is exact to.
  const { cost } = total;
  return Object.freeze(cost === undefined ? total : { ...total, cost: Math.round(cost * 1e12) / 1e12 });
}

/** What calls used whose answers a journal had, by the events and results that count it too. */
const REPLAYED = new WeakMap<object, Usage>();

/** Notes what of the usage of an event or a result earlier runs of its journal had. */
export function noteReplayed(counted: object, usage: Usage | undefined): void {
  if (usage !== undefined) REPLAYED.set(counted, usage);
}

/** What the calls of this run used, without those that its journal had answered: an earlier one has reported them. */
export function ownUsage(counted: { readonly usage?: Usage }): Usage | undefined {
  const { usage } = counted;
  const replayed = REPLAYED.get(counted);
  if (usage === undefined || replayed === undefined) return usage;
  return totalOf([usage, Object.fromEntries(Object.entries(replayed).map(([kind, count]) => [kind, -count])) as unknown as Usage]);
}
