import { textOf } from "../errors.js";
import { checkStandard, isStandardSchema, type Checked } from "../schema/standard.js";
import { loadValidator } from "../schema/validator.js";
import type { RunContext } from "../types.js";
import type { Tool, ToolContext } from "../tool.js";
import { copied } from "./context.js";
import type { ChosenTool, ToolDecision } from "./decision.js";

/** Runs a tool that was chosen. What goes wrong is what came of it: the step goes on. */
export async function useChoice(choice: ChosenTool, tools: readonly Tool[], run: RunContext, index: number): Promise<ToolDecision> {
  try {
    const tool = tools.find(({ name }) => name === choice.toolName) as Tool;
    return { ...choice, error: null, result: await useTool(tool, choice.arguments, run, `${index + 1}`) };
  } catch (error) {
    return { ...choice, error: textOf(error), result: null };
  }
}

async function useTool(tool: Tool, args: object, run: RunContext, callId: string): Promise<unknown> {
  const checked = await fitted(tool, args);
  if ("issues" in checked) throw new Error(`the arguments do not fit: ${checked.issues.map(({ at, message }) => `${at} ${message}`).join("; ")}`);
  return copied(await tool.execute(checked.value, contextFor(tool, run, callId)), `what ${tool.name} gave`);
}

async function fitted({ input }: Tool, args: object): Promise<Checked> {
  if (input === undefined) return { value: args };
  if (isStandardSchema(input)) return checkStandard(input, args);
  const violations = (await loadValidator()).check(input, args);
  return violations.length === 0 ? { value: args } : { issues: violations.map(({ at, keyword }) => ({ at, message: `breaks \`${keyword}\`` })) };
}

/** The context of the step's function, with what is known of the call. Its members look into the object that they belong to. */
export function contextFor({ name }: Tool, run: RunContext, callId: string): ToolContext {
  const own: { readonly [key: string]: unknown } = { callId, tool: name };
  return new Proxy(run, { get: (target, key) => (typeof key === "string" && Object.hasOwn(own, key) ? own[key] : Reflect.get(target, key, target)) }) as ToolContext;
}
