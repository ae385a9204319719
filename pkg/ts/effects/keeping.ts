import type { Fetch } from "../api/run.js";

/** In CommonJS, a run and a cassette are of two copies of the package. */
const KNOWING = Symbol.for("stepweave.knowing");

/** Makes a replacement for `fetch` that knows which values must not be kept; they are asked for with each request. */
type Make<F> = (secrets: () => readonly string[]) => F;

/** A replacement for `fetch` that keeps what it sends. */
export function keeping<F>(make: Make<F>): F {
  return Object.assign(make(() => []) as object, { [KNOWING]: make }) as F;
}

/** What sends a run's requests: where it keeps them, it is told what the run's secrets are. */
export function knowing(fetch: Fetch | undefined, secrets: { readonly values: readonly string[] }): Fetch | undefined {
  return (fetch as { readonly [KNOWING]?: Make<Fetch> } | undefined)?.[KNOWING]?.(() => secrets.values) ?? fetch;
}
