// One workflow in an object and in a Cloudflare Workflow. What is deployed is said by the environment: a document, and which functions there are.
import { env, WorkflowEntrypoint } from "cloudflare:workers";
import { Workflow } from "stepweave";
import { runInCloudflare, runsObject } from "stepweave/durable";
import { bearer } from "stepweave/http";

/** Has the server carry out an operation, whose answer becomes the step's. */
const call = (kind) => async (state, { step, dependencies }) => {
  const response = await dependencies.fetch(`${dependencies.origin}/operations`, { method: "POST", body: JSON.stringify({ operation: `${state.run}/${kind}/${state.sum}` }) });
  return { [step.name]: await response.text() };
};
const functions = { price: call("price"), ship: call("ship") };
const { DOCUMENT, FUNCTIONS, ORIGIN } = env;
const workflow = Workflow.fromDocument(DOCUMENT, { handlers: Object.fromEntries(FUNCTIONS.split(" ").map((name) => [name, functions[name]])) });
const dependencies = { fetch: (...given) => fetch(...given), origin: ORIGIN };

export class Orders extends runsObject(workflow, { authorize: bearer({ tester: "a-token-of-more-than-sixteen-characters" }), run: { longWaitMs: 0, dependencies }, onError: () => {} }) {}

export class Jobs extends WorkflowEntrypoint {
  run(event, step) {
    return runInCloudflare(workflow, event, step, { dependencies });
  }
}

export default {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const [, kind, id] = pathname.split("/");
    if (kind === "runs") return env.Orders.get(env.Orders.idFromName("all")).fetch(request);
    if (request.method === "POST") await env.Jobs.create({ id, params: await request.json() });
    const instance = await env.Jobs.get(id);
    if (request.method === "PUT") await instance.sendEvent({ type: "answers", payload: await request.json() });
    return Response.json(await instance.status());
  },
};
