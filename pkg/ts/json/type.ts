/** The type of a JSON value, by the name that JSON Schema has for it; a whole number is a `number` too. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
