import type { Source } from "../wasm/source.js";

/** Fetches the engine from its file; where that fails, it comes out of the script in which it is text. */
export function fetched(address: URL): Source {
  return async (load) => {
    try {
      await load(address);
    } catch {
      // The file was not copied along, or a server answers a missing file with a page.
      await load((await import("./bytes.js")).bytes());
    }
  };
}
