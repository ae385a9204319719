import { StepweaveError } from "../api/errors.js";
import type { ByteStore } from "../api/files.js";
import { base64 } from "../json/base64.js";
import { hex } from "../json/hex.js";

// A JSON string that is nothing else, or an address with base64 in it.
const PLACES = /(?<=["]|;base64,)stepweave-file:(sha256-[0-9a-f]{64})(?=")/g;

/** The body with the bytes of its files, as base64, where their digests stand; throws `validation`. */
export async function withBytes(body: string, store: ByteStore | undefined): Promise<string> {
  const digests = [...new Set([...body.matchAll(PLACES)].map(([, digest]) => digest as string))];
  if (digests.length === 0) return body;
  const known = new Map(await Promise.all(digests.map(async (digest) => [digest, base64(await bytesOf(digest, store))] as const)));
  return body.replace(PLACES, (_, digest: string) => known.get(digest) as string);
}

/** The digest of bytes. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return `sha256-${hex(hash)}`;
}

/** The bytes of a digest, seen to be its own. */
async function bytesOf(digest: string, store: ByteStore | undefined): Promise<Uint8Array> {
  const short = `${digest.slice(0, 15)}…`;
  if (store === undefined) throw lost(`a file is named by its digest ${short}, and the run has no store of bytes`, "pass the store that has them: run({ files: store })");
  let bytes: unknown;
  try {
    bytes = await store.get(digest);
  } catch (error) {
    throw lost(`the store of bytes could not give the file ${short}`, "look at `cause`", error);
  }
  if (bytes === undefined || bytes === null) throw lost(`the bytes of the file ${short} are missing`, "pass the store that the file was read into, or read it again");
  if (!(bytes instanceof Uint8Array) || (await digestOf(bytes)) !== digest) throw lost(`what the store of bytes has for the file ${short} is something else`, "read the file again");
  return bytes;
}

function lost(message: string, hint: string, cause?: unknown): StepweaveError {
  return new StepweaveError("validation", message, { hint, retryable: false, ...(cause !== undefined && { cause }) });
}
