import wasm from "#engine-wasm";
import { setParts, setSource } from "../wasm/source.js";

export * from "../index.js";

setSource(() => wasm);
setParts({
  templates: async (load) => load((await import("#templates-wasm")).default),
  models: async (load) => load((await import("#models-wasm")).default),
});
