export { sandbox } from "../sandbox/runner.js";
export type { CodeRunner, SandboxLimits } from "../api/code.js";
