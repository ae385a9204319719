import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Workflow } from "stepweave";
import { nameOf } from "../shapes.mjs";

/** The package, as a user has it. */
export const contender = {
  prepare(shape) {
    const workflow = workflowOf(shape);
    if (!shape.given) return () => workflow.run();
    return () => workflow.run({ state: shape.input });
  },
  outputOf: ({ state }) => state,
};

/** A shape as a workflow of the package. */
export function workflowOf({ name, input, given, stages }) {
  const steps = stages.map((handlers) => (handlers.length === 1 ? handlers[0] : { name: nameOf(handlers), parallel: handlers }));
  return new Workflow({ name, steps, ...(given ? {} : { initialState: input }) });
}

const manifest = JSON.parse(readFileSync(createRequire(import.meta.url).resolve("stepweave/package.json"), "utf8"));

export const version = { name: "stepweave", version: manifest.version, node: manifest.engines.node };
