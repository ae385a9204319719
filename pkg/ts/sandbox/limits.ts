import { StepweaveError } from "../api/errors.js";

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

/** @internal Every limit with its value. */
export type Limits = { readonly [Name in keyof SandboxLimits]-?: number };

/** @internal The limits to go by; throws when one of them cannot be kept. */
export function limitsOf(given: SandboxLimits = {}): Limits {
  const limits: { -readonly [Name in keyof Limits]: number } = { ...DEFAULTS };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!isLimit(name)) throw refused(name, "is not known", `the limits are ${Object.keys(DEFAULTS).join(", ")}`);
    const [least, most] = RANGES[name];
    if (!Number.isSafeInteger(value) || value < least || value > most) {
      throw refused(name, `is ${String(value)}`, `give a whole number from ${least} to ${most}`);
    }
    limits[name] = value;
  }
  return limits;
}

const MIB = 2 ** 20;

const DEFAULTS: Limits = { instructions: 100_000_000, memoryBytes: 32 * MIB, stackBytes: 256 * 1024, outputBytes: MIB };

// The interpreter needs some memory and stack for itself. Beyond the upper bound of the stack, the host's own stack
// ends before the code's does.
const RANGES: { readonly [Name in keyof Limits]: readonly [number, number] } = {
  instructions: [1, Number.MAX_SAFE_INTEGER],
  memoryBytes: [4 * MIB, 512 * MIB],
  stackBytes: [32 * 1024, MIB],
  outputBytes: [1, 256 * MIB],
};

function isLimit(name: string): name is keyof Limits {
  return Object.hasOwn(DEFAULTS, name);
}

function refused(name: string, fault: string, hint: string): StepweaveError {
  return new StepweaveError("validation", `the limit \`${name}\` of a code step ${fault}`, { hint });
}
