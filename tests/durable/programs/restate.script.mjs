// One of several processes that serve the same Restate workflow: `node restate.script.mjs <origin of the counting server>`.
import { createServer } from "node:http2";
import * as restate from "@restatedev/restate-sdk";
import { Workflow } from "stepweave";
import { restateHandlers } from "stepweave/durable";
import { workflow } from "./restate-steps.mjs";

const dependencies = { fetch: (...given) => fetch(...given), origin: process.argv[2] };
const { TerminalError } = restate;
const options = { retryPolicy: { initialInterval: 20, maxInterval: 200, maxAttempts: 100_000 } };
const served = (name, own, more) => restate.workflow({ name, handlers: restateHandlers(own, { TerminalError, dependencies, ...more }), options });

const failing = new Workflow({ name: "failing", steps: [{ name: "fail", run: () => Promise.reject(new Error("the bank is closed")) }] });

const expiring = new Workflow({ name: "expiring", steps: [{ name: "boss", type: "approval", expiresMs: 300, expired: [{ name: "remind", run: { set: { reminded: "true" } } }] }] });

const services = [served("Expiring", expiring), served("Killed", workflow), served("Asking", new Workflow({ name: "asking", steps: [{ name: "boss", type: "approval", message: "Go on, {{ name }}?" }] })), served("Failing", failing)];
const server = createServer(restate.createEndpointHandler({ services, bidirectional: true, logger: () => {} }));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
