// Cloudflare Workflows that run workflows, and a Worker that starts, shows and answers them.
import { WorkflowEntrypoint } from "cloudflare:workers";
import { Workflow } from "stepweave";
import { runInCloudflare } from "stepweave/durable";
import { workflow } from "./steps.mjs";

export class Killed extends WorkflowEntrypoint {
  run(event, step) {
    return runInCloudflare(workflow, event, step, { dependencies: { fetch: (...given) => fetch(...given), origin: this.env.ORIGIN } });
  }
}

const long = (concurrency) =>
  new Workflow({
    name: "long",
    steps: [
      { name: "list", run: () => ({ list: Array.from({ length: 5000 }, (_, index) => index) }) },
      { name: "each", items: "list", concurrency, steps: [{ name: "one", run: async ({ item }) => ({ twice: 2 * item }) }], result: "twice" },
      { name: "sum", run: ({ each_output: all }) => ({ each_output: null, list: null, sum: all.reduce((sum, twice) => sum + twice, 0) }) },
    ],
  });

export class Long extends WorkflowEntrypoint {
  run({ instanceId, payload: { concurrency, ...options } }, step) {
    return runInCloudflare(long(concurrency), { instanceId, payload: undefined }, step, options);
  }
}

const large = new Workflow({ name: "large", steps: [{ name: "much", run: () => ({ text: "ä😀".repeat(300_000) }) }, { name: "nap", wait: { ms: 300 } }, { name: "length", run: ({ text, keep }) => ({ length: text.length, ...(keep !== true && { text: text.slice(-3) }) }) }] });

export class Large extends WorkflowEntrypoint {
  run(event, step) {
    return runInCloudflare(large, event, step);
  }
}

export default {
  async fetch(request, env) {
    const [, kind, id] = new URL(request.url).pathname.split("/");
    if (request.method === "POST") {
      await env[kind].create({ id, params: await request.json() });
      return new Response();
    }
    const instance = await env[kind].get(id);
    if (request.method === "PUT") await instance.sendEvent({ type: "answers", payload: await request.json() });
    // Of itself only the platform resumes what a crash has cut off: its simulation does so when an event comes.
    if (request.method === "PATCH") await instance.sendEvent({ type: "resume", payload: null });
    return Response.json(await instance.status());
  },
};
