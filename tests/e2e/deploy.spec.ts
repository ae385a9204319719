// From the page to the edge: what is downloaded runs in workerd, bundled as wrangler bundles it.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, type Page } from "@playwright/test";
import { Miniflare } from "miniflare";
import { bundled } from "../edge/worker.mjs";
import { asking, openBuilder, openDocument, picture } from "./builder.js";

const pkg = fileURLToPath(new URL("../../pkg", import.meta.url));

/** Downloads the worker as a person does; gives an empty folder with nothing but it and the package. */
async function download(page: Page): Promise<{ folder: string; file: string; commands: string }> {
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page.getByText("Export…").click();
  await page.getByText("Deploy it to the edge").click();
  await picture(page, "deploy");
  const commands = (await page.getByLabel("Commands").textContent()) ?? "";
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download the worker" }).click();
  const got = await waiting;
  const folder = mkdtempSync(join(tmpdir(), "stepweave-deploy-"));
  const file = join(folder, got.suggestedFilename());
  await got.saveAs(file);
  mkdirSync(join(folder, "node_modules/stepweave"), { recursive: true });
  for (const part of ["package.json", "dist"]) cpSync(join(pkg, part), join(folder, "node_modules/stepweave", part), { recursive: true });
  return { folder, file, commands };
}

/** Serves it in workerd. */
async function serve(file: string, bindings: Record<string, string>): Promise<Miniflare> {
  return new Miniflare({ ...(await bundled(file)), bindings, compatibilityDate: "2026-04-01", compatibilityFlags: ["enable_request_signal"] });
}

test("the example runs at the edge as it was downloaded", async ({ page }) => {
  await openBuilder(page);
  const { folder, file, commands } = await download(page);
  expect(basename(file)).toBe("research-report.js");
  expect(commands).toContain("npx wrangler@4 deploy research-report.js --name research-report --compatibility-date 2026-04-01");
  const worker = await serve(file, {});
  try {
    const about = await worker.dispatchFetch("http://edge.test/");
    expect(await about.json()).toMatchObject({ workflow: "Research report" });
    const answer = await worker.dispatchFetch("http://edge.test/", { method: "POST", body: JSON.stringify({ topic: "Bees" }) });
    const result = (await answer.json()) as { status: string; state: Record<string, string> };
    expect([answer.status, result.status, result.state["topic"]]).toEqual([200, "done", "Bees"]);
    expect(result.state["write_up_output"]).toContain("[simulated]");
    const broken = await worker.dispatchFetch("http://edge.test/", { method: "POST", body: "{" });
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { code: "not_json" } }]);
  } finally {
    await worker.dispose();
    rmSync(folder, { recursive: true });
  }
});

test("an example with tools in JavaScript runs at the edge", async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page.getByText("Honey orders").click();
  const { folder, file } = await download(page);
  const worker = await serve(file, {});
  try {
    const answer = await worker.dispatchFetch("http://edge.test/", { method: "POST" });
    expect(await answer.json()).toMatchObject({ status: "done" });
  } finally {
    await worker.dispose();
    rmSync(folder, { recursive: true });
  }
});

test("a key is set at the edge, is in no file, and goes to its endpoint only", async ({ page }) => {
  const seen: (string | undefined)[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    request.resume();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "1", object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", content: "Hi." }, finish_reason: "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1 } }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  await openDocument(page, asking(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, "MY_KEY"));
  const { folder, file, commands } = await download(page);
  expect(commands).toContain("npx wrangler@4 secret put MY_KEY --name ask");
  expect(readFileSync(file, "utf8")).not.toContain("sk-edge");
  const worker = await serve(file, { MY_KEY: "sk-edge", ACCESS_TOKEN: "open" });
  try {
    const refused = await worker.dispatchFetch("http://edge.test/", { method: "POST" });
    expect(refused.status).toBe(401);
    const answer = await worker.dispatchFetch("http://edge.test/", { method: "POST", headers: { authorization: "Bearer open" } });
    const result = (await answer.json()) as { state: Record<string, string> };
    expect(result.state).toEqual({ ask_output: "Hi." });
    expect(seen).toEqual(["Bearer sk-edge"]);
  } finally {
    await worker.dispose();
    server.close();
    rmSync(folder, { recursive: true });
  }
});
