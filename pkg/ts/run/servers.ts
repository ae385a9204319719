import type { McpToolDocument, ToolDocument } from "../api/document.js";
import { isStepweaveError, StepweaveError } from "../api/errors.js";
import type { Bounds } from "../effects/sending.js";

/** A tool of an MCP server as a document means it: what its server has to say of it still. */
export interface PinnedTool extends McpToolDocument, Pick<ToolDocument, "description" | "input"> {
  /** The tool's name in the document. */
  readonly name: string;
}

/** What a server is sent: a call, or a person's answer to its own question. */
export interface ServerAsked {
  readonly input: Record<string, unknown>;
  readonly talk?: unknown;
  readonly answer?: unknown;
}

/** What a server answers: a result, or what it asks of a person, with all that is needed to go on. */
export type ServerAnswer = { readonly result: unknown } | { readonly talk: { readonly message: string } };

/** The servers that a run has called. */
export interface OpenServers {
  /** Throws a StepweaveError: `document` where the server has another tool than the document says. */
  call(tool: PinnedTool, sent: ServerAsked, signal: AbortSignal): Promise<ServerAnswer>;
  /** Ends all connections. */
  close(): void;
}

/** What asks the MCP servers that documents name. */
export interface McpServers {
  /** For one run, bound as its requests are. */
  open(bounds: Bounds & { readonly maxBytes: number }): OpenServers;
}

/** Loads `stepweave/mcp`. */
export type ServersSource = () => PromiseLike<{ readonly mcpServers: McpServers }>;

let source: ServersSource = besideThisFile;
let servers: McpServers | undefined;

/** @internal What asks MCP servers, loaded if it must be. */
export async function serversLater(): Promise<McpServers> {
  if (servers !== undefined) return servers;
  try {
    const loaded = await source();
    return (servers ??= loaded.mcpServers);
  } catch (error) {
    // A program that loads it itself may have said already what to do.
    if (isStepweaveError(error)) throw error;
    throw new StepweaveError("handler", "what calls the tools of MCP servers cannot be loaded", {
      cause: error,
      hint: 'put an import of "stepweave/mcp" into the program: bundles, Workers and edge functions do not load it by themselves',
    });
  }
}

/** @internal What loading `stepweave/mcp` does. */
export function setServers(given: McpServers): void {
  servers = given;
}

/** @internal How it is loaded by a program that says so, when the first tool of a server is called. */
export function setServersSource(given: ServersSource): void {
  source = given;
}

function besideThisFile(file = "./mcp.js"): ReturnType<ServersSource> {
  // The file's name is not written here, so that no bundler carries a client of the protocol into a program that has no such
  // tool. In a bundle the file is not there: the hint says what to do.
  return import(/* webpackIgnore: true */ /* @vite-ignore */ file) as ReturnType<ServersSource>;
}
