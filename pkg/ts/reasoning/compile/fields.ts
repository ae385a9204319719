import type { ResolvedStepConfig } from "../definition/config.js";

/** The fields of a workflow's step that say the same as a config, by what they are about. What a step passes on is not among them. */
export function engineFields({ enabled, retryCount, timeoutMs, required, useInternalRetry }: ResolvedStepConfig): {
  readonly enabled: { enabled?: false };
  readonly required: { required?: false };
  readonly attempts: { retryCount?: number; timeoutMs?: number };
} {
  return {
    enabled: enabled ? {} : { enabled },
    required: required ? {} : { required },
    attempts: {
      ...(useInternalRetry ? retryCount > 0 && { retryCount } : { retryCount: 0 }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    },
  };
}

/** Of steps that ask no model: what a step's own function throws is not tried again. */
export const ONCE = { retryCount: 0 } as const;
