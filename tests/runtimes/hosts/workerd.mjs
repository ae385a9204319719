// workerd, as wrangler brings a Worker there.
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { bundled } from "../../edge/worker.mjs";

export async function* workerd({ folder, entries }) {
  const miniflare = new Miniflare({ compatibilityDate: "2026-01-01", ...(await bundled(join(folder, "worker.mjs"))) });
  try {
    for (const entry of entries) {
      const response = await miniflare.dispatchFetch("http://worker.test/", { method: "POST", body: JSON.stringify(entry) });
      if (!response.ok) throw new Error(`the Worker answered ${response.status} for ${entry.name}: ${await response.text()}`);
      yield await response.json();
    }
  } finally {
    await miniflare.dispose();
  }
}
