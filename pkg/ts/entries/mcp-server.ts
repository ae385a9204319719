export { mcpServer, type McpHandler } from "../http/mcp/server.js";
export type { McpServerOptions } from "../http/mcp/options.js";
export type { SealKey } from "../http/mcp/seal.js";
