// A workflow behind HTTP, as a program for any runtime: what it exports is what a Worker, Deno and Bun serve.
import { Workflow } from "stepweave";
import { approvalLinks, bearer, handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";

const order = new Workflow({
  name: "order",
  input: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
  steps: [{ name: "boss", type: "approval", message: "Pay {{ sum }}?" }, { name: "pay", run: ({ sum }) => ({ paid: sum }) }],
});

const [token, secret] = ["a token of more than sixteen characters", "a secret that only programs know"].map((text) => text.replaceAll(" ", "-"));
const links = approvalLinks({ secrets: [secret], url: "https://orders.example" });
// Two that press a button at once: the second one is a conflict, and nothing to report.
const onError = (error) => error.code === "conflict" || console.error(error);

export default { fetch: handler(order, { authorize: bearer({ shop: token }), store: memoryStore(), links, onError }) };
