/** One thing that is wrong with a value, without words: who shows it words it. */
export interface Violation {
  /** Where in the value, as a JSON Pointer; `""` is the value itself. */
  readonly at: string;
  /** The keyword that is not met, such as `type`; `false` where the schema allows nothing. */
  readonly keyword: string;
  /** Where the keyword stands in the schema, as a JSON Pointer in which every `$ref` is followed. */
  readonly rule: string;
  /** The key that is missing, where the keyword asks for keys. */
  readonly missing?: string;
}

/** Finds what is wrong with values by JSON Schema. See {@link loadValidator}. */
export interface Validator {
  /**
   * Reads a schema, so that one that cannot be used is refused before there is a value.
   *
   * Throws a `StepweaveError`: `validation` for a schema that is no schema, `limit` for one that never ends.
   */
  prepare(schema: unknown): void;
  /**
   * The violations of a value in the order in which they stand in it, at most 50 and each once.
   *
   * A schema is read once: it is known again by its identity and must not change afterwards.
   * Throws what {@link Validator.prepare} throws, and `limit` for a value that is nested too deep to be looked through.
   */
  check(schema: unknown, value: unknown): Violation[];
}

/**
 * The validator. Programs without schemas never load it.
 *
 * `check({ required: ["city"] }, {})` gives `[{ at: "", keyword: "required", rule: "/required", missing: "city" }]`.
 *
 * It reads draft 2020-12 (also where `$schema` is absent), 2019-09, 07 and 06. `format` and the `content…` keywords
 * tell about a value and are no conditions, as the drafts have it.
 */
export async function loadValidator(): Promise<Validator> {
  return (await import("./json/check.js")).validator;
}
