// Signing in to an MCP server, in a window of its own. The page loads this when the form of a server is opened, so that a
// click finds it: later on browsers open no window.
import { signIn } from "stepweave/mcp";
import type { Outcome } from "../outcome.js";

/** Lets a person sign in to the server at this address, and gives the token, which is kept as a key is. Without a client id the page registers itself, where that is allowed. */
export async function signedIn(url: string, clientId: string | undefined, signal: AbortSignal): Promise<Outcome> {
  const callback = new URL("mcp-callback.html", document.baseURI);
  try {
    const auth = await signIn(url, { callback, clientId, signal, fetch: plainly });
    return { value: (await auth.secret()).value };
  } catch (error) {
    const { message = String(error), hint } = error as { message?: string; hint?: string };
    // Other hints are about the call of a function.
    return { error: hint?.includes("(") === false ? `${message}: ${hint}` : message };
  }
}

/** Without cookies, and without saying where from. */
function plainly(url: string | URL, init?: RequestInit): Promise<Response> {
  return fetch(url, { ...init, credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" });
}
