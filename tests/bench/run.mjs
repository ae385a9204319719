// What the engine adds to the work of a workflow: four function steps in a row, against the same written as plain
// JavaScript, both in one process. Called by `cargo xtask bench`.
import { performance } from "node:perf_hooks";
import { Workflow } from "stepweave";

const WARM_UP_RUNS = 5_000;
const RUNS = 20_000;
const ROUNDS = 5;

const steps = [
  async (state) => ({ topic: state.topic.trim() }),
  async (state) => ({ words: state.topic.split(" ") }),
  async (state) => ({ count: state.words.length }),
  async (state) => ({ summary: `${state.topic}: ${state.count} words` }),
];
const initialState = { topic: " the quick brown fox " };

const workflow = new Workflow({
  name: "four steps",
  initialState,
  steps: steps.map((run, index) => ({ name: `step${index}`, run })),
});

const contenders = {
  "plain JavaScript": async () => {
    let state = { ...initialState };
    for (const step of steps) state = { ...state, ...(await step(state)) };
    return state;
  },
  stepweave: async () => (await workflow.run()).state,
};

for (const [name, run] of Object.entries(contenders)) {
  const { summary } = await run();
  if (summary !== "the quick brown fox: 4 words") throw new Error(`${name} came to ${JSON.stringify(summary)}`);
  for (let n = 0; n < WARM_UP_RUNS; n += 1) await run();
}

// In turns, so that a machine that is busy for a while is busy for both.
const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, run] of Object.entries(contenders)) times[name].push(...(await measured(run)));
}

console.log("four function steps in a row      p50 us    p99 us");
for (const [name, all] of Object.entries(times)) {
  all.sort((a, b) => a - b);
  console.log(`${name.padEnd(30)} ${micros(all, 0.5)} ${micros(all, 0.99)}`);
}

async function measured(run) {
  const result = [];
  for (let n = 0; n < RUNS; n += 1) {
    const started = performance.now();
    await run();
    result.push(performance.now() - started);
  }
  return result;
}

function micros(sorted, share) {
  const milliseconds = sorted[Math.floor(sorted.length * share)];
  return (milliseconds * 1000).toFixed(1).padStart(9);
}
