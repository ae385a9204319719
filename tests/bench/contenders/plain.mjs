import { nameOf } from "../shapes.mjs";
import { runByHand } from "./by-hand.mjs";

/** The same work without any library. */
export const contender = {
  prepare({ name, input, stages }) {
    let index = -1;
    const numbered = (id, path, { name: own, run }) => ({ index: (index += 1), ref: { id, path, name: own, key: id }, run });
    const steps = stages.map((handlers, at) => {
      const [id, path] = [`s${at + 1}`, `steps[${at}]`];
      if (handlers.length === 1) return numbered(id, path, handlers[0]);
      const fork = numbered(id, path, { name: nameOf(handlers) });
      fork.members = handlers.map((handler, place) => numbered(`${id}.${place + 1}`, `${path}.parallel[${place}]`, handler));
      return fork;
    });
    const state = Object.freeze({ ...input });
    return () => runByHand(name, state, steps, index + 1);
  },
  outputOf: ({ result }) => result.state,
};
