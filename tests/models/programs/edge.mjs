// A Worker that asks a model of Workers AI through its binding, as often as a request says.
import { Agent, tool, Workflow, workersAi } from "stepweave";

const search = tool({
  name: "search",
  description: "Finds pages.",
  input: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  execute: ({ q }) => ({ hits: [`all about ${q}`] }),
});

export default {
  async fetch(request, { AI }) {
    const { options, agent, files, hasTools = false, cancelAtDelta = false, times = 1, retryPolicy } = await request.json();
    const model = workersAi(AI, "@cf/acme/llama", options);
    const helper = new Agent({ name: "a", model, ...(hasTools && { tools: [search] }), ...agent });
    const workflow = new Workflow({ name: "ask", ...(retryPolicy && { retryPolicy }), steps: [{ name: "ask", agent: helper, inputFrom: "Hi", ...(files && { files: () => files }) }] });
    const results = await Promise.all(Array.from({ length: times }, () => once(workflow, cancelAtDelta)));
    return Response.json(times === 1 ? results[0] : results);
  },
};

async function once(workflow, cancelAtDelta) {
  const run = workflow.start();
  const deltas = [];
  const thoughts = [];
  for await (const event of run.events) {
    if (event.type === "step.delta") deltas.push(event.text);
    if (event.type === "step.reasoning") thoughts.push(event.text);
    if (event.type === "step.delta" && cancelAtDelta) run.cancel("enough");
  }
  const { status, state, usage, errors } = await run.result;
  return { status, state, usage, deltas, thoughts, error: errors[0]?.toJSON() };
}
