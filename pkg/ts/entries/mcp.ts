export type { McpFetch } from "../mcp/guard.js";
export type { McpAnnotations } from "../mcp/shapes.js";
export { mcpTools, type McpOptions, type McpTools } from "../mcp/tools.js";
export type { Tool } from "../authoring/tool.js";
