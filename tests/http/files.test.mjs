// Files that are posted to a workflow in workerd: PDFs are read there too, by the library that a Worker's bundle has.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Miniflare } from "miniflare";
import { pdfOf } from "../../pkg/test/files-support.js";
import { bundled } from "../edge/worker.mjs";

const WORKER = `
import { Workflow } from "stepweave";
import { formFiles } from "stepweave/files";
import { handler } from "stepweave/http";

const input = { type: "object", properties: { documents: { type: "array" } }, required: ["documents"] };
const workflow = new Workflow({ name: "read", input, steps: [{ name: "count", run: ({ documents }) => ({ texts: documents.map(({ name, text }) => [name, text]) }) }] });
export default { fetch: handler(workflow, { public: true, files: formFiles({ maxBytes: 5000 }) }) };
`;

let folder;
let server;
before(async () => {
  folder = mkdtempSync(join(fileURLToPath(new URL(".", import.meta.url)), "files-"));
  writeFileSync(join(folder, "worker.mjs"), WORKER);
  server = new Miniflare({ ...(await bundled(join(folder, "worker.mjs"))), compatibilityDate: "2025-09-01" });
});
after(async () => {
  await server?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** Posts files as a browser does; Miniflare's own classes would be needed to post a form of this process. */
async function post(...files) {
  const form = new FormData();
  for (const file of files) form.append("documents", file);
  const request = new Request("http://x/runs", { method: "POST", body: form });
  const response = await server.dispatchFetch("http://x/runs", { method: "POST", headers: { "content-type": request.headers.get("content-type") }, body: await request.arrayBuffer() });
  return { status: response.status, body: await response.json() };
}

test("a form's PDF, page and text are read in workerd", async () => {
  const { status, body } = await post(new File([pdfOf("They dance.", "In eights.")], "bees.pdf"), new File(["<main><p>Ants walk.</p></main>"], "ants.html"), new File(["Moths fly."], "moths.md"));
  assert.equal(status, 200);
  assert.deepEqual(body.state.texts, [["bees.pdf", "They dance.\n\nIn eights."], ["ants.html", "Ants walk."], ["moths.md", "Moths fly."]]);
});

test("what is broken or too large there is refused as everywhere", async () => {
  const broken = await post(new File(["%PDF-1.4"], "bees.pdf"));
  assert.deepEqual([broken.status, broken.body.detail], [400, "`bees.pdf` is no PDF that can be read"]);
  const large = await post(new File(["x".repeat(6000)], "a.txt"));
  assert.deepEqual([large.status, large.body.detail], [413, "`a.txt` has 6000 bytes, more than 5000"]);
});
