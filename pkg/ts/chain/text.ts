/** A value as a model reads it: a text as it is, anything else as JSON. */
export function textFor(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
}
