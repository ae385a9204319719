export { sandbox } from "../sandbox/runner.js";
export type { CodeRunner } from "../run/code.js";
export type { SandboxLimits } from "../sandbox/limits.js";
