import { isStepweaveError } from "../api/errors.js";
import type { Fetch } from "../api/run.js";

/** The endpoint that a page calls. */
export interface Endpoint {
  readonly url: string;
  /** Whose endpoint it is, such as `ollama`. */
  readonly provider: string;
}

/** What is known of the machine and the page from which an endpoint could not be reached. */
export interface Surroundings {
  /** The page's origin. */
  readonly page: string;
  /** False when the browser is sure that there is no network. */
  readonly isOnline: boolean;
  /** What the person decided about calls of this page into their own machine or network; undefined where browsers have no such permission. */
  readonly permission: PermissionState | undefined;
  /** Whether anything answers at the address; undefined when nobody looked. */
  readonly isUp: boolean | undefined;
  /** Whether it lets the page read what it answers there, where it answers at all. */
  readonly isReadable: boolean;
}

/** The time limit of the probe that shows whether anything responds, in milliseconds. */
const LOOK_MS = 1000;

/** Which of three nested networks an address is in, as browsers distinguish them. */
type Space = "loopback" | "local" | "public";

const SPACES: readonly Space[] = ["loopback", "local", "public"];

/** The names under which browsers know the permission to call into a network; older ones have one for all. */
const PERMISSIONS = { loopback: ["loopback-network", "local-network-access"], local: ["local-network", "local-network-access"], public: [] };

/** A server that people run themselves: how to start it, and how to let a page call it. */
interface Server {
  readonly name: string;
  readonly port: string;
  readonly start: string;
  readonly allow: (page: string) => string;
}

const SERVERS: Readonly<Record<string, Server>> = {
  ollama: {
    name: "Ollama",
    port: "11434",
    start: "start it with `ollama serve`",
    allow: (page) => `start it with the environment variable OLLAMA_ORIGINS=${page}`,
  },
  lmstudio: {
    name: "LM Studio",
    port: "1234",
    start: "start its server in the app, or with `lms server start`",
    allow: () => "turn on CORS in the settings of its server, or start it with `lms server start --cors`",
  },
  vllm: {
    name: "vLLM",
    port: "8000",
    start: "start it with `vllm serve`",
    allow: (page) => `start it with --allowed-origins '["${page}"]'`,
  },
  llamacpp: {
    name: "llama-server",
    port: "8080",
    start: "start it with `llama-server -m model.gguf`",
    allow: (page) => `start it with --cors-origins ${page}, or without the options that narrow whom it answers`,
  },
};

/** A server of which nothing is known. */
const UNKNOWN: Omit<Server, "port"> = { name: "the server", start: "start it", allow: (page) => `have it send the header access-control-allow-origin: ${page}` };

/** Endpoints that are known to take calls from pages. */
const OPEN = ["https://api.openai.com", "https://openrouter.ai", "https://api.mistral.ai", "https://generativelanguage.googleapis.com"];

/** What can call an endpoint in the page's place. Requests of steps and tools have no provider. */
const relayFor = ({ provider }: Endpoint): string => (provider === "" ? "let requests go through a relay, which reads it in the page's place: “Requests go through” in the builder, the option relay in code" : "a relay of your own can call it in the page's place: write its address as the model's baseUrl");

/** What to do about an endpoint that a page could not reach. Browsers give pages no reason. */
export async function hintWhenUnreachable(endpoint: Endpoint, page: string, send: Fetch): Promise<string> {
  return hintFor(endpoint, await lookAround(endpoint, page, send));
}

/** What to do about an endpoint that a program which is no page could not reach, if it is one that people start themselves. */
export function hintForProgram(endpoint: Endpoint): string | undefined {
  const server = serverAt(endpoint);
  if (server === undefined) return undefined;
  const { origin } = new URL(endpoint.url);
  return `if ${server.name} is not running at ${origin}, ${server.start}; else check that the address is right`;
}

/** What to do when an endpoint forbids a page's call, if anything is known of that. */
export function hintWhenForbidden(endpoint: Endpoint, page: string): string | undefined {
  const server = serverAt(endpoint);
  return server === undefined ? undefined : `${server.name} may not take calls from ${page}: ${server.allow(page)}`;
}

