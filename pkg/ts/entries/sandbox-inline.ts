import * as quickjs from "#sandbox-text";
import { decode } from "./decode.js";
import { setSandboxSource } from "../sandbox/runner.js";

export * from "./sandbox.js";

// Decoded and compiled when the first code is run.
setSandboxSource(() => decode(quickjs));
