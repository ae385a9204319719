import { plain, plainAsIs } from "../json/wide.js";

// The wide states that events have.
const states = new WeakMap<object, object>();

/** Gives an event the state that its step sees. Of a wide one a plain object is made when somebody reads it. */
export function giveInput(event: { input?: object | undefined }, state: object, freeze: (state: object) => object): void {
  const shown = plainAsIs(state);
  if (shown !== undefined) return void (event.input = freeze(shown));
  states.set(event, state);
  Object.defineProperty(event, "input", { get: () => plain(state), enumerable: true, configurable: true });
}

/** The input of an event as it was given, for whoever looks for what has changed in it. */
export function inputOf(event: object): object {
  return states.get(event) ?? (event as { readonly input: object }).input;
}

/** An event without its input, which is not read for that. */
export function withoutInput(event: object): Record<string, unknown> {
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(event)) if (key !== "input") rest[key] = Reflect.get(event, key);
  return rest;
}
