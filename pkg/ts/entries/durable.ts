export { runsObject, type ObjectContext, type RunsObject, type RunsObjectOptions } from "../durable/runs-object.js";
export { runDurably, type DurableEngine, type DurableOptions, type DurableWorkflow } from "../durable/engine.js";
export { runInCloudflare, type CloudflareEvent, type CloudflareOutput, type CloudflareStep } from "../durable/cloudflare.js";
export { restateHandlers, type RestateContext, type RestateHandlers, type RestateOptions, type RestateOutput, type RestateSharedContext } from "../durable/restate.js";
