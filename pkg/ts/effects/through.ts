import { StepweaveError } from "../api/errors.js";
import type { Fetch, Relay } from "../api/run.js";
import { optionsFrom, quoted } from "../schema/options.js";
import { decidedBy } from "./option.js";
import { originOf } from "./origin.js";

/** A relay that requests go through, checked. */
export interface Through {
  readonly url: string;
  readonly token: string;
  /** Whether keys go through it too. */
  readonly secrets: boolean;
}

/** A relay, checked; throws `validation`. */
export function throughOf(given: unknown): Through | undefined {
  if (given === undefined) return undefined;
  const { url, token, secrets = false } = optionsFrom(given as Relay, ["url", "token", "secrets"], "the relay");
  if (originOf(url) === undefined) throw wrong(`the \`url\` of the relay is no http(s) address: ${quoted(url)}`, 'write an address such as "https://relay.example.com"');
  // A token is never quoted.
  if (typeof token !== "string" || !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(token)) throw wrong("the `token` of the relay is no text that a header can hold", "pass the token that the relay was set up with, without a line break");
  if (typeof secrets !== "boolean") throw wrong(`\`secrets\` of the relay is ${quoted(secrets)}`, "write secrets: true if keys may go through the relay");
  return { url, token, secrets };
}

/** The option `relay` of a run: what is given as it is is checked now, what a function says each time; throws `validation`. */
export function relayOf(given: unknown): () => Promise<Through | undefined> {
  if (typeof given === "function") return async () => throughOf(await decidedBy("relay", given as () => unknown));
  const relay = throughOf(given);
  return async () => relay;
}

/** What sends in the place of `send`, which was found for the address: the relay, if there is one, which is reached by `fetch`. */
export function viaRelay(relay: Through | undefined, send: Fetch, fetch: Fetch | undefined): Fetch {
  if (relay === undefined) return send;
  // Loaded with the first request that goes through one.
  return async (url, init) => (await import("./relay.js")).sendThrough(relay, fetch ?? (globalThis.fetch as Fetch), url, init);
}

/** Refuses to send a key through a relay that was not given it; throws `auth`. */
export function checkKeyGoesThrough(relay: Through | undefined, secret: string, origin: string): void {
  if (relay === undefined || relay.secrets) return;
  throw new StepweaveError("auth", `nothing was sent to ${origin}: the secret ${secret} would go through the relay at ${new URL(relay.url).origin}, and keys do not`, {
    hint: "if the relay is yours, or may know the key, let keys go through it: relay: { …, secrets: true }",
    retryable: false,
  });
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
