import type { WorkflowDocument } from "../api/document.js";
import { Refused } from "./problem.js";

/** Which keys of a state callers may give: those that the workflow's `input` schema names. */
export interface Input {
  /** The schema itself, if there is one. */
  readonly schema: unknown;
  /** The named keys; nothing where any key is allowed. */
  readonly keys: ReadonlySet<string> | undefined;
}

/** What a workflow's document says of its input. */
export function inputOf(document: WorkflowDocument): Input {
  const { input } = document;
  // Of a library's schema the document has the JSON Schema that the library derives, if it can.
  const schema = isObject(input) && typeof input.handler === "string" ? (input.schema ?? true) : input;
  if (schema === undefined) return { schema, keys: new Set() };
  if (!isObject(schema)) return { schema, keys: schema === true ? undefined : new Set() };
  const { properties, additionalProperties } = schema;
  const isOpen = additionalProperties === true || isObject(additionalProperties) || isObject(schema.patternProperties);
  return { schema, keys: isOpen ? undefined : new Set(isObject(properties) ? Object.keys(properties) : []) };
}

/** Refuses keys that callers may not give: they would replace what the workflow's own initial state has. */
export function checkKeys({ keys, schema }: Input, state: object): void {
  if (keys === undefined) return;
  const other = Object.keys(state).find((key) => !keys.has(key));
  if (other === undefined) return;
  const hint = schema === undefined ? "the workflow has no `input` schema, so callers give it nothing" : `it takes ${[...keys].map((key) => `\`${key}\``).join(", ") || "no keys"}`;
  throw new Refused(400, "validation", `the workflow's input has no key \`${other.slice(0, 100)}\``, { hint });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
