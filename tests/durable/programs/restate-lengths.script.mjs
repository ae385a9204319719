// Workflows of one step and of 101 on Restate, to be timed: `node restate-lengths.script.mjs`.
import { createServer } from "node:http2";
import * as restate from "@restatedev/restate-sdk";
import { Workflow } from "stepweave";
import { restateHandlers } from "stepweave/durable";

const { TerminalError } = restate;
const stepsOf = (length) => Array.from({ length }, (_, index) => ({ name: `step_${index}`, run: async () => ({ last: index }) }));
const services = [1, 101].map((length) => restate.workflow({ name: `Of${length}`, handlers: restateHandlers(new Workflow({ name: "long", steps: stepsOf(length) }), { TerminalError }) }));
const server = createServer(restate.createEndpointHandler({ services, bidirectional: true, logger: () => {} }));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
