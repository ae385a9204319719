import wasm from "#wasm?module";
import { setSource } from "../engine/source.js";

export * from "../index.js";

setSource(() => wasm);
