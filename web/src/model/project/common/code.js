// What the workflow calls by name. Each function is yours to write: until then a run fails where it calls it, and says so.
import { tool } from "stepweave";

export const code = {
  // Steps call these with (state, context), conditions with the state, checks with the value.
  handlers: {«handlers»},
  // Tools that models call, with their arguments.
  tools: [«tools»],
  // Models, called with a request: https://www.npmjs.com/package/stepweave has docs/own-models.md.
  models: {«models»},
};

function unwritten(name) {
  throw new Error(`the function ${JSON.stringify(name)} is not written yet: write it in src/code.js`);
}
