import wasm from "#sandbox-wasm";
import { setSandboxSource } from "./runner.js";

export * from "./index.js";

setSandboxSource(() => wasm);
