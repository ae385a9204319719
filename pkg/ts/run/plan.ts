import type { CodeRunner } from "../api/code.js";
import type { McpToolDocument, Problem, ToolDocument, WorkflowDocument } from "../api/document.js";
import type { StepRef } from "../api/errors.js";
import { StepweaveError } from "../api/errors.js";
import { isEqual } from "../json/equal.js";
import type { Compiled, CompiledFunction, CompiledSchema } from "../wasm/boundary.js";
import type { Instance } from "../wasm/instance.js";
import { instanceLater } from "../wasm/source.js";
import { unusable } from "./answers.js";
import { codeRunnerNow } from "./code.js";
import { byName, functionAt, isOfModel, type Functions, type StepFunction } from "./functions.js";
import type { PinnedTool } from "./servers.js";

/** A document that one instance has compiled. */
export interface Plan {
  readonly number: number;
  readonly name: string;
  readonly steps: readonly PlannedStep[];
  /** The paths of the end steps that end the run as a whole; nothing where there is none. */
  readonly exits: ReadonlySet<string> | undefined;
  /** What the port speaks of by number. */
  readonly functions: readonly StepFunction[];
  /** Of functions, whether they are code in the document: what runs it must be there when they are called. */
  readonly isCode: readonly boolean[];
  /** For functions that are tools, their names. */
  readonly tools: readonly (string | undefined)[];
  /** For functions that ask MCP servers, the tools that the document means. */
  readonly pinned: readonly (PinnedTool | undefined)[];
  readonly schemas: readonly CompiledSchema[];
  /** The functions that check what tools are called with, by the names of the tools. */
  readonly checks: ReadonlyMap<string, StepFunction>;
  /** The tools whose calls a person may have to allow. */
  readonly asking: readonly string[];
  /** What code has given for one place of the document. */
  readonly placed: Functions["placed"];
  /** The fingerprint of the document. */
  readonly digest: string;
}

/** A step as events and results refer to it. */
export interface PlannedStep {
  readonly ref: StepRef;
  readonly type: string;
}

// Plans of workflows that nobody holds any more are given back to their instance.
const abandoned =
  typeof FinalizationRegistry === "function"
    ? new FinalizationRegistry<{ instance: Instance; number: number }>(({ instance, number }) => {
        try {
          instance.release(number);
        } catch {
          // The instance has died of it and informed its runs; there is nothing left to release.
        }
      })
    : undefined;

/** What is wrong with a document. */
export async function problemsOf(text: string): Promise<readonly Problem[]> {
  const instance = await instanceLater();
  const compiled = compiledBy(instance, text, "");
  if (compiled.plan !== 0) instance.release(compiled.plan);
  if (compiled.schemas.length === 0) return compiled.problems;
  const { problemsOfSchemas } = await import("./schemas.js");
  return [...compiled.problems, ...(await problemsOfSchemas(compiled.schemas))];
}

function compiledBy(instance: Instance, text: string, bounds: string): Compiled {
  return JSON.parse(instance.compile(text, bounds)) as Compiled;
}

/** What is compiled: a document, and the functions that it may name. */
interface Source {
  readonly text: string;
  readonly document: unknown;
  readonly functions: Functions;
}

/** Compiles a document within bounds, and finds the functions it names; throws `document` with every problem. */
export function compile(instance: Instance, { text, document, functions: known }: Source, bounds: string): Plan {
  const { plan: number, problems, steps, functions, schemas, digest } = compiledBy(instance, text, bounds);
  if (number === 0) throw refusal(problems, document);
  const missing = functions.flatMap((called) => missingHandler(called, known) ?? []);
  if (missing.length > 0) {
    instance.release(number);
    throw refusal(missing, document);
  }
  const plan: Plan = Object.freeze({
    number,
    name: (document as { name: string }).name,
    steps: steps.map(({ id, path, name, type }) => Object.freeze({ ref: Object.freeze({ id, path, name, key: id }), type })),
    exits: exitsOf(steps, document),
    functions: functions.map((called) => functionOf(called, known)),
    isCode: functions.map(({ code }) => code !== undefined),
    tools: functions.map(({ path }) => TOOL.exec(path)?.[1]),
    pinned: functions.map((called) => pinnedAt(called, document)),
    schemas: schemas.map((compiled) => besideThatOf(known, compiled)),
    checks: new Map(functions.flatMap((called) => checkOfInput(called, known))),
    placed: known.placed,
    asking: askingIn(document),
    digest,
  });
  abandoned?.register(plan, { instance, number });
  return plan;
}

