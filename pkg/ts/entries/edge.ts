import wasm from "#engine-wasm?module";
import models from "#models-wasm?module";
import templates from "#templates-wasm?module";
import { setParts, setSource } from "../wasm/source.js";

export * from "../index.js";

setSource(() => wasm);
// Edge functions take no wasm but what they are deployed with.
setParts({ templates: (load) => load(templates), models: (load) => load(models) });
