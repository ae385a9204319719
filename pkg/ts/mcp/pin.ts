import { StepweaveError } from "../api/errors.js";
import { isEqual } from "../json/equal.js";
import { hex } from "../json/hex.js";
import type { PinnedTool } from "../run/servers.js";
import { canonical } from "../schema/json/canonical.js";
import { checkable } from "./checkable.js";
import type { ServerName } from "./failure.js";
import type { McpTool } from "./shapes.js";

/**
 * The fingerprint that a document has of a server's tool: of its name, of what is sent to models about it, and of what goes in and
 * comes out. What the server says of itself in `annotations` is believed nowhere, and so is not in it.
 */
export async function hashOf({ name, inputSchema, outputSchema, ...tool }: McpTool): Promise<string> {
  // Servers may write the keys of their schemas in any order.
  const text = canonical([name, descriptionOf(tool) ?? null, inputSchema, outputSchema ?? null]);
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/** What is sent to models about a server's tool. */
export function descriptionOf({ title, description, annotations }: Omit<McpTool, "name" | "inputSchema">): string | undefined {
  return description ?? annotations?.title ?? title;
}

/** The tool that a document means; throws `document` where the server has none like it. */
export async function pinnedTool(pinned: PinnedTool, tools: readonly McpTool[], server: ServerName): Promise<McpTool> {
  const found = tools.find(({ name }) => name === pinned.tool);
  if (found === undefined) {
    const names = tools.slice(0, 20).map(({ name }) => name);
    throw refused(pinned, server, "is not there any more", `it has ${names.join(", ") || "none"}${tools.length > names.length ? ", and others" : ""}; take another one, or leave the tool out`);
  }
  if ((await hashOf(found)) === pinned.hash) return found;
  const changed = [
    ...(descriptionOf(found) === pinned.description ? [] : ["its description"]),
    ...(isEqual(checkable(found.inputSchema), pinned.input) ? [] : ["the schema of its arguments"]),
  ];
  const what = changed.length === 0 ? "the schema of its results" : changed.join(" and ");
  throw refused(pinned, server, `is another one than the document has taken in: ${what} differs`, "look at what the server says of it now, and take it in again with mcpToolDocuments() of stepweave/mcp if it is right");
}

function refused({ name, tool }: PinnedTool, server: ServerName, what: string, hint: string): StepweaveError {
  const message = `the tool ${tool} of the MCP server ${server.name} ${what}; it was not called`;
  return new StepweaveError("document", message, {
    hint,
    problems: [{ path: `tools.${name}.run.mcp`, code: "tool_changed", message, hint, severity: "error" }],
    retryable: false,
  });
}
