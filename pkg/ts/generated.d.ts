// What the build puts next to this folder before the entries are bundled.
declare module "#glue" {
  export function createGlue(): import("./engine/boundary.js").Glue;
}

declare module "#base64" {
  /** The engine's bytes. */
  export const base64: string;
}

declare module "#wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "#wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
