// Made by `cargo xtask schema` from core/src/events.rs, which says who receives what: edit that.

/** The types of all events. */
export const EVENT_TYPES: readonly string[] = [
  "run.start",
  "step.start",
  "step.delta",
  "step.reasoning",
  "step.reset",
  "tool.start",
  "tool.done",
  "tool.error",
  "step.done",
  "step.error",
  "step.skipped",
  "step.suspended",
  "run.warning",
  "run.done",
  "run.error",
  "run.budget",
  "run.suspended",
  "run.cancelled",
];
