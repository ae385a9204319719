import type { ResolvedStepConfig } from "./config.js";

/** The fields of a workflow's step that say the same as a config. What a step passes on is not among them. */
export function engineFields({ enabled, retryCount, timeoutMs, required, useInternalRetry }: ResolvedStepConfig): {
  enabled?: boolean;
  required?: boolean;
  retryCount?: number;
  timeoutMs?: number;
} {
  return {
    ...(!enabled && { enabled }),
    ...(!required && { required }),
    ...(useInternalRetry ? retryCount > 0 && { retryCount } : { retryCount: 0 }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}
