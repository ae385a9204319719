/** How deep values may be nested. */
export const MAX_DEPTH = 512;

/** A value that JSON cannot hold, and where it stands. */
export class NotJson extends Error {
  constructor(
    /** The key path, such as `patch.items[3].when`. */
    readonly path: string,
    /** What is wrong there, as a predicate: `is a Date`. */
    readonly fault: string,
    /** What to do. */
    readonly hint: string,
    options?: ErrorOptions,
  ) {
    super(`${path} ${fault}`, options);
  }
}

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

// What this module has copied and frozen: it is known to be clean and is shared instead of copied again.
const clean = new WeakSet<object>([EMPTY]);

/** Changes the texts of what is copied; nothing does when there are no secrets. */
export type Redact = ((text: string) => string) | undefined;

// What was copied without taking out a run's secrets may show them: each way of doing so knows its own copies.
const redactedBy = new WeakMap<NonNullable<Redact>, WeakSet<object>>();

function cleanFor(redact: Redact): WeakSet<object> {
  if (redact === undefined) return clean;
  const known = redactedBy.get(redact) ?? new WeakSet([EMPTY]);
  redactedBy.set(redact, known);
  return known;
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

/** A frozen copy of what is merged into a state: a plain object without the keys that must never merge. */
export function copyPatch(value: object, root: string, redact?: Redact, maxBytes = Infinity): object {
  if (cleanFor(redact).has(value)) return value;
  if (Array.isArray(value) || !isPlain(value)) throw new NotJson(root, faultOf(value), "return a plain object or nothing");
  const copy: Record<string, unknown> = {};
  let copier: Copier | undefined;
  let bytes = 0;
  for (const key of keysOf(value, root)) {
    if (isForbidden(key)) continue;
    let member: unknown;
    try {
      member = (value as Record<string, unknown>)[key];
    } catch (error) {
      throw unreadable(`${root}${memberPath(key)}`, error);
    }
    if (member === undefined) continue;
    bytes += key.length + (isLeaf(member) ? bytesOfLeaf(member) : 0);
    if (bytes > maxBytes) throw new TooLarge(maxBytes);
    copy[redact === undefined ? key : redact(key)] = isLeaf(member) ? leaf(member, redact) : (copier ??= new Copier(root, MAX_DEPTH, redact, maxBytes)).member(key, member);
  }
  if (bytes + (copier?.bytes ?? 0) > maxBytes) throw new TooLarge(maxBytes);
  return Object.freeze(copy);
}

/**
 * The state with a patch over it. Both are clean: keys that never merge were left out when they were copied.
 * It is not frozen, since freezing takes as long as copying: whoever shows it to code of a user does that.
 */
export function merge(state: object, patch: object): object {
  // Spreading two objects takes several times as long.
  return Object.assign({}, state, patch);
}

/** The state with many patches over it: a single copy of the state, however many there are. */
export function mergeAll(state: object, patches: readonly object[]): object {
  const merged = { ...state };
  // One by one, since a call cannot have tens of thousands of arguments everywhere.
  for (const patch of patches) Object.assign(merged, patch);
  return merged;
}

/** A key that a patch has and another one before it; the patches by their indices. */
export interface SharedKey {
  readonly key: string;
  readonly first: number;
  readonly second: number;
}

/** The keys that several of the patches have. */
export function sharedKeys(patches: readonly object[]): SharedKey[] {
  const shared: SharedKey[] = [];
  const writers = new Map<string, number>();
  for (let second = 0; second < patches.length; second += 1) {
    for (const key of Object.keys(patches[second] as object)) {
      const first = writers.get(key);
      if (first !== undefined) shared.push({ key, first, second });
      writers.set(key, second);
    }
  }
  return shared;
}

type JsonObject = Record<string, unknown>;

/** The keys of `after` whose value differs from `before`. */
export function diff(before: object, after: object): object {
  const later = after as JsonObject;
  const patch: JsonObject = {};
  for (const key of Object.keys(later)) {
    if (isChange(before as JsonObject, key, later[key])) patch[key] = later[key];
  }
  return Object.freeze(patch);
}

/** The state with what each of these later states changed in it; nothing if two of them changed the same key. */
export function join(state: object, ends: readonly object[]): object | undefined {
  const before = state as JsonObject;
  const joined: JsonObject = { ...before };
  for (const end of ends as readonly JsonObject[]) {
    for (const key of Object.keys(end)) {
      if (!isChange(before, key, end[key])) continue;
      if (Object.hasOwn(joined, key) && isChange(before, key, joined[key])) return undefined;
      joined[key] = end[key];
    }
  }
  return joined;
}

function isChange(before: JsonObject, key: string, value: unknown): boolean {
  const known = before[key];
  // What a state holds is never what objects inherit.
  return known !== value && !(Object.hasOwn(before, key) && isEqual(known, value));
}

// Frozen values do not change, so their size is found once.
const sizes = new WeakMap<object, number>();

/** About how many bytes of JSON a value takes. */
export function bytesOf(value: unknown): number {
  if (typeof value === "string") return JSON.stringify(value).length;
  if (typeof value !== "object" || value === null) return String(value).length;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const members = Object.entries(value);
  let size = 1 + Math.max(members.length, 1);
  for (const [key, member] of members) size += bytesOf(member) + (Array.isArray(value) ? 0 : JSON.stringify(key).length + 1);
  sizes.set(value, size);
  return size;
}

/**
 * A value as JSON text that every reader takes. JavaScript's texts may have half of a character, as they do when they are
 * cut; JSON then has it as an escape that the engine and many endpoints refuse. It becomes U+FFFD, as in anything that is encoded.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.includes("\\ud") ? text.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === "\\\\" ? found : "\\ufffd")) : text;
}

/** Whether two JSON values say the same. */
export function isEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right) || left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((member, index) => isEqual(member, right[index]));
  }
  if (Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      isEqual((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
  );
}

class Copier {
  readonly #root: string;
  readonly #maxDepth: number;
  readonly #redact: Redact;
  readonly #clean: WeakSet<object>;
  readonly #keys: (string | number)[] = [];
  readonly #ancestors: object[] = [];
  /** The copies so far: a value that occurs several times is copied once, and its copy is shared too. */
  readonly #copies = new Map<object, object>();
  readonly #maxBytes: number;
  /** About how many bytes of JSON were copied. */
  bytes = 0;

  constructor(root: string, maxDepth: number, redact: Redact, maxBytes: number) {
    this.#root = root;
    this.#maxBytes = maxBytes;
    this.#maxDepth = maxDepth;
    this.#redact = redact;
    this.#clean = cleanFor(redact);
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
    if (this.#clean.has(value)) return value;
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    if (this.#ancestors.length >= this.#maxDepth) throw this.#tooDeep(value);
    this.#count(2);
    this.#ancestors.push(value);
    const copy = this.#isArray(value) ? this.#array(value) : this.#object(value);
    this.#ancestors.pop();
    clean.add(copy);
    if (this.#redact !== undefined) this.#clean.add(copy);
    this.#copies.set(value, copy);
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
    for (const key of keysOf(value, this.#path())) {
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
    if (this.bytes > this.#maxBytes) throw new TooLarge(this.#maxBytes);
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
    return new NotJson(path, faultOf(value), adviceFor(value, path));
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

/** About how many bytes of JSON such a value takes; a string has as many as characters, and two quotes. */
function bytesOfLeaf(value: unknown): number {
  return typeof value === "string" ? value.length + 2 : 5;
}

/** A value that is copied by being passed on. JSON has no negative zero. */
function leaf(value: unknown, redact: Redact): unknown {
  if (redact !== undefined && typeof value === "string") return redact(value);
  return value === 0 ? 0 : value;
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

function memberPath(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function unreadable(path: string, error: unknown): NotJson {
  const text = error instanceof Error ? error.message : String(error);
  return new NotJson(path, `cannot be read: ${text}`, "return plain values without getters or proxies", { cause: error });
}

function faultOf(value: unknown): string {
  switch (typeof value) {
    case "function":
      return "is a function";
    case "symbol":
      return "is a symbol";
    case "bigint":
      return "is a bigint";
    case "number":
      return `is ${value}`;
    case "undefined":
      return "is undefined";
    case "object":
      return Array.isArray(value) ? "is an array" : isOf(classOf(value as object));
    default:
      return `is a ${typeof value}`;
  }
}

function isOf(name: string): string {
  return `is ${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}

function classOf(value: object): string {
  try {
    const name = (value.constructor as { name?: unknown } | undefined)?.name;
    return typeof name === "string" && name !== "" ? name : "class instance";
  } catch {
    return "proxy that throws";
  }
}

function adviceFor(value: unknown, path: string): string {
  const name = path.split(".").at(-1) ?? path;
  if (typeof value === "bigint") return `return String(${name}), or Number(${name}) if it is small`;
  if (typeof value === "number") return `return null, or leave ${name} out`;
  if (typeof value === "function") return "return what the function computes; functions belong in the workflow's steps or in the option `dependencies`";
  if (value instanceof Date) return `return ${name}.toISOString()`;
  if (value instanceof Map) return `return Object.fromEntries(${name})`;
  if (value instanceof Set) return `return [...${name}]`;
  if (value instanceof Error) return `return ${name}.message, or throw it`;
  if (ArrayBuffer.isView(value)) return `return Array.from(${name}), or base64 text`;
  if (typeof value === "object") return "return plain objects, arrays, texts, numbers, booleans and null";
  return "return only what JSON can hold";
}
