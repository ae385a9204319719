import type { Json, McpToolDocument, ToolDocument } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import { isEqual } from "../json/equal.js";
import type { ServerName } from "./failure.js";
import type { McpTool } from "./shapes.js";

/** What a document says of a server's tool. */
export type Pinned = McpToolDocument & Pick<ToolDocument, "description" | "input"> & { readonly name: string };

/**
 * The fingerprint that a document has of a server's tool: of its name, of what models are told of it, and of what goes in and
 * comes out. What the server says of itself in `annotations` is believed nowhere, and so is not in it.
 */
export async function hashOf({ name, inputSchema, outputSchema, ...tool }: McpTool): Promise<string> {
  const text = JSON.stringify(sorted([name, descriptionOf(tool) ?? null, inputSchema, outputSchema ?? null]));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What models are told of a server's tool. */
export function descriptionOf({ title, description, annotations }: Omit<McpTool, "name" | "inputSchema">): string | undefined {
  return description ?? annotations?.title ?? title;
}

/** The tool that a document means; throws `document` where the server has none like it. */
export async function pinnedTool(pinned: Pinned, tools: readonly McpTool[], server: ServerName): Promise<McpTool> {
  const found = tools.find(({ name }) => name === pinned.tool);
  if (found === undefined) {
    const names = tools.slice(0, 20).map(({ name }) => name);
    throw refused(pinned, server, "is not there any more", `it has ${names.join(", ") || "none"}${tools.length > names.length ? ", and others" : ""}; take another one, or leave the tool out`);
  }
  if ((await hashOf(found)) === pinned.hash) return found;
  const changed = [
    ...(descriptionOf(found) === pinned.description ? [] : ["its description"]),
    ...(isEqual(found.inputSchema, pinned.input) ? [] : ["the schema of its arguments"]),
  ];
  const what = changed.length === 0 ? "the schema of its results" : changed.join(" and ");
  throw refused(pinned, server, `is another one than the document has taken in: ${what} differs`, "look at what the server says of it now, and take it in again with mcpToolDocuments() of stepweave/mcp if it is right");
}

function refused({ name, tool }: Pinned, server: ServerName, what: string, hint: string): StepweaveError {
  const message = `the tool ${tool} of the MCP server ${server.name} ${what}; it was not called`;
  return new StepweaveError("document", message, {
    hint,
    problems: [{ path: `tools.${name}.run.mcp`, code: "tool_changed", message, hint, severity: "error" }],
    retryable: false,
  });
}

/** The same value with the keys of its objects in order: servers may write them in any. */
function sorted(value: unknown): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value as Json;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, member]) => [key, sorted(member)]));
}
