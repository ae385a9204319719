import { StepweaveError } from "../api/errors.js";
import { base64 } from "../json/base64.js";
import { hasMoreValues } from "../json/count.js";
import { LARGE, type SecretTable } from "./secrets.js";
import type { Sending } from "./sending.js";
import { bytesWithoutSecrets, withoutSecrets } from "./slices.js";

/** What is known of an answer besides its bytes. */
interface Circumstances {
  readonly status: number;
  readonly origin: string;
  readonly secrets: SecretTable;
}

const JSON_TYPE = /^(?:application\/json|[^/]+\/[^/]+\+json)$/;
const TEXT_TYPE = /^(?:text\/.*|application\/(?:xml|javascript|ecmascript|x-www-form-urlencoded|yaml|x-yaml|x-ndjson|sql|graphql)|[^/]+\/[^/]+\+(?:xml|yaml))$/;

/** How many values an answer may have: those of a page of results are thousands, and a million hold the thread for a second. */
const MAX_VALUES = 1_000_000;

/** The body of an answer, as its request wants it; throws `validation` where it is something else, and `limit` for too many values. */
export async function decoded(bytes: Uint8Array, contentType: string | undefined, form: Sending["response"], about: Circumstances): Promise<unknown> {
  const body = await asWanted(bytes, contentType, form, about);
  return bytes.length > LARGE && !about.secrets.isEmpty ? withoutSecrets(body, about.secrets) : body;
}

async function asWanted(bytes: Uint8Array, contentType: string | undefined, form: Sending["response"], about: Circumstances): Promise<unknown> {
  if (bytes.length === 0 && (form === "auto" || form === "json")) return null;
  const [mediaType = "", ...parameters] = (contentType ?? "").split(";").map((one) => one.trim());
  const type = mediaType.toLowerCase();
  const charset = parameters.map((one) => /^charset="?([^"]+)"?$/i.exec(one)?.[1]).find((found) => found !== undefined) ?? charsetIn(bytes, type);
  // What is no success often is a page, whatever was asked for: it says what is wrong.
  const isSuccess = about.status >= 200 && about.status < 300;
  const isJson = form === "json" || (form === "auto" && JSON_TYPE.test(type));
  if (isJson) return json(text(bytes, charset), contentType, isSuccess, about);
  if (form === "readable") return (await import("./readable.js")).readable(text(bytes, charset), type);
  // In base64 a secret is hidden that stands there as it is; any other form of it only here.
  if (form === "bytes" || (form === "auto" && type !== "" && !TEXT_TYPE.test(type))) return { mediaType: type || "application/octet-stream", data: base64(await bytesWithoutSecrets(bytes, about.secrets)) };
  return text(bytes, charset);
}

function json(text: string, contentType: string | undefined, isSuccess: boolean, { origin, secrets }: Circumstances): unknown {
  if (hasMoreValues(text, MAX_VALUES)) {
    if (!isSuccess) return text;
    throw new StepweaveError("limit", `the answer of ${origin} has more than ${MAX_VALUES} values`, { hint: 'ask for less; or take the answer as it is with response: "text"', retryable: false });
  }
  try {
    return JSON.parse(text);
  } catch {
    if (!isSuccess) return text;
    const clean = secrets.redact(text.slice(0, LARGE));
    const shown = clean.length > 120 ? `${clean.slice(0, 120)}…` : clean;
    throw new StepweaveError("validation", `${origin} answered with what is no JSON (${contentType ?? "without a content type"}): ${shown.replace(/\s+/g, " ")}`, {
      hint: 'check the address; or take the answer as it is with response: "text"',
      retryable: false,
    });
  }
}

/** How far into a page or XML its own word about its encoding may stand. */
const HEAD_BYTES = 1024;
const PAGE_TYPE = /^$|html|xml/;

/** The encoding that a text names itself, where its header names none: by a byte order mark or, in pages and XML, in its head. */
function charsetIn(bytes: Uint8Array, type: string): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (!PAGE_TYPE.test(type)) return undefined;
  const named = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)|^<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i.exec(new TextDecoder("latin1").decode(bytes.subarray(0, HEAD_BYTES)));
  const charset = (named?.[1] ?? named?.[2])?.toLowerCase();
  // What was read as letters of one byte is in no encoding of two.
  return charset?.startsWith("utf-16") === true ? "utf-8" : charset;
}

/** A name of an encoding that nobody knows means the usual one. */
function text(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
