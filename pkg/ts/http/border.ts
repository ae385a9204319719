import { Refused } from "./problem.js";
import type { Settings } from "./options.js";

const METHODS = "GET, POST, DELETE";
const HEADERS = "authorization, content-type, idempotency-key, last-event-id, prefer";

/** Who may send a request here: which names of this host, and pages of which origins. */
export class Border {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string>;

  constructor({ hosts, origins }: Pick<Settings, "hosts" | "origins">) {
    this.#hosts = hosts;
    this.#origins = origins;
  }

  /** Refuses what comes under another name. */
  checkHost({ host }: URL): void {
    if (this.#hosts !== undefined && !this.#hosts.has(host)) {
      throw new Refused(421, "forbidden", "this host is not served here", { hint: "the option `hosts` lists those that are" });
    }
  }

  /** Refuses what a page of another origin sends. */
  checkOrigin(request: Request, { origin: own }: URL): void {
    const origin = request.headers.get("origin");
    if (origin !== null && origin !== own && !this.#origins.has(origin)) {
      throw new Refused(403, "forbidden", "pages of this origin may not call", { hint: "the option `origins` lists those that may" });
    }
  }

  /** The answer to the preflight request of a browser. */
  preflight(): Response {
    return new Response(null, { status: 204, headers: { "access-control-allow-methods": METHODS, "access-control-allow-headers": HEADERS, "access-control-max-age": "86400" } });
  }

  /** Lets pages of a listed origin read a response, errors among them: without it a page does not even see the status. */
  opened(request: Request, response: Response): Response {
    if (this.#origins.size === 0) return response;
    response.headers.append("vary", "origin");
    const origin = request.headers.get("origin");
    if (origin !== null && this.#origins.has(origin)) {
      response.headers.set("access-control-allow-origin", origin);
      response.headers.set("access-control-expose-headers", "location, retry-after");
    }
    return response;
  }
}
