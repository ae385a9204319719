// Node, Deno and Bun: one line of JSON for each scenario.
import * as main from "stepweave";
import * as reasoning from "stepweave/reasoning";
import { conformance } from "./scenario.mjs";
import entries from "./entries.mjs";

const stepweave = { ...main, reasoning };

for await (const outcome of conformance(stepweave, entries)) console.log(JSON.stringify(outcome));
