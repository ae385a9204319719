// What the build makes of QuickJS: `sandbox.mjs` says how.
declare module "#quickjs" {
  /** The interpreter around an instance that `instantiate` makes at once. */
  export default function QuickJS(options: {
    wasmMemory: WebAssembly.Memory;
    instantiateWasm(imports: WebAssembly.Imports): WebAssembly.Instance;
    print(text: string): void;
    printErr(text: string): void;
  }): import("./quickjs.js").QuickJS;
}

declare module "#guest" {
  /** The guest's program: the expression of a function. */
  const text: string;
  export default text;
}

declare module "#sandbox-text" {
  export const text: string;
  export const length: number;
  export const letters: string;
  export const singles: number;
  export const order: readonly number[];
}

declare module "#sandbox-wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "#sandbox-wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
