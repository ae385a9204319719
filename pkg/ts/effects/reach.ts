import { StepweaveError } from "../api/errors.js";
import type { Fetch, MayReach } from "../api/run.js";
import { decidedBy } from "./option.js";
import { originAlone, originOf } from "./origin.js";
import { pageOrigin } from "./page.js";
import type { SecretTable } from "./secrets.js";

/** The addresses that code itself has named. */
export type OwnOrigins = ReadonlySet<string> | "all";

/** Where a run may send requests: to what code names, and of what its document names to what is allowed. */
export interface Reach {
  /** What the program's own code names. */
  readonly own: OwnOrigins;
  /** What else is allowed; where nothing is said, what is not in the network of this machine, and where secrets may go. */
  readonly allowed: ReadonlySet<string> | undefined;
  readonly secrets: Pick<SecretTable, "goTo">;
  /** Decides about each request of the document, to this origin. */
  readonly decide: MayReach | undefined;
}

/** The origins that code allows, checked; throws `validation`. */
export function originsFor(given: unknown, who: string): ReadonlySet<string> | undefined {
  if (given === undefined) return undefined;
  const write = 'write allowOrigins: ["https://api.openai.com"]';
  if (!Array.isArray(given)) throw wrong(`the option \`allowOrigins\` of ${who} is no list`, write);
  return new Set(
    given.map((one: unknown, index) => {
      const origin = originOf(one);
      if (origin === undefined) throw wrong(`allowOrigins[${index}] of ${who} is no http(s) address`, write);
      if (originAlone(one) === undefined) throw wrong(`allowOrigins[${index}] of ${who} says more than an origin`, `write "${origin}": a path cannot be allowed by itself`);
      return origin;
    }),
  );
}

/** What decides about each request, checked; throws `validation`. */
export function deciderFor(given: unknown, who: string): MayReach | undefined {
  if (given === undefined || typeof given === "function") return given as MayReach | undefined;
  throw wrong(`the option \`mayReach\` of ${who} is no function`, "pass (origin) => whether something may be sent there");
}

/** What both allow. */
export function both(one: ReadonlySet<string> | undefined, other: ReadonlySet<string> | undefined): ReadonlySet<string> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return new Set([...one].filter((origin) => other.has(origin)));
}

/** What sends requests unless it has been replaced. */
const plainFetch: unknown = globalThis.fetch;

/**
 * What sends a request to this address; throws `network` where the run may not reach it. `given` is the option `fetch`.
 * Called as a plain function: browsers refuse `fetch` as the method of another object.
 */
export function senderTo(url: string, reach: Reach, given: Fetch | undefined): Fetch | Promise<Fetch> {
  const { own, decide } = reach;
  const origin = originOf(url);
  const sender = senderWithin(url, reach, given);
  return decide === undefined || own === "all" || origin === undefined || own.has(origin) ? sender : decided(decide, origin, sender);
}

/** The same once somebody has decided that it may be reached. */
async function decided(decide: MayReach, origin: string, sender: Fetch | Promise<Fetch>): Promise<Fetch> {
  const found = await sender;
  if ((await decidedBy("mayReach", () => decide(origin))) === true) return found;
  throw new StepweaveError("network", `nothing was sent: this run may not send anything to ${origin}`, {
    hint: "allow this address when the run asks about it, where the option `mayReach` decides",
    retryable: false,
  });
}

function senderWithin(url: string, { own, allowed, secrets }: Reach, given: Fetch | undefined): Fetch | Promise<Fetch> {
  const usual = given ?? (globalThis.fetch as Fetch);
  const origin = originOf(url);
  if (own === "all" || (origin !== undefined && (own.has(origin) || allowed?.has(origin) === true))) return usual;
  if (allowed !== undefined) {
    throw refused(`${origin ?? url} is none of the origins that this run may reach: ${[...allowed].join(", ") || "none is allowed"}`, origin);
  }
  // Whoever opened a page may reach what their browser may; whoever gave a key for an address has named it.
  return pageOrigin() !== undefined || (origin !== undefined && secrets.goTo(origin)) ? usual : outside(url, origin, given);
}

/** What sends a request to an address outside of this machine and its own network; throws `network` for those inside. */
async function outside(url: string, origin: string | undefined, given: Fetch | undefined): Promise<Fetch> {
  // Programs whose code names all addresses do not load what looks at them.
  const { isInsideHost } = await import("./inside.js");
  if (origin === undefined || isInsideHost(new URL(url).hostname)) {
    throw refused(`${origin ?? url} is this machine or in its own network`, origin);
  }
  const isPlain = given === undefined && globalThis.fetch === plainFetch;
  return (isPlain ? (await import("./pinned.js")).pinnedFetch() : given) ?? (globalThis.fetch as Fetch);
}

function refused(message: string, origin: string | undefined): StepweaveError {
  return new StepweaveError("network", `nothing was sent: ${message}`, {
    hint: `if the endpoint is right, allow it where the run starts: allowOrigins: ["${origin ?? "https://…"}"]`,
    retryable: false,
  });
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
