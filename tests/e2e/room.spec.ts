// Where the browser keeps what is stored, and what a person is shown when it has no more room or has thrown it away.
import { randomBytes } from "node:crypto";
import { expect, test, type Page } from "@playwright/test";
import { card, downloaded, kind, openBuilder } from "./builder.js";

test.skip(({ browserName }) => browserName !== "chromium", "only Chromium lets a test say how much room there is");

/** Room that the page does not need all of. */
const ROOM = 2_000_000;

/** What sets how many bytes the pages of this origin may store, which holds as long as its session. */
async function roomOf(page: Page): Promise<(quotaSize: number) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(test.info().project.use.baseURL ?? "");
  return async (quotaSize) => void (await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize }));
}

/** What the browser says to so many bytes more, in a database that is not the builder's. They are random, since Chromium compresses what it stores. */
async function refusal(page: Page, bytes: number): Promise<string | undefined> {
  return page.evaluate(
    (text) =>
      new Promise<string | undefined>((said) => {
        const opened = indexedDB.open("probe");
        opened.onupgradeneeded = () => opened.result.createObjectStore("probe");
        opened.onerror = () => said(opened.error?.name);
        opened.onsuccess = () => {
          const database = opened.result;
          const transaction = database.transaction("probe", "readwrite");
          transaction.objectStore("probe").put(text, "probe");
          const end = (): void => {
            database.close();
            said(transaction.error?.name);
          };
          transaction.oncomplete = end;
          transaction.onabort = end;
        };
      }),
    randomBytes(bytes / 2).toString("hex"),
  );
}

test("a full store is reported, the work can be exported, and with room again it is stored", async ({ page }) => {
  // The browser lets writes pass that fit into the room that it last found, so there never is more than is needed below.
  const makeRoom = await roomOf(page);
  await makeRoom(ROOM);
  await openBuilder(page);
  await expect(page.locator(".saved")).toHaveText("Saved");
  expect(await refusal(page, 2)).toBeUndefined();
  await makeRoom(1);
  expect(await refusal(page, ROOM)).toBe("QuotaExceededError");
  await page.locator(".title-input").fill("Precious");
  await kind(page, "wait").click();
  const alert = page.getByRole("alert").filter({ hasText: "there is no room left" });
  await expect(alert).toBeVisible();
  await expect(page.locator(".saved")).toHaveText("Not saved");
  // Work goes on, and all of it is in the file.
  await kind(page, "function").click();
  await expect(card(page, "function")).toBeVisible();
  await alert.getByRole("button", { name: "Export…" }).click();
  const { text } = await downloaded(page, () => page.getByRole("dialog").getByRole("button", { name: "Download" }).click());
  const { name, steps } = JSON.parse(text) as { name: string; steps: { name: string }[] };
  expect(name).toBe("Precious");
  expect(steps.map((step) => step.name)).toEqual(expect.arrayContaining(["wait", "function"]));
  await page.keyboard.press("Escape");
  await makeRoom(2 * ROOM);
  await kind(page, "loop").click();
  await expect(alert).toHaveCount(0);
  await expect(page.locator(".saved")).toHaveText("Saved");
  // What was refused is there too, and can be undone.
  await page.reload();
  for (const name of ["wait", "function", "loop"]) await expect(card(page, name)).toBeVisible();
  for (let step = 0; step < 3; step += 1) await page.getByRole("button", { name: "Undo" }).click();
  await expect(card(page, "wait")).toHaveCount(0);
});

test("a store that the browser has thrown away is reported, and the open work can be exported", async ({ page }) => {
  await openBuilder(page);
  await page.locator(".title-input").fill("Precious");
  await expect(page.locator(".saved")).toHaveText("Saved");
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin: new URL(page.url()).origin, storageTypes: "indexeddb" });
  const alert = page.getByRole("alert").filter({ hasText: "thrown away" });
  await expect(alert).toBeVisible();
  await kind(page, "wait").click();
  await expect(page.locator(".saved")).toHaveText("Not saved");
  await alert.getByRole("button", { name: "Export…" }).click();
  const { text } = await downloaded(page, () => page.getByRole("dialog").getByRole("button", { name: "Download" }).click());
  expect(JSON.parse(text)).toMatchObject({ name: "Precious", steps: expect.arrayContaining([expect.objectContaining({ name: "wait" })]) as unknown });
});

test("the browser is asked to keep what is stored when a person makes something of their own", async ({ page }) => {
  await page.addInitScript(() => {
    const counted = globalThis as { requests?: number };
    const real = navigator.storage.persist.bind(navigator.storage);
    navigator.storage.persisted = () => Promise.resolve(false);
    navigator.storage.persist = () => {
      counted.requests = (counted.requests ?? 0) + 1;
      return real();
    };
  });
  await openBuilder(page);
  const requests = () => page.evaluate(() => (globalThis as { requests?: number }).requests ?? 0);
  // Nothing is requested just because the page was opened.
  expect(await requests()).toBe(0);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("An empty workflow").click();
  await expect(page.locator(".card")).toHaveCount(0);
  await expect.poll(requests).toBe(1);
});
