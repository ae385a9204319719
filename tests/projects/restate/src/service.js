import * as restate from "@restatedev/restate-sdk";
import { restateHandlers } from "stepweave/durable";
import { runOptions } from "./settings.js";
import { workflow } from "./workflow.js";

// Under an older one its calls would wait for ever.
if (Number(process.versions.node.split(".")[0]) < 22) throw new Error(`Restate's SDK needs Node 22 or newer, and this is ${process.version}`);

/** What answers Restate's server; further options of each run may be given. */
export function endpoint(environment, options = {}) {
  const { TerminalError } = restate;
  const handlers = restateHandlers(workflow, { TerminalError, ...runOptions(environment), ...options });
  return restate.createEndpointHandler({ services: [restate.workflow({ name: "gr-e-co-orders-x-name", handlers })], bidirectional: true });
}
