import type { Problem } from "../api/document.js";
import { isStepweaveError, StepweaveError } from "../api/errors.js";
import { refused } from "../schema/json/refused.js";
import { member, steps } from "../schema/json/pointer.js";
import { mayBeObject } from "../schema/objects.js";
import { loadValidator } from "../schema/validator.js";
import type { Validator } from "../schema/violation.js";
import type { CompiledSchema } from "../wasm/boundary.js";

/** What checks values by the schemas of a document; throws for the first of them that cannot be used, with its path. */
export async function validatorFor(schemas: readonly CompiledSchema[]): Promise<Validator> {
  const checking = schemas.filter(isChecking);
  const validator = await loadValidator(checking.flatMap(({ schema, beside }) => (beside === undefined ? [schema] : [schema, beside.schema])));
  for (const { path, schema, library } of checking) {
    // What a library says of its schema may be more than is understood here: it checks itself.
    if (library !== undefined) continue;
    const error = faultOf(validator, path, schema);
    if (error === undefined) continue;
    const { code, message, hint, problems } = error;
    throw new StepweaveError(code, `\`${path}\` cannot be used: ${message}`, { hint, problems: problems?.map((problem) => placed(problem, path, schema)) });
  }
  return validator;
}

/** Every problem of the schemas of a document. */
export async function problemsOfSchemas(schemas: readonly CompiledSchema[]): Promise<readonly Problem[]> {
  const checking = schemas.filter(isChecking);
  const validator = await loadValidator(checking.map(({ schema }) => schema));
  return checking.flatMap(({ path, schema }) => {
    const error = faultOf(validator, path, schema);
    if (error === undefined) return [];
    const { code, message, hint = "change the schema", problems = [{ path: "", code, message, hint, severity: "error" }] } = error;
    return problems.map((problem) => placed(problem, path, schema));
  });
}

/** What a library says of its schema may be more than is understood here, and checks nothing. */
function isChecking({ isShownOnly }: CompiledSchema): boolean {
  return isShownOnly !== true;
}

// Where the schema of a tool's input stands. Steps have schemas called so too.
const TOOL_INPUT = /^tools\.([\w-]+)\.input$/;

function faultOf(validator: Validator, path: string, schema: unknown): StepweaveError | undefined {
  try {
    validator.prepare(schema);
    const tool = TOOL_INPUT.exec(path)?.[1];
    // Providers take nothing else, and say so only when a run asks them.
    return tool === undefined || mayBeObject(schema) ? undefined : refused("", `of the input of the tool \`${tool}\` lets no object through`, 'write { "type": "object", "properties": { … } }: models call tools with objects');
  } catch (error) {
    if (isStepweaveError(error)) return error;
    throw error;
  }
}

/** A problem of a schema at a JSON Pointer, as a problem of the document that contains it. */
function placed(problem: Problem, path: string, schema: unknown): Problem {
  let part = schema;
  let place = path;
  for (const step of steps(problem.path)) {
    // In the engine's form of paths in a document.
    place += Array.isArray(part) ? `[${step}]` : /^[\p{Alphabetic}\p{N}_-]+$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    part = member(part, step);
  }
  return { ...problem, path: place };
}
