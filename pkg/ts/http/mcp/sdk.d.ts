// As much of @modelcontextprotocol/server as is used: the user brings the package.
declare module "@modelcontextprotocol/server" {
  export const Server: new (about: { name: string; version: string }, options: object) => import("./shapes.js").SdkServer;
  export const ProtocolError: new (code: number, message: string) => Error;
  export function createMcpHandler(
    factory: (context: { readonly era: "modern" | "legacy" }) => import("./shapes.js").SdkServer,
    options: object,
  ): { fetch(request: Request, options: { authInfo: object }): Promise<Response> };
}
