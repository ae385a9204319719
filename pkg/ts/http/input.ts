import type { JsonObject, WorkflowDocument } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { Handlers } from "../api/functions.js";
import { isObject } from "../api/json.js";
import { schemaBehind } from "../schema/fit.js";
import { membersOf } from "../schema/members.js";
import { loadValidator } from "../schema/validator.js";
import { OwnState } from "./own-state.js";
import { Refused } from "./problem.js";

/** Which keys of a state callers may give: those that the workflow's `input` schema names, or has a pattern for. */
export interface Input {
  /** The schema itself, if there is one. */
  readonly schema: unknown;
  /** The keys that it names, each with what it says of their values. */
  readonly members: ReadonlyMap<string, readonly unknown[]>;
  /** The keys that callers may give; nothing where any key is allowed. */
  readonly keys: ReadonlySet<string> | undefined;
  /** A schema that only keys fit which match one of its patterns: callers may give them too. */
  readonly patterns: JsonObject | undefined;
  /** What every run begins with that callers do not decide. */
  readonly own: OwnState;
}

/** What a workflow's document says of its input; throws where that leaves open which keys it has, and where no run could begin. */
export function inputOf({ name, input, initialState = {} }: WorkflowDocument, handlers: Handlers | undefined): Input {
  // Of a library's schema the document has the JSON Schema that the library derives, if it can.
  const isChecked = isObject(input) && typeof input.handler === "string";
  const schema = isChecked ? input.schema : input;
  if (isChecked && schema === undefined) throw unknownKeys(name);
  const members = membersOf(schema);
  const check = isChecked ? handlers?.[input.handler as string] : undefined;
  const own = new OwnState(name, initialState, members, { schema: isChecked ? undefined : schema, library: check && schemaBehind(check) });
  own.check();
  return { schema, members, keys: isOpen(schema) ? undefined : new Set(members.keys()), patterns: patternsOf(schema), own };
}

/** Whether the schema itself says that it takes other keys than those it names; what it is made of opens nothing. */
function isOpen(schema: unknown): boolean {
  return isObject(schema) && (schema.additionalProperties === true || isObject(schema.additionalProperties));
}

/** Only its own patterns count: what it is made of opens nothing. */
function patternsOf(schema: unknown): JsonObject | undefined {
  if (!isObject(schema) || !isObject(schema.patternProperties)) return undefined;
  const all = Object.keys(schema.patternProperties).map((pattern) => [pattern, true] as const);
  return all.length === 0 ? undefined : { patternProperties: Object.fromEntries(all), additionalProperties: false };
}

/** The schema of what callers may send: the workflow's own, without the keys that it does not name. */
export function callersSchema({ schema, keys }: Input): JsonObject {
  const given = (isObject(schema) ? schema : {}) as JsonObject;
  if (keys === undefined) return { ...given, type: "object" };
  // What the schema is made of may name keys too, which only `properties` beside it keep allowed.
  const properties = { ...Object.fromEntries([...keys].map((key) => [key, {}])), ...(given.properties as JsonObject | undefined) };
  return { ...given, type: "object", properties, additionalProperties: false };
}

/** Whether there is anything that callers may give. */
export function takesAny({ keys, patterns }: Input): boolean {
  return keys?.size !== 0 || patterns !== undefined;
}

/** The keys of a state that callers may not give: they would replace what the workflow's own initial state has. */
export async function foreignKeys({ keys, patterns }: Input, state: object): Promise<readonly string[]> {
  const unnamed = keys === undefined ? [] : Object.keys(state).filter((key) => !keys.has(key));
  if (patterns === undefined || unnamed.length === 0) return unnamed;
  // It matches in linear time, and bounds the work that callers can cause.
  const validator = await loadValidator([patterns]);
  return unnamed.filter((key) => validator.check(patterns, { [key]: null }, 1).length > 0);
}

/** Refuses keys that callers may not give. */
export async function checkKeys(input: Input, state: object): Promise<void> {
  const [other] = await foreignKeys(input, state);
  if (other === undefined) return;
  const { keys = [], patterns, schema } = input;
  const takes = [...[...keys].map((key) => `\`${key}\``), ...Object.keys(Object(patterns?.patternProperties)).map((pattern) => `keys that match \`${pattern}\``)];
  const hint = schema === undefined ? "the workflow has no `input` schema, so callers give it nothing" : `it takes ${takes.join(", ") || "no keys"}`;
  throw new Refused(400, "validation", `the workflow's input has no key \`${other.slice(0, 100)}\``, { hint });
}

/** Whoever may give any key may give those of the initial state too: nobody has said that callers may. */
function unknownKeys(workflow: string): StepweaveError {
  return new StepweaveError("validation", `the workflow \`${workflow}\` cannot be served: no JSON Schema can be derived of its \`input\`, so nobody knows which keys callers may give`, {
    hint: "wrap a schema of valibot in toStandardJsonSchema() of @valibot/to-json-schema, give one of your own a function `toJsonSchema`, or write `input` as JSON Schema; in a document write `schema` beside `handler`",
  });
}
