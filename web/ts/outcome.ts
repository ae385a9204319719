/** A text that the builder's wasm has asked for, or why there is none, for a person. */
export type Outcome = { readonly value: string } | { readonly error: string };
