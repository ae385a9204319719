import { Workflow } from "stepweave/functions";

const workflow = new Workflow({
  name: "sum",
  steps: [{ name: "twice", run: ({ n }) => ({ twice: 2 * n }) }, { name: "sum", run: ({ n, twice }) => ({ sum: n + twice }) }],
});

export default {
  async fetch() {
    const { state } = await workflow.run({ state: { n: 2 } });
    return new Response(String(state.sum));
  },
};
