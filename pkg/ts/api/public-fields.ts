// Made by `cargo xtask schema` from core/src/events.rs, which says who receives what: edit that.

/** What callers of a served workflow may see of every event that is for them. */
export const PUBLIC_BASE = ["type", "seq", "at", "runId"] as const;

/** What else they may see of each; an event that is not here is not for them. */
export const PUBLIC_FIELDS = {
  "run.start": ["workflow"],
  "step.start": ["step", "attempt"],
  "step.delta": ["step", "text", "value"],
  "step.reset": ["step"],
  "tool.start": ["step", "callId", "tool", "byProvider"],
  "tool.done": ["step", "callId", "tool", "durationMs", "byProvider"],
  "tool.error": ["step", "callId", "tool", "error", "durationMs", "byProvider"],
  "step.done": ["step", "attempts", "durationMs", "output", "usage", "simulated", "pinned", "sources", "files"],
  "step.error": ["step", "error", "attempts", "durationMs", "retryInMs"],
  "step.skipped": ["step", "reason"],
  "step.suspended": ["step"],
  "run.done": ["result"],
  "run.error": ["result"],
  "run.budget": ["result"],
  "run.suspended": ["result"],
  "run.cancelled": ["result"],
} as const;
