export { bearer } from "../http/bearer.js";
export { handler, type HttpHandler } from "../http/handler.js";
export type { Authorize, HandlerOptions, KeptStatus, WaitingRun } from "../http/options.js";
export type { HttpProblem } from "../http/problem.js";
export type { ServedRunOptions } from "../http/run-options.js";
export type { StreamProtocol } from "../http/protocol.js";
export { poller, type Poller, type PollerOptions } from "../http/poller.js";
export type { WakeOptions, Woken } from "../http/wake.js";
export { approvalLinks, type ApprovalLinks, type ApprovalLinksOptions } from "../http/links.js";
