// What goes on belongs to the workflow that it began in, whichever one is open meanwhile. The ids of steps are the same in all of them.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type Page } from "@playwright/test";
import { card, importText, openDocument, openLibrary, picture } from "./builder.js";

const sign = { id: "s2", type: "approval", name: "sign", message: "Agreed?", schema: { type: "integer" } };

/** A workflow that waits, then asks a person. */
const waiting = (name: string, ms: number): object => ({ version: 1, name, steps: [{ id: "s1", type: "wait", name: "pause", wait: { ms } }, sign] });

const summary = (page: Page) => page.locator(".run-summary");
const banner = (page: Page) => page.locator(".banner");
const title = (page: Page) => page.locator(".title-input");

async function enter(page: Page, name: string): Promise<void> {
  const library = await openLibrary(page);
  await library.getByRole("button", { name: new RegExp(`^${name}`) }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(title(page)).toHaveValue(name);
}

async function begin(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(summary(page)).toHaveAttribute("data-status", "running");
}

test("a run goes on while another workflow is open, where nothing of it is shown", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, waiting("One", 3_600_000));
  await expect(page).toHaveTitle("One · Stepweave");
  await begin(page);
  await importText(page, JSON.stringify(waiting("Two", 1)));
  await expect(title(page)).toHaveValue("Two");
  await expect(page).toHaveTitle("Two · Stepweave");
  await expect(banner(page)).toContainText("“One” is running.");
  await picture(page, "run-elsewhere");
  await expect(summary(page)).toHaveCount(0);
  await expect(card(page, "pause").locator(".state")).toHaveCount(0);
  // One run at a time: the page says which one is in the way.
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".notice")).toContainText("“One” is running. Stop it");
  await expect(summary(page)).toHaveCount(0);
  await banner(page).getByRole("button", { name: "Show it" }).click();
  await expect(title(page)).toHaveValue("One");
  await expect(banner(page)).toHaveCount(0);
  await expect(summary(page)).toHaveAttribute("data-status", "running");
  await expect(card(page, "pause").locator(".state")).toHaveAttribute("data-status", "running");
  await enter(page, "Two");
  await banner(page).getByRole("button", { name: "Stop it" }).click();
  await expect(banner(page)).toHaveCount(0);
  await expect(summary(page)).toHaveCount(0);
  // What was in the way is gone.
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(summary(page)).toHaveAttribute("data-status", "suspended");
  await enter(page, "One");
  await expect(summary(page)).toHaveAttribute("data-status", "cancelled");
});

test("a run that comes to its question while another workflow is open asks it in its own", async ({ page }) => {
  await openDocument(page, waiting("One", 2_500));
  await begin(page);
  await importText(page, JSON.stringify(waiting("Two", 1)));
  await expect(banner(page)).toContainText("“One” is running.");
  await expect(banner(page)).toHaveCount(0);
  await expect(summary(page)).toHaveCount(0);
  await enter(page, "One");
  await expect(summary(page)).toHaveAttribute("data-status", "suspended");
  await card(page, "sign").click();
  const form = page.getByRole("form", { name: "Answer" });
  await form.getByLabel("Answer").fill("3");
  await form.getByRole("button", { name: "Send and go on" }).click();
  await expect(summary(page)).toHaveAttribute("data-status", "done");
  // After a reload there is nothing to be taken up.
  await page.reload();
  await expect(card(page, "sign")).toBeVisible();
  await expect(banner(page)).toHaveCount(0);
});

test("a workflow that is deleted while it runs runs no more", async ({ page }) => {
  await openDocument(page, waiting("One", 3_600_000));
  await begin(page);
  let library = await openLibrary(page);
  await library.getByRole("button", { name: "Delete One", exact: true }).click();
  await expect(library.locator(".library-done")).toContainText("“One” is deleted.");
  await page.keyboard.press("Escape");
  await expect(banner(page)).toHaveCount(0);
  await expect(summary(page)).toHaveCount(0);
  // So does one that is not open.
  await importText(page, JSON.stringify(waiting("Two", 3_600_000)));
  await begin(page);
  await importText(page, JSON.stringify(waiting("Three", 1)));
  await expect(banner(page)).toContainText("“Two” is running.");
  library = await openLibrary(page);
  await library.getByRole("button", { name: "Delete Two", exact: true }).click();
  await page.keyboard.press("Escape");
  await expect(banner(page)).toHaveCount(0);
});

test("what was typed into a request that is tried, and its failure, are of one workflow", async ({ page }) => {
  const trying = (name: string): string => JSON.stringify({ version: 1, name, steps: [{ id: "s1", type: "http", name: "get", http: { url: `http://127.0.0.1:9/${name}?q={{ q }}` } }] });
  await openDocument(page, JSON.parse(trying("One")) as object);
  const attempt = page.getByRole("group", { name: "Try this request" });
  const dialog = page.getByRole("dialog", { name: "Try this request" });
  await card(page, "get").click();
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await dialog.getByLabel("q", { exact: true }).fill("PRIVATE");
  await dialog.getByRole("button", { name: "Send once" }).click();
  await expect(attempt.locator(".failure")).not.toBeEmpty();
  await importText(page, trying("Two"));
  await expect(title(page)).toHaveValue("Two");
  await card(page, "get").click();
  await expect(page.getByRole("button", { name: "Try", exact: true })).toBeVisible();
  await expect(attempt.locator(".failure")).toHaveCount(0);
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await expect(dialog.getByLabel("q", { exact: true })).toHaveValue("");
});

test("the answer to a request that is tried never becomes a sample of another workflow", async ({ page }) => {
  let answer = (): void => {};
  const server = createServer((_, response) => {
    response.setHeader("access-control-allow-origin", "*");
    answer = () => void response.end("late");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const trying = (name: string): object => ({ version: 1, name, steps: [{ id: "s1", type: "http", name: "get", http: { url } }] });
    await openDocument(page, trying("One"));
    await card(page, "get").click();
    await page.getByRole("button", { name: "Try", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Try this request" });
    // The relay of this server does not reach this site, so it is not proposed.
    await expect(dialog.getByRole("button", { name: "Send once" })).toBeVisible();
    await expect(dialog.getByText("Requests go through the relay of this server")).toHaveCount(0);
    const [request] = await Promise.all([page.waitForRequest(url), dialog.getByRole("button", { name: "Send once" }).click()]);
    expect(request.method()).toBe("GET");
    await importText(page, JSON.stringify(trying("Two")));
    await expect(title(page)).toHaveValue("Two");
    answer();
    for (const name of ["Two", "One"]) {
      if (name === "One") await enter(page, name);
      await card(page, "get").click();
      await expect(page.getByRole("button", { name: "Try", exact: true })).toBeVisible();
      await expect(page.getByRole("group", { name: "Sample answer" })).toHaveCount(0);
    }
  } finally {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});
