import { setSource } from "../../wasm/source.js";
import { bytes } from "../bytes.js";

export * from "./index.js";

// Decoded and compiled when the first run needs it.
setSource(bytes);
