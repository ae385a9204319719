import { isStepweaveError, StepweaveError } from "../../api/errors.js";
import { isObject } from "../../api/json.js";
import { Agent } from "../../authoring/agent.js";
import { Catalog } from "../../authoring/catalog.js";
import { normalise } from "../../authoring/normalise.js";
import { Tool } from "../../authoring/tool.js";
import { Driver } from "../../run/driver.js";
import { Program } from "../../run/program.js";
import { quoted } from "../../schema/options.js";
import { oneCall } from "../tools/scripted.js";
import { copied } from "./context.js";
import type { ReasoningRunOptions } from "./run.js";

/**
 * Calls a tool without a model: a function that stands for one makes the only call. So the arguments are checked and
 * converted as those of any call, and tools that are requests or workflows are called too.
 */
export async function callTool(tool: Tool, args: object, { stream: _, state: __, ...options }: ReasoningRunOptions): Promise<unknown> {
  const { name } = tool;
  const input = argumentsFor(name, args);
  const model = oneCall(name, input);
  // Who calls it wants it called.
  const agent = new Agent({ name, model, tools: [new Tool({ ...tool, needsApproval: false })] });
  const driver = new Driver(new Program(normalise({ name, steps: [{ name, agent, inputFrom: "Call it." }] }, new Catalog())), options);
  let output: unknown;
  let error: StepweaveError | undefined;
  for await (const event of driver.events) {
    if (event.type === "tool.done" && event.tool === name) output = event.output;
    if (event.type === "tool.error" && event.tool === name) error = event.error;
  }
  const result = await driver.result;
  if (result.status === "cancelled") throw new StepweaveError("cancelled", `the call of the tool \`${name}\` was cancelled`);
  if (result.status === "suspended") throw failure(name, "it waits for a person", { hint: "let an agent call it, whose run can be resumed" });
  const failed = error ?? result.error;
  if (failed === undefined) return output;
  const { cause = failed, hint, retryable, retryAfterMs, problems } = failed;
  // What is said of a function that threw is for those who read of a model's call.
  throw failure(name, failed.message, { cause, hint: isStepweaveError(cause) ? hint : undefined, retryable, retryAfterMs, problems });
}

function argumentsFor(name: string, args: unknown): any {
  try {
    const input = copied(args, "arguments");
    if (isObject(input)) return input;
  } catch (error) {
    if (!isStepweaveError(error)) throw error;
    throw failure(name, error.message, { cause: error, hint: error.hint });
  }
  throw failure(name, `its arguments are ${quoted(args)}`, { hint: `pass an object: useTool(${JSON.stringify(name)}, { … })` });
}

function failure(name: string, what: string, more: ConstructorParameters<typeof StepweaveError>[2]): StepweaveError {
  return new StepweaveError("tool", `the tool \`${name}\` failed: ${what}`, more);
}
