// A workflow behind an address: POST its input to /runs and get the result, or the events while they happen.
import { bearer, handler, type HandlerOptions, type HttpHandler } from "stepweave/http";
import { NotConfigured, settingsOf, type Settings } from "./settings.ts";
import { reachOf, secretsFor, workflowFor } from "./workflow.ts";

let served: HttpHandler | undefined;

export default {
  async fetch(request: Request, env: object, context: unknown): Promise<Response> {
    try {
      // Made and checked once: an isolate serves many requests, all of them with the same settings.
      served ??= serve(settingsOf(env));
    } catch (error) {
      return notConfigured(error);
    }
    return served(request, env, context);
  },
};

function serve(settings: Settings): HttpHandler {
  return handler(workflowFor(settings), {
    ...whoMayCall(settings),
    run: { secrets: secretsFor(settings), ...reachOf(settings) },
    ...(settings.ALLOWED_ORIGIN !== undefined && { origins: [settings.ALLOWED_ORIGIN] }),
  });
}

/** The demo model costs nothing. Whoever pays for an endpoint says who may call it. */
function whoMayCall({ ACCESS_TOKEN, LLM_BASE_URL, PUBLIC }: Settings): HandlerOptions {
  if (ACCESS_TOKEN !== undefined) return { authorize: bearer({ caller: ACCESS_TOKEN }) };
  if (LLM_BASE_URL === undefined || PUBLIC === "yes") return { public: true };
  throw new NotConfigured("nothing says who may run the workflow at your expense", "set a token with npx wrangler secret put ACCESS_TOKEN; or PUBLIC to \"yes\" in wrangler.jsonc, and everyone may");
}

/** What is wrong with the settings, for who deploys it: it holds no secret. */
function notConfigured(error: unknown): Response {
  console.error(error);
  const { message, hint } = error as NotConfigured;
  const problem = { type: "about:blank", title: "Internal Server Error", status: 500, code: "configuration", detail: message, hint };
  return Response.json(problem, { status: 500, headers: { "content-type": "application/problem+json" } });
}
