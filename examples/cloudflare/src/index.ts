// A workflow behind an address: POST a state and get the result, or the events while they happen.
import { publicEvent, publicResult, type PublicEvent, type RunResult, type RunStream } from "stepweave";
import { authorise, failure, HttpError, stateFrom } from "./http.ts";
import { settingsOf, type Settings } from "./settings.ts";
import { reachOf, secretsFor, workflowFor } from "./workflow.ts";

export default {
  async fetch(request: Request, env: object): Promise<Response> {
    let settings: Settings;
    try {
      settings = settingsOf(env);
    } catch (error) {
      return failure(error);
    }
    const response = await respond(request, settings).catch(failure);
    // On errors too: without it, a page is not even told the status.
    if (settings.ALLOWED_ORIGIN) response.headers.set("access-control-allow-origin", settings.ALLOWED_ORIGIN);
    return response;
  },
};

async function respond(request: Request, settings: Settings): Promise<Response> {
  if (new URL(request.url).pathname !== "/") throw new HttpError(404, "not_found", "there is nothing here", { hint: "POST to /" });
  switch (request.method) {
    case "GET":
      return Response.json({ workflow: workflowFor(settings).name, usage: "POST a state as JSON; with Accept: text/event-stream, events arrive while it runs" });
    case "POST":
      return run(request, settings);
    case "OPTIONS":
      return new Response(null, { status: 204, headers: PREFLIGHT });
    default:
      throw new HttpError(405, "method_not_allowed", `${request.method} is not answered here`, {
        hint: "POST a state as JSON",
        headers: { allow: "GET, POST, OPTIONS" },
      });
  }
}

// A browser obeys it only where the response names its origin too.
const PREFLIGHT = {
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "authorization, content-type",
  "access-control-max-age": "86400",
};

async function run(request: Request, settings: Settings): Promise<Response> {
  await authorise(request, settings.ACCESS_TOKEN);
  const state = await stateFrom(request);
  // A caller who hangs up ends the run: nobody pays for tokens that nobody reads.
  const options = { state, secrets: secretsFor(settings), ...reachOf(settings), signal: request.signal };
  const workflow = workflowFor(settings);
  if (request.headers.get("accept")?.includes("text/event-stream")) return eventStream(workflow.stream(options));
  return whole(await workflow.run(options));
}

function whole(result: RunResult): Response {
  if (result.status === "done") return Response.json(publicResult(result));
  if (result.status === "suspended") throw new HttpError(501, "suspended", "the workflow waits for a person, and this Worker keeps no runs");
  throw result.error ?? new HttpError(499, "cancelled", "the caller hung up");
}

async function eventStream(events: RunStream): Promise<Response> {
  const encoder = new TextEncoder();
  // The first event comes before the answer begins: what cannot be run at all still gets a status that says so.
  let next = await events.next();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Inputs, warnings and log lines are for whoever serves the workflow.
      let shown: PublicEvent | undefined;
      while (!next.done && (shown = publicEvent(next.value)) === undefined) next = await events.next();
      if (shown === undefined) return controller.close();
      controller.enqueue(encoder.encode(`id: ${shown.seq}\nevent: ${shown.type}\ndata: ${JSON.stringify(shown)}\n\n`));
      next = await events.next();
    },
    async cancel() {
      await events.return();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" } });
}
