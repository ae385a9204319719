// A small MCP server of the protocol of 2026-07-28, made with the official server package.
import { createMcpHandler, createRequestStateCodec, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serving } from "./serving.mjs";

/** The schema of an object with these properties. */
export const ASK = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });

/** The result of a tool. */
export const text = (said, structuredContent) => ({ content: [{ type: "text", text: said }], ...(structuredContent && { structuredContent }) });

/** A server that remembers nothing between requests, with one tool `order`; what `as()` gives is said of it instead. */
export async function served(order, use, as = () => ({})) {
  const codec = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "shop", version: "1" }, { capabilities: { tools: {} }, requestState: { verify: codec.verify } });
    const { name = "order", input = ASK({ what: { type: "string" } }), ...said } = as();
    server.registerTool(name, { description: "Orders it.", inputSchema: fromJsonSchema(input), ...said }, (args, ctx) => order(args, ctx, codec));
    return server;
  }, { legacy: "reject" });
  const seen = [];
  const answer = (request, body, headers) => {
    seen.push({ headers, body: body.length > 0 ? JSON.parse(body) : undefined });
    return handler.fetch(request);
  };
  await serving(answer, (origin) => use(`${origin}/mcp`, seen));
}
