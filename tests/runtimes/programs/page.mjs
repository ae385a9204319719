// A page: the outcomes are left where the test finds them.
import * as stepweave from "stepweave";
import { conformance } from "./scenario.mjs";
import entries from "./entries.mjs";

globalThis.outcomes = (async () => {
  const lines = [];
  for await (const outcome of conformance(stepweave, entries)) lines.push(JSON.stringify(outcome));
  return lines;
})();
