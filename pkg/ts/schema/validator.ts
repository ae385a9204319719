import type { Validator } from "./violation.js";

/**
 * What checks values by these schemas. Programs without schemas never load it, and those whose schemas have no patterns
 * do not load what matches them.
 *
 * `check({ required: ["city"] }, {})` gives `[{ at: "", keyword: "required", rule: "/required", missing: "city" }]`.
 *
 * Patterns are matched in linear time: look-around and back references are rejected. It reads draft 2020-12 (also where
 * `$schema` is absent), 2019-09, 07 and 06. `format` and the `content…` keywords are annotations and not
 * checked, as in the drafts.
 */
export async function loadValidator(schemas: readonly unknown[]): Promise<Validator> {
  const { loadPatterns, validator } = await import("./json/check.js");
  await loadPatterns(schemas);
  return validator;
}
