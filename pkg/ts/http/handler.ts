import { StepweaveError } from "../api/errors.js";
import type { Deployed } from "../journal/documents.js";
import type { Inspection } from "../journal/inspect.js";
import { reading } from "../schema/options.js";
import { discardBody } from "./body.js";
import { Border } from "./border.js";
import { inputOf } from "./input.js";
import { settingsOf, type HandlerOptions, type ServerOptions } from "./options.js";
import { failed, isForTheLog } from "./problem.js";
import { resume } from "./resume.js";
import type { ResumeOptions } from "./resume-options.js";
import { checkRunOptions } from "./run-options.js";
import { ServedRuns, type Owns } from "./served-runs.js";
import { Service, type Context } from "./service.js";
import { Waker, type WakeOptions, type Woken } from "./wake.js";

/** A standard `fetch` of a server. */
export interface HttpHandler {
  (request: Request, environment?: unknown, context?: unknown): Promise<Response>;
  /**
   * Resumes the runs whose time has come, and deletes journals that `keepMs` no longer keeps: for a cron, or `poller()`.
   * Resolves when these runs stand still.
   *
   * ```ts
   * const serve = handler(workflow, { authorize: bearer({ shop: token }), store: memoryStore() });
   * export default { fetch: serve, scheduled: () => serve.wake() };
   * ```
   */
  wake(options?: WakeOptions): Promise<Woken>;
  /**
   * Resumes a stored run, however it has ended, and resolves with how it stands then: for whoever operates the server, as no
   * address leads here. What stopped a failed run is tried again, under the same id.
   *
   * ```ts
   * const serve = handler(workflow, { authorize: bearer({ shop: token }), store: memoryStore() });
   * const { status } = await serve.resume("order-17");
   * ```
   */
  resume(runId: string, options?: ResumeOptions): Promise<Inspection>;
}

/**
 * Serves a workflow over HTTP: a standard `fetch` for Workers, Deno, Bun, Node and frameworks. Callers receive the public
 * form of events, results and errors. The page docs/http.md lists the addresses.
 *
 * ```ts
 * import { bearer, handler } from "stepweave/http";
 * import { memoryStore } from "stepweave/stores";
 *
 * export default { fetch: handler(workflow, { authorize: bearer({ shop: token }), store: memoryStore() }) };
 * ```
 */
export function handler(workflow: Deployed, options: HandlerOptions): HttpHandler {
  return serve(workflow, options).fetch;
}

/**
 * @internal The same, with its runs, for whoever resumes them without a request. `owns` says which runs of the store are of
 * this workflow; by default those that began under its name, as a store may have those of several.
 */
export function serve(workflow: Deployed, options: ServerOptions, owns?: Owns): { readonly fetch: HttpHandler; readonly runs: ServedRuns } {
  if (!reading("the workflow of handler()", () => typeof workflow?.start === "function" && typeof workflow.toDocument === "function")) {
    throw new StepweaveError("validation", "handler() needs a workflow", { hint: "write handler(new Workflow({ … }), { … })" });
  }
  const settings = settingsOf(options);
  checkRunOptions(workflow, settings.run);
  const document = workflow.toDocument();
  const runs = new ServedRuns(workflow, settings, owns ?? (({ documentName }) => documentName === document.name));
  const service = new Service(document, inputOf(document, workflow.handlers), settings, runs);
  const border = new Border(settings);
  const respond = async (request: Request, environment?: unknown, context?: unknown): Promise<Response> => {
    if (request.method === "HEAD") return withoutBody(await respond(new Request(request, { method: "GET" }), environment, context));
    try {
      return border.opened(request, await service.respond(request, border, context as Context | undefined));
    } catch (error) {
      if (isForTheLog(error)) await settings.onError(error, request);
      return border.opened(request, failed(error));
    } finally {
      await discardBody(request, settings.maxBodyBytes);
    }
  };
  const waker = new Waker(runs, settings);
  return { fetch: Object.assign(respond, { wake: (options?: WakeOptions) => waker.wake(options), resume: (id: string, options?: ResumeOptions) => resume(runs, id, options) }), runs };
}

/** The same response to a request that wants to know no more than its status and its headers. */
async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}
