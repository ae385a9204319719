import { setAsyncSource } from "../../wasm/source.js";
import { fetched } from "../fetched.js";

export * from "./index.js";

// Bundlers take a file along whose address is written out like this.
setAsyncSource(fetched(new URL("./stepweave_functions_bg.wasm", import.meta.url)));
