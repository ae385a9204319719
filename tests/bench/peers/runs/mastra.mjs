import "../production.mjs";
import { Mastra } from "@mastra/core";
import { InMemoryStore } from "@mastra/core/storage";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";

const any = z.any();
const never = new Promise(() => {});
const first = createStep({ id: "first", inputSchema: any, outputSchema: any, execute: async ({ inputData: { n } }) => ({ twice: 2 * n }) });
const workflowWith = (execute) => createWorkflow({ id: "two", inputSchema: any, outputSchema: any }).then(first).then(createStep({ id: "second", inputSchema: any, outputSchema: any, resumeSchema: any, suspendSchema: any, execute })).commit();

export async function begin(count) {
  let begun = 0;
  const workflow = workflowWith(() => ((begun += 1), never));
  const runs = [];
  for (let n = 0; n < count; n += 1) {
    const run = await workflow.createRun({ disableScorers: true });
    runs.push({ run, result: run.start({ inputData: { n } }) });
  }
  while (begun < count) await new Promise((resolve) => setTimeout(resolve, 1));
  return runs;
}

export async function suspend(count) {
  const mastra = new Mastra({ workflows: { two: workflowWith(async ({ suspend: wait }) => wait({})) }, storage: new InMemoryStore(), logger: false });
  const workflow = mastra.getWorkflow("two");
  for (let n = 0; n < count; n += 1) {
    const run = await workflow.createRun({ disableScorers: true });
    const { status } = await run.start({ inputData: { n } });
    if (status !== "suspended") throw new Error(`a run is ${status}`);
  }
  return Array.from({ length: count }, () => mastra);
}
