/** A text that the builder's wasm has requested, or why there is none, for a person. */
export type Outcome = { readonly value: string } | { readonly error: string };
