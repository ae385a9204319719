import { setParts, setSource } from "../wasm/source.js";
import { bytes } from "./bytes.js";
import { inlineParts } from "./parts-inline.js";

export * from "../index.js";

// Decoded and compiled when the first run or the first check needs it.
setSource(bytes);
setParts(inlineParts);
