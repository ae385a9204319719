// A page: the outcomes are left where the test finds them.
import * as main from "stepweave";
import * as reasoning from "stepweave/reasoning";
import { conformance } from "./scenario.mjs";
import entries from "./entries.mjs";

const stepweave = { ...main, reasoning };

globalThis.outcomes = (async () => {
  const lines = [];
  for await (const outcome of conformance(stepweave, entries)) lines.push(JSON.stringify(outcome));
  return lines;
})();
