import * as quickjs from "#sandbox-text";
import { decode } from "../entries/decode.js";
import { setSandboxSource } from "./runner.js";

export * from "./index.js";

// Decoded and compiled when the first code is run.
setSandboxSource(() => decode(quickjs));
