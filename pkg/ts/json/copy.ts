import { mark, wayOf } from "./mark.js";
import { adviceFor, faultOf, memberPath, NotJson, unreadable } from "./not-json.js";

/** How deep values may be nested. */
export const MAX_DEPTH = 512;

/** A value that is larger than it may be. */
export class TooLarge extends Error {
  constructor(
    /** About how many bytes of JSON it might have had. */
    readonly most: number,
  ) {
    super(`it has more than ${most} bytes of JSON`);
  }
}

/** A patch that changes nothing. */
export const EMPTY: object = Object.freeze({});

/** Changes the texts of what is copied; nothing does when there are no secrets. */
export type Redact = ((text: string) => string) | undefined;

// What this module has copied and frozen is known to be clean, and is shared instead of copied again. What was copied
// without taking out a run's secrets may show them: each way of doing so knows its own copies.
const AS_IT_IS = {};
const ways = new WeakMap<NonNullable<Redact>, object>();

function wayFor(redact: Redact): object {
  if (redact === undefined) return AS_IT_IS;
  const known = ways.get(redact) ?? {};
  ways.set(redact, known);
  return known;
}

function isClean(value: object, way: object): boolean {
  const made = wayOf(value);
  return (made !== undefined && (way === AS_IT_IS || made === way)) || value === EMPTY;
}

/**
 * A frozen copy of a JSON value; throws {@link NotJson}, and {@link TooLarge} as soon as there is more of it than
 * `maxBytes`. Values that were copied before are shared, and take no more room.
 */
export function copyJson(value: unknown, root: string, maxDepth = MAX_DEPTH, redact?: Redact, maxBytes = Infinity): unknown {
  if (!isLeaf(value)) return new Copier(root, maxDepth, redact, maxBytes).copy(value);
  if (bytesOfLeaf(value) > maxBytes) throw new TooLarge(maxBytes);
  return leaf(value, redact);
}

/** A frozen copy of what is merged into a state: a plain object. Keys that must never merge are refused, as they are in documents. `skipped` hears of those that are undefined. */
export function copyPatch(value: object, root: string, redact?: Redact, maxBytes = Infinity, skipped?: (key: string) => void): object {
  if (isClean(value, wayFor(redact))) return value;
  if (Array.isArray(value) || !isPlain(value)) throw new NotJson(root, faultOf(value), "return a plain object or nothing");
  const copy: Record<string, unknown> = {};
  let copier: Copier | undefined;
  let bytes = 0;
  for (const key of keysOf(value, root)) {
    if (isForbidden(key)) throw new NotJson(`${root}${memberPath(key)}`, "cannot be a key of the state", "use another name: this one reaches into a JavaScript object's prototype");
    let member: unknown;
    try {
      member = (value as Record<string, unknown>)[key];
    } catch (error) {
      throw unreadable(`${root}${memberPath(key)}`, error);
    }
    if (member === undefined) {
      skipped?.(key);
      continue;
    }
    bytes += key.length + (isLeaf(member) ? bytesOfLeaf(member) : 0);
    if (bytes > maxBytes) throw new TooLarge(maxBytes);
    copy[redact === undefined ? key : redact(key)] = isLeaf(member) ? leaf(member, redact) : (copier ??= new Copier(root, MAX_DEPTH, redact, maxBytes)).member(key, member);
  }
  if (bytes + (copier?.bytes ?? 0) > maxBytes) throw new TooLarge(maxBytes);
  return Object.freeze(copy);
}

class Copier {
  readonly #root: string;
  readonly #maxDepth: number;
  readonly #redact: Redact;
  readonly #way: object;
  readonly #keys: (string | number)[] = [];
  readonly #ancestors: object[] = [];
  /**
   * The copies so far: a value that occurs several times is copied once, and its copy is shared too. What holds less than
   * `WORTH_SHARING` besides those is copied each time.
   */
  readonly #copies = new Map<object, object>();
  /** How many bytes what is not among those copies has, since the value began that is copied now. */
  #unshared = 0;
  readonly #maxBytes: number;
  /** About how many bytes of JSON were copied. */
  bytes = 0;

  constructor(root: string, maxDepth: number, redact: Redact, maxBytes: number) {
    this.#root = root;
    this.#maxBytes = maxBytes;
    this.#maxDepth = maxDepth;
    this.#redact = redact;
    this.#way = wayFor(redact);
  }

  member(key: string | number, value: unknown): unknown {
    this.#keys.push(key);
    const copy = this.copy(value);
    this.#keys.pop();
    return copy;
  }

