import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { asking, card, importText, openBuilder, openDocument, picture } from "./builder.js";

const KEY = "sk-very-secret-1234";
let server: Server;
let url: string;
let received: string[];
/** Whether requests get no answer. */
let isSilent: boolean;

test.beforeEach(async () => {
  received = [];
  isSilent = false;
  server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    received.push(request.headers.authorization ?? "no key");
    if (isSilent) return;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Hello." } }] })}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});

test.afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Everything that the browser stores for the page, as one text. */
function stored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const found: unknown[] = [{ ...localStorage }, { ...sessionStorage }, location.href, document.cookie];
    for (const { name } of await indexedDB.databases()) {
      const database = await new Promise<IDBDatabase>((done, fail) => {
        const request = indexedDB.open(name ?? "");
        request.onsuccess = () => done(request.result);
        request.onerror = () => fail(request.error);
      });
      for (const table of database.objectStoreNames) {
        found.push(await new Promise((done) => {
          const request = database.transaction(table).objectStore(table).getAll();
          request.onsuccess = () => done(request.result);
        }));
      }
      database.close();
    }
    return JSON.stringify(found);
  });
}

async function remember(page: Page, passphrase: string): Promise<void> {
  await openDocument(page, asking(url, "MY_KEY"));
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("API key").fill(KEY);
  await dialog.getByRole("button", { name: "Remember on this device…" }).click();
  await dialog.getByLabel("New passphrase").fill("short");
  await dialog.getByLabel("The same once more").fill("short");
  await dialog.getByRole("button", { name: "Remember", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("At least 8 characters");
  await dialog.getByLabel("New passphrase").fill(passphrase);
  await dialog.getByRole("button", { name: "Remember", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("The two are not the same.");
  await dialog.getByLabel("The same once more").fill(passphrase);
  await dialog.getByRole("button", { name: "Remember", exact: true }).click();
  await expect(dialog).toContainText("encrypted on this device with your passphrase");
  await dialog.getByRole("button", { name: "Save" }).click();
}

test("a key is remembered encrypted, asked for once in a visit, and goes to its origin alone", async ({ page }) => {
  await remember(page, "four bees in a hive");
  await expect.poll(() => stored(page)).toContain("stepweave.keys");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect.poll(() => received).toEqual([`Bearer ${KEY}`]);
  const kept = await stored(page);
  expect(kept).not.toContain(KEY);
  expect(kept).not.toContain(btoa(KEY));
  expect(kept).not.toContain("four bees");
  const { rounds } = JSON.parse(await page.evaluate(() => localStorage.getItem("stepweave.keys") ?? "{}")) as { rounds: number };
  expect(rounds).toBeGreaterThanOrEqual(600_000);

  await page.reload();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Unlock your keys" });
  await dialog.getByLabel("Passphrase").fill("three bees in a hive");
  await dialog.getByRole("button", { name: "Unlock" }).click();
  await expect(dialog.getByRole("alert")).toContainText("This is not the passphrase");
  expect(await findings(page)).toEqual([]);
  await picture(page, "unlock-keys");
  await dialog.getByLabel("Passphrase").fill("four bees in a hive");
  await dialog.getByRole("button", { name: "Unlock" }).click();
  await page.getByRole("button", { name: "Send and run" }).click();
  await expect.poll(() => received).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect.poll(() => received.length).toBe(3);
});

/** Unlocks the keys for what asks for them, and lets it send. */
async function unlockAndSend(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Unlock your keys" });
  await dialog.getByLabel("Passphrase").fill("four bees in a hive");
  await dialog.getByRole("button", { name: "Unlock" }).click();
  await page.getByRole("button", { name: "Send and run" }).click();
}

test("a run that an earlier visit left asks for the passphrase before it goes on", async ({ page }) => {
  await remember(page, "four bees in a hive");
  isSilent = true;
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect.poll(() => received).toEqual([`Bearer ${KEY}`]);
  isSilent = false;
  await page.reload();
  await page.locator(".banner").getByRole("button", { name: "Go on" }).click();
  await unlockAndSend(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  expect(received).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
});

test("an answer to a run of an earlier visit asks for the passphrase before it is given", async ({ page }) => {
  await remember(page, "four bees in a hive");
  const { steps, ...rest } = asking(url, "MY_KEY") as { steps: object[] };
  await importText(page, JSON.stringify({ ...rest, name: "Review", steps: [{ id: "s0", type: "approval", name: "review", message: "Send it?", schema: { type: "object", required: ["approved"], properties: { approved: { type: "boolean" } } } }, ...steps] }));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const summary = page.locator(".run-summary");
  await expect(summary).toHaveAttribute("data-status", "suspended");
  await page.reload();
  await page.locator(".banner").getByRole("button", { name: "Show it" }).click();
  await expect(summary).toHaveAttribute("data-status", "suspended");
  // To look at it needs no key.
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByRole("form", { name: "Answer" }).getByRole("button", { name: "Approve" }).click();
  await unlockAndSend(page);
  await expect(summary).toHaveAttribute("data-status", "done");
  expect(received).toEqual([`Bearer ${KEY}`]);
});

test("a request that is tried, and tests, ask for the passphrase first", async ({ page }) => {
  await remember(page, "four bees in a hive");
  await importText(page, JSON.stringify({ version: 1, name: "Get", steps: [{ id: "s1", type: "http", name: "get", http: { url, auth: { bearer: { secret: "MY_KEY" } } } }] }));
  await expect(card(page, "get")).toBeVisible();
  await page.reload();
  await card(page, "get").click();
  await page.getByRole("button", { name: "Try", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Unlock your keys" });
  await dialog.getByLabel("Passphrase").fill("four bees in a hive");
  await dialog.getByRole("button", { name: "Unlock" }).click();
  await page.getByRole("button", { name: "Send once" }).click();
  await expect.poll(() => received).toEqual([`Bearer ${KEY}`]);

  await page.reload();
  await page.getByRole("button", { name: "File" }).click();
  await page.getByRole("button", { name: /^Tests…/ }).click();
  const tests = page.getByRole("dialog", { name: "Tests" });
  await tests.getByRole("textbox", { name: "Tests" }).fill('{ "cases": [{ "name": "gets", "expect": { "status": "done" } }] }');
  await tests.getByRole("button", { name: "Run the tests" }).click();
  await dialog.getByLabel("Passphrase").fill("four bees in a hive");
  await dialog.getByRole("button", { name: "Unlock" }).click();
  await expect(tests.getByRole("textbox", { name: "Tests" })).toContainText('"gets"');
});

test("no field for a key or a passphrase is one of a sign-in, and none is read over a shoulder", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, asking(url, "MY_KEY"));
  const dialog = await settings(page);
  await dialog.getByRole("button", { name: "Remember on this device…" }).click();
  for (const label of ["API key", "New passphrase", "The same once more"]) {
    const field = dialog.getByLabel(label);
    await expect(field).toHaveAttribute("type", "text");
    await expect(field).toHaveAttribute("autocomplete", "off");
    await expect(field).toHaveAttribute("autocapitalize", "off");
    await expect(field).toHaveCSS("-webkit-text-security", "disc");
  }
  await expect(page.locator("input[type=password]")).toHaveCount(0);
});

/** Opens the dialog of the endpoint. */
async function settings(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  return page.getByRole("dialog", { name: "Endpoint" });
}

async function unlock(page: Page, passphrase: string): Promise<Locator> {
  const dialog = await settings(page);
  await dialog.getByLabel("Passphrase").fill(passphrase);
  await dialog.getByRole("button", { name: "Unlock" }).click();
  await expect(dialog.getByRole("button", { name: "Change the passphrase…" })).toBeVisible();
  return dialog;
}

/** The keys that this device remembers, as a visit that knows the passphrase shows them. */
async function remembered(page: Page, passphrase: string, names: string[]): Promise<string[]> {
  await page.reload();
  const dialog = await unlock(page, passphrase);
  const values: string[] = [];
  for (const name of names) {
    await dialog.getByLabel("Name of the key").fill(name);
    values.push(await dialog.getByLabel("API key").inputValue());
  }
  return values;
}

async function give(page: Page, name: string, key: string): Promise<void> {
  const before = await page.evaluate(() => localStorage.getItem("stepweave.keys"));
  const dialog = await settings(page);
  await dialog.getByLabel("Name of the key").fill(name);
  await dialog.getByLabel("API key").fill(key);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => page.evaluate(() => localStorage.getItem("stepweave.keys"))).not.toBe(before);
}

test("keys that are unlocked in the dialog are shown there, and stay when it is saved", async ({ page }) => {
  await remember(page, "four bees in a hive");
  await expect.poll(() => stored(page)).toContain("stepweave.keys");
  await page.reload();
  const dialog = await unlock(page, "four bees in a hive");
  await expect(dialog.getByLabel("API key")).toHaveValue(KEY);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect.poll(() => received).toEqual([`Bearer ${KEY}`]);
  expect(await remembered(page, "four bees in a hive", ["MY_KEY"])).toEqual([KEY]);
});

test("a dialog that is saved while the keys are locked, or another place has the key, takes none away", async ({ page }) => {
  await remember(page, "four bees in a hive");
  await expect.poll(() => stored(page)).toContain("stepweave.keys");
  await page.reload();
  const dialog = await settings(page);
  await dialog.getByLabel("Model", { exact: true }).fill("tiny-2");
  await dialog.getByRole("button", { name: "Save" }).click();
  expect(await remembered(page, "four bees in a hive", ["MY_KEY"])).toEqual([KEY]);
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await settings(page);
  await dialog.getByLabel("API key").fill("");
  await expect(dialog.getByText("When you save, the page forgets the key of this name.")).toBeVisible();
  await dialog.getByLabel("Base URL").fill("http://127.0.0.1:9/v1");
  await expect(dialog.getByText("The key of this name goes to")).toBeVisible();
  await picture(page, "endpoint-key-elsewhere");
  await dialog.getByLabel("Base URL").fill(url);
  await expect(dialog.getByLabel("API key")).toHaveValue(KEY);
  await dialog.getByLabel("API key").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await settings(page);
  await expect(dialog.getByLabel("API key")).toHaveValue("");
});

test("two models that name one key at two addresses keep it when one of them is changed", async ({ page }) => {
  const at = (baseUrl: string): object => ({ provider: "openai", model: "tiny", baseUrl, apiKey: { secret: "MY_KEY" } });
  await openDocument(page, { ...asking(url), models: { real: at(url), other: at("http://127.0.0.1:9/v1") } });
  const dialog = await settings(page);
  await dialog.getByLabel("API key").fill(KEY);
  await dialog.getByRole("button", { name: "Save" }).click();
  await settings(page);
  await dialog.getByLabel("Model of the workflow").selectOption("other");
  await expect(dialog.getByLabel("API key")).toHaveValue("");
  await expect(dialog.getByText(`The key of this name goes to ${new URL(url).origin} only.`)).toBeVisible();
  await dialog.getByLabel("Model", { exact: true }).fill("tiny-2");
  await dialog.getByRole("button", { name: "Save" }).click();
  await settings(page);
  await expect(dialog.getByLabel("API key")).toHaveValue(KEY);
  // The same key may go to both.
  await dialog.getByLabel("Model of the workflow").selectOption("other");
  await dialog.getByLabel("API key").fill(KEY);
  await expect(dialog).toContainText(`Its value is sent to ${new URL(url).origin} and http://127.0.0.1:9 only.`);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect.poll(() => received).toEqual([`Bearer ${KEY}`]);
});

test("two tabs remember each other's keys, and what one of them removes stays removed", { tag: "@firefox" }, async ({ page, context }) => {
  const passphrase = "four bees in a hive";
  await remember(page, passphrase);
  await expect.poll(() => stored(page)).toContain("stepweave.keys");
  const other = await context.newPage();
  await openBuilder(other);
  await openDocument(other, asking(url, "MY_KEY"));
  await (await unlock(other, passphrase)).getByRole("button", { name: "Cancel" }).click();
  await give(other, "KEY_TWO", "sk-two");
  await give(page, "MY_KEY", "sk-changed");
  expect(await remembered(other, passphrase, ["MY_KEY", "KEY_TWO"])).toEqual(["sk-changed", "sk-two"]);
  await other.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  // The first tab has not heard of the second key, and takes its own away.
  await give(page, "MY_KEY", "");
  expect(await remembered(page, passphrase, ["MY_KEY", "KEY_TWO"])).toEqual(["", "sk-two"]);
});

test("a tab stores nothing over keys of another passphrase, nor what another tab has forgotten", async ({ page, context }) => {
  await remember(page, "four bees in a hive");
  await expect.poll(() => stored(page)).toContain("stepweave.keys");
  const other = await context.newPage();
  await openDocument(other, asking(url, "MY_KEY"));
  const theirs = await unlock(other, "four bees in a hive");
  await theirs.getByRole("button", { name: "Change the passphrase…" }).click();
  await theirs.getByLabel("New passphrase").fill("five wasps in a nest");
  await theirs.getByLabel("The same once more").fill("five wasps in a nest");
  await theirs.getByRole("button", { name: "Remember", exact: true }).click();
  await expect(theirs.getByRole("button", { name: "Change the passphrase…" })).toBeVisible();

  const dialog = await settings(page);
  await dialog.getByLabel("API key").fill("sk-changed");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Another tab has this device remember keys")).toBeVisible();
  await unlock(page, "five wasps in a nest");
  await expect(dialog.getByLabel("API key")).toHaveValue("sk-changed");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await remembered(other, "five wasps in a nest", ["MY_KEY"])).toEqual(["sk-changed"]);

  await theirs.getByRole("button", { name: "Forget all keys" }).click();
  await settings(page);
  await dialog.getByLabel("API key").fill("sk-again");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The keys of this device were forgotten in another tab")).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem("stepweave.keys"))).toBeNull();
});

test("another passphrase takes the place of the first, and keys can be forgotten", async ({ page }) => {
  await remember(page, "four bees in a hive");
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Change the passphrase…" }).click();
  await dialog.getByLabel("New passphrase").fill("five wasps in a nest");
  await dialog.getByLabel("The same once more").fill("five wasps in a nest");
  await picture(page, "new-passphrase");
  await dialog.getByRole("button", { name: "Remember", exact: true }).click();
  await expect(dialog.getByRole("button", { name: "Change the passphrase…" })).toBeVisible();
  await page.reload();
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  await dialog.getByLabel("Passphrase").fill("four bees in a hive");
  await dialog.getByRole("button", { name: "Unlock" }).click();
  await expect(dialog.getByRole("alert")).toContainText("This is not the passphrase");
  await dialog.getByLabel("Passphrase").fill("five wasps in a nest");
  await dialog.getByRole("button", { name: "Unlock" }).click();
  await expect(dialog.getByRole("button", { name: "Change the passphrase…" })).toBeVisible();
  await dialog.getByRole("button", { name: "Forget all keys" }).click();
  await expect(dialog.getByRole("button", { name: "Remember on this device…" })).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem("stepweave.keys"))).toBeNull();
});

test("a run goes on without keys that stay locked, and the person is not asked again", async ({ page }) => {
  await remember(page, "four bees in a hive");
  await expect.poll(() => stored(page)).toContain("stepweave.keys");
  await page.reload();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Run without them" }).click();
  await page.getByRole("button", { name: "Send and run" }).click();
  await expect(page.locator(".run-steps .failure")).toContainText("the workflow needs the secret MY_KEY");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(received).toEqual([]);
});
