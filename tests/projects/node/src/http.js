import { createServer } from "node:http";
import { Readable } from "node:stream";

/** A server of Node that answers with a standard `fetch`. */
export function serverOf(fetch) {
  return createServer((incoming, outgoing) => {
    answer(fetch, incoming, outgoing).catch((error) => {
      console.error(error);
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end();
    });
  });
}

async function answer(fetch, incoming, outgoing) {
  const request = requestOf(incoming, outgoing);
  if (request === undefined) {
    outgoing.writeHead(400).end();
    return;
  }
  const response = await fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  const body = Readable.fromWeb(response.body);
  // Nothing is read for callers who have left.
  outgoing.once("close", () => body.destroy());
  body.once("error", () => outgoing.destroy());
  body.pipe(outgoing);
}

/** Nothing where it is no request that a `Request` may be. */
function requestOf(incoming, outgoing) {
  const { method, url, headers } = incoming;
  const left = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) left.abort();
  });
  const given = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  const body = ["GET", "HEAD"].includes(method) ? {} : { body: Readable.toWeb(incoming), duplex: "half" };
  try {
    return new Request(new URL(url, `http://${headers.host}`), { method, headers: given, signal: left.signal, ...body });
  } catch {
    return undefined;
  }
}
