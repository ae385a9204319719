// A worker as a user writes it for Node, that can also be made to crash.
import { parentPort } from "node:worker_threads";
import "stepweave";
import { serve } from "stepweave/worker";

serve({ endpoint: parentPort });
parentPort.on("message", (message) => {
  if (message === "crash") throw new Error("on purpose");
});
