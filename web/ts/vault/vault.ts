// Keys that a person has this device remember: encrypted with a passphrase, in a place of their own. Without one nothing
// is ever stored; and no workflow, journal, export or link has any of it. All tabs share the place: each of them writes
// what it has changed into what is there.
import { parsed, together, written, type Keys } from "./keys.js";
import { alone, chosen, entered, remove, store, stored, unsealed, type Opened } from "./seal.js";

const NONE: Keys = new Map();

/** The keys of this device. */
export class Vault {
  #opened: Opened | undefined;
  /** The keys of this tab as they were when it last read or wrote what is stored. */
  #before = NONE;

  /** `none`, `locked` or `open`. */
  get state(): "none" | "locked" | "open" {
    if (stored() === undefined) return "none";
    return this.#opened === undefined ? "locked" : "open";
  }

  /** Remembers these keys with a new passphrase; tells whether the browser stores it. Nobody replaces keys that they cannot read. */
  async remember(passphrase: string, keys: string): Promise<boolean> {
    const opened = await chosen(passphrase);
    return alone(async () => {
      if (stored() === undefined) this.#before = NONE;
      const known = stored() === undefined ? NONE : await this.#read();
      return known !== undefined && this.#write(opened, known, parsed(keys));
    });
  }

  /** The keys of this tab with those that are remembered; nothing when the passphrase is another one, or what is stored is damaged. */
  unlock(passphrase: string, keys: string): Promise<string | undefined> {
    return alone(async () => {
      const sealed = stored();
      const opened = sealed && (await entered(passphrase, sealed));
      const plain = opened && (await unsealed(sealed, opened));
      if (plain === undefined) return undefined;
      const known = parsed(plain);
      const all = together(known, this.#before, parsed(keys));
      this.#opened = opened;
      this.#before = known;
      return written(all);
    });
  }

  /** Remembers what has changed, with the passphrase of this visit; tells whether it is stored. */
  update(keys: string): Promise<boolean> {
    return alone(async () => {
      const known = await this.#read();
      // Another tab has forgotten the keys, or chosen another passphrase.
      if (known === undefined) this.#opened = undefined;
      return known !== undefined && this.#opened !== undefined && this.#write(this.#opened, known, parsed(keys));
    });
  }

  /** Forgets all of it: at once, and again after whatever is being written. */
  async forget(): Promise<void> {
    const end = (): void => {
      this.#opened = undefined;
      this.#before = NONE;
      remove();
    };
    end();
    await alone(end);
  }

  /** What is stored, as far as the passphrase of this visit opens it. */
  async #read(): Promise<Keys | undefined> {
    const sealed = stored();
    const plain = sealed && this.#opened && (await unsealed(sealed, this.#opened));
    return plain === undefined ? undefined : parsed(plain);
  }

  async #write(opened: Opened, known: Keys, now: Keys): Promise<boolean> {
    const is = await store(written(together(known, this.#before, now)), opened);
    if (is) [this.#opened, this.#before] = [opened, now];
    return is;
  }
}
