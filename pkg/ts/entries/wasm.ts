import type { WasmModule } from "../wasm/module.js";

/** The engine's binary: a `WebAssembly.Module` or an address, as the bundler or runtime gives it. */
declare const wasm: WasmModule | string;
export default wasm;
