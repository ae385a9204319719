import { Annotation, END, START, StateGraph } from "@langchain/langgraph/web";

const graph = new StateGraph(Annotation.Root({ n: Annotation(), doubled: Annotation(), total: Annotation() }))
  .addNode("twice", ({ n }) => ({ doubled: 2 * n }))
  .addNode("sum", ({ n, doubled }) => ({ total: n + doubled }))
  .addEdge(START, "twice")
  .addEdge("twice", "sum")
  .addEdge("sum", END)
  .compile();

export default {
  async fetch() {
    const { total } = await graph.invoke({ n: 2 });
    return new Response(String(total));
  },
};
