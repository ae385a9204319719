import type { Fetch } from "../api/run.js";

/** In CommonJS, a run and a cassette are of two copies of the package. */
const RECORDING = Symbol.for("stepweave.recording");

/** Makes a replacement for `fetch` that leaves these values out of what it records; they are asked for with each request. */
type Make<F> = (secrets: () => readonly string[]) => F;

/** A replacement for `fetch` that records what it sends; a run that uses it says which secrets it has. */
export function recordingFetch<F>(make: Make<F>): F {
  return Object.assign(make(() => []) as object, { [RECORDING]: make }) as F;
}

/** The `fetch` of a run: one that records has the secrets of that run. */
export function fetchFor(fetch: Fetch | undefined, secrets: { readonly values: readonly string[] }): Fetch | undefined {
  return (fetch as { readonly [RECORDING]?: Make<Fetch> } | undefined)?.[RECORDING]?.(() => secrets.values) ?? fetch;
}
