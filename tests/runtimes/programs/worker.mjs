// workerd: each POST brings one scenario, and the answer is what came of it.
import * as main from "stepweave";
import * as reasoning from "stepweave/reasoning";
import { outcomeOf } from "./scenario.mjs";

const stepweave = { ...main, reasoning };

export default {
  async fetch(request) {
    return Response.json(await outcomeOf(stepweave, await request.json()));
  },
};
