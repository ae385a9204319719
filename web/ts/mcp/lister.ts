// The worker that lists the tools of one MCP server. It lists them once, and is ended.
import { mcpToolDocuments } from "stepweave/mcp";
import type { Outcome } from "../outcome.js";
import type { ServerRequest } from "./list.js";

/** Bytes that the list may have: all of it stands in the document, if a person takes all of it. */
const MOST_BYTES = 4 * 1024 * 1024;
const PATIENCE_MS = 30_000;

addEventListener("message", ({ data, ports: [answer] }: MessageEvent<ServerRequest>) => {
  void listing(data).then((listed) => answer?.postMessage(listed));
});

async function listing(request: ServerRequest): Promise<Outcome> {
  const { url, secret, key, relay } = request;
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  try {
    const tools = await mcpToolDocuments(url, { headers, secret, relay, fetch: plainly, timeoutMs: PATIENCE_MS, maxResultBytes: MOST_BYTES });
    if (Object.keys(tools).length === 0) return { error: "This server has no tools." };
    return { value: JSON.stringify(tools) };
  } catch (error) {
    return { error: wordsOf(error, request) };
  }
}

/** As runs send: without cookies, and without saying where from. */
function plainly(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" });
}

/** What is wrong, for the person who wants the tools: the options are the form's. */
function wordsOf(error: unknown, { key, relay }: ServerRequest): string {
  const { code = "", message = String(error), hint } = error as { code?: string; message?: string; hint?: string };
  return `${[message, adviceOf(code, hint, key !== undefined, relay !== undefined)].filter(Boolean).join(": ")}.`;
}

function adviceOf(code: string, hint: string | undefined, hasKey: boolean, isRelayed: boolean): string | undefined {
  if (code === "auth" && hasKey && isRelayed && hint?.includes("secrets: true") === true) return "switch the relay off here, or let keys go through it in its settings";
  if (code === "auth" && hint?.includes("mcpTools(") === true) return hasKey ? "look whether the key is right, and still valid" : "enter the name of its key, and the key";
  if (code === "timeout") return "try again later";
  if (code === "network" && !isRelayed && hint !== undefined) return `${hint}; or let requests go through a relay`;
  return hint?.includes("mcpTools(") === true ? undefined : hint;
}
