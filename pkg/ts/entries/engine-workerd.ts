import wasm from "#engine-wasm";
import { setParts, setSource } from "../wasm/source.js";

/** The engine is a file of the Worker. */
export function bringEngine(): void {
  setSource(() => wasm);
  setParts({
    templates: async (load) => load((await import("#templates-wasm")).default),
    models: async (load) => load((await import("#models-wasm")).default),
  });
}
