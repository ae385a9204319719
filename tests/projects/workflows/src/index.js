// Runs the workflow as a Cloudflare Workflow, and starts, shows and answers its runs over HTTP.
import { WorkflowEntrypoint } from "cloudflare:workers";
import { runInCloudflare } from "stepweave/durable";
import { misconfigured, ownerOf } from "./access.js";
import { runOptions } from "./settings.js";
import { workflow } from "./workflow.js";

/** The longest body that is taken. */
const MOST_CHARACTERS = 256 * 1024;

export class Runs extends WorkflowEntrypoint {
  run(event, step) {
    return runInCloudflare(workflow, event, step, runOptions(this.env));
  }
}

export default {
  async fetch(request, environment) {
    let authorize;
    try {
      runOptions(environment);
      authorize = ownerOf(environment);
    } catch (error) {
      return misconfigured(error);
    }
    if ((await authorize(request)) === undefined) return problem(401, "unauthorized", "send Authorization: Bearer <ACCESS_TOKEN>");
    const { pathname } = new URL(request.url);
    const [path, id, what] = /^\/runs(?:\/([\w-]+)(\/answers)?)?$/.exec(pathname) ?? [];
    const route = `${request.method} ${path === undefined ? "?" : `/runs${id === undefined ? "" : "/:id"}${what ?? ""}`}`;
    try {
      if (route === "POST /runs") return await start(environment.RUNS, request);
      const instance = id === undefined ? undefined : await environment.RUNS.get(id).catch(() => undefined);
      if (instance === undefined) return problem(404, "not_found", "there is no such run");
      if (route === "GET /runs/:id") return await shown(instance);
      if (route === "POST /runs/:id/answers") return await answer(instance, request);
      if (route === "DELETE /runs/:id") return await instance.terminate().then(() => new Response(null, { status: 204 }));
      return problem(405, "method_not_allowed", "POST /runs, GET or DELETE /runs/:id, POST /runs/:id/answers");
    } catch (error) {
      if (error instanceof Refusal) return problem(400, "validation", error.message);
      console.error(error);
      return problem(500, "internal", "the log of the Worker says what went wrong");
    }
  },
};

async function start(runs, request) {
  const { id } = await runs.create({ params: await objectIn(request) });
  return Response.json({ runId: id, status: "running" }, { status: 202, headers: { location: `/runs/${id}` } });
}

/** What people are asked is in the workflow: the platform does not say for which of it a run waits. */
async function answer(instance, request) {
  const answers = await objectIn(request);
  if (Object.keys(answers).length === 0) throw new Refusal("the body has no answer: write { \"<id of the approval>\": { \"approved\": true } }");
  await instance.sendEvent({ type: "answers", payload: answers });
  return Response.json({ runId: instance.id, status: "running" }, { status: 202 });
}

async function shown(instance) {
  const { status, output } = await instance.status();
  if (status === "complete") return Response.json({ runId: instance.id, ...output });
  // What went wrong is for whoever serves the workflow: npx wrangler workflows instances describe.
  if (status === "errored") return problem(500, "failed", "the run failed", instance.id);
  if (status === "terminated") return Response.json({ runId: instance.id, status: "cancelled" });
  return Response.json({ runId: instance.id, status: status === "waiting" || status === "paused" ? "suspended" : "running" });
}

async function objectIn(request) {
  const text = await request.text();
  if (text.length > MOST_CHARACTERS) throw new Refusal(`the body is longer than ${MOST_CHARACTERS} characters`);
  let value = {};
  try {
    if (text !== "") value = JSON.parse(text);
  } catch (error) {
    throw new Refusal(`the body is not JSON: ${error.message}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Refusal("the body is no JSON object");
}

class Refusal extends Error {}

function problem(status, code, detail, runId) {
  return Response.json({ title: code, status, code, detail, ...(runId && { runId }) }, { status, headers: { "content-type": "application/problem+json" } });
}
