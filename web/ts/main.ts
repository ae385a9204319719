// The page's entry: loads the builder's wasm and the stored workflow at the same time, then mounts.
import init, { mount } from "../generated/stepweave_web.js";
import wasm from "../generated/stepweave_web_bg.wasm?url";
import { Bridge } from "./bridge.js";
import { Store, type Opened } from "./store/store.js";

async function start(): Promise<void> {
  const [[store, opened]] = await Promise.all([begin(), init({ module_or_path: wasm })]);
  document.getElementById("loading")?.remove();
  const bridge = new Bridge(store);
  mount(bridge, opened);
  await bridge.idle();
  await store.runs.forgetFiles();
}

async function begin(): Promise<[Store, Opened]> {
  const store = await Store.open();
  return [store, await store.begin()];
}

start().catch((error: unknown) => {
  const loading = document.getElementById("loading");
  if (loading === null) return;
  loading.classList.add("failed");
  loading.textContent = `The builder could not be started: ${error instanceof Error ? error.message : String(error)}. Reload the page; a current browser is needed.`;
});
