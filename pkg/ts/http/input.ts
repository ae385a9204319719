import type { JsonObject, WorkflowDocument } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { Handlers } from "../api/functions.js";
import { isObject } from "../api/json.js";
import type { StandardSchema } from "../api/schema.js";
import { schemaBehind } from "../schema/fit.js";
import { membersOf } from "../schema/members.js";
import { checkStandard } from "../schema/standard.js";
import { Refused } from "./problem.js";

/** Which keys of a state callers may give: those that the workflow's `input` schema names. */
export interface Input {
  /** The schema itself, if there is one. */
  readonly schema: unknown;
  /** The keys that it names, each with what it says of their values. */
  readonly members: ReadonlyMap<string, readonly unknown[]>;
  /** The keys that callers may give; nothing where any key is allowed. */
  readonly keys: ReadonlySet<string> | undefined;
}

/** What a workflow's document says of its input; throws where that leaves open which keys it has, and where no run could begin. */
export function inputOf({ name, input, initialState = {} }: WorkflowDocument, handlers: Handlers | undefined): Input {
  // Of a library's schema the document has the JSON Schema that the library derives, if it can.
  const isChecked = isObject(input) && typeof input.handler === "string";
  const schema = isChecked ? input.schema : input;
  if (isChecked && schema === undefined) throw unknownKeys(name);
  const members = membersOf(schema);
  if (isChecked) checkOwn(name, Object.entries(initialState).filter(([key]) => !members.has(key)), handlers?.[input.handler as string]);
  return { schema, members, keys: isOpen(schema) ? undefined : new Set(members.keys()) };
}

/** Whether the schema itself says that it takes other keys than those it names; what it is made of opens nothing. */
function isOpen(schema: unknown): boolean {
  return isObject(schema) && (schema.additionalProperties === true || isObject(schema.additionalProperties) || isObject(schema.patternProperties));
}

/** The schema of what callers may send: the workflow's own, without the keys that it does not name. */
export function callersSchema({ schema, keys }: Input): JsonObject {
  const given = (isObject(schema) ? schema : {}) as JsonObject;
  if (keys === undefined) return { ...given, type: "object" };
  // What the schema is made of may name keys too, which only `properties` beside it keep allowed.
  const properties = { ...Object.fromEntries([...keys].map((key) => [key, {}])), ...(given.properties as JsonObject | undefined) };
  return { ...given, type: "object", properties, additionalProperties: false };
}

/** Refuses keys that callers may not give: they would replace what the workflow's own initial state has. */
export function checkKeys({ keys, schema }: Input, state: object): void {
  if (keys === undefined) return;
  const other = Object.keys(state).find((key) => !keys.has(key));
  if (other === undefined) return;
  const hint = schema === undefined ? "the workflow has no `input` schema, so callers give it nothing" : `it takes ${[...keys].map((key) => `\`${key}\``).join(", ") || "no keys"}`;
  throw new Refused(400, "validation", `the workflow's input has no key \`${other.slice(0, 100)}\``, { hint });
}

/** Refuses a workflow whose `input` refuses keys that every run begins with: callers would be told of them at each call. */
function checkOwn(workflow: string, own: readonly (readonly [string, unknown])[], check: Handlers[string] | undefined): void {
  const schema = check === undefined || own.length === 0 ? undefined : schemaBehind(check);
  if (schema === undefined) return;
  if (faultsIn(schema, Object.fromEntries(own)) <= faultsIn(schema, {})) return;
  throw new StepweaveError("document", `the workflow \`${workflow}\` cannot be served: no run can begin, since its \`input\` refuses what its own initialState has: ${own.map(([key]) => `\`${key}\``).join(", ")}`, {
    hint: "`input` is the schema of the whole state at the start: name the keys in it, or have it take others",
  });
}

/** How much a library finds wrong with a state; nothing where it does not answer at once. */
function faultsIn(schema: StandardSchema, state: object): number {
  try {
    const checked = checkStandard(schema, state);
    if (!(checked instanceof Promise)) return "issues" in checked ? checked.issues.length : 0;
    checked.catch(() => {});
  } catch {
    // A check that throws here may do so for want of what callers give: each of their runs is told.
  }
  return 0;
}

/** Whoever may give any key may give those of the initial state too: nobody has said that callers may. */
function unknownKeys(workflow: string): StepweaveError {
  return new StepweaveError("validation", `the workflow \`${workflow}\` cannot be served: no JSON Schema can be derived of its \`input\`, so nobody knows which keys callers may give`, {
    hint: "wrap a schema of valibot in toStandardJsonSchema() of @valibot/to-json-schema, give one of your own a function `toJsonSchema`, or write `input` as JSON Schema; in a document write `schema` beside `handler`",
  });
}
