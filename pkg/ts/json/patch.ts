import { isEqual } from "./equal.js";
import { keysBetween, mergeWide } from "./wide.js";

/**
 * The state with a patch over it. Both are clean: keys that never merge were left out when they were copied.
 * It is neither frozen nor, if it is wide, a plain object, since both take as long as copying: whoever shows it to code of
 * a user does that.
 */
export function merge(state: object, patch: object): object {
  // Spreading two objects takes several times as long.
  return mergeWide(state, patch) ?? Object.assign({}, state, patch);
}

/** The state with many patches over it: a single copy of the state, however many there are. */
export function mergeAll(state: object, patches: readonly object[]): object {
  const all = {};
  // One by one, since a call cannot have tens of thousands of arguments everywhere.
  for (const patch of patches) Object.assign(all, patch);
  return merge(state, all);
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
  const [earlier, later] = [before, after] as [JsonObject, JsonObject];
  const patch: JsonObject = {};
  for (const key of keysBetween(earlier, later)) {
    if (isChange(earlier, key, later[key])) patch[key] = later[key];
  }
  return Object.freeze(patch);
}

/** The state with what each of these later states changed in it; nothing if two of them changed the same key. */
export function join(state: object, ends: readonly object[]): object | undefined {
  const before = state as JsonObject;
  const all: JsonObject = {};
  for (const end of ends as readonly JsonObject[]) {
    for (const key of keysBetween(before, end)) {
      if (!isChange(before, key, end[key])) continue;
      if (Object.hasOwn(all, key)) return undefined;
      all[key] = end[key];
    }
  }
  return merge(state, all);
}

function isChange(before: JsonObject, key: string, value: unknown): boolean {
  const known = before[key];
  // What a state holds is never what objects inherit. A key of the state before may not be in the later one.
  return value !== undefined && known !== value && !(Object.hasOwn(before, key) && isEqual(known, value));
}