function exitsOf(steps: Compiled["steps"], document: unknown): Plan["exits"] {
  const exits = steps.filter(({ type, path }) => type === "end" && endsRun(path, document));
  return exits.length === 0 ? undefined : new Set(exits.map(({ path }) => path));
}

/** Whether what ends by the step at this path is the run, and not a round, an item, or steps over a state of their own. */
function endsRun(path: string, document: unknown): boolean {
  if (!path.startsWith("steps[")) return false;
  let at = document as { readonly type?: unknown; readonly end?: { readonly scope?: unknown } };
  for (const key of path.match(/\w+/g) ?? []) {
    if (at.type === "workflow") return false;
    at = at[key as keyof typeof at] as typeof at;
  }
  return (at.end?.scope ?? "run") === "run";
}

/** The error of a document that cannot be run; its step is the one that the first of its problems is of. */
export function refusal(problems: readonly Problem[], document: unknown): StepweaveError {
  const errors = problems.filter((problem) => problem.severity === "error");
  const shown = errors.slice(0, 3).map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const more = errors.length - shown.length;
  return new StepweaveError(
    "document",
    `the workflow cannot be run: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`,
    { hint: errors[0]?.hint, problems, step: stepAt(errors[0]?.path, document) },
  );
}

/** The step that holds what stands at this path. */
function stepAt(place = "", document: unknown): StepRef | undefined {
  let at = document as StepRef | undefined;
  let step: StepRef | undefined;
  let path = "";
  for (const part of place.split(/(?=[.[])/)) {
    path += part;
    at = at?.[part.replace(/[.[\]]/g, "") as "id"] as typeof at;
    if (typeof at?.id === "string" && typeof at.name === "string") step = { id: at.id, path, name: at.name, key: at.id };
  }
  return step;
}

/** A schema of a document with what code has for the same: the library that it was derived of, or another schema. */
function besideThatOf({ schemas, placed }: Functions, compiled: CompiledSchema): CompiledSchema {
  const schema = schemas.get(compiled.path);
  const tool = TOOL_INPUT.exec(compiled.path)?.[1];
  const library = placed.get(`tools.${tool}`)?.input;
  if (library !== undefined) return { ...compiled, library };
  return schema === undefined || tool === undefined || isEqual(schema, compiled.schema) ? compiled : { ...compiled, beside: { tool, schema } };
}

function askingIn(document: unknown): readonly string[] {
  const tools = Object.entries((document as WorkflowDocument).tools ?? {});
  // What a tool does that is data may need approval by itself.
  return tools.flatMap(([name, { needsApproval, run }]) => (needsApproval === false || (needsApproval === undefined && (run === undefined || "handler" in run || "code" in run)) ? [] : [name]));
}

/** The function that checks a tool's input, if this is one. */
function checkOfInput({ path, handler }: CompiledFunction, known: Functions): [string, StepFunction][] {
  const tool = TOOL_INPUT.exec(path)?.[1];
  const check = tool === undefined || handler === undefined ? undefined : functionAt(known, path, handler);
  return tool === undefined || check === undefined ? [] : [[tool, check]];
}

// Where the schema of a tool's input stands.
const TOOL_INPUT = /^tools\.(.*)\.input$/s;

// Where functions stand that are tools, and those that may give images and files.
const TOOL = /^tools\.((?:(?!\.(?:run|input|needsApproval)(?:$|\.workflow\.)).)*)(?:\.run)?$/s;
const GIVES_PARTS = /(?:^|\.)steps\[.*\.(inputFrom|files)$/s;

/** The tool of an MCP server that a function stands for, if it is one. */
function pinnedAt({ path, handler, code }: CompiledFunction, document: unknown): PinnedTool | undefined {
  const name = TOOL.exec(path)?.[1];
  if (handler !== undefined || code !== undefined || name === undefined) return undefined;
  const { description, input, run } = (document as WorkflowDocument).tools?.[name] as ToolDocument;
  return { name, description, input, ...(run as { mcp: McpToolDocument }).mcp };
}

function functionOf({ path, handler, code }: CompiledFunction, known: Functions): StepFunction {
  if (code === undefined) {
    // What asks an MCP server is no function of code.
    const call = (handler === undefined ? undefined : functionAt(known, path, handler)) as StepFunction;
    const role = GIVES_PARTS.exec(path)?.[1];
    return role === undefined ? call : givingParts(call, role);
  }
  const does = TOOL.test(path) ? "compute" : "run";
  return (state: object, { log }) => (codeRunnerNow() as CodeRunner)[does](code, state, { log });
}

/** Programs whose agents get only texts do not load the code that reads images and files. */
function givingParts(call: StepFunction, role: string): StepFunction {
  return (state, context) => {
    const what = `${role} of \`${context.step.name}\``;
    const read = (given: unknown): unknown => {
      if (Array.isArray(given)) return import("./input-parts.js").then(({ plainFiles, plainInput }) => (role === "files" ? plainFiles : plainInput)(given, what));
      if (role === "files") throw unusable(`${what} gave no list`, "return an array of images and files, or []");
      return given;
    };
    const given = call(state, context);
    return typeof (given as PromiseLike<unknown> | null)?.then === "function" ? Promise.resolve(given).then(read) : read(given);
  };
}

function missingHandler({ path, handler }: CompiledFunction, known: Functions): Problem | undefined {
  if (handler === undefined || functionAt(known, path, handler) !== undefined) return undefined;
  // A tool goes by its own name where the document says nothing else.
  const isSaid = path.endsWith(".run") || !TOOL.test(path);
  const place = isSaid ? `${path}.handler` : path;
  return outOfReach(place, handler, known) ?? unknownHandler(place, handler, byName(known));
}

/** What code gave for one purpose is not called for another: a document would get around what guards it there. */
function outOfReach(path: string, name: string, { models, placed }: Functions): Problem | undefined {
  const [place] = [...placed].find(([, { name: other }]) => other === name) ?? (Object.hasOwn(models, name) ? ["models"] : []);
  if (place === undefined) return undefined;
  const isTool = place.startsWith("tools.");
  const what = isTool ? "tool" : place.startsWith("agents.") ? "check of an agent's answer" : "model";
  return {
    path,
    code: "guarded_function",
    message: `\`${name}\` is a ${what} that code has given, and is not called from here`,
    hint: isTool
      ? `name it in an agent's \`tools\`; what steps may call as well is passed in \`handlers\`, under another name`
      : `what steps may call is passed in \`handlers\`, under another name`,
    severity: "error",
  };
}

function unknownHandler(path: string, name: string, handlers: Functions["handlers"]): Problem {
  const names = Object.keys(handlers);
  const known = names.length === 0 ? "no handlers were given" : `given were ${names.slice(0, 8).join(", ")}`;
  const isModel = isOfModel(path);
  const isTool = TOOL.test(path.replace(/\.handler$/, ""));
  return {
    path,
    code: "unknown_handler",
    message: `no function for the ${isTool ? "tool" : "handler"} \`${name}\` (${known})`,
    hint: `pass it: Workflow.fromDocument(document, { ${codeFor(JSON.stringify(name))} })${isModel ? "; to a worker with connect(worker, { models })" : ""}`,
    severity: "error",
  };

  function codeFor(quoted: string): string {
    if (isModel) return `models: { ${quoted}: customModel(${quoted}, (request) => …) }`;
    return isTool ? `tools: [tool({ name: ${quoted}, execute: (args) => … })]` : `handlers: { ${quoted}: (state) => … }`;
  }
}
