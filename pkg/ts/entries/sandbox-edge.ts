import wasm from "#sandbox-wasm?module";
import { setSandboxSource } from "../sandbox/runner.js";

export * from "./sandbox.js";

setSandboxSource(() => wasm);
