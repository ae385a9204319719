import wasm from "#sandbox-wasm";
import { setSandboxSource } from "../sandbox/runner.js";

export * from "./sandbox.js";

setSandboxSource(() => wasm);
