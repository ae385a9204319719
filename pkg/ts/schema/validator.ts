import type { Validator } from "./violation.js";

/**
 * What checks values by these schemas. Programs without schemas never load it, and those whose schemas have no patterns
 * do not load what matches them.
 *
 * `check({ required: ["city"] }, {})` gives `[{ at: "", keyword: "required", rule: "/required", missing: "city" }]`.
 *
 * Patterns are matched in linear time: look-around and back references are refused. It reads draft 2020-12 (also where
 * `$schema` is absent), 2019-09, 07 and 06. `format` and the `content…` keywords tell about a value and are no
 * conditions, as the drafts have it.
 */
export async function loadValidator(schemas: readonly unknown[]): Promise<Validator> {
  const { loadPatterns, validator } = await import("./json/check.js");
  await loadPatterns(schemas);
  return validator;
}
