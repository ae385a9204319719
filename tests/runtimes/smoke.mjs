// What the README shows: import, run, done. No loading by hand, and the real time.

/** Runs a workflow of two steps; returns what is wrong. */
export async function smoke({ Agent, demo, Workflow }) {
  const writer = new Agent({ name: "writer", model: demo(), instructions: "You write one sentence." });
  const workflow = new Workflow({
    name: "smoke",
    steps: [
      { name: "write", agent: writer, inputFrom: "Write about {{ topic }}" },
      {
        name: "count",
        run: async (state) => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          return { length: state.write_output.length };
        },
      },
    ],
  });
  const faults = [];
  const types = new Set();
  let result;
  for await (const event of workflow.stream({ state: { topic: "bees" } })) {
    types.add(event.type);
    result = event.result;
  }
  if (result?.status !== "done") faults.push(`it ended with ${JSON.stringify(result)}`);
  else if (!result.state.write_output.startsWith("[simulated]")) faults.push("the demo model's answer is not labelled");
  else if (result.state.length !== result.state.write_output.length) faults.push("the second step has not seen the first one's answer");
  const expected = ["run.start", "step.start", "step.delta", "step.done", "run.done"];
  for (const type of expected) if (!types.has(type)) faults.push(`no event of the type ${type} came`);
  return faults;
}
