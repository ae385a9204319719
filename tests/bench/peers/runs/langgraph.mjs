import "../production.mjs";
import { Annotation, END, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";

const never = new Promise(() => {});
const graphWith = (second, options) =>
  new StateGraph(Annotation.Root({ n: Annotation(), doubled: Annotation(), answer: Annotation() }))
    .addNode("first", ({ n }) => ({ doubled: 2 * n }))
    .addNode("second", second)
    .addEdge(START, "first")
    .addEdge("first", "second")
    .addEdge("second", END)
    .compile(options);

export async function begin(count) {
  let begun = 0;
  const graph = graphWith(() => ((begun += 1), never));
  const runs = Array.from({ length: count }, (_, n) => graph.invoke({ n }));
  while (begun < count) await new Promise((resolve) => setTimeout(resolve, 1));
  return runs;
}

export async function suspend(count) {
  const checkpointer = new MemorySaver();
  const graph = graphWith(() => ({ answer: interrupt("Go on?") }), { checkpointer });
  for (let n = 0; n < count; n += 1) {
    const { __interrupt__: waiting } = await graph.invoke({ n }, { configurable: { thread_id: `run-${n}` } });
    if (waiting === undefined) throw new Error("a run does not wait");
  }
  return Array.from({ length: count }, () => graph);
}
