export { bearer } from "../http/bearer.js";
export { handler, type HttpHandler } from "../http/handler.js";
export type { Authorize, HandlerOptions, ServedRunOptions, WaitingRun } from "../http/options.js";
export type { HttpProblem } from "../http/problem.js";
export type { StreamProtocol } from "../http/protocol.js";
