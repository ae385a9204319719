/** A compiled `WebAssembly.Module`; any object where the types of the platform know no WebAssembly, as those of Node.js. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;
