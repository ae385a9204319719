import { setParts } from "../wasm/source.js";
import { inlineParts } from "./parts-inline.js";

export * from "../index.js";

// For those that `init` is not given.
setParts(inlineParts);
