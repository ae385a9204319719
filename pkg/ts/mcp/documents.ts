import type { ToolDocument } from "../api/document.js";
import { optionsFrom } from "../schema/options.js";
import { checkable } from "./checkable.js";
import { safeNames } from "./names.js";
import { descriptionOf, hashOf } from "./pin.js";
import { connected, wantedOf, type McpOptions } from "./tools.js";

/** How {@link mcpToolDocuments} connects, and what it writes. */
export interface McpDocumentOptions extends Pick<McpOptions, "headers" | "auth" | "signal" | "fetch" | "relay" | "include" | "prefix" | "timeoutMs" | "maxResultBytes"> {
  /** The name of the secret that runs send to the server as a bearer token. Its value is no part of a document. */
  secret?: string | undefined;
  /** `true` lets the server ask people in the midst of a call. */
  elicitation?: boolean | undefined;
}

/**
 * The tools of an MCP server as a document has them, for its `tools`: with their descriptions and schemas, and the fingerprints
 * that the server is held to. Each call of them needs approval, unless `needsApproval: false` is written beside `run`.
 *
 * ```ts
 * const tools = await mcpToolDocuments("https://mcp.example.com/mcp", { include: ["search"], secret: "EXAMPLE_TOKEN" });
 * const document = { version: 1, name: "ask", tools, agents: { helper: { model: "main", tools: Object.keys(tools) } } };
 * ```
 */
export async function mcpToolDocuments(url: string | URL, options: McpDocumentOptions = {}): Promise<{ [name: string]: ToolDocument }> {
  const { secret, elicitation, ...how } = optionsFrom(options, ["headers", "auth", "signal", "fetch", "relay", "include", "prefix", "timeoutMs", "maxResultBytes", "secret", "elicitation"], "mcpToolDocuments()");
  const { connection, address } = await connected(url, how, "mcpToolDocuments()");
  try {
    const wanted = await wantedOf(connection, how);
    const names = safeNames(wanted.map(({ name }) => name), how.prefix ?? "");
    const entries = wanted.map(async (one): Promise<[string, ToolDocument]> => {
      const description = descriptionOf(one);
      const mcp = { url: address.href, tool: one.name, hash: await hashOf(one), ...(secret !== undefined && { auth: { bearer: { secret } } }), ...(elicitation === true && { elicitation }) };
      return [names.get(one.name) as string, { ...(description !== undefined && { description }), input: checkable(one.inputSchema), run: { mcp } }];
    });
    return Object.fromEntries(await Promise.all(entries));
  } finally {
    await connection.close();
  }
}
