// The worker in which workflows run, with the package that people install.
import "stepweave/web";
import { StepweaveError } from "stepweave/web";
import { serve } from "stepweave/worker";

/** What the page says besides the package's own messages: to which origins a run may send anything. */
export interface Allow {
  readonly allow: readonly string[];
}

let allowed: ReadonlySet<string> = new Set();

addEventListener("message", (event: MessageEvent<Partial<Allow> | null>) => {
  if (Array.isArray(event.data?.allow)) allowed = new Set(event.data.allow);
});

serve({
  // Only a workflow with code steps needs it.
  sandbox: () => import("stepweave/sandbox"),
  // The person agreed to these origins and no others, whatever a workflow names and wherever an endpoint redirects to.
  async fetch(url, init) {
    const { origin } = new URL(url);
    if (!allowed.has(origin)) {
      throw new StepweaveError("network", `this run may not send anything to ${origin}`, {
        hint: "agree to this address when the run starts, or in the endpoint settings",
      });
    }
    // Where an answer leads to is followed by nobody; the package says so. A look whether anything answers at all, which
    // sends nothing and reads nothing, browsers allow only with redirects.
    const redirect = init?.mode === "no-cors" ? "follow" : "manual";
    return fetch(url, { ...init, redirect, credentials: "omit", referrerPolicy: "no-referrer" });
  },
});
