// What comes in files of its own, once the first card is shown.
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, type Page } from "@playwright/test";
import { importText, kind, openBuilder, openDocument, picture, run, talking, written } from "./builder.js";

const DIST = fileURLToPath(new URL("../../web/dist", import.meta.url));
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml" };

/** The files that are not listed in the page itself, and so not counted by `cargo xtask size`. */
const LATER = /\/(split_|chunk_)[^/]*\.wasm$/;

async function openExport(page: Page): Promise<void> {
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Export…").click();
}

test("the first card waits for nothing that the page does not list", async ({ page, request }) => {
  const listed = new Set([...(await (await request.get("/")).text()).matchAll(/"\.\/(assets\/[^"]+)"/g)].map(([, file]) => `/${file}`));
  const requested: string[] = [];
  // Whatever else is requested is never answered.
  await page.route("**/assets/**", async (route) => {
    const { pathname } = new URL(route.request().url());
    requested.push(pathname);
    if (listed.has(pathname)) await route.continue();
  });
  await openBuilder(page);
  await expect(page.locator(".inspector [aria-busy=true]")).toHaveCount(1);
  await expect.poll(() => requested.filter((file) => LATER.test(file)).length).toBeGreaterThan(0);
});

test("a file that does not come is reported where it is missed, and tried again", { tag: "@firefox" }, async ({ page }) => {
  await page.route(LATER, (route) => route.abort());
  await openBuilder(page);
  const inspector = page.locator(".inspector");
  await expect(inspector.getByRole("alert")).toContainText("The inspector did not come");
  // Nobody could be asked where a run may send to, so none begins.
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".notice")).toContainText("The run did not begin: a file of the builder could not be loaded");
  await openExport(page);
  const dialog = page.getByRole("dialog", { name: "Export the workflow" });
  await expect(dialog.getByRole("alert")).toContainText("Your workflow is kept");
  // Nothing has come back yet.
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await page.unroute(LATER);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(dialog.getByRole("button", { name: "Download the JSON", exact: true })).toBeFocused();
  await page.keyboard.press("Escape");
  // The rest of the page works without the inspector.
  await page.locator(".card").first().click();
  await inspector.getByRole("button", { name: "Try again" }).click();
  await expect(inspector.getByLabel("Name")).toHaveValue("research");
});

test("a chat is there after the files of the views came only at a second try", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, talking({ provider: "demo", model: "demo" }));
  const button = page.locator(".topbar").getByRole("button", { name: "Chat" });
  const box = page.locator(".chat").getByRole("textbox", { name: "Message" });
  const log = page.getByRole("log", { name: "Conversation" });
  await button.click();
  await box.fill("What do bees do?");
  await box.press("Enter");
  await expect(log.locator(".markdown")).not.toBeEmpty();
  await expect(log).toHaveAttribute("aria-busy", "false");
  const said = await log.locator(".markdown").textContent();
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.route(LATER, (route) => route.abort());
  await page.reload();
  const inspector = page.locator(".inspector");
  await expect(inspector.getByRole("alert")).toContainText("The inspector did not come");
  await page.unroute(LATER);
  await inspector.getByRole("button", { name: "Try again" }).click();
  await button.click();
  await expect(log.locator(".chat-turn")).toHaveCount(1);
  await expect(log).toContainText("What do bees do?");
  await expect(log.locator(".markdown")).toHaveText(said ?? "");
  // It goes on with what was said before.
  await box.fill("And why?");
  await box.press("Enter");
  await expect(log.locator(".chat-turn")).toHaveCount(2);
  await expect(log).toHaveAttribute("aria-busy", "false");
  await page.reload();
  await button.click();
  await expect(log.locator(".chat-turn")).toHaveCount(2);
});

