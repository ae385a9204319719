// The relay of examples/relay beside the served builder, for this machine alone.
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const PATH = "/relay";

/**
 * Serves the relay at `/relay`. Its token is a new one each time; the served page gets it by GET, other origins and pages
 * whose name was resolved to this machine do not, and where it asks `for` origins that the relay does not reach there is
 * none for it. Origins of this machine that the relay may send to stand in STEPWEAVE_RELAY_INSIDE.
 *
 * @returns {import("vite").Plugin}
 */
export function relayBeside() {
  return {
    name: "relay",
    configurePreviewServer({ middlewares, config }) {
      const token = randomBytes(32).toString("base64url");
      let handler;
      // It is read while the page is: who asks for it has a run that waits.
      const relaying = load("examples/relay/relay.ts");
      relaying.catch(() => {});
      middlewares.use(PATH, async (incoming, outgoing) => {
        const { localPort } = incoming.socket;
        const hosts = [`${config.preview.host}:${localPort}`, `localhost:${localPort}`];
        try {
          if (incoming.method === "GET") return await offer(incoming, outgoing, hosts, token, relaying);
          await pass(await (handler ??= relayFor(token, hosts, relaying)), incoming, outgoing, hosts);
        } catch (error) {
          if (!incoming.socket.destroyed) config.logger.error(`relay: ${error.message}`);
          outgoing.destroy();
        }
      });
    },
  };
}

/** The relay, made with the first request that it gets. */
async function relayFor(token, hosts, relaying) {
  const [{ relay }, { pinnedFetch }] = await Promise.all([relaying, load("pkg/ts/effects/pinned.ts")]);
  return relay({ token, hosts, origins: hosts.map((host) => `http://${host}`), inside: named(), send: pinnedFetch() });
}

async function load(path) {
  const { module } = await runnerImport(fileURLToPath(new URL(`../${path}`, import.meta.url)), { configFile: false, logLevel: "warn" });
  return module;
}

/** The origins of this machine that the relay may send to. */
function named() {
  return (process.env.STEPWEAVE_RELAY_INSIDE ?? "").split(/[\s,]+/).filter((origin) => origin !== "");
}

/** Gives the page its token, if it asks for nothing that the relay does not reach. No header lets another origin read it. */
async function offer({ headers, originalUrl }, outgoing, hosts, token, relaying) {
  const isOwn = hosts.includes(headers.host) && [undefined, "same-origin", "none"].includes(headers["sec-fetch-site"]);
  const wanted = new URL(originalUrl, "http://localhost").searchParams.getAll("for");
  const { reaches } = await relaying;
  const isReached = wanted.every((origin) => URL.canParse(origin) && reaches(origin, named()));
  outgoing.writeHead(isOwn ? 200 : 403, { "content-type": "application/json", "cache-control": "no-store", "x-content-type-options": "nosniff" });
  outgoing.end(JSON.stringify(isOwn && isReached ? { relay: { url: PATH, token } } : {}));
}

/** Brings a request of Node to a standard handler, and what that answers back. */
async function pass(handle, incoming, outgoing, hosts) {
  const controller = new AbortController();
  outgoing.on("close", () => controller.abort());
  const { method, headers, originalUrl } = incoming;
  // The header is text of the caller: in an address it may say more than a host.
  const host = hosts.find((own) => own === headers.host);
  if (host === undefined) return outgoing.writeHead(421).end();
  const response = await handle(
    new Request(`http://${host}${originalUrl}`, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
      signal: controller.signal,
      ...(["GET", "HEAD"].includes(method) ? {} : { body: Readable.toWeb(incoming), duplex: "half" }),
    }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body), outgoing);
}
