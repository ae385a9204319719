import { reading } from "../../schema/options.js";
import { Check, numberOr, type Kinds } from "./check.js";

/** How a step is run. */
export interface ResolvedStepConfig {
  /** `false` leaves the step out: nothing is run or stored, and what is passed on stays what it was. */
  readonly enabled: boolean;
  /** Attempts after the first one, of what failed with a retryable error; 0 leaves it to the agent's `retryPolicy`. */
  readonly retryCount: number;
  /** Milliseconds that an attempt may take. */
  readonly timeoutMs: number | undefined;
  /** `false` lets the run go on when the step fails, with what was passed on before. */
  readonly required: boolean;
  /** `false` keeps the result under the step's name only: the next step gets what this one got. */
  readonly passResult: boolean;
  /** `false` allows a single attempt, whatever else says. */
  readonly useInternalRetry: boolean;
}

/** A {@link ResolvedStepConfig} as it is written. */
export interface StepConfigOptions extends Partial<Omit<ResolvedStepConfig, "timeoutMs">> {
  /** Seconds that an attempt may take. */
  readonly timeout?: number | null | undefined;
  /** Milliseconds that an attempt may take, instead of `timeout`. */
  readonly timeoutMs?: number | null | undefined;
}

const KINDS: Kinds = {
  enabled: "true or false",
  retryCount: "a whole number",
  timeout: "a number",
  timeoutMs: "a number",
  required: "true or false",
  passResult: "true or false",
  useInternalRetry: "true or false",
};

/**
 * Reads how a step is run, with the defaults filled in.
 *
 * ```ts
 * stepConfig({ retryCount: 2, timeout: 30 }); // { enabled: true, retryCount: 2, timeoutMs: 30000, … }
 * ```
 */
export function stepConfig(options: StepConfigOptions = {}): ResolvedStepConfig {
  return reading("the config of a step", () => {
    const check = new Check("the config of a step");
    const config = readConfig(options, check, "");
    check.done();
    return config;
  });
}

/** Reads the config of a step, which a check is already looking at. */
export function readConfig(options: StepConfigOptions, check: Check, prefix: string): ResolvedStepConfig {
  check.options(options, KINDS, prefix);
  const { enabled, retryCount, timeout, timeoutMs, required, passResult, useInternalRetry } = Object(options) as StepConfigOptions;
  if (timeout != null && timeoutMs != null) {
    check.refuse(`${prefix}timeoutMs`, "timeout_twice", "has a `timeout` and a `timeoutMs`", "keep one: `timeout` is in seconds, `timeoutMs` in milliseconds");
  }
  // What is no number has been reported.
  const limit = numberOr(timeoutMs) ?? (numberOr(timeout) === undefined ? undefined : (timeout as number) * 1000);
  if (limit !== undefined && !(limit > 0)) {
    check.refuse(`${prefix}timeout`, "wrong_type", "has a timeout that is not above 0", "leave it out for no limit");
  }
  return Object.freeze({
    enabled: enabled ?? true,
    retryCount: retryCount ?? 0,
    timeoutMs: limit === undefined ? undefined : Math.max(1, Math.round(limit)),
    required: required ?? true,
    passResult: passResult ?? true,
    useInternalRetry: useInternalRetry ?? true,
  });
}
