import { setAsyncSource } from "../engine/source.js";

export * from "../index.js";

setAsyncSource(async (load) => {
  try {
    await load(new URL("./stepweave_bg.wasm", import.meta.url));
  } catch (reason) {
    // The file was not copied along, or a server answers a missing file with a page.
    const { bytes } = await import("./bytes.js");
    await load(bytes()).catch(() => {
      throw reason;
    });
  }
});
