import { StepweaveError } from "../../api/errors.js";
import type { RunContext } from "../../api/functions.js";
import type { ToolContext } from "../../api/tool.js";
import { Catalog } from "../../authoring/catalog.js";
import { schemaFor } from "../../authoring/guard.js";
import { normalise } from "../../authoring/normalise.js";
import type { Tool } from "../../authoring/tool.js";
import { Driver } from "../../run/driver.js";
import { Program } from "../../run/program.js";
import { isStandardSchema } from "../../schema/standard.js";
import type { ReasoningRunOptions } from "./run.js";

/** Calls a tool without a model: as the only step of a workflow whose state is what the tool is called with. */
export async function callTool(tool: Tool, args: object, { stream: _, ...options }: ReasoningRunOptions): Promise<unknown> {
  const { input, argumentsIn } = checking(tool.input);
  const parts = normalise({
    name: tool.name,
    steps: [
      {
        name: tool.name,
        // What a model calls a tool with is converted too, where it can be known before.
        ...(input !== undefined && { input, coerce: schemaFor(tool.input) !== undefined }),
        ...(tool.timeoutMs !== undefined && { timeoutMs: tool.timeoutMs }),
        run: async (state, run) => ({ output: (await tool.execute(argumentsIn(state), contextFor(tool, run))) ?? null }),
      },
    ],
  }, new Catalog());
  const driver = new Driver(new Program(parts), { ...options, state: args });
  const { state, status, error } = await driver.result;
  if (status === "done") return (state as { output?: unknown }).output;
  if (error === undefined) throw new StepweaveError("cancelled", `the call of the tool \`${tool.name}\` was cancelled`);
  const { hint, retryable, retryAfterMs, problems } = error;
  throw new StepweaveError("tool", `the tool \`${tool.name}\` failed: ${error.message}`, { cause: error.cause ?? error, hint, retryable, retryAfterMs, problems });
}

/** The schema of a tool, which puts what it makes of the arguments under a key of its own: in the state, keys stay that a library leaves out. */
function checking(input: Tool["input"]): { readonly input: Tool["input"]; argumentsIn(state: object): unknown } {
  if (!isStandardSchema(input)) return { input, argumentsIn: (state) => state };
  const { vendor } = input["~standard"];
  const validate = (value: unknown): unknown => {
    const checked = input["~standard"].validate(value);
    return typeof (Object(checked) as Partial<PromiseLike<unknown>>).then === "function" ? Promise.resolve(checked).then(apart) : apart(checked);
  };
  return { input: { "~standard": { version: 1, vendor, validate } }, argumentsIn: (state) => (state as { made?: unknown }).made };
}

function apart(checked: unknown): unknown {
  const { issues, value } = Object(checked) as { issues?: unknown; value?: unknown };
  return issues || value === undefined ? checked : { value: { made: value } };
}

/** The context of the step, with what is known of the call. Its members look into the object that they belong to. */
function contextFor({ name }: Tool, run: RunContext): ToolContext {
  const own: { readonly [key: string]: unknown } = { callId: run.step.key, tool: name };
  return new Proxy(run, { get: (target, key) => (typeof key === "string" && Object.hasOwn(own, key) ? own[key] : Reflect.get(target, key, target)) }) as ToolContext;
}
