import { bytesOfMember, isWide, widthOf } from "./size.js";

/** So many changes lie one over the other before those that are small become one. */
const MOST_LAYERS = 32;

type JsonObject = Readonly<Record<string, unknown>>;

// By what stands for them: the plain object that one began as, or the proxy that the engine has of it.
const known = new WeakMap<object, WideState>();

/** A state with a patch over it, by work that grows with the patch alone; nothing where neither is wide. */
export function mergeWide(state: object, patch: object): object | undefined {
  const over = wideStateAs(patch);
  if (over === undefined) return wideStateOf(state)?.with(patch);
  const size = widthOf(state);
  return size === 0 ? patch : over.over(wideStateOf(state) ?? new WideState(state as JsonObject, size));
}

/** The keys with which two wide states may differ; nothing where one of them is not wide. */
export function keysBetween(before: object, after: object): Iterable<string> | undefined {
  const earlier = wideStateOf(before);
  return earlier && wideStateOf(after)?.keysBeyond(earlier);
}

/** The wide state that a value stands for. */
export function wideStateAs(value: unknown): WideState | undefined {
  return known.get(value as object);
}

function wideStateOf(state: object): WideState | undefined {
  const found = known.get(state);
  return found === undefined && isWide(state) ? know(state, new WideState(state as JsonObject, widthOf(state))) : found;
}

function know(object: object, wide: WideState): WideState {
  known.set(object, wide);
  return wide;
}

/** A state of many keys: those that were merged last, over the state before, which is shared by all that follow it. */
class WideState {
  #own: JsonObject;
  #size: number;
  #below: WideState | undefined;
  /** How many layers there are, at most. */
  #depth = 1;
  #weight: { readonly count: number; readonly bytes: number } | undefined;
  /** Events hold many states that nobody looks at twice. */
  #plain: { deref(): object | undefined } | undefined;
  #proxy: object | undefined;

  constructor(own: JsonObject, size: number, below?: WideState) {
    this.#own = own;
    this.#size = size;
    if (below === undefined) return;
    this.#below = below;
    this.#depth += below.#depth;
  }

  /** What the engine has of it. */
  get proxy(): object {
    if (this.#proxy === undefined) know((this.#proxy = new Proxy(this, READING)), this);
    return this.#proxy;
  }

  /** It as a plain object, the same for all who have it. */
  get plain(): object {
    const known = this.plainAsIs ?? this.#plain?.deref();
    if (known !== undefined) return known;
    const made: Record<string, unknown> = {};
    // Of many keys `Object.assign` takes several times as long. None of them is `__proto__`, which is no key of a state.
    for (const layer of this.#layers()) for (const key of Object.keys(layer.#own)) made[key] = layer.#own[key];
    Object.freeze(made);
    this.#plain = typeof WeakRef === "undefined" ? { deref: () => made } : new WeakRef(made);
    return made;
  }

  get plainAsIs(): object | undefined {
    return this.#below === undefined ? this.#own : undefined;
  }

  /** What it has under a key; nothing in JSON is undefined. */
  get(key: PropertyKey): unknown {
    for (let layer: WideState | undefined = this; layer !== undefined; layer = layer.#below) {
      if (Object.hasOwn(layer.#own, key)) return layer.#own[key as string];
    }
    return undefined;
  }

  /** About how many bytes of JSON it takes. */
  get bytes(): number {
    const { count, bytes } = this.#weighed();
    return 1 + Math.max(count, 1) + bytes;
  }

  with(patch: object): object {
    const size = Object.keys(patch).length;
    if (size === 0) return this.proxy;
    if (this.#depth >= MOST_LAYERS) this.#settle();
    return new WideState(patch as JsonObject, size, this).proxy;
  }

  /** It as a patch over another state. */
  over(state: WideState): object {
    this.#settle();
    return this.#layers().reduce((below, layer) => new WideState(layer.#own, layer.#size, below), state).proxy;
  }

  /** The keys of two states above the layers that they have in common. */
  keysBeyond(other: WideState): Set<string> {
    const [own, others] = [this, other].map((state) => state.#layers().map((layer) => layer.#own)) as [JsonObject[], JsonObject[]];
    let shared = 0;
    while (shared < own.length && own[shared] === others[shared]) shared += 1;
    return new Set([...own.slice(shared), ...others.slice(shared)].flatMap((layer) => Object.keys(layer)));
  }

  /** The lowest first. */
  #layers(): WideState[] {
    const layers: WideState[] = [];
    for (let layer: WideState | undefined = this; layer !== undefined; layer = layer.#below) layers.push(layer);
    return layers.reverse();
  }

  /** Merges layers until each has at most half as many keys as the one below it: then there are few. All that lie over this state share what is made. */
  #settle(): void {
    let settled: WideState = this;
    let under: WideState | undefined;
    for (const layer of this.#layers()) {
      let own = layer.#own;
      let size = layer.#size;
      let below = under;
      while (below !== undefined && below.#size < 2 * size) {
        own = Object.assign({}, below.#own, own);
        size = Object.keys(own).length;
        below = below.#below;
      }
      under = settled = new WideState(own, size, below);
      settled.#weight = layer.#weight;
    }
    this.#own = settled.#own;
    this.#size = settled.#size;
    this.#below = settled.#below;
    this.#depth = settled.#depth;
  }

  #weighed(): { readonly count: number; readonly bytes: number } {
    if (this.#weight !== undefined) return this.#weight;
    const below = this.#below;
    let { count, bytes } = below === undefined ? { count: 0, bytes: 0 } : below.#weighed();
    for (const [key, value] of Object.entries(this.#own)) {
      const before = below?.get(key);
      if (before === undefined) count += 1;
      else bytes -= bytesOfMember(key, before);
      bytes += bytesOfMember(key, value);
    }
    return (this.#weight = { count, bytes });
  }
}

/** The engine reads a wide state as it reads any other. */
const READING: ProxyHandler<WideState> = {
  get: (state, key) => state.get(key),
  has: (state, key) => state.get(key) !== undefined,
  ownKeys: (state) => Object.keys(state.plain),
  getOwnPropertyDescriptor(state, key) {
    const value = state.get(key);
    return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
  },
  getPrototypeOf: () => Object.prototype,
};
