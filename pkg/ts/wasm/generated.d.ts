// What the build puts next to this folder before the entries are bundled.
declare module "#glue" {
  export function createGlue(): import("./boundary.js").Glue;
}

declare module "#*-text" {
  /** The bytes of a binary, each as one or two letters. */
  export const text: string;
  /** How many bytes there are. */
  export const length: number;
  /** The letters; those after the first `singles` announce a second letter. */
  export const letters: string;
  export const singles: number;
  /** The bytes by rank. */
  export const order: readonly number[];
}

declare module "#*-wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "#*-wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
