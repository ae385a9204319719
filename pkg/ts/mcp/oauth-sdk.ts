import { StepweaveError } from "../api/errors.js";

/** Tokens, with the issuer whose they are. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly issuer?: string;
}

/** What is known of the authorization server that was found. */
export interface Discovery {
  readonly authorizationServerMetadata?: { readonly issuer?: string; readonly authorization_response_iss_parameter_supported?: boolean };
}

/** What the SDK needs and gives to keep while it authorizes: its `OAuthClientProvider`, as far as it is used. */
export interface OAuthProvider {
  readonly redirectUrl: string | undefined;
  readonly clientMetadata: object;
  state?(): string;
  clientInformation(): object | undefined;
  saveClientInformation?(information: object): void;
  tokens(): Tokens | undefined;
  saveTokens(tokens: Tokens): void;
  redirectToAuthorization(url: URL): void;
  saveCodeVerifier(verifier: string): void;
  codeVerifier(): string;
  prepareTokenRequest?(scope?: string): URLSearchParams;
  saveDiscoveryState?(state: Discovery): void;
  discoveryState?(): Discovery | undefined;
}

/** The SDK's part that signs in. */
export interface OAuthSdk {
  auth(
    provider: OAuthProvider,
    options: { serverUrl: string; authorizationCode?: string; iss?: string; fetchFn(url: string | URL, init?: RequestInit): Promise<Response> },
  ): Promise<"AUTHORIZED" | "REDIRECT">;
  /** Throws when an answer is not the word of the issuer that the request went to (RFC 9207). */
  validateAuthorizationResponseIssuer(answer: { iss: string | undefined; expectedIssuer: string | undefined; issParameterSupported: boolean }): void;
}

export async function oauthSdk(): Promise<OAuthSdk> {
  try {
    return await import("@modelcontextprotocol/client");
  } catch (error) {
    throw new StepweaveError("validation", "signing in to MCP servers needs the package @modelcontextprotocol/client", { cause: error, hint: "npm install @modelcontextprotocol/client" });
  }
}
