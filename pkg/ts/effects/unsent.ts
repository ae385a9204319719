import { causesOf } from "../api/errors.js";
import type { Fetch } from "../api/run.js";
import { pageOrigin } from "./page.js";

/** What runtimes say of connections that never came about, so that nothing was sent. */
const NEVER_OPENED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_CERT_ALTNAME_INVALID|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|ERR_SSL_.*|EPROTO)$/;

/** What they say where no TLS is spoken. */
const NO_TLS = /^(ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|HTTP_REQUEST)|EPROTO)$/;

/** What they say of certificates. */
const OF_CERTIFICATES = /^(ERR_TLS_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|ERR_SSL_.*|EPROTO)$/;

/** Whether it is certain that a request never left. */
export function isUnsent(error: unknown): boolean {
  return NEVER_OPENED.test(codeOf(error));
}

/** What to do about an endpoint that could not be reached. */
export async function hintFor(error: unknown, url: URL, send: Fetch | undefined): Promise<string> {
  const code = codeOf(error);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `check the name ${url.hostname}: nobody knows its address`;
  if (code === "ECONNREFUSED") return `nothing answers at ${url.origin}: check the address and its port, and that the server is up`;
  if (NO_TLS.test(code)) return `what answers at ${url.host} speaks another protocol than https: check the port, or write http:// if it is meant`;
  if (OF_CERTIFICATES.test(code)) return "the certificate of the server is not trusted: check the host's name, or give the server a valid certificate";
  const general = `check that ${url.origin} is up and that the address is right; a retryPolicy repeats what fails now and then`;
  const page = pageOrigin();
  if (page === undefined) return general;
  try {
    const { hintWhenUnreachable } = await import("./unreachable.js");
    return await hintWhenUnreachable({ url: url.href, provider: "" }, page, send ?? ((address, init) => globalThis.fetch(address, init)));
  } catch {
    return general;
  }
}

/** The code of the error behind a failed request; empty where there is none. */
export function codeOf(error: unknown): string {
  for (const met of causesOf(error)) {
    const { code } = met as { code?: unknown };
    if (typeof code === "string") return code;
  }
  return "";
}
