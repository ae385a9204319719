export { sandbox } from "./runner.js";
export type { CodeRunner } from "../engine/code.js";
export type { SandboxLimits } from "./limits.js";
