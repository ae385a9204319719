import wasm from "#engine-wasm?module";
import { setSource } from "../wasm/source.js";

/** The engine is a file of the function. */
export function bringEngine(): void {
  setSource(() => wasm);
}
