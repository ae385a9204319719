import { setFallback } from "../wasm/source.js";

export * from "../reasoning/index.js";

// A program has the engine from the entry that its models come from; one whose models come from elsewhere loads it from here.
setFallback(async (load) => load((await import("./bytes.js")).bytes()));
