import { isWide, MOST_COPIED } from "./size.js";

// Programs whose states have few keys do not load what keeps wide ones: until it is there, these are copied too.
let states: typeof import("./wide-state.js") | undefined;
let loading: Promise<void> | undefined;

/** Brings what keeps wide states for a run of so many steps. One that begins with such a state waits for it. */
export function wideStatesFor(state: object, steps: number): Promise<void> | undefined {
  if (states !== undefined) return undefined;
  if (isWide(state)) return load();
  if (steps > MOST_COPIED) void load();
  return undefined;
}

/** A state with a patch over it, where one of them is wide. */
export function mergeWide(state: object, patch: object): object | undefined {
  if (states === undefined && isWide(state)) void load();
  return states?.mergeWide(state, patch);
}

/** Keys that are all with which the later state may differ from the one before; few where both are wide and one was made of the other. */
export function keysBetween(before: object, after: object): Iterable<string> {
  return states?.keysBetween(before, after) ?? Object.keys(after);
}

/** About how many bytes of JSON a wide state takes; nothing for any other value. */
export function bytesOfWide(value: unknown): number | undefined {
  return states?.wideStateAs(value)?.bytes;
}

/** A value as everybody but the engine has it. */
export function plain<Value>(value: Value): Value {
  return (states?.wideStateAs(value)?.plain ?? value) as Value;
}

/** The same, unless it is a plain object that is made for those who look at it. */
export function plainAsIs(state: object): object | undefined {
  const wide = states?.wideStateAs(state);
  return wide === undefined ? state : wide.plainAsIs;
}

function load(): Promise<void> {
  return (loading ??= import("./wide-state.js").then((loaded) => void (states = loaded), () => {}));
}
