// Keys that a person has this device remember: encrypted with a passphrase, in a place of their own. Without one nothing
// is ever stored; and no workflow, journal, export or link has any of it.
const PLACE = "stepweave.keys";

/** Rounds of PBKDF2 with SHA-256 for what is stored now. */
const ROUNDS = 600_000;

/** Fewer rounds than this, or far more, are nothing that this page has written. */
const MOST_ROUNDS = 10_000_000;

/** What is stored: the salt of the passphrase, and the keys. */
interface Sealed {
  readonly version: 1;
  readonly rounds: number;
  readonly salt: string;
  readonly iv: string;
  readonly data: string;
}

/** A passphrase as this visit knows it: the key that it gives cannot be read out. */
interface Opened {
  readonly key: CryptoKey;
  readonly rounds: number;
  readonly salt: Uint8Array<ArrayBuffer>;
}

/** The keys of this device. */
export class Vault {
  #opened: Opened | undefined;
  /** One after the other, so that the last one that is written is the last one that was given. */
  #writing: Promise<unknown> = Promise.resolve();

  /** `none`, `locked` or `open`. */
  get state(): "none" | "locked" | "open" {
    if (read() === undefined) return "none";
    return this.#opened === undefined ? "locked" : "open";
  }

  /** Remembers these keys with a passphrase, instead of whatever was remembered; tells whether the browser stores it. */
  async remember(passphrase: string, keys: string): Promise<boolean> {
    const salt = crypto.getRandomValues(new Uint8Array(16));
    this.#opened = { key: await derive(passphrase, salt, ROUNDS), rounds: ROUNDS, salt };
    return this.update(keys);
  }

  /** The remembered keys; nothing when the passphrase is another one, or what is stored is damaged. */
  async unlock(passphrase: string): Promise<string | undefined> {
    const sealed = read();
    if (sealed === undefined) return undefined;
    try {
      const salt = bytes(sealed.salt);
      const key = await derive(passphrase, salt, sealed.rounds);
      const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv: bytes(sealed.iv) }, key, bytes(sealed.data));
      this.#opened = { key, rounds: sealed.rounds, salt };
      return new TextDecoder().decode(plain);
    } catch {
      return undefined;
    }
  }

  /** Remembers these keys instead, with the passphrase of this visit; tells whether the browser stores it. */
  update(keys: string): Promise<boolean> {
    const written = this.#writing.then(() => this.#write(keys));
    this.#writing = written.catch(() => {});
    return written;
  }

  /** Forgets all of it. */
  forget(): void {
    this.#opened = undefined;
    try {
      localStorage.removeItem(PLACE);
    } catch {
      // Where nothing can be removed nothing is stored.
    }
  }

  async #write(keys: string): Promise<boolean> {
    const opened = this.#opened;
    if (opened === undefined) return false;
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const data = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, opened.key, new TextEncoder().encode(keys));
    // It may have been forgotten meanwhile.
    if (this.#opened !== opened) return false;
    const sealed: Sealed = { version: 1, rounds: opened.rounds, salt: text(opened.salt), iv: text(iv), data: text(new Uint8Array(data)) };
    try {
      localStorage.setItem(PLACE, JSON.stringify(sealed));
      return true;
    } catch {
      return false;
    }
  }
}

/** The key of a passphrase, which nobody can read out. */
async function derive(passphrase: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey("raw", new TextEncoder().encode(passphrase), "PBKDF2", false, ["deriveKey"]);
  return crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, secret, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** What is stored, if this page can read it. */
function read(): Sealed | undefined {
  try {
    const sealed = JSON.parse(localStorage.getItem(PLACE) ?? "null") as Partial<Sealed> | null;
    const { version, rounds = 0, salt, iv, data } = sealed ?? {};
    const isSealed = version === 1 && rounds >= ROUNDS && rounds <= MOST_ROUNDS && [salt, iv, data].every((part) => typeof part === "string");
    return isSealed ? (sealed as Sealed) : undefined;
  } catch {
    return undefined;
  }
}

function text(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
