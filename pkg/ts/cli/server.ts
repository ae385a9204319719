/// <reference types="node" />
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";

type Answering = (request: Request) => Promise<Response>;

/** A server of Node that answers with a standard `fetch`. */
export function serverOf(handle: Answering, onError: (error: unknown) => void): Server {
  return createServer((incoming, outgoing) => {
    answered(handle, incoming, outgoing).catch((error: unknown) => {
      onError(error);
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end();
    });
  });
}

async function answered(handle: Answering, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const request = requestOf(incoming, outgoing);
  if (request === undefined) {
    outgoing.writeHead(400).end();
    return;
  }
  const response = await handle(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  const body = Readable.fromWeb(response.body as NodeStream);
  // Whoever leaves takes the answer along: nothing is read for nobody.
  outgoing.once("close", () => void body.destroy());
  body.once("error", () => void outgoing.destroy());
  body.pipe(outgoing);
}

/** Nothing when it is no request that has an address. */
function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request | undefined {
  const { method = "GET", url = "/", headers } = incoming;
  const host = headers.host ?? "";
  if (!/^[\w.-]+(?::\d+)?$|^\[[\da-f:]+\](?::\d+)?$/i.test(host) || !url.startsWith("/")) return undefined;
  const left = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) left.abort();
  });
  const hasBody = method !== "GET" && method !== "HEAD";
  const given = new Headers();
  for (const [name, value] of Object.entries(headers)) for (const one of Array.isArray(value) ? value : [value ?? ""]) given.append(name, one);
  try {
    return new Request(`http://${host}${url}`, {
      method,
      headers: given,
      signal: left.signal,
      ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: "half" }),
    } as RequestInit);
  } catch {
    // A method or a header that no Request may have.
    return undefined;
  }
}
