import { StepweaveError } from "../api/errors.js";
import type { Json } from "../api/document.js";
import { base64url, fromBase64url } from "../json/base64url.js";
import { optionsFrom, quoted, reading } from "../schema/options.js";
import { Refused } from "./problem.js";

/** How links for approvals are made. */
export interface ApprovalLinksOptions {
  /**
   * What signs the links, of 32 characters or more: the first secret signs, and links of all of them are accepted. To change
   * it, put the new one first and leave the old one until its links have expired.
   */
  readonly secrets: readonly (string | undefined)[];
  /** The address of the handler as people reach it, with its `path`: `https://orders.example/api/flow`. */
  readonly url: string;
  /** How long a link can be used, in milliseconds; 7 days by default. */
  readonly validMs?: number | undefined;
}

/** One answer to one approval of one run: what a link stands for. */
export interface Claim {
  readonly runId: string;
  /** The key of the approval in `pending`. */
  readonly key: string;
  readonly answer: Json;
  /** From when on it is too late, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The longest answer that a link can give, as JSON: addresses that are longer do not arrive everywhere. */
const MAX_ANSWER = 1000;
const DAY = 86_400_000;
const HINT = "set it where the program runs, for example with `openssl rand -hex 32`: whoever has it can answer for everyone";

/**
 * Links with which a person answers by a click in a mail: for the option `links` of `handler()`, whose `onSuspended` makes them.
 *
 * ```ts
 * const links = approvalLinks({ secrets: ["what-only-this-server-knows-0123456789"], url: "https://orders.example" });
 * const serve = handler(workflow, {
 *   authorize: bearer({ shop: token }),
 *   store: memoryStore(),
 *   links,
 *   async onSuspended({ pending }, principal, link) {
 *     for (const { key, message } of pending) console.log(principal, message, await link(key, { approved: true }), await link(key, { approved: false }));
 *   },
 * });
 * ```
 */
export function approvalLinks(options: ApprovalLinksOptions): ApprovalLinks {
  return reading("the options of approvalLinks()", () => {
    const { secrets, url, validMs = 7 * DAY } = optionsFrom(options, ["secrets", "url", "validMs"], "approvalLinks()") as ApprovalLinksOptions;
    if (!Array.isArray(secrets) || secrets.length === 0) throw wrong("approvalLinks() has no secrets", HINT);
    const bad = secrets.findIndex((secret) => typeof secret !== "string" || secret.length < 32);
    if (bad >= 0) throw wrong(`secrets[${bad}] of approvalLinks() is ${typeof secrets[bad] === "string" ? "shorter than 32 characters" : "missing"}`, HINT);
    if (typeof validMs !== "number" || !(validMs > 0 && validMs <= 3650 * DAY)) throw wrong(`the option \`validMs\` of approvalLinks() is ${quoted(validMs)}`, "write milliseconds above 0");
    return new ApprovalLinks(secrets as readonly string[], baseOf(url), validMs);
  });
}

/** Makes and reads signed links. */
export class ApprovalLinks {
  readonly #secrets: readonly string[];
  readonly #url: string;
  readonly #validMs: number;
  #keys: Promise<readonly CryptoKey[]> | undefined;

  constructor(secrets: readonly string[], url: string, validMs: number) {
    this.#secrets = secrets;
    this.#url = url;
    this.#validMs = validMs;
  }

  /** The address at which this answer is given; until then, or until the approval's own end. */
  async to({ runId, key, answer, expiresAt = Infinity }: Omit<Claim, "expiresAt"> & { readonly expiresAt?: number | undefined }): Promise<string> {
    const said = JSON.stringify(answer);
    if (said === undefined || said.length > MAX_ANSWER) {
      throw wrong(said === undefined ? "the answer of a link is no JSON" : `the answer of a link is longer than ${MAX_ANSWER} characters`, "link to a page of your own that sends the answer");
    }
    const claim = base64url(new TextEncoder().encode(JSON.stringify([runId, key, answer, Math.min(Date.now() + this.#validMs, expiresAt)])));
    const [first] = await this.#imported();
    const mark = new Uint8Array(await crypto.subtle.sign("HMAC", first as CryptoKey, this.#signed(claim)));
    return `${this.#url}/links/${claim}.${base64url(mark)}`;
  }

  /** What a link stands for; throws what its holder is to see. */
  async read(token: string): Promise<Claim> {
    const [, claim, mark] = /^([\w-]{1,8000})\.([\w-]{43})$/.exec(token) ?? [];
    if (claim === undefined || mark === undefined) throw forged();
    const [signed, bytes] = [this.#signed(claim), fromBase64url(mark)];
    // Of several texts that stand for the same bytes, one is the link.
    if (bytes === undefined) throw forged();
    // Each secret is tried, and each comparison takes the same time for every mark.
    const fits = await Promise.all((await this.#imported()).map((key) => crypto.subtle.verify("HMAC", key, bytes, signed)));
    if (!fits.includes(true)) throw forged();
    const [runId, key, answer, expiresAt] = JSON.parse(new TextDecoder().decode(fromBase64url(claim))) as [string, string, Json, number];
    if (Date.now() >= expiresAt) throw new Refused(410, "validation", "this link has expired");
    return { runId, key, answer, expiresAt };
  }

  /** What the mark of a link is made of: a link to one handler is none to another. */
  #signed(claim: string): Uint8Array<ArrayBuffer> {
    return new TextEncoder().encode(`stepweave approval link\n${this.#url}\n${claim}`);
  }

  #imported(): Promise<readonly CryptoKey[]> {
    return (this.#keys ??= Promise.all(this.#secrets.map((secret) => crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]))));
  }
}

function baseOf(url: unknown): string {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  const isLocal = parsed?.protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(parsed.hostname);
  if (parsed === undefined || (parsed.protocol !== "https:" && !isLocal) || parsed.search !== "" || parsed.hash !== "" || parsed.username !== "") {
    throw wrong(`the option \`url\` of approvalLinks() is ${quoted(url)}`, "write the address of the handler as people reach it, with https and its `path`");
  }
  return parsed.href.replace(/\/+$/, "");
}

function forged(): Refused {
  return new Refused(403, "forbidden", "this link is not valid");
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
