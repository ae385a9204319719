import { setParts } from "../wasm/source.js";

/** Lets the parts of the engine come out of scripts of their own. */
export function inlineParts(): void {
  setParts({
    templates: async (load) => load((await import("./templates-bytes.js")).bytes()),
    models: async (load) => load((await import("./models-bytes.js")).bytes()),
  });
}
