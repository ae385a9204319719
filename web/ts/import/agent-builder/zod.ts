// Schemas of zod, as JSON Schema.
import type { Json } from "stepweave";
import { list, text } from "../data";
import { mayLook, type Syntax } from "../javascript";

/** A part of a schema is written down each time that its name stands somewhere. */
const LOOKS_AT_PART = 50;

/** The JSON Schema of `z.object({…})` and the like; anything where the code says more than a schema can. */
export function schemaOf(node: Syntax, constant: (name: string) => Syntax | undefined, depth = 0): Json {
  if (depth > 40 || !mayLook(LOOKS_AT_PART)) return {};
  if (node.type === "Identifier") {
    const made = constant(text(node["name"]));
    return made === undefined ? {} : schemaOf(made, constant, depth + 1);
  }
  if (node.type !== "CallExpression") return {};
  const callee = node["callee"] as Syntax;
  if (callee.type !== "MemberExpression") return {};
  const name = text((callee["property"] as Syntax)["name"]);
  const given = list(node["arguments"]) as Syntax[];
  const [first] = given;
  const inner = (of: Syntax | undefined): Json => (of === undefined ? {} : schemaOf(of, constant, depth + 1));
  const owner = callee["object"] as Syntax;
  if (owner.type !== "Identifier") {
    const base = inner(owner) as { [key: string]: Json };
    const value = first?.["value"];
    if (name === "describe" && typeof value === "string") return { ...base, description: value };
    if (name === "nullable" || name === "nullish") return { anyOf: [base, { type: "null" }] };
    if (name === "int") return { ...base, type: "integer" };
    if ((name === "min" || name === "max") && typeof value === "number") return { ...base, [base["type"] === "string" ? `${name}Length` : base["type"] === "array" ? `${name}Items` : `${name}imum`]: value };
    return base;
  }
  switch (name) {
    case "object":
    case "strictObject":
    case "looseObject": {
      const fields = (list(first?.["properties"]) as Syntax[]).map((field) => [text((field["key"] as Syntax | undefined)?.["name"] ?? (field["key"] as Syntax | undefined)?.["value"]), field["value"] as Syntax] as const).filter(([key, value]) => key !== "" && key !== "__proto__" && value !== undefined);
      const required = fields.filter(([, value]) => !isOptional(value)).map(([key]) => key);
      return { type: "object", ...(required.length > 0 && { required }), properties: Object.fromEntries(fields.map(([key, value]) => [key, inner(value)])) };
    }
    case "array":
      return { type: "array", items: inner(first) };
    case "enum":
      return { type: "string", enum: (list(first?.["elements"]) as Syntax[]).map((element) => text(element["value"])) };
    case "literal":
      return { const: (first?.["value"] ?? null) as Json };
    case "union":
      return { anyOf: (list(first?.["elements"]) as Syntax[]).map(inner) };
    case "record":
      return { type: "object" };
    case "string":
    case "number":
    case "boolean":
      return { type: name };
    case "int":
    case "integer":
      return { type: "integer" };
    default:
      return {};
  }
}

function isOptional(node: Syntax): boolean {
  for (let here: Syntax | undefined = node; here?.type === "CallExpression"; ) {
    const callee = here["callee"] as Syntax;
    if (callee.type !== "MemberExpression") return false;
    if (/^(?:optional|nullish|default)$/.test(text((callee["property"] as Syntax)["name"]))) return true;
    here = callee["object"] as Syntax;
  }
  return false;
}
