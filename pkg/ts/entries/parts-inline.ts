import type { Part } from "../wasm/parts.js";
import type { Source } from "../wasm/source.js";

/** The parts of the engine, out of scripts of their own. */
export const inlineParts: Readonly<Record<Part, Source>> = {
  templates: async (load) => load((await import("./templates-bytes.js")).bytes()),
  models: async (load) => load((await import("./models-bytes.js")).bytes()),
};
