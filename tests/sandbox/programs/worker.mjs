// workerd: each POST brings one case, and the answer is what is wrong with its outcome.
import { sandbox } from "stepweave/sandbox";
import { faultsOf } from "./outcome.mjs";

export default {
  async fetch(request) {
    const one = await request.json();
    return Response.json({ name: one.name, faults: faultsOf(sandbox, one) });
  },
};
