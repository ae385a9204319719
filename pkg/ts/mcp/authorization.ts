import { StepweaveError, reasonOf } from "../api/errors.js";
import type { Renew } from "../api/run.js";
import { isSecure } from "../effects/secure.js";
import { optionsFrom, quoted, reading } from "../schema/options.js";
import { bounded } from "./bound.js";
import type { McpFetch } from "./guard.js";
import { oauthSdk, type OAuthProvider, type Tokens } from "./oauth-sdk.js";

/** How large an answer of an authorization server may be, in bytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** A way into an MCP server: made by {@link clientCredentials} or `signIn`, for the option `auth` of `mcpTools`. It holds tokens as a key is held: in no text and no journal. */
export interface McpAuth {
  /** The address of the MCP server that it belongs to. */
  readonly server: string;
  /**
   * The token of now as a secret for `secrets` of a run whose document names it, bound to the server; throws `auth` where there
   * is none. A run whose server refuses it has it renewed once, if the authorization server gives another one without a person.
   */
  secret(): Promise<{ value: string; origins: readonly string[]; renew: Renew }>;
}

/** The tokens for one server, of one authorization server, and what renews them. */
export class Authorization implements McpAuth {
  readonly server: string;
  readonly #provider: OAuthProvider;
  readonly #fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  #renewal: Promise<void> | undefined;

  constructor(server: URL, provider: OAuthProvider, fetch: (url: string | URL, init?: RequestInit) => Promise<Response>) {
    this.server = server.href;
    this.#provider = provider;
    this.#fetch = fetch;
  }

  /** The token to send now, if there is one. */
  async token(): Promise<string | undefined> {
    return this.#provider.tokens()?.access_token;
  }

  async secret(): ReturnType<McpAuth["secret"]> {
    if ((await this.token()) === undefined) await this.renew();
    return { value: await this.#given(), origins: [new URL(this.server).origin], renew: () => this.#another() };
  }

  /** What must be in no message. */
  secrets(): readonly string[] {
    const { access_token, refresh_token } = this.#provider.tokens() ?? {};
    return [access_token, refresh_token].filter((token) => token !== undefined);
  }

  /** Gets another token, once for all who wait for it. People are asked for nothing: whether one may be asked is not known here. */
  renew(): Promise<void> {
    return (this.#renewal ??= this.#renewed().finally(() => void (this.#renewal = undefined)));
  }

  async #another(): Promise<string> {
    await this.renew();
    return this.#given();
  }

  async #given(): Promise<string> {
    const token = await this.token();
    if (token === undefined) throw signInAgain(this.server);
    return token;
  }

  async #renewed(): Promise<void> {
    const { auth } = await oauthSdk();
    try {
      if ((await auth(this.#provider, { serverUrl: this.server, fetchFn: this.#fetch })) === "AUTHORIZED") return;
    } catch (error) {
      throw authFailure(error, this.server);
    }
    throw signInAgain(this.server);
  }
}

/** The options of {@link clientCredentials}. */
export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
  /** The authorization server, such as `https://login.example`: the secret goes to it and nowhere else. */
  issuer: string;
  scope?: string | undefined;
  /** Replaces `globalThis.fetch`. */
  fetch?: McpFetch | undefined;
}

/**
 * The way of a server into an MCP server: OAuth's client credentials, for programs that act for themselves. A page has no
 * secrets; there people sign in.
 *
 * ```ts
 * const server = "https://mcp.example.com/mcp";
 * const auth = clientCredentials(server, { clientId: "stepweave", clientSecret: key, issuer: "https://login.example.com" });
 * const { tools } = await mcpTools(server, { auth });
 * ```
 */
export function clientCredentials(server: string | URL, options: ClientCredentials): McpAuth {
  const { clientId, clientSecret, issuer, scope, fetch } = optionsFrom(options, ["clientId", "clientSecret", "issuer", "scope", "fetch"], "clientCredentials()");
  for (const [name, value] of Object.entries({ clientId, clientSecret, issuer })) {
    if (typeof value !== "string" || value === "") throw new StepweaveError("validation", `the option \`${name}\` of clientCredentials() is ${name === "clientSecret" ? "missing" : quoted(value)}`, { hint: "write the text that the authorization server has given you" });
  }
  const address = secureAddress(server, "clientCredentials()");
  const origins = new Set([address.origin, secureAddress(issuer, "clientCredentials()").origin]);
  let tokens: Tokens | undefined;
  const provider: OAuthProvider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], grant_types: ["client_credentials"], token_endpoint_auth_method: "client_secret_basic", ...(scope !== undefined && { scope }) },
    // Stamped with its issuer, it is sent to no other one.
    clientInformation: () => ({ client_id: clientId, client_secret: clientSecret, issuer }),
    tokens: () => tokens,
    saveTokens: (given) => void (tokens = given),
    redirectToAuthorization: () => {
      throw new StepweaveError("auth", "an authorization server wants a person to sign in, where a program acts for itself");
    },
    saveCodeVerifier: () => {},
    codeVerifier: () => "",
    prepareTokenRequest: (scope) => new URLSearchParams({ grant_type: "client_credentials", ...(scope !== undefined && { scope }) }),
  };
  return new Authorization(address, provider, oauthFetch(fetch, origins));
}

/** An address whose connection nobody reads along. */
export function secureAddress(given: string | URL, of: string): URL {
  const text = reading(`an address of ${of}`, () => (given instanceof URL ? given.href : given));
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isSecure(url) && url.username === "" && url.password === "") return url;
  throw new StepweaveError("validation", `${of} needs addresses with https, and ${quoted(text)} is none`, { hint: "http is possible on this machine alone: http://localhost:3001/mcp" });
}

/** Sends what belongs to signing in: over https, to these origins where they are known, without redirects, and reads a bounded answer. */
export function oauthFetch(fetch: McpFetch | undefined, origins: ReadonlySet<string> | undefined): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const address = new URL(url);
    if (!isSecure(address)) throw new StepweaveError("auth", `an authorization server is said to be at ${address.origin}, without https, where nothing was sent`);
    if (origins !== undefined && !origins.has(address.origin)) throw new StepweaveError("auth", `an authorization server is said to be at ${address.origin}, which is not the one of \`issuer\`; nothing was sent there`, { hint: "check `issuer`, and whom the MCP server's metadata names" });
    const send = fetch ?? globalThis.fetch;
    const bound = {
      fits: (longest: number) => longest <= MAX_ANSWER_BYTES,
      tooLarge: () => new StepweaveError("limit", `the authorization server ${address.origin} sent more than ${MAX_ANSWER_BYTES} bytes`),
    };
    return bounded(await send(address.href, { ...init, redirect: "error" }), init, bound);
  };
}

/** Why nobody was let in. What an authorization server says is its own word, and no secret is in it. */
export function authFailure(error: unknown, server: string): StepweaveError {
  if (error instanceof StepweaveError) return error;
  const { origin, pathname } = new URL(server);
  return new StepweaveError("auth", `nobody was let in to the MCP server ${origin}${pathname}: ${reasonOf(error)}`, { cause: error, hint: "check what the authorization server knows of this client" });
}

function signInAgain(server: string): StepweaveError {
  const { origin, pathname } = new URL(server);
  return new StepweaveError("auth", `the MCP server ${origin}${pathname} wants a person to sign in again`, { hint: "call signIn() again on a click, and mcpTools() with what it gives" });
}
