import { StepweaveError } from "../api/errors.js";
import { plain } from "../journal/check.js";
import { reading } from "../schema/options.js";

/** A frozen copy of what was passed as data: it is checked once, and stays what was checked. Keys without a value are left out. */
export function plainList(value: unknown, what: string): readonly unknown[] {
  return reading(what, () => {
    if (!Array.isArray(value)) throw new StepweaveError("validation", `${what} are no list`, { hint: "pass a list: [ … ]" });
    return plain(value.map(withoutUndefined), what) as readonly unknown[];
  });
}

function withoutUndefined(item: unknown): unknown {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return item ?? null;
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}
