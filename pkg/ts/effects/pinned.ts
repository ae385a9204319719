/// <reference types="node" />
import type { LookupAddress, LookupOptions } from "node:dns";
import type { IncomingMessage } from "node:http";
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
  const { Readable } = getBuiltinModule("node:stream");

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
        headers: { accept: "*/*", "user-agent": "node", ...(headers as Record<string, string>) },
        // A separate connection: one that is reused would be checked only once.
        agent: false,
        lookup: lookup as never,
        ...(signal && { signal }),
      });
      sent.on("error", reject);
      sent.on("response", (answer) => {
        try {
          resolve(responseOf(answer, Readable.toWeb.bind(Readable)));
        } catch (error) {
          answer.destroy();
          reject(error as Error);
        }
      });
      sent.end(body as string | undefined);
    });
}

function responseOf(answer: IncomingMessage, toWeb: (stream: IncomingMessage) => unknown): Response {
  const { statusCode: status = 0, statusMessage: statusText = "", headersDistinct } = answer;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]));
  if (!BODILESS.includes(status)) return new Response(toWeb(answer) as ReadableStream, { status, statusText, headers });
  answer.resume();
  return new Response(null, { status, statusText, headers });
}

function leadsInside(name: string): StepweaveError {
  return new StepweaveError("network", `nothing was sent: ${name} leads to this machine or into its own network`, {
    hint: "if the endpoint is right, allow it where the run starts, by its origin: allowOrigins: [\"https://…\"]",
    retryable: false,
  });
}
