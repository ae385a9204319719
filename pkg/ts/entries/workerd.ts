import wasm from "#wasm";
import { setSource } from "../engine/source.js";

export * from "../index.js";

setSource(() => wasm);
