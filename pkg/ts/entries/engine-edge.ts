import wasm from "#engine-wasm?module";
import models from "#models-wasm?module";
import templates from "#templates-wasm?module";
import { setParts, setSource } from "../wasm/source.js";

/** The engine is a file of the function. */
export function bringEngine(): void {
  setSource(() => wasm);
  // Edge functions take no wasm but what they are deployed with.
  setParts({ templates: (load) => load(templates), models: (load) => load(models) });
}
