/** Runs the JavaScript of code steps and of tools that are code. */
export interface CodeRunner {
  /**
   * Runs the code over the state and returns the frozen patch. The lines that the code logs are passed on when it has ended,
   * also when it fails. Throws a `StepweaveError` with the code `handler` or `limit`.
   */
  run(code: string, state: object, logger: { log(message: string): void }, limits?: SandboxLimits): object;
  /** Does the same for code that returns no patch: any JSON value, frozen; `null` when it returns nothing. */
  compute(code: string, state: object, logger: { log(message: string): void }, limits?: SandboxLimits): unknown;
}

/** Limits for the code of one step. Missing limits have their defaults. */
export interface SandboxLimits {
  /**
   * How much it may compute, counted in loop iterations and calls inside the interpreter: the same code with the
   * same state always needs the same number. An iteration of a small loop is about 15. Default: 100,000,000, which most
   * machines execute in half a second.
   */
  readonly instructions?: number | undefined;
  /** How much memory it may use at a time, including the state and the interpreter's own 300 KB. Default: 32 MiB. */
  readonly memoryBytes?: number | undefined;
  /** How much stack its calls may use; a call takes about 500 bytes. Default: 256 KiB. */
  readonly stackBytes?: number | undefined;
  /** The length of its patch as JSON, and of its log lines together. Default: 1 MiB. */
  readonly outputBytes?: number | undefined;
}
