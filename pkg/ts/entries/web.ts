import { type Source, setAsyncSource, setParts } from "../wasm/source.js";

export * from "../index.js";

// Bundlers take a file along whose address is written out like this.
setAsyncSource(fetched(new URL("./stepweave_bg.wasm", import.meta.url), () => import("./bytes.js")));
setParts({
  templates: fetched(new URL("./stepweave_templates.wasm", import.meta.url), () => import("./templates-bytes.js")),
  models: fetched(new URL("./stepweave_models.wasm", import.meta.url), () => import("./models-bytes.js")),
});

function fetched(address: URL, instead: () => Promise<{ bytes(): BufferSource }>): Source {
  return async (load) => {
    try {
      await load(address);
    } catch {
      // The file was not copied along, or a server answers a missing file with a page.
      await load((await instead()).bytes());
    }
  };
}
