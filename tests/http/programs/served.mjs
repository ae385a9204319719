// A workflow behind HTTP, as a program for any runtime: what it exports is what a Worker, Deno and Bun serve.
import { Workflow } from "stepweave";
import { bearer, handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";

const order = new Workflow({
  name: "order",
  input: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
  steps: [{ name: "boss", type: "approval", message: "Pay {{ sum }}?" }, { name: "pay", run: ({ sum }) => ({ paid: sum }) }],
});

export default { fetch: handler(order, { authorize: bearer({ shop: "a token of more than sixteen characters".replaceAll(" ", "-") }), store: memoryStore() }) };
