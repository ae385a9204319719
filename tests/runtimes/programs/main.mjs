// Node, Deno and Bun: one line of JSON for each scenario.
import * as stepweave from "stepweave";
import { conformance } from "./scenario.mjs";
import entries from "./entries.mjs";

for await (const outcome of conformance(stepweave, entries)) console.log(JSON.stringify(outcome));