  copy(value: unknown): unknown {
    if (isLeaf(value)) {
      this.#count(bytesOfLeaf(value));
      return leaf(value, this.#redact);
    }
    if (typeof value !== "object" || value === null) throw this.#refuse(value);
    if (isClean(value, this.#way)) return value;
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    if (this.#ancestors.length >= this.#maxDepth) throw this.#tooDeep(value);
    const before = this.#unshared;
    this.#unshared = 0;
    this.#count(BYTES_OF_NONE);
    this.#ancestors.push(value);
    const copy = this.#isArray(value) ? this.#array(value) : this.#object(value);
    this.#ancestors.pop();
    mark(copy, this.#way);
    if (this.#unshared >= WORTH_SHARING) {
      this.#copies.set(value, copy);
      this.#unshared = 0;
    }
    this.#unshared += before;
    return Object.freeze(copy);
  }

  #array(value: readonly unknown[]): unknown[] {
    const length = this.#read(value, "length") as number;
    const copy: unknown[] = [];
    for (let index = 0; index < length; index += 1) {
      const member = this.#read(value, index);
      if (member === undefined && !(index in value)) {
        throw new NotJson(this.#path(index), "is a hole in an array", "fill the array, or remove the hole with .filter(() => true)");
      }
      copy.push(member === undefined ? null : this.member(index, member));
    }
    return copy;
  }

  #object(value: object): object {
    if (!isPlain(value)) throw this.#refuse(value);
    const copy: Record<string, unknown> = {};
    for (const key of this.#keysOf(value)) {
      const member = this.#read(value, key);
      if (member === undefined) continue;
      this.#count(key.length + 3);
      const copied = this.member(key, member);
      // Assigning to this one key would set the prototype instead.
      if (key === "__proto__") {
        Object.defineProperty(copy, key, { value: copied, enumerable: true, configurable: true, writable: true });
      } else {
        copy[this.#redact === undefined ? key : this.#redact(key)] = copied;
      }
    }
    return copy;
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    this.#unshared += bytes;
    if (this.bytes > this.#maxBytes) throw new TooLarge(this.#maxBytes);
  }

  /** The path is put together for an error alone: for every object it would take longer than the copy. */
  #keysOf(value: object): string[] {
    try {
      return Object.keys(value);
    } catch (error) {
      throw unreadable(this.#path(), error);
    }
  }

  #isArray(value: object): value is readonly unknown[] {
    try {
      return Array.isArray(value);
    } catch (error) {
      throw unreadable(this.#path(), error);
    }
  }

  #read(value: object, key: string | number): unknown {
    try {
      return (value as Record<string | number, unknown>)[key];
    } catch (error) {
      throw unreadable(this.#path(key), error);
    }
  }

  #refuse(value: unknown): NotJson {
    const path = this.#path();
    try {
      return new NotJson(path, faultOf(value), adviceFor(value, path));
    } catch (error) {
      return unreadable(path, error);
    }
  }

  #tooDeep(value: object): NotJson {
    const chain = [...this.#ancestors, value];
    const again = chain.findIndex((ancestor, index) => chain.indexOf(ancestor) < index);
    if (again >= 0) {
      // The root may be a key, or none.
      const extra = this.#keys.length - this.#ancestors.length;
      return new NotJson(
        this.#pathOf(this.#keys.slice(0, again + extra)),
        "refers back to an object that holds it (a cycle)",
        "leave out the reference back, or put an id in its place",
      );
    }
    return new NotJson(
      this.#pathOf(this.#keys.slice(0, 3)),
      `is nested deeper than ${this.#maxDepth} levels`,
      "keep values flatter",
    );
  }

  #path(key?: string | number): string {
    return this.#pathOf(key === undefined ? this.#keys : [...this.#keys, key]);
  }

  #pathOf(keys: readonly (string | number)[]): string {
    return this.#root + keys.map(memberPath).join("");
  }
}

/** Whether a value is copied by being passed on. */
function isLeaf(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    default:
      return value === null;
  }
}

/** An array and an object count as more than two brackets: each takes memory of its own, however little it holds. */
const BYTES_OF_NONE = 8;

/** How many bytes are worth an entry in the table of what was copied. */
const WORTH_SHARING = 128;

/** About how many bytes of JSON such a value takes; a string has as many as characters, and two quotes. */
function bytesOfLeaf(value: unknown): number {
  return typeof value === "string" ? value.length + 2 : 5;
}

/** A value that is copied by being passed on. JSON has no negative zero. */
function leaf(value: unknown, redact: Redact): unknown {
  if (redact !== undefined && typeof value === "string") return redact(value);
  if (redact !== undefined && typeof value === "number" && Math.abs(value) >= LEAST_OF_A_KEY) return numberWithout(value, redact);
  return value === 0 ? 0 : value;
}

/** A key may be a number too: smaller ones are none, since their texts are too short to be hidden. */
const LEAST_OF_A_KEY = 1e7;

function numberWithout(value: number, redact: (text: string) => string): unknown {
  const text = String(value);
  const shown = redact(text);
  return shown === text ? value : shown;
}

/** Whether this is an object literal, also one of another realm. */
function isPlain(value: object): boolean {
  try {
    const prototype = Object.getPrototypeOf(value) as object | null;
    return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
  } catch {
    return false;
  }
}

/** Keys that reach an object's prototype when somebody assigns them. They never merge. */
function isForbidden(key: string): boolean {
  return key === "__proto__" || key === "constructor" || key === "prototype";
}

function keysOf(value: object, path: string): string[] {
  try {
    return Object.keys(value);
  } catch (error) {
    throw unreadable(path, error);
  }
}