test("what is typed for a new step before its form is there stands in the form", { tag: "@firefox" }, async ({ page }) => {
  let come = (): void => {};
  const mayCome = new Promise<void>((resolve) => void (come = resolve));
  await page.route(/\/split_views[^/]*\.wasm$/, async (route) => {
    await mayCome;
    await route.continue();
  });
  await openBuilder(page);
  const cards = await page.locator(".card").count();
  await kind(page, "agent").click();
  await page.keyboard.type("Write two words.");
  // None of the letters has been a command.
  await expect(page.locator(".card")).toHaveCount(cards + 1);
  come();
  const prompt = page.locator(".inspector").getByLabel("Prompt");
  await expect(prompt).toBeFocused();
  await page.keyboard.type(" Or three.");
  await expect.poll(() => written(prompt)).toBe("Write two words. Or three.");
  await expect(page.locator(".card")).toHaveCount(cards + 1);
});

test("who is offline later has all of the page", { tag: "@firefox" }, async ({ page, context }) => {
  const dialogs = page.waitForResponse(/\/split_dialogs[^/]*\.wasm$/);
  await openBuilder(page);
  await (await dialogs).finished();
  await expect(page.locator(".inspector").getByLabel("Name")).toBeVisible();
  await context.setOffline(true);
  await openExport(page);
  await expect(page.getByRole("dialog").getByRole("button", { name: "Download the JSON", exact: true })).toBeFocused();
});

test("a template is loaded when it is chosen, and an error is shown when it is not", { tag: "@firefox" }, async ({ page, context }) => {
  const dialogs = page.waitForResponse(/\/split_dialogs[^/]*\.wasm$/);
  await openBuilder(page);
  await (await dialogs).finished();
  const title = page.getByLabel("Name of the workflow");
  const open = async (name: string): Promise<void> => {
    await page.getByRole("button", { name: "File", exact: true }).click();
    await page.getByRole("button", { name }).click();
  };
  await context.setOffline(true);
  await open("Honey orders");
  await expect(page.locator(".notice")).toContainText("“Honey orders” could not be loaded");
  await expect(title).toHaveValue("Research report");
  await context.setOffline(false);
  await open("Honey orders");
  await expect(title).toHaveValue("Honey orders");
});

test("the page may lie in any folder of a site", { tag: "@firefox" }, async ({ page }) => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (!pathname.startsWith("/tools/builder/")) return void response.writeHead(404).end();
    const file = normalize(pathname.slice("/tools/builder".length)).replace(/\/$/, "/index.html");
    response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
    createReadStream(join(DIST, file)).on("error", () => response.writeHead(404).end()).pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/tools/builder/`);
    await expect(page.locator(".inspector").getByLabel("Name")).toHaveValue("Research report");
    await openExport(page);
    await expect(page.getByRole("dialog").getByRole("button", { name: "Download the JSON", exact: true })).toBeVisible();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a run for which a file is missing says that it is the network", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Count", steps: [{ id: "s1", type: "function", name: "count", run: { set: { n: "1" } } }] });
  // The page and what checks workflows are here by then; what only a run needs comes with the first one.
  await expect.poll(() => page.workers().length).toBe(1);
  await page.waitForLoadState("networkidle");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const failure = page.locator(".panel .failure");
  await expect(failure).toContainText("a file of the builder could not be loaded. Are you online?");
  await expect(failure).not.toContainText("fault of Stepweave");
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
});

test("code that begins offline says that there is no connection, and runs once there is one", async ({ page, context }) => {
  const runButton = page.getByRole("button", { name: "Run", exact: true });
  const workflow = (name: string, run: object): object => ({ version: 1, name, steps: [{ id: "s1", type: "function", name: "count", run }] });
  await openDocument(page, workflow("Set", { set: { n: "1" } }));
  // What any run needs is here after the first one.
  await run(page);
  await importText(page, JSON.stringify(workflow("Count", { code: "return { n: 1 };" })));
  await expect(page.getByLabel("Name of the workflow")).toHaveValue("Count");
  await context.setOffline(true);
  await runButton.click();
  const failure = page.locator(".panel .failure");
  await expect(failure).toContainText("the file of the builder that runs code did not come: this browser has no connection");
  await expect(failure).toContainText("connect this device, and run it again");
  await expect(failure).not.toContainText("import");
  await picture(page, "code-offline");
  await context.setOffline(false);
  await runButton.click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
});
