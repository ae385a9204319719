// `stepweave serve --builder`: the builder beside the served document, which it opens.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";
import { card, openLibrary } from "./builder.js";

const CLI = fileURLToPath(new URL("../../pkg/dist/cli.js", import.meta.url));
const greet = {
  version: 1,
  name: "Greet someone",
  initialState: { who: "Ada" },
  steps: [{ id: "hello", type: "function", name: "hello", run: { set: { greeting: "'Hello ' ~ who" } } }],
};

let folder: string;
let server: ChildProcess;
/** What the program says is the address of the builder. */
let address: string;

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepweave-serve-"));
  writeFileSync(join(folder, "say hello.json"), JSON.stringify(greet));
  server = spawn(process.execPath, [CLI, "serve", "say hello.json", "--builder", "--port", "0"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  let written = "";
  while (!written.includes("#open=")) {
    const [chunk] = await once(server.stdout!, "data");
    written += String(chunk);
  }
  address = /http:\S+#open=\S+/.exec(written)![0];
});
test.afterAll(async () => {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(folder, { recursive: true });
});

test("the builder opens a copy of the served document, and runs it", async ({ page }) => {
  await page.goto(address);
  await expect(page.getByLabel("Name of the workflow")).toHaveValue("Greet someone");
  await card(page, "hello").waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("Hello Ada").first()).toBeVisible();
  // Another look at the file is another copy, of what it holds now.
  writeFileSync(join(folder, "say hello.json"), JSON.stringify({ ...greet, name: "Greet again" }));
  await page.goto(address);
  await expect(page.getByLabel("Name of the workflow")).toHaveValue("Greet again");
  // A reload is none.
  await page.reload();
  await expect(page.getByLabel("Name of the workflow")).toHaveValue("Greet again");
  await expect((await openLibrary(page)).getByText("Greet again", { exact: true })).toHaveCount(1);
});

test("a link cannot bring a file of another site along", async ({ page, baseURL }) => {
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  const elsewhere = new URL("/elsewhere.json", baseURL).href;
  await page.goto(`${address.split("#")[0]}#open=${encodeURIComponent(elsewhere)}`);
  await expect(page.getByLabel("Name of the workflow")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(requested).not.toContain(elsewhere);
});

test("nothing is served but the page and the document", async ({ request }) => {
  const builder = address.split("#")[0]!;
  for (const [path, status] of [["index.html", 200], ["say%20hello.json", 200], ["other.json", 404], ["%2e%2e/package.json", 404], ["..%2fpackage.json", 404], ["assets", 404]] as const) {
    expect((await request.get(builder + path)).status(), path).toBe(status);
  }
  expect((await request.post(builder)).status()).toBe(405);
  const port = new URL(builder).port;
  expect((await request.get(builder, { headers: { host: `evil.example:${port}` } })).status()).toBe(421);
});
