/** Levels of a schema that are written out; what is deeper is `unknown`. */
const MAX_DEPTH = 24;

/**
 * A JSON Schema as a TypeScript type. What a type cannot say, such as a range, is left out, and what is not known is
 * `unknown`: a value that fits the schema always has the type.
 */
export function typeOfSchema(schema: unknown, root: unknown = schema, depth = 0): string {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema === false ? "never" : "unknown";
  if (depth > MAX_DEPTH) return "unknown";
  const within = (inner: unknown): string => typeOfSchema(inner, root, depth + 1);
  const { $ref, enum: choices, const: only, anyOf, oneOf, allOf, type } = schema as Record<string, unknown>;
  if (typeof $ref === "string") return within(definitionAt($ref, root));
  if (Object.hasOwn(schema, "const")) return literal(only);
  if (Array.isArray(choices)) return union(choices.map(literal));
  const parts: string[] = [];
  if (Array.isArray(allOf)) parts.push(...allOf.map(within));
  for (const ways of [anyOf, oneOf]) if (Array.isArray(ways)) parts.push(union(ways.map(within)));
  const types = Array.isArray(type) ? type : type === undefined ? (looksLikeObject(schema) ? ["object"] : []) : [type];
  if (types.length > 0) parts.push(union(types.map((one) => named(one, schema as Record<string, unknown>, within))));
  const said = parts.filter((part) => part !== "unknown");
  return said.length === 0 ? "unknown" : said.map((part) => (said.length > 1 && part.includes(" | ") ? `(${part})` : part)).join(" & ");
}

/** The type of a value that is there, such as an initial one: of its kind, not of this very value. */
export function typeOfValue(value: unknown, depth = 0): string {
  if (value === null || depth > MAX_DEPTH) return "unknown";
  if (Array.isArray(value)) return value.length === 0 ? "unknown[]" : `${bracketed(union(value.map((item) => typeOfValue(item, depth + 1))))}[]`;
  if (typeof value !== "object") return typeof value;
  return objectType(Object.entries(value).map(([key, member]) => `${keyText(key)}: ${typeOfValue(member, depth + 1)}`));
}

/** A comment that says what a schema describes. */
export function described(schema: unknown): string {
  const { description } = Object(schema) as { description?: unknown };
  return typeof description === "string" && description.trim() !== "" ? `/** ${description.replace(/\s+/g, " ").replaceAll("*/", "*\\/").trim()} */ ` : "";
}

/** A key of an object type. */
export function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

/** An object type of its members. */
export function objectType(members: readonly string[]): string {
  if (members.length === 0) return "Record<string, unknown>";
  return `{\n${members.map((member) => `${member};`.replace(/^/gm, "  ")).join("\n")}\n}`;
}

function named(type: unknown, schema: Record<string, unknown>, within: (inner: unknown) => string): string {
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "number":
    case "integer":
      return "number";
    case "array": {
      const { prefixItems, items } = schema;
      if (Array.isArray(prefixItems)) return `[${[...prefixItems.map((item) => `${within(item)}?`), ...(items === false ? [] : [`...${bracketed(within(items))}[]`])].join(", ")}]`;
      return `${bracketed(within(items))}[]`;
    }
    case "object":
      return objectOf(schema, within);
    default:
      return "unknown";
  }
}

function objectOf({ properties, required, additionalProperties }: Record<string, unknown>, within: (inner: unknown) => string): string {
  const needed = Array.isArray(required) ? required : [];
  const entries = typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
  const members = entries.map(([key, member]) => `${described(member)}${keyText(key)}${needed.includes(key) ? "" : "?"}: ${within(member)}`);
  const missing = needed.filter((key): key is string => typeof key === "string" && !entries.some(([known]) => known === key)).map((key) => `${keyText(key)}: unknown`);
  if (members.length + missing.length > 0) return objectType([...members, ...missing]);
  return additionalProperties === false ? "Record<string, never>" : `Record<string, ${within(additionalProperties)}>`;
}

function looksLikeObject(schema: object): boolean {
  return "properties" in schema || "required" in schema;
}

function literal(value: unknown): string {
  return typeof value === "object" && value !== null ? typeOfValue(value) : JSON.stringify(value);
}

/** A type that each of these fits. */
export function union(types: readonly string[]): string {
  const each = [...new Set(types)];
  return each.includes("unknown") || each.length === 0 ? "unknown" : each.join(" | ");
}

function bracketed(type: string): string {
  return /^[\w"]+$/.test(type) || (type.startsWith("{") && !/\} [|&]/.test(type)) ? type : `(${type})`;
}

/** What a reference within the schema leads to; nothing where it leads elsewhere. */
function definitionAt(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}
