import { StepweaveError } from "../api/errors.js";
import { bounded, type Bound } from "./bound.js";

/** A function that can stand in for `fetch`. */
export type McpFetch = (url: string, init: RequestInit) => PromiseLike<Response>;

/**
 * Sends requests to the server's origin only, for its headers may hold keys, and so may what the tools are given; reads
 * no message beyond the bound.
 */
export function guarded(server: URL, fetch: McpFetch | undefined, bound: Bound): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const { origin, href } = new URL(url);
    if (origin !== server.origin) {
      throw new StepweaveError("network", `the MCP server ${server.origin} leads to ${origin}, where nothing was sent`, { hint: "connect to that address itself, if it is the right one" });
    }
    // Called as a plain function: browsers refuse `fetch` as the method of another object.
    const send = fetch ?? globalThis.fetch;
    return bounded(await send(href, { ...init, redirect: init?.redirect ?? "manual" }), init, bound);
  };
}
