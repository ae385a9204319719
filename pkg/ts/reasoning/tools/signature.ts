import { isObject } from "../../api/json.js";
import { isStandardSchema, jsonSchemaOf } from "../../schema/standard.js";
import type { Tool } from "../../authoring/tool.js";

/** A tool as a model reads it when it chooses. */
export function toolText(tool: Tool): string {
  return [`- ${tool.name}`, `  Signature: ${signatureOf(tool)}`, `  Description: ${tool.description || "no description available"}`].join("\n");
}

/** What a tool is called with and what it gives: `search(query: string, limit: integer = 5, lang?: string) -> array`. */
export function signatureOf({ name, input, output }: Tool): string {
  const returned = plain(output, "output");
  return `${name}(${parametersOf(plain(input, "input")).join(", ")}) -> ${typeText(returned)}`;
}

function parametersOf(schema: unknown): string[] {
  const { properties, required } = isObject(schema) ? schema : {};
  if (!isObject(properties)) return ["...arguments: any"];
  return Object.entries(properties).map(([name, property]) => {
    const value = isObject(property) ? property.default : undefined;
    const isOptional = !(Array.isArray(required) && required.includes(name));
    // A default of null says no more than that the parameter may be left out.
    if (value === undefined || value === null) return `${name}${isOptional ? "?" : ""}: ${typeText(property)}`;
    return `${name}: ${typeText(property)} = ${JSON.stringify(value)}`;
  });
}

/** A schema in a word or a few. */
function typeText(schema: unknown): string {
  if (!isObject(schema)) return "any";
  const { type, enum: values, anyOf, oneOf } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (Object.hasOwn(schema, "const")) return JSON.stringify(schema.const);
  if (Array.isArray(type)) return type.join(" | ");
  if (typeof type === "string") return type;
  const ways = anyOf ?? oneOf;
  return Array.isArray(ways) ? ways.map(typeText).join(" | ") : "any";
}

function plain(schema: Tool["input"], side: "input" | "output"): unknown {
  return isStandardSchema(schema) ? jsonSchemaOf(schema, side) : schema;
}
