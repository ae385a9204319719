import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";

const any = z.any();
const step = (id, execute) => createStep({ id, inputSchema: any, outputSchema: any, execute });

const workflow = createWorkflow({ id: "sum", inputSchema: any, outputSchema: any })
  .then(step("twice", async ({ inputData: { n } }) => ({ n, twice: 2 * n })))
  .then(step("sum", async ({ inputData: { n, twice } }) => ({ sum: n + twice })))
  .commit();

export default {
  async fetch() {
    const run = await workflow.createRun();
    const { result } = await run.start({ inputData: { n: 2 } });
    return new Response(String(result.sum));
  },
};
