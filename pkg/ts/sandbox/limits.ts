import type { SandboxLimits } from "../api/code.js";
import { StepweaveError } from "../api/errors.js";
import { kindOf, quoted, reading } from "../schema/options.js";

/** @internal Every limit with its value. */
export type Limits = { readonly [Name in keyof SandboxLimits]-?: number };

/** @internal The limits to go by; throws when one of them cannot be kept. */
export function limitsOf(given: SandboxLimits = {}): Limits {
  const limits: { -readonly [Name in keyof Limits]: number } = { ...DEFAULTS };
  if (typeof given !== "object" || given === null) throw new StepweaveError("validation", `the limits of a code step are ${kindOf(given)}, not an object`, { hint: `they are ${Object.keys(DEFAULTS).join(", ")}` });
  for (const [name, value] of reading("the limits of a code step", () => Object.entries(given))) {
    if (value === undefined) continue;
    if (!isLimit(name)) throw refused(name, "is not known", `the limits are ${Object.keys(DEFAULTS).join(", ")}`);
    const [least, most] = RANGES[name];
    if (!Number.isSafeInteger(value) || value < least || value > most) {
      throw refused(name, `is ${quoted(value)}`, `give a whole number from ${least} to ${most}`);
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
