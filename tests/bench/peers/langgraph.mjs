import "./production.mjs";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { versionOf } from "./versions.mjs";

/** Graphs compiled without a checkpointer. They keep no events and no results of steps: the state is all there is. */
export const contender = {
  prepare({ input, stages }) {
    // A handler writes the key that is called as it is, in small letters.
    const keys = [...Object.keys(input), ...stages.flat().map(({ name }) => name.toLowerCase())];
    const state = Annotation.Root(Object.fromEntries(keys.map((key) => [key, Annotation()])));
    const graph = new StateGraph(state);
    for (const { name, run } of stages.flat()) graph.addNode(name, run);
    const names = [[START], ...stages.map((handlers) => handlers.map(({ name }) => name)), [END]];
    names.slice(1).forEach((next, index) => {
      const before = names[index];
      for (const name of next) graph.addEdge(before.length === 1 ? before[0] : before, name);
    });
    const compiled = graph.compile();
    return () => compiled.invoke(input);
  },
  outputOf: (state) => state,
};

export const version = versionOf("@langchain/langgraph");
