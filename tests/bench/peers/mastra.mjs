import "./production.mjs";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import { versionOf } from "./versions.mjs";

// No instance of Mastra around them, so there is no storage and no tracing; and nothing is validated.
const LEAN = { validateInputs: false, shouldPersistSnapshot: () => false };

/** Tells an event as each step begins and ends, and keeps the results of the steps. */
export const contender = withOptions(LEAN);

/** The same without the events: as fast as it can be. */
export const mute = withOptions({ ...LEAN, emitStepEvents: false });

export const version = versionOf("@mastra/core");

function withOptions(options) {
  return {
    prepare({ id, input, stages }) {
      const workflow = createWorkflow({ id, inputSchema: z.any(), outputSchema: z.any(), options });
      stages.forEach((handlers, index) => {
        const steps = handlers.map((handler) => stepOf(handler, stages[index - 1]));
        if (steps.length === 1) workflow.then(steps[0]);
        else workflow.parallel(steps);
      });
      workflow.commit();
      return async () => {
        const run = await workflow.createRun({ disableScorers: true });
        return run.start({ inputData: input });
      };
    },
    outputOf: ({ result }) => result,
  };
}

function stepOf({ name, run }, before) {
  // What comes out of a parallel is an object by the names of its members.
  const execute = before?.length > 1
    ? ({ inputData }) => run(Object.assign({}, ...Object.values(inputData)))
    : ({ inputData }) => run(inputData);
  return createStep({ id: name, inputSchema: z.any(), outputSchema: z.any(), execute });
}
