// As much of @modelcontextprotocol/client as is used: the user brings the package.
declare module "@modelcontextprotocol/client" {
  export const Client: new (about: { name: string; version: string }, options: object) => import("./shapes.js").McpClient;
  export const StreamableHTTPClientTransport: new (url: URL, options: object) => import("./shapes.js").McpTransport;
  export const auth: import("./oauth-sdk.js").OAuthSdk["auth"];
  export const validateAuthorizationResponseIssuer: import("./oauth-sdk.js").OAuthSdk["validateAuthorizationResponseIssuer"];
}
