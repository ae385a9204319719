import wasm from "#sandbox-wasm?module";
import { setSandboxSource } from "./runner.js";

export * from "./index.js";

setSandboxSource(() => wasm);
