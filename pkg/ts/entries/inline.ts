import { setSource } from "../wasm/source.js";
import { bytes } from "./bytes.js";

export * from "../index.js";

// Decoded and compiled when the first run or the first check needs it.
setSource(bytes);
