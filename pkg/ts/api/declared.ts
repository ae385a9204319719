// Names that nobody writes: the declarations of a program that exports workflows and steps say them.
export type { ClosedStep, OpenStep } from "./steps.js";
export type { Workflow as WorkflowOf, WorkflowWithInput } from "./workflow.js";
