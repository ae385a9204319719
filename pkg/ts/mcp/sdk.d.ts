// As much of @modelcontextprotocol/sdk as is used: the user brings the package.
declare module "@modelcontextprotocol/sdk/client/index.js" {
  export const Client: new (about: { name: string; version: string }, options: object) => import("./shapes.js").McpClient;
}

declare module "@modelcontextprotocol/sdk/client/streamableHttp.js" {
  export const StreamableHTTPClientTransport: new (url: URL, options: object) => import("./shapes.js").McpTransport;
}
