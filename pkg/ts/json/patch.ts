import { isEqual } from "./equal.js";

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
