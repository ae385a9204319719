import { mcpServers } from "../mcp/servers.js";
import { setServers } from "../run/servers.js";

export { clientCredentials, type ClientCredentials, type McpAuth } from "../mcp/authorization.js";
export type { McpFetch } from "../mcp/guard.js";
export type { McpAnnotations, McpPrompt, McpResource } from "../mcp/shapes.js";
export { signIn, type SignIn } from "../mcp/sign-in.js";
export { mcpTools, type McpOptions, type McpProgress, type McpTools } from "../mcp/tools.js";
export type { Tool } from "../authoring/tool.js";
export { mcpServers } from "../mcp/servers.js";
export type { McpServers, OpenServers, PinnedTool, ServerAnswer, ServerAsked } from "../run/servers.js";
export { mcpToolDocuments, type McpDocumentOptions } from "../mcp/documents.js";

// What documents name is called from here then.
setServers(mcpServers);
