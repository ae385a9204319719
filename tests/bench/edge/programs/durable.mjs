// Workflows of so many steps: in the Worker itself, in a Durable Object and in Cloudflare Workflows.
import { WorkflowEntrypoint } from "cloudflare:workers";
import { Workflow } from "stepweave";
import { runInCloudflare, runsObject } from "stepweave/durable";
import { handler } from "stepweave/http";

const workflowOf = (length) => new Workflow({ name: "long", steps: Array.from({ length }, (_, index) => ({ name: `step_${index}`, run: async () => ({ last: index }) })) });
const [short, long] = [1, 101].map(workflowOf);
const options = () => ({ public: true });
const [shortFetch, longFetch] = [short, long].map((workflow) => handler(workflow, options()));

export class ShortRuns extends runsObject(short, options) {}
export class LongRuns extends runsObject(long, options) {}

export class Instance extends WorkflowEntrypoint {
  run({ instanceId, payload: { length } }, step) {
    return runInCloudflare(length === 1 ? short : long, { instanceId, payload: undefined }, step);
  }
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    const [, place, length, id] = pathname.split("/");
    const post = new Request("https://bench.test/runs", { method: "POST", body: "{}" });
    if (place === "worker") return (length === "1" ? shortFetch : longFetch)(post);
    if (place === "object") {
      const objects = length === "1" ? env.ShortRuns : env.LongRuns;
      return objects.get(objects.idFromName(id)).fetch(post);
    }
    if (request.method === "POST") await env.Instance.create({ id, params: { length: Number(length) } });
    const { status, error } = await (await env.Instance.get(id)).status();
    if (status === "errored") throw new Error(JSON.stringify(error));
    return Response.json({ status: status === "complete" ? "done" : "running" });
  },
};
