// The tools of an MCP server, for a person who adds some to a workflow. The page loads this when they are to be listed.
import { answerOf } from "../ended-worker.js";
import type { Outcome } from "../outcome.js";

/** Where the server is, and what it is sent. */
export interface ServerRequest {
  readonly url: string;
  /** What the document calls its key; nothing where it has none. */
  readonly secret?: string;
  /** The key itself. */
  readonly key?: string;
  readonly relay?: { readonly url: string; readonly token: string; readonly secrets: boolean };
}

const PATIENCE_MS = 60_000;

/** Lists the tools in a worker of its own, with the client that runs use: as a document has them, as JSON text, since their schemas are data of any kind. */
export async function list(request: ServerRequest): Promise<Outcome> {
  const worker = new Worker(new URL("./lister.ts", import.meta.url), { type: "module", name: "stepweave mcp" });
  return answerOf<Outcome>(worker, request, {
    patienceMs: PATIENCE_MS,
    late: { error: "The server has not listed its tools within a minute. Try again later." },
    broken: { error: "What asks MCP servers did not come. Look whether you are online, and try again." },
  });
}
