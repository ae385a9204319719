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

/** For steps that call no model: an error of a step's own function is not retried. */
export const ONCE = { retryCount: 0 } as const;
