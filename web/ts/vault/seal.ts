// What is stored of keys: encrypted with a passphrase, in a place of its own.
import { fromBase64, toBase64 } from "../base64.js";

const PLACE = "stepweave.keys";

/** Rounds of PBKDF2 with SHA-256 for what is stored now. */
const ROUNDS = 600_000;

/** Fewer rounds than this, or far more, are nothing that this page has written. */
const MOST_ROUNDS = 10_000_000;

/** What is stored: the salt of the passphrase, and the keys. */
export interface Sealed {
  readonly version: 1;
  readonly rounds: number;
  readonly salt: string;
  readonly iv: string;
  readonly data: string;
}

/** A passphrase as this visit knows it: the key that it gives cannot be read out. */
export interface Opened {
  readonly key: CryptoKey;
  readonly rounds: number;
  readonly salt: Uint8Array<ArrayBuffer>;
}

/** A new passphrase. */
export function chosen(passphrase: string): Promise<Opened> {
  return derived(passphrase, crypto.getRandomValues(new Uint8Array(16)), ROUNDS);
}

/** The passphrase of what is stored, right or wrong. */
export function entered(passphrase: string, { salt, rounds }: Sealed): Promise<Opened> {
  return derived(passphrase, fromBase64(salt), rounds);
}

/** The text that is stored; nothing when it was stored with another passphrase, or is damaged. */
export async function unsealed({ salt, rounds, iv, data }: Sealed, opened: Opened): Promise<string | undefined> {
  if (salt !== toBase64(opened.salt) || rounds !== opened.rounds) return undefined;
  try {
    return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv: fromBase64(iv) }, opened.key, fromBase64(data)));
  } catch {
    return undefined;
  }
}

/** Stores a text; tells whether the browser does. */
export async function store(plain: string, { key, rounds, salt }: Opened): Promise<boolean> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const data = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(plain));
  const sealed: Sealed = { version: 1, rounds, salt: toBase64(salt), iv: toBase64(iv), data: toBase64(new Uint8Array(data)) };
  try {
    localStorage.setItem(PLACE, JSON.stringify(sealed));
    return true;
  } catch {
    return false;
  }
}

/** What is stored, if this page can read it. */
export function stored(): Sealed | undefined {
  try {
    const sealed = JSON.parse(localStorage.getItem(PLACE) ?? "null") as Partial<Sealed> | null;
    const { version, rounds = 0, salt, iv, data } = sealed ?? {};
    const isSealed = version === 1 && rounds >= ROUNDS && rounds <= MOST_ROUNDS && [salt, iv, data].every((part) => typeof part === "string");
    return isSealed ? (sealed as Sealed) : undefined;
  } catch {
    return undefined;
  }
}

export function remove(): void {
  try {
    localStorage.removeItem(PLACE);
  } catch {
    // Where nothing can be removed nothing is stored.
  }
}

/** One after the other, whichever tab it is in: what is read is still there when the rest of it is written. */
export function alone<T>(act: () => Promise<T> | T): Promise<T> {
  return navigator.locks.request(PLACE, act) as Promise<T>;
}

/** The key of a passphrase, which nobody can read out. */
async function derived(passphrase: string, salt: Uint8Array<ArrayBuffer>, rounds: number): Promise<Opened> {
  const secret = await crypto.subtle.importKey("raw", new TextEncoder().encode(passphrase), "PBKDF2", false, ["deriveKey"]);
  const key = await crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations: rounds }, secret, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  return { key, rounds, salt };
}
