import type { Json, ToolDocument } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { Handlers } from "../api/functions.js";
import type { Schema, StandardSchema } from "../api/schema.js";
import type { ApprovalFunction, Tool, ToolContext } from "../api/tool.js";
import { isEqual } from "../json/equal.js";
import type { PlacedFunction, StepFunction } from "../run/functions.js";
import { checkBeside } from "../schema/beside.js";
import { checkOf } from "../schema/fit.js";
import { isStandardSchema, jsonSchemaOf, withoutDefaults } from "../schema/standard.js";
import { loadValidator } from "../schema/validator.js";

/** A tool's function, behind the check of what it is called with. */
export type Callable = (args: unknown, context: ToolContext) => unknown;

/** The effective entry of a tool: the code's settings apply, and the document can only be stricter. */
export function guarded(tool: Tool, declared: ToolDocument): ToolDocument {
  const { name, description, scopes, version } = tool;
  const run = version === undefined ? declared.run : { handler: handlerOf(declared) ?? name, version };
  const times = [tool.timeoutMs, declared.timeoutMs].filter((ms) => ms !== undefined);
  const target = {
    description,
    ...declared,
    input: schemaOf(tool, declared),
    run,
    // A function finds its place in the catalog; who does not put it there requires approval for every call.
    needsApproval: tool.needsApproval === undefined || tool.needsApproval === false ? declared.needsApproval || undefined : true,
    scopes: scopes === undefined ? declared.scopes : [...scopes],
    timeoutMs: times.length === 0 ? undefined : Math.min(...times),
  };
  return Object.fromEntries(Object.entries(target).filter(([, value]) => value !== undefined)) as ToolDocument;
}

/** The tool's function with the check of its own schema, which applies whatever input a document declares. */
export function callable(tool: Tool, declared: ToolDocument): Callable {
  // The engine has checked what the document says. Where that is the tool's own JSON Schema, it need not be checked again.
  const isChecked = isStandardSchema(tool.input) || tool.input === undefined || isEqual(schemaOf(tool, declared), tool.input);
  const known = isChecked ? plain : checked;
  const made = known.get(tool) ?? (isStandardSchema(tool.input) ? converting(tool, checkOf(tool.input)) : isChecked ? passing(tool) : checking(tool));
  known.set(tool, made);
  tools.set(made, tool);
  return made;
}

/**
 * What decides, for each call, whether a person has to allow it; nothing where that is no function. It sees the arguments as the
 * tool's function does. What does not fit is for a person: the check of a library need not say the same twice.
 */
export function deciding(tool: Tool): ApprovalFunction | undefined {
  const made = deciders.get(tool) ?? decider(tool);
  if (made !== undefined) deciders.set(tool, made);
  return made;
}

function decider({ input, needsApproval, http, workflow }: Tool): ApprovalFunction | undefined {
  if (typeof needsApproval !== "function") return undefined;
  // Of a request and a workflow, the check stands with the input, and what it makes of the arguments is what comes here.
  if (!isStandardSchema(input) || http !== undefined || workflow !== undefined) return (args, context) => needsApproval(args, context);
  const check = checkOf(input);
  return async (args, context) => {
    const fitting = await Promise.resolve(check(args)).then((value) => ({ value }), () => undefined);
    return fitting === undefined || needsApproval(fitting.value, context);
  };
}

/** The tool whose function this is, if it is one: also where it comes among other functions, it stays a tool. */
export function toolBehind(value: unknown): Tool | undefined {
  return typeof value === "function" ? tools.get(value) : undefined;
}

/** The handler that a declared tool names; nothing where it goes by its own name. */
export function handlerOf({ run }: ToolDocument): string | undefined {
  return typeof run === "object" && run !== null && "handler" in run ? run.handler : undefined;
}

/** A schema as JSON Schema, for a model to read; nothing where there is none. Refuses one whose library exposes none: its model would be told of any object. */
export function schemaFor(schema: Schema | undefined, whose: string): Json | undefined {
  if (!isStandardSchema(schema)) return schema as Json | undefined;
  const said = jsonSchemaOf(schema, "input");
  if (said !== true) return said as Json;
  throw new StepweaveError("validation", `no JSON Schema can be derived of ${whose}, so no model can be told of it`, {
    hint: "wrap a schema of valibot in toStandardJsonSchema() of @valibot/to-json-schema, give one of your own a function `toJsonSchema`, or write JSON Schema",
  });
}

/** What a model is told of a tool's arguments. */
export function inputOf({ name, input }: Tool): Json | undefined {
  return schemaFor(input, `the \`input\` of the tool ${name}`);
}

// A tool is one function, however many documents it is in, and so is what decides about its calls.
const plain = new WeakMap<Tool, Callable>();
const checked = new WeakMap<Tool, Callable>();
const tools = new WeakMap<object, Tool>();
const deciders = new WeakMap<Tool, ApprovalFunction>();

/** The input that a model sees: the document's description, unless it is empty. */
function schemaOf(tool: Tool, { input: declared }: ToolDocument): Json | undefined {
  if (declared !== undefined && !saysNothing(declared)) return declared;
  const own = inputOf(tool);
  return (isStandardSchema(tool.input) ? (withoutDefaults(own) as Json) : own) ?? declared;
}

/** The library's schema of a tool whose input a document describes as that library does. */
export function libraryOf({ input }: Tool, { input: declared }: ToolDocument): StandardSchema | undefined {
  if (!isStandardSchema(input)) return undefined;
  const isOwn = declared === undefined || saysNothing(declared) || isEqual(declared, withoutDefaults(jsonSchemaOf(input, "input")));
  return isOwn ? input : undefined;
}

/** The check that a document names for a value, where there is one of that name. */
export function checkNamed(input: Json | undefined, handlers: Handlers): PlacedFunction | undefined {
  const { handler: name } = Object(input) as { readonly handler?: unknown };
  return typeof name === "string" && Object.hasOwn(handlers, name) ? { name, call: handlers[name] as StepFunction } : undefined;
}

/** A document's own check of what a tool is called with, and the code's schema for what it makes of that. */
export function checkedToo(check: StepFunction, tool: string, schema: Json): StepFunction {
  return async (args: unknown, context) => {
    const given: unknown = await check(args, context);
    checkBeside(await loadValidator([schema]), tool, schema, given);
    return given;
  };
}

/** Whether every object fits. */
export function saysNothing(schema: Json): boolean {
  if (typeof schema !== "object" || schema === null) return schema === true;
  return Object.entries(schema).every(([keyword, value]) => ["$schema", "title", "description", "$comment"].includes(keyword) || (keyword === "type" && value === "object"));
}

function passing({ execute }: Tool): Callable {
  return (args, context) => execute(args, context);
}

/** The check of a library may change the arguments. */
function converting({ execute }: Tool, check: (value: unknown) => Promise<unknown>): Callable {
  return async (args, context) => execute(await check(args), context);
}

function checking({ name, input, execute }: Tool): Callable {
  return async (args, context) => {
    const validator = await loadValidator([input]);
    // What the engine has filled in follows the document's schema; the defaults of the code's apply behind those.
    const filled = validator.fill(input, args);
    checkBeside(validator, name, input, filled);
    return execute(filled, context);
  };
}
