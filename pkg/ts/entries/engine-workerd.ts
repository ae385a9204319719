import wasm from "#engine-wasm";
import { setSource } from "../wasm/source.js";

/** The engine is a file of the Worker. */
export function bringEngine(): void {
  setSource(() => wasm);
}
