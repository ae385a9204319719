/** One thing that is wrong with a value, without words: who shows it words it. */
export interface Violation {
  /** Where in the value, as a JSON Pointer; `""` is the value itself. */
  readonly at: string;
  /** The keyword that is not met, such as `type`; `false` where the schema allows nothing. */
  readonly keyword: string;
  /** Where the keyword stands in the schema, as a JSON Pointer in which every `$ref` is followed. */
  readonly rule: string;
  /** The key that is missing, where the keyword requires keys. */
  readonly missing?: string;
}

/** Finds what is wrong with values by JSON Schema. See `loadValidator`. */
export interface Validator {
  /**
   * Reads a schema, so that one that cannot be used is refused before there is a value.
   *
   * Throws a `StepweaveError`: `validation` for a schema that is no schema, with `problems` whose paths are JSON Pointers
   * into it, and `limit` for one that never ends.
   */
  prepare(schema: unknown): void;
  /**
   * The violations of a value in the order in which they stand in it, each once and at most so many: 50 when absent.
   *
   * A schema is read once: it is known again by its identity and must not change afterwards.
   * Throws what {@link Validator.prepare} throws, and `limit` for a value that is nested too deep to be looked through.
   */
  check(schema: unknown, value: unknown, most?: number): Violation[];
  /**
   * The value with what the schema says for keys that are missing (`default`), or the very same value where none is.
   * What is new in it is frozen. Throws what {@link Validator.check} throws.
   */
  fill(schema: unknown, value: unknown): unknown;
}
