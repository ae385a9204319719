// What the numbers ought to be. Times depend on the machine, so a target that is missed is reported and fails nothing.

/** Each target with the worst and the best of what was measured for it. */
export function targetsOf({ latency, wideState }) {
  const slower = (name) => latency.map(({ workflow, handlers, timesStepweave }) => ({ of: `${workflow} ${handlers}`, times: timesStepweave[name] }));
  const overPlain = slower("plain loop").map(({ of, times }) => ({ of, times: 1 / times }));
  const large = wideState.filter(({ contender, state, given }) => contender === "Stepweave" && !given && state !== "1 KB");
  return [
    atLeast(30, "faster than Mastra (p50)", slower("Mastra")),
    atLeast(30, "faster than Mastra without its events (p50)", slower("Mastra mute")),
    atLeast(200, "faster than LangGraph.js (p50)", slower("LangGraph.js")),
    atMost(6, "the time of the plain loop (p50)", overPlain),
    ...large.map(({ state, timesSmall }) => atMost(2, `the time over 1 KB: 100 steps over ${state}`, [{ of: state, times: timesSmall }])),
  ];
}

function atLeast(target, what, measured) {
  return summary(`>= ${target}x`, what, measured, (times) => times >= target);
}

function atMost(target, what, measured) {
  return summary(`<= ${target}x`, what, measured, (times) => times <= target);
}

function summary(target, what, measured, isMet) {
  const sorted = [...measured].sort((one, other) => one.times - other.times);
  return { target, what, met: measured.filter(({ times }) => isMet(times)).length, of: measured.length, lowest: sorted[0], highest: sorted.at(-1) };
}
