import type { JsonObject } from "../api/document.js";
import { isObject } from "../api/json.js";
import { safeName } from "../mcp/names.js";
import { bare, localTo, readdressed } from "../schema/inside.js";
import { join, pointed, steps } from "../schema/json/pointer.js";
import { isFile, isListOfFiles } from "./form-fields.js";
import { callersSchema, type Input } from "./input.js";

/** What callers send, as a description has it. */
export interface DescribedInput {
  readonly json: JsonObject;
  /** The same as the fields of a form. */
  readonly form: JsonObject;
  /** What both refer to, by names that nothing else in `components.schemas` has. */
  readonly components: JsonObject;
  /** The dialect that it is written in, where that is another than a description's own. */
  readonly dialect: string | undefined;
}

const COMPONENTS = "#/components/schemas/";
const KEEPERS = ["$defs", "definitions"];
const OWN_DIALECT = "https://json-schema.org/draft/2020-12/schema";
const FILE = { type: "string", format: "binary", contentMediaType: "application/octet-stream" };

/** The input of a workflow for a description: a reference in it leads to a component, since the root of its schema is nowhere. */
export function describedInput(input: Input, taken: Iterable<string>): DescribedInput {
  const schema = (isObject(input.schema) ? input.schema : {}) as JsonObject;
  const { $schema, $id } = schema;
  const names = new Set(taken);
  const kept = KEEPERS.flatMap((keeper) => Object.entries(Object(schema[keeper]) as JsonObject).map(([key, one]) => ({ pointer: join("", keeper, key), name: safeName(key, names), schema: one })));
  const namesOf = new Map(kept.map(({ pointer, name }) => [pointer, name]));
  const whole = safeName("Input", names);
  const used = new Set<string>();
  const moved = (part: unknown): JsonObject => readdressed(part, address) as JsonObject;
  const address = (reference: string): string => {
    const local = localTo($id, reference);
    // What leads nowhere here is left as it is.
    if (pointed(schema, local) === undefined) return reference;
    const name = namesOf.get(join("", ...steps(decodeURIComponent(local)).slice(0, 2)));
    used.add(name ?? whole);
    return `${COMPONENTS}${name ?? whole}/${local.split("/").slice(name === undefined ? 1 : 3).join("/")}`.replace(/\/$/, "");
  };
  const json = moved(bare(callersSchema(input)));
  const components = Object.fromEntries(kept.map(({ name, schema }) => [name, moved(schema)]));
  return {
    json,
    form: formOf(json, input),
    // Callers may not send other keys; what refers to the whole of it may have them.
    components: { ...components, ...(used.has(whole) && { [whole]: moved(bare(schema)) }) },
    dialect: typeof $schema === "string" && $schema.replace(/#$/, "") !== OWN_DIALECT ? $schema : undefined,
  };
}

/** A form has a file itself, or several under one name, where the input has what is read of them. */
function formOf({ properties, patternProperties, required, additionalProperties }: JsonObject, input: Input): JsonObject {
  const fields = Object.entries(Object(properties) as JsonObject).map(([name, one]) => [name, isFile(input, name) ? FILE : isListOfFiles(input, name) ? { type: "array", items: FILE } : one] as const);
  return { type: "object", properties: Object.fromEntries(fields), ...(patternProperties !== undefined && { patternProperties }), ...(required !== undefined && { required }), ...(additionalProperties !== undefined && { additionalProperties }) };
}
