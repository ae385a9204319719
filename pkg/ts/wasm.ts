/** The engine's binary: a `WebAssembly.Module` or an address, as the bundler or runtime gives it. */
declare const wasm: WebAssembly.Module | string;
export default wasm;
