import { nameOf } from "../shapes.mjs";
import { runByHand } from "./by-hand.mjs";

/** The same work without any library. */
export const contender = {
  prepare({ name, input, stages }) {
    let index = -1;
    const numbered = (id, path, { name: own, run }) => ({ index: (index += 1), ref: { id, path, name: own, key: id }, run });
    const steps = stages.map((handlers, at) => {
      const path = `steps[${at}]`;
      if (handlers.length === 1) return numbered(handlers[0].name, path, handlers[0]);
      const id = nameOf(handlers);
      const fork = numbered(id, path, { name: id });
      fork.members = handlers.map((handler, index) => numbered(`${id}.${handler.name}`, `${path}.parallel[${index}]`, handler));
      return fork;
    });
    const state = Object.freeze({ ...input });
    return () => runByHand(name, state, steps, index + 1);
  },
  outputOf: ({ result }) => result.state,
};
