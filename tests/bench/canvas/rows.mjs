// The rounds of everyone as rows: medians, and the builder's time as times another's of the same round.
import { median, ratio } from "../statistics.mjs";

/** A row for each act. What a contender has no such act for is absent. */
export function rowsOf(where, contenders, rounds) {
  return Object.keys(rounds[0][0]).map((act) => {
    const of = (place, what) => rounds[place].map((round) => round[act]?.[what]).filter((value) => value !== undefined);
    const byName = (what) => named(contenders, (place) => (of(place, what).length === 0 ? undefined : median(of(place, what))));
    const cpu = of(0, "cpuMs");
    return {
      ...where,
      act,
      cpuMs: byName("cpuMs"),
      times: named(contenders.slice(1), (place) => (of(place + 1, "cpuMs").length === 0 ? undefined : ratio(cpu, of(place + 1, "cpuMs")))),
      longMs: byName("longMs"),
      p50Ms: byName("p50Ms"),
      p95Ms: byName("p95Ms"),
      firstMs: byName("firstMs"),
      cards: byName("cards"),
    };
  });
}

function named(contenders, valueAt) {
  return Object.fromEntries(contenders.map((name, place) => [name, valueAt(place)]));
}
