import type { Usage } from "../api/usage.js";

/** What several calls used together. What none of them counted is not counted. */
export function totalOf(usages: Iterable<Usage | undefined>): Usage {
  const total: { -readonly [Kind in keyof Usage]: Usage[Kind] } = { inputTokens: 0, outputTokens: 0 };
  for (const usage of usages) for (const [kind, count] of Object.entries(usage ?? {})) total[kind as keyof Usage] = (total[kind as keyof Usage] ?? 0) + count;
  // The error of sums of fractions is far behind what any price is exact to.
  const { cost } = total;
  return Object.freeze(cost === undefined ? total : { ...total, cost: Math.round(cost * 1e12) / 1e12 });
}
