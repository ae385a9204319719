/** What runs the JavaScript of code steps and of tools that are code. */
export interface CodeRunner {
  /**
   * Runs the code over the state and returns the frozen patch. The lines that the code logs are passed on when it has ended,
   * also when it fails. Throws a `StepweaveError` with the code `handler` or `limit`.
   */
  run(code: string, state: object, told: { log(message: string): void }, limits?: SandboxLimits): object;
  /** Does the same for code that gives no patch: whatever JSON it returns, frozen; `null` when it returns nothing. */
  compute(code: string, state: object, told: { log(message: string): void }, limits?: SandboxLimits): unknown;
}

/** How much the code of one step may use. What is left out has the default. */
export interface SandboxLimits {
  /**
   * How much it may compute, counted in turns of loops and calls inside of the interpreter: the same code with the
   * same state always needs the same number. A turn of a small loop is about 15. Default: 100,000,000, which most
   * machines get through in half a second.
   */
  readonly instructions?: number | undefined;
  /** How much memory it may hold at a time, the state and the interpreter's own 300 KB included. Default: 32 MiB. */
  readonly memoryBytes?: number | undefined;
  /** How much stack its calls may use; a call takes about 500 bytes. Default: 256 KiB. */
  readonly stackBytes?: number | undefined;
  /** How long its patch may be as JSON, and how long its log lines together. Default: 1 MiB. */
  readonly outputBytes?: number | undefined;
}
