// Signing in to an MCP server, in a window of its own. The page loads this when the form of a server is opened, so that a
// click finds it: later on browsers open no window.
import { signIn, type McpAuth } from "stepweave/mcp";
import type { Secret, Secrets } from "stepweave/slim";
import type { Key } from "../bridge.js";
import type { Outcome } from "../outcome.js";

/** By the tokens that they gave first: the ways in, which get others. They end with the page. */
const ways = new Map<string, McpAuth>();

/** The keys of a run, with the tokens of now in place of those that a person signed in for, and with what renews them. */
export async function renewable(keys: Readonly<Record<string, Key>>): Promise<Secrets> {
  const renewed = async ([name, { value, origins }]: [string, Key]): Promise<[string, Secret]> => {
    // Where nobody is let in any more, the server says so.
    const now = await ways.get(value)?.secret().catch(() => undefined);
    return [name, { value, ...now, origins }];
  };
  return Object.fromEntries(await Promise.all(Object.entries(keys).map(renewed)));
}

/** Lets a person sign in to the server at this address, and gives the token, which is kept as a key is. Without a client id the page registers itself, where that is allowed. */
export async function signedIn(url: string, clientId: string | undefined, signal: AbortSignal): Promise<Outcome> {
  const callback = new URL("mcp-callback.html", document.baseURI);
  try {
    const auth = await signIn(url, { callback, clientId, signal, fetch: plainly });
    const { value } = await auth.secret();
    ways.set(value, auth);
    return { value };
  } catch (error) {
    const { message = String(error), hint } = (signal.aborted ? signal.reason : error) as { message?: string; hint?: string };
    // Other hints are about the call of a function.
    return { error: hint?.includes("(") === false ? `${message}: ${hint}` : message };
  }
}

/** Without cookies, and without saying where from. */
function plainly(url: string | URL, init?: RequestInit): Promise<Response> {
  return fetch(url, { ...init, credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" });
}
