import { StepweaveError } from "../../api/errors.js";

const MAX_DEPTH = 512;

/** A text that two JSON values share exactly when they say the same. */
export function canonical(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (depth === MAX_DEPTH) throw new StepweaveError("limit", `a value to be compared is nested deeper than ${MAX_DEPTH} levels`, { hint: "compare flatter values, or parts of them" });
  if (Array.isArray(value)) return `[${value.map((member) => canonical(member, depth + 1)).join()}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key], depth + 1)}`).join()}}`;
}
