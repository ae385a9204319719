// Node, Deno and Bun: a line of JSON for each case.
import { sandbox } from "stepweave/sandbox";
import { faultsOf } from "./outcome.mjs";
import entries from "./entries.mjs";

for (const one of entries) console.log(JSON.stringify({ name: one.name, faults: faultsOf(sandbox, one) }));
