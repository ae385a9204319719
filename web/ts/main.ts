// The page's entry: loads the builder's wasm and the stored workflow at the same time, then mounts.
import init, { mount } from "../generated/stepweave_web.js";
import wasm from "../generated/stepweave_web_bg.wasm?url";
import { Bridge } from "./bridge.js";
import { restoreLook } from "./look.js";
import { whenOutdated } from "./outdated.js";
import { Store, type Opened } from "./store/store.js";

/** What the builder cannot do without, such as locks and random ids, browsers have over https and on this machine alone. */
const NOT_SECURE = "Open this page over https (or on localhost): over plain http, browsers do not let a page store workflows safely.";

async function start(): Promise<void> {
  restoreLook();
  if (!isSecureContext) return fail(NOT_SECURE);
  const [[store, opened]] = await Promise.all([begin(), init({ module_or_path: wasm })]);
  document.getElementById("loading")?.remove();
  const bridge = new Bridge(store);
  whenOutdated(() => store.outdated());
  mount(bridge, opened);
  await import("./later.js");
  await bridge.idle();
  await store.runs.forgetFiles();
}

async function begin(): Promise<[Store, Opened]> {
  const store = await Store.open();
  return [store, await store.begin()];
}

function fail(text: string): void {
  const loading = document.getElementById("loading");
  if (loading === null) return;
  loading.classList.add("failed");
  loading.textContent = text;
}

start().catch((error: unknown) => {
  fail(`The builder could not be started: ${error instanceof Error ? error.message : String(error)}. Reload the page; a current browser is needed.`);
});
