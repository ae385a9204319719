/// <reference types="node" />
import type { LookupAddress, LookupOptions } from "node:dns";
import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { StepweaveError } from "../api/errors.js";
import type { Fetch } from "../api/run.js";
import { isInsideAddress } from "./inside.js";

type Looked = (error: Error | null, address?: string | LookupAddress[], family?: number) => void;

/** Statuses whose answers have no body. */
const BODILESS = [204, 205, 304];

/**
 * A fetch that looks at the addresses behind a name at the moment in which it connects, so that no name can lead into the
 * network of this machine, whatever it said a moment before. There is one in Node; elsewhere nobody can look.
 */
export function pinnedFetch(isRefused = isInsideAddress): Fetch | undefined {
  const { versions, getBuiltinModule } = (globalThis as { process?: Partial<NodeJS.Process> }).process ?? {};
  // Deno and Bun have a `process` too, and connect in their own way.
  if (versions?.node === undefined || getBuiltinModule === undefined || "deno" in versions || "bun" in versions) return undefined;
  const http = getBuiltinModule("node:http");
  const https = getBuiltinModule("node:https");
  const dns = getBuiltinModule("node:dns");
  const { pipeline, Readable } = getBuiltinModule("node:stream");
  const { createBrotliDecompress, createGunzip, createInflate } = getBuiltinModule("node:zlib");
  const unpacking: Readonly<Record<string, () => Transform>> = { gzip: createGunzip, "x-gzip": createGunzip, deflate: createInflate, br: createBrotliDecompress };

  // What is read is what the answer means, as with fetch; a failure of either end of the pipe is one of the body.
  const unpacked = (answer: IncomingMessage): ReadableStream => {
    const unpack = unpacking[answer.headers["content-encoding"]?.trim().toLowerCase() ?? ""];
    return Readable.toWeb(unpack === undefined ? answer : pipeline(answer, unpack(), () => {})) as ReadableStream;
  };

  const lookup = (name: string, options: LookupOptions, done: Looked): void => {
    dns.lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error);
      if (addresses.length === 0 || addresses.some(({ address }) => isRefused(address))) return done(leadsInside(name));
      const { address, family } = addresses[0] as LookupAddress;
      return options.all === true ? done(null, addresses) : done(null, address, family);
    });
  };

  return (url, { method = "GET", headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const { request } = url.startsWith("https:") ? https : http;
      const sent = request(url, {
        method,
        headers: { accept: "*/*", "accept-encoding": "gzip, deflate, br", "user-agent": "node", ...(headers as Record<string, string>) },
        // A separate connection: one that is reused would be checked only once.
        agent: false,
        lookup: lookup as never,
        ...(signal && { signal }),
      });
      sent.on("error", reject);
      sent.on("response", (answer) => {
        try {
          resolve(responseOf(answer, method === "HEAD" || BODILESS.includes(answer.statusCode ?? 0) ? undefined : unpacked));
        } catch (error) {
          answer.destroy();
          reject(error as Error);
        }
      });
      sent.end(body as string | Uint8Array | undefined);
    });
}

function responseOf(answer: IncomingMessage, bodyOf: ((answer: IncomingMessage) => ReadableStream) | undefined): Response {
  const { statusCode: status = 0, statusMessage: statusText = "", headersDistinct } = answer;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]));
  if (bodyOf !== undefined) return new Response(bodyOf(answer), { status, statusText, headers });
  answer.resume();
  return new Response(null, { status, statusText, headers });
}

function leadsInside(name: string): StepweaveError {
  return new StepweaveError("network", `nothing was sent: ${name} leads to this machine or into its own network`, {
    hint: "if the endpoint is right, allow it where the run starts, by its origin: allowOrigins: [\"https://…\"]",
    retryable: false,
  });
}
