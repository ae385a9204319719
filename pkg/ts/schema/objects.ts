import { isObject } from "../api/json.js";

/** Whether a JSON Schema lets any object through, as far as its type, its values and the types of its branches say so. */
export function mayBeObject(schema: unknown): boolean {
  if (!isObject(schema)) return schema === true;
  const { anyOf, oneOf } = schema;
  return isOfObjects(schema) && [anyOf, oneOf].every((branches) => !Array.isArray(branches) || branches.some(isOfObjects));
}

function isOfObjects(schema: unknown): boolean {
  if (!isObject(schema)) return schema !== false;
  const { type = "object", enum: values } = schema;
  const hasType = type === "object" || (Array.isArray(type) && type.includes("object"));
  return hasType && (!Array.isArray(values) || values.some(isObject)) && (!("const" in schema) || isObject(schema.const));
}
