import { Workflow } from "stepweave";
import { memoryStore } from "stepweave/stores";

const never = new Promise(() => {});
const steps = (last) => [{ name: "first", run: ({ n }) => ({ twice: 2 * n }) }, last];

/** Runs in the middle of their second step. */
export async function begin(count) {
  let begun = 0;
  const workflow = new Workflow({ name: "live", steps: steps({ name: "second", run: () => ((begun += 1), never) }) });
  const runs = Array.from({ length: count }, (_, n) => workflow.start({ state: { n } }));
  while (begun < count) await new Promise((resolve) => setTimeout(resolve, 1));
  return runs;
}

/** Runs that wait for a person, and the store that has what they need to go on. */
export async function suspend(count) {
  const store = memoryStore();
  const workflow = new Workflow({ name: "waiting", steps: steps({ name: "boss", type: "approval" }) });
  for (let n = 0; n < count; n += 1) {
    const { status } = await workflow.run({ state: { n }, journal: `run-${n}`, store });
    if (status !== "suspended") throw new Error(`a run is ${status}`);
  }
  return Array.from({ length: count }, () => store);
}
