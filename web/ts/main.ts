// The page's entry: loads the builder's wasm and what was kept of the last visit at the same time, then mounts.
import init, { mount } from "../generated/stepweave_web.js";
import wasm from "../generated/stepweave_web_bg.wasm?url";
import { Bridge } from "./bridge.js";
import { load } from "./store.js";

async function start(): Promise<void> {
  const [kept] = await Promise.all([load(), init({ module_or_path: wasm })]);
  document.getElementById("loading")?.remove();
  mount(new Bridge(), kept);
}

start().catch((error: unknown) => {
  const loading = document.getElementById("loading");
  if (loading === null) return;
  loading.classList.add("failed");
  loading.textContent = `The builder could not be started: ${error instanceof Error ? error.message : String(error)}. Reload the page; a current browser is needed.`;
});
