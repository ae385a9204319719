import { isStepweaveError, StepweaveError } from "../api/errors.js";
import { isSecure } from "../effects/secure.js";
import { optionsFrom, signalFrom } from "../schema/options.js";
import { Authorization, authFailure, oauthFetch, secureAddress, type McpAuth } from "./authorization.js";
import { CALLBACK_CHANNEL } from "./callback-channel.js";
import type { McpFetch } from "./guard.js";
import { oauthSdk, type Discovery, type OAuthProvider, type Tokens } from "./oauth-sdk.js";

/** How long a person has to sign in, in milliseconds. */
const MAX_WAIT_MS = 10 * 60_000;

/** The options of {@link signIn}. */
export interface SignIn {
  /** The address of the callback page, of the page's own origin: a copy of `mcp-callback.html`, with `mcp-callback.js` beside it. */
  callback: string | URL;
  /** The id that the authorization server knows this page by. Without one the page registers itself, where the server allows it. */
  clientId?: string | undefined;
  scope?: string | undefined;
  /** Gives it up, for example when the person clicks on Cancel. */
  signal?: AbortSignal | undefined;
  /** Replaces `globalThis.fetch`. */
  fetch?: McpFetch | undefined;
}

/**
 * Lets a person sign in to an MCP server, in a window of its own: OAuth's authorization code with PKCE. Call it in the
 * handler of a click, before anything is awaited: browsers open no window otherwise. It resolves once the person is signed
 * in. The tokens are for this server alone, live in this page's memory, and end with it.
 *
 * ```ts
 * const server = "https://mcp.example.com/mcp";
 * document.querySelector("button")?.addEventListener("click", async () => {
 *   const auth = await signIn(server, { callback: new URL("mcp-callback.html", location.href) });
 *   const { tools } = await mcpTools(server, { auth });
 * });
 * ```
 */
export async function signIn(server: string | URL, options: SignIn): Promise<McpAuth> {
  const how = optionsFrom(options, ["callback", "clientId", "scope", "signal", "fetch"], "signIn()");
  const address = secureAddress(server, "signIn()");
  const callback = secureAddress(how.callback, "signIn()");
  const page = globalThis.window as Window | undefined;
  if (page === undefined) throw new StepweaveError("validation", "signIn() needs a page, in which a window can be opened", { hint: "use clientCredentials() where no page is" });
  if (callback.origin !== page.location.origin) throw new StepweaveError("validation", `the callback page ${callback.href} is of another origin than this page`, { hint: "copy mcp-callback.html and mcp-callback.js beside this page" });
  const popup = page.open("about:blank", "_blank", "popup,width=500,height=700");
  if (popup === null) throw new StepweaveError("auth", "the browser opened no window to sign in", { hint: "call signIn() in the handler of a click, before anything is awaited" });
  try {
    return await signedIn(address, callback, popup, how);
  } catch (error) {
    popup.close();
    throw how.signal?.aborted === true ? givenUp(how.signal.reason) : authFailure(error, address.href);
  }
}

function givenUp(reason: unknown): StepweaveError {
  if (isStepweaveError(reason)) return reason;
  return new StepweaveError("cancelled", "the sign-in to the MCP server was given up", { cause: reason, hint: "call signIn() again on a click" });
}

async function signedIn(server: URL, callback: URL, popup: Window, { clientId, scope, signal: given, fetch }: SignIn): Promise<McpAuth> {
  const signal = signalFrom(given);
  const { auth, validateAuthorizationResponseIssuer } = await oauthSdk();
  signal?.throwIfAborted();
  const send = oauthFetch(fetch, undefined);
  const state = crypto.randomUUID();
  const pending = new PendingSignIn(callback, state, clientId, scope, popup);
  const serverUrl = server.href;
  const answer = callbackOf(state, signal);
  try {
    // Nothing is heard before the window has been led there: whoever gives up waits for no server.
    await Promise.race([auth(pending, { serverUrl, fetchFn: send }), answer.heard]);
    const said = await answer.heard;
    // Whose word this is comes before what it says.
    const iss = said.get("iss") ?? undefined;
    const code = said.get("code");
    const { issuer, authorization_response_iss_parameter_supported: isExpected } = pending.discoveryState()?.authorizationServerMetadata ?? {};
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer, issParameterSupported: isExpected === true });
    if (code === null) throw new StepweaveError("auth", `the person was not signed in: ${(said.get("error") ?? "no code came back").slice(0, 100)}`, { hint: "call signIn() again on a click; if it comes again, check `clientId` and `scope`" });
    await auth(pending, { serverUrl, authorizationCode: code, ...(iss !== undefined && { iss }), fetchFn: send });
  } finally {
    answer.stop();
  }
  pending.end();
  return new Authorization(server, pending, send);
}

/** What is kept of a sign-in: in memory alone. */
class PendingSignIn implements OAuthProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: object;
  readonly #state: string;
  #popup: Window | undefined;
  #client: object | undefined;
  #tokens: Tokens | undefined;
  #verifier = "";
  #discovery: Discovery | undefined;

  constructor(callback: URL, state: string, clientId: string | undefined, scope: string | undefined, popup: Window) {
    this.redirectUrl = callback.href;
    this.clientMetadata = {
      client_name: "Stepweave",
      redirect_uris: [callback.href],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "web",
      ...(scope !== undefined && { scope }),
    };
    this.#state = state;
    this.#popup = popup;
    if (clientId !== undefined) this.#client = { client_id: clientId };
  }

  state(): string {
    return this.#state;
  }

  clientInformation(): object | undefined {
    return this.#client;
  }

  saveClientInformation(information: object): void {
    this.#client = information;
  }

  tokens(): Tokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: Tokens): void {
    this.#tokens = tokens;
  }

  /** Leads the window there, which a click has opened. Later on no window is opened: nobody has clicked. */
  redirectToAuthorization(url: URL): void {
    if (this.#popup === undefined) return;
    if (!isSecure(url)) throw new StepweaveError("auth", `the authorization server wants people to sign in at ${url.origin}, without https`, { hint: "sign in at a server that has https" });
    if (url.searchParams.get("code_challenge_method") !== "S256" || url.searchParams.get("state") !== this.#state) throw new StepweaveError("auth", "the address to sign in has no PKCE challenge or another state", { hint: "update @modelcontextprotocol/client, which makes it" });
    this.#popup.location.replace(url.href);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: Discovery): void {
    this.#discovery = state;
  }

  discoveryState(): Discovery | undefined {
    return this.#discovery;
  }

  end(): void {
    this.#popup = undefined;
    this.#verifier = "";
  }
}

/** What the callback page says of this sign-in: what has another state is another one's. */
function callbackOf(state: string, signal: AbortSignal | undefined): { readonly heard: Promise<URLSearchParams>; stop(): void } {
  const channel = new BroadcastChannel(CALLBACK_CHANNEL);
  let stop = (): void => {};
  const heard = new Promise<URLSearchParams>((resolve, reject) => {
    const timer = setTimeout(() => reject(new StepweaveError("timeout", "nobody has signed in within ten minutes", { hint: "call signIn() again on a click" })), MAX_WAIT_MS);
    const abort = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const said = new URLSearchParams(typeof data === "string" ? data : "");
      if (said.get("state") === state) resolve(said);
    };
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      channel.close();
    };
  });
  // Whoever stops before waiting for it has an error of its own.
  heard.catch(() => {});
  return { heard, stop };
}
