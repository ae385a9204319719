// The worker in which workflows run, with the package that people install.
import "stepweave/web";
import { StepweaveError } from "stepweave/web";
import { serve, type RemoteRunOptions } from "stepweave/worker";
import { storedBytes } from "./files/bytes.js";
import { Permissions } from "./permissions.js";
import type { Tested, TestOrder } from "./tests.js";

/** What requests go through. */
type Relay = NonNullable<RemoteRunOptions["relay"]>;

/** What the page says besides the package's own messages: to which origins a run may send anything, and through which relay. */
export interface Allow {
  readonly allow: readonly string[];
  readonly relay: Relay | undefined;
}

/** What the worker asks the page: may the run send something to this origin? */
export interface Asked {
  readonly asked: string;
}

/** What it says where a file of its own did not come. */
export interface Lacking {
  readonly lacking: true;
}

/** What the page has tested, in a worker that does nothing else. */
export interface Ordered {
  readonly order: TestOrder;
}

/** The answer: `once`, `run` or `never`; and the relay that requests go through from then on, where the person said so with it. */
export interface Permitted {
  readonly permitted: string;
  readonly howLong: string;
  readonly relay: Relay | undefined;
}

const permissions = new Permissions((origin) => postMessage({ asked: origin } satisfies Asked));
let relay: Relay | undefined;

addEventListener("message", ({ data }: MessageEvent<Partial<Allow & Permitted & Ordered> | null>) => {
  if (Array.isArray(data?.allow)) {
    permissions.begin(data.allow);
    relay = data.relay;
  }
  if (typeof data?.permitted === "string") {
    relay = data.relay ?? relay;
    permissions.answer(data.permitted, data.howLong ?? "never");
  }
  if (data?.order !== undefined) void tested(data.order);
});

serve({
  // Only a workflow with code steps needs it.
  sandbox: () => arrived(import("stepweave/sandbox"), "runs code"),
  // Nor this, without a tool of an MCP server.
  mcp: () => arrived(import("stepweave/mcp"), "calls tools of MCP servers"),
  // What the person has chosen for runs; states have its digest.
  files: storedBytes,
  // The time in which the person decides is not the endpoint's.
  mayReach: (origin) => permissions.allows(origin),
  // The person may choose it while a run asks.
  relay: () => relay,
  // The person agreed to these origins and no others, whatever a workflow names and wherever an endpoint redirects to.
  fetch: agreed,
});

/** What is in a file of the builder. Where it does not come, a person cannot do what the package tells a program to do. */
async function arrived<Content>(file: Promise<Content>, does: string): Promise<Content> {
  try {
    return await file;
  } catch (cause) {
    postMessage({ lacking: true } satisfies Lacking);
    const [why, hint] = navigator.onLine
      ? ["", "look whether you are online, and run it again"]
      : [": this browser has no connection", "connect this device, and run it again"];
    throw new StepweaveError("handler", `the file of the builder that ${does} did not come${why}`, { cause, hint });
  }
}

/** Sends what the person agreed to. */
async function agreed(url: string, init: RequestInit): Promise<Response> {
  const { origin } = new URL(targetOf(url, init));
  if (!permissions.hasPassed(origin)) {
    throw new StepweaveError("network", `this run may not send anything to ${origin}`, {
      hint: "agree to this address when the run asks about it, or in the endpoint settings",
      retryable: false,
    });
  }
  init.signal?.throwIfAborted();
  // Where an answer leads to is followed by nobody; the package says so. A look whether anything answers at all, which
  // sends nothing and reads nothing, browsers allow only with redirects.
  const redirect = init?.mode === "no-cors" ? "follow" : "manual";
  return fetch(url, { ...init, redirect, credentials: "omit", referrerPolicy: "no-referrer" });
}

/** Tests ask the person nothing: where nobody has agreed to an origin, they fail and say so. */
async function tested(order: TestOrder): Promise<void> {
  const { test } = await import("./tests.js");
  const mayReach = (origin: string): boolean => permissions.hasPassed(origin);
  await test(order, { fetch: agreed, mayReach, files: storedBytes }, (tested: Tested) => postMessage({ tested }));
}

/** Where a request ends up: what goes to the relay says to which address it is to be sent. */
function targetOf(url: string, { headers }: RequestInit): string {
  if (url !== relay?.url) return url;
  const { url: target } = JSON.parse(new Headers(headers).get("x-relay-request") ?? "{}") as { url?: string };
  return target ?? url;
}