/** What it likely was, and how to allow it. */
export function hintFor(endpoint: Endpoint, surroundings: Surroundings): string {
  const { page, isOnline, permission } = surroundings;
  const { hostname, origin, protocol } = new URL(endpoint.url);
  const space = spaceOf(hostname);
  const isMixed = page.startsWith("https:") && protocol === "http:";
  if (space === "public") {
    if (!isOnline) return "this device has no network; connect it and try again";
    if (isMixed) return `browsers let no https page call an http address: give the endpoint https, or open the page from your own machine; else ${relayFor(endpoint)}`;
    return `browsers do not say why; either nothing answers there, or the endpoint does not allow calls from ${page} (CORS); ${adviceFor(endpoint, origin)}`;
  }
  const place = space === "loopback" ? "your own machine" : "your own network";
  if (permission === "denied") return `the browser does not let ${page} call ${place}: allow “Local network access” for it in the browser's settings of this site, and try again`;
  if (permission === "prompt") return `the browser asks first whether ${page} may call ${place}: allow it and try again; it only asks while the page is open in front of you`;
  if (page.startsWith("http:") && spaceOf(new URL(page).hostname) === "public") return `browsers let only https pages call ${place}: open this page with https, or from your own machine`;
  const hint = ownServerHint(endpoint, origin, surroundings);
  return isMixed && permission === undefined ? `${hint}; some browsers let no https page call an http address at all: try Chrome` : hint;
}

function ownServerHint(endpoint: Endpoint, origin: string, { page, isUp, isReadable }: Surroundings): string {
  const { name, start, allow: own } = serverAt(endpoint) ?? UNKNOWN;
  const allow = (origin: string): string => (endpoint.provider === "" ? `${own(origin)}; or ${relayFor(endpoint)}` : own(origin));
  if (isUp === true && isReadable) return `${name} answers at ${origin}, and lets ${page} read that, but gave this call no answer: either it hung up, of which its log may say more; or it does not take such a call from there (CORS): ${allow(page)}`;
  if (isUp === true) return `${name} answers at ${origin}, but does not take calls from ${page} (CORS): ${allow(page)}`;
  if (isUp === false) return `nothing answers at ${origin}, or the page's own policy (CSP) forbids to call it: if ${name} is not running, ${start}`;
  return `browsers do not say why; either nothing answers at ${origin}: ${start}; or ${name} does not take calls from ${page} (CORS): ${allow(page)}`;
}

function adviceFor(endpoint: Endpoint, origin: string): string {
  const { url, provider } = endpoint;
  if (provider === "anthropic") return `an organisation can forbid calls from pages, and its owner can allow them; else ${relayFor(endpoint)}`;
  if (origin === OPEN[3] && url.includes("/openai")) return "its path /openai takes none from pages: use the provider gemini, without a baseUrl";
  if (OPEN.includes(origin)) return `${origin} does allow them: look whether an extension or the page's own policy (CSP) blocks the call`;
  return relayFor(endpoint);
}

/** The server of that provider; or, of one whose format others speak too, the one that usually has that port. */
function serverAt({ url, provider }: Endpoint): Server | undefined {
  const own = SERVERS[provider];
  if (own !== undefined) return own;
  const { hostname, port } = new URL(url);
  return spaceOf(hostname) === "public" ? undefined : Object.values(SERVERS).find((server) => server.port === port);
}

async function lookAround({ url }: Endpoint, page: string, send: Fetch): Promise<Surroundings> {
  const { hostname, origin, pathname } = new URL(url);
  const { navigator } = globalThis as { navigator?: Navigator };
  const space = spaceOf(hostname);
  // A page of a machine may call that machine.
  const isAsked = SPACES.indexOf(spaceOf(new URL(page).hostname)) > SPACES.indexOf(space);
  const permission = isAsked ? await stateOf(PERMISSIONS[space]) : "granted";
  const mayLook = space !== "public" && permission !== "denied" && permission !== "prompt";
  const isUp = mayLook ? await answers(`${origin}/`, "no-cors", send) : undefined;
  const isReadable = isUp === true && (await answers(`${origin}${pathname}`, "cors", send)) === true;
  return { page, isOnline: navigator?.onLine !== false, permission, isUp, isReadable };
}

/** What the person said, if the browser knows such a permission. */
async function stateOf(names: readonly string[]): Promise<PermissionState | undefined> {
  const { navigator } = globalThis as { navigator?: Navigator };
  for (const name of names) {
    try {
      return (await navigator?.permissions.query({ name: name as PermissionName }))?.state;
    } catch {
      // It knows the permission by another name, or not at all.
    }
  }
  return undefined;
}

/**
 * Whether anything answers there. Without CORS a page learns that much, and no more; with it, whether it may read what does.
 * No key and no text is sent.
 */
async function answers(url: string, mode: "cors" | "no-cors", send: Fetch): Promise<boolean | undefined> {
  try {
    await send(url, { method: "HEAD", mode, credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(LOOK_MS) });
    return true;
  } catch (error) {
    // A replacement for fetch may allow the endpoint's own path only.
    return isStepweaveError(error) ? undefined : false;
  }
}

function spaceOf(hostname: string): Space {
  if (/^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(hostname)) return "loopback";
  return /^10\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^169\.254\.|\.local$|^\[(f[cd]|fe80)/.test(hostname) ? "local" : "public";
}
