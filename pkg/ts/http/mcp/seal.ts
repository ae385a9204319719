import { StepweaveError } from "../../api/errors.js";
import { base64url, fromBase64url } from "../../json/base64url.js";
import { optionsFrom, reading } from "../../schema/options.js";

/** A key that seals what a client keeps for a server: 32 random bytes, as base64 or as they are. */
export interface SealKey {
  /** Which key it is, in the sealed text for everyone to read: such as the month since when it is used. */
  readonly id: string;
  readonly key: string | Uint8Array;
}

/** What a sealed text belongs to: it opens for nothing else. */
export interface Binding {
  readonly principal: string;
  /** The digest of the workflow's document. */
  readonly document: string;
  readonly tool: string;
  /** The digest of the arguments of the call. */
  readonly request: string;
}

/** Why a text does not open; a client receives no more than that it does not. */
export class Unsealable extends Error {}

const VERSION = 1;
const NONCE_BYTES = 12;
const TIME_BYTES = 8;

/**
 * Seals texts with AES-GCM, packed, under a random nonce. Version, key, expiry and binding are sealed along, so that none of
 * them can be exchanged. The first key seals, and every one opens: a new one is put before the others.
 */
export class Seals {
  readonly #given: readonly SealKey[];
  readonly #mostUnpacked: number;
  #keys: Promise<ReadonlyMap<string, CryptoKey>> | undefined;

  /** Throws `validation` for keys that are none. `mostUnpacked` is how many bytes a text has at most. */
  constructor(keys: readonly SealKey[], mostUnpacked: number) {
    this.#given = reading("the keys of mcpServer()", () => checkedKeys(keys));
    this.#mostUnpacked = mostUnpacked;
  }

  /** The sealed text, which opens until a time in milliseconds since 1970. */
  async seal(text: string, binding: Binding, expiresAt: number): Promise<string> {
    const plain = new TextEncoder().encode(text);
    if (plain.length > this.#mostUnpacked) throw tooLarge(plain.length, this.#mostUnpacked, "maxJournalBytes");
    const [[id, key]] = [...(await this.#imported())] as [[string, CryptoKey]];
    const header = headerOf(id, expiresAt);
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const packed = await through(plain, new CompressionStream("deflate-raw"), Number.POSITIVE_INFINITY);
    const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: boundTo(header, binding) }, key, packed);
    return base64url(joined(header, iv, new Uint8Array(sealed)));
  }

  /** The text of a sealed one. Throws {@link Unsealable} when it is no such text, another's, changed, or too old. */
  async open(sealed: string, binding: Binding, now: number): Promise<string> {
    const bytes = fromBase64url(sealed);
    if (bytes === undefined) throw new Unsealable("it is no sealed state");
    const idLength = bytes[1] ?? 0;
    const start = 2 + idLength + TIME_BYTES;
    if (bytes[0] !== VERSION || bytes.length <= start + NONCE_BYTES) throw new Unsealable("it is no sealed state");
    const key = (await this.#imported()).get(new TextDecoder().decode(bytes.subarray(2, 2 + idLength)));
    if (key === undefined) throw new Unsealable("its key is not known");
    const header = bytes.subarray(0, start);
    const iv = bytes.subarray(start, start + NONCE_BYTES);
    const packed = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: boundTo(header, binding) }, key, bytes.subarray(start + NONCE_BYTES)).catch(() => {
      throw new Unsealable("it was changed, or belongs to another caller, workflow, tool or request");
    });
    if (new DataView(bytes.buffer, bytes.byteOffset + 2 + idLength, TIME_BYTES).getFloat64(0) <= now) throw new Unsealable("it is too old");
    return new TextDecoder().decode(await through(new Uint8Array(packed), new DecompressionStream("deflate-raw"), this.#mostUnpacked));
  }

  /** Read with the first use: a Worker does little while it loads. */
  #imported(): Promise<ReadonlyMap<string, CryptoKey>> {
    return (this.#keys ??= Promise.all(this.#given.map(async ({ id, key }) => [id, await crypto.subtle.importKey("raw", bytesOf(key) as Uint8Array<ArrayBuffer>, "AES-GCM", false, ["encrypt", "decrypt"])] as const)).then((keys) => new Map(keys)));
  }
}

/** The error of a state that is larger than what is sealed. */
export function tooLarge(bytes: number, most: number, option: string): StepweaveError {
  return new StepweaveError("limit", `the run waits for a person, and its journal has ${bytes} bytes, more than the ${most} that are given to the client to keep`, {
    hint: `give mcpServer() a \`store\`, or raise its option \`${option}\``,
  });
}

function checkedKeys(keys: readonly SealKey[]): readonly SealKey[] {
  if (!Array.isArray(keys) || keys.length === 0) throw wrong("mcpServer() has no keys to seal what a waiting client keeps for it");
  for (const one of keys as readonly (Partial<SealKey> | undefined)[]) {
    const { id, key } = optionsFrom(one ?? {}, ["id", "key"], "a key of mcpServer()");
    if (typeof id !== "string" || !/^[\w.-]{1,64}$/.test(id)) throw wrong("a key of mcpServer() has no id of up to 64 letters, digits, `.`, `-` and `_`");
    if (bytesOf(key)?.length !== 32) throw wrong(`the key \`${id}\` of mcpServer() has not 32 bytes`);
  }
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw wrong("two keys of mcpServer() have the same id");
  return keys.map(({ id, key }) => ({ id, key: typeof key === "string" ? key : key.slice() }));
}

function bytesOf(key: unknown): Uint8Array | undefined {
  if (typeof key !== "string") return key instanceof Uint8Array ? key : undefined;
  try {
    return Uint8Array.from(atob(key), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function wrong(message: string): StepweaveError {
  return new StepweaveError("validation", message, { hint: 'write keys: [{ id: "2026-11", key }] with what `openssl rand -base64 32` prints, set where the program runs' });
}

function headerOf(id: string, expiresAt: number): Uint8Array {
  const name = new TextEncoder().encode(id);
  const time = new Uint8Array(TIME_BYTES);
  new DataView(time.buffer).setFloat64(0, expiresAt);
  return joined(Uint8Array.of(VERSION, name.length), name, time);
}

/** What is sealed along without being in the text: a list keeps its parts apart, whatever they hold. */
function boundTo(header: Uint8Array, { principal, document, tool, request }: Binding): Uint8Array<ArrayBuffer> {
  return joined(header, new TextEncoder().encode(JSON.stringify([principal, document, tool, request])));
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** What a stream makes of bytes, read no further than the bound. */
async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array[] = [];
  for (let length = 0; ; ) {
    const { done, value } = await reader.read().catch(() => {
      throw new Unsealable("it cannot be unpacked");
    });
    if (done) return joined(...parts);
    length += value.length;
    if (length > most) {
      await reader.cancel().catch(() => {});
      throw new Unsealable("it is too large once it is unpacked");
    }
    parts.push(value);
  }
}
