// workerd: each POST brings one scenario, and the answer is what came of it.
import * as stepweave from "stepweave";
import { outcomeOf } from "./scenario.mjs";

export default {
  async fetch(request) {
    return Response.json(await outcomeOf(stepweave, await request.json()));
  },
};
