import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { findings } from "./axe.js";
import { openBuilder, openLibrary, picture } from "./builder.js";

const folder = new URL("../../examples/", import.meta.url);
const documents = ["./", "patterns/"].flatMap((inner) => readdirSync(new URL(inner, folder)).filter((file) => file.endsWith(".json")).map((file) => JSON.parse(readFileSync(new URL(inner + file, folder), "utf8")) as { name: string }));

test("templates are found by words, shown with pictures and opened beside the work", async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("All templates…").click();
  const gallery = page.getByRole("dialog", { name: "Templates" });
  await expect(gallery.locator(".gallery-card")).toHaveCount(documents.length);
  // Each picture is drawn by the layout.
  await expect(gallery.locator(".thumbnail-cards:not([d=''])")).toHaveCount(documents.length);
  await picture(page, "templates");
  expect(await findings(page)).toEqual([]);
  await gallery.getByRole("searchbox").fill("citeS");
  await expect(gallery.locator(".gallery-card")).toHaveCount(1);
  await expect(gallery.getByRole("status")).toHaveText("1 template");
  await gallery.getByRole("searchbox").fill("no such thing");
  await expect(gallery.getByRole("status")).toHaveText("No template has this in its words.");
  await gallery.getByRole("searchbox").fill("cites");
  await page.keyboard.press("Enter");
  await expect(page.locator(".title-input")).toHaveValue("Answer with sources");
  const library = await openLibrary(page);
  await expect(library.getByRole("button", { name: /^Research report/ })).toBeVisible();
});

test("each template shows useful text on its first run, without a key and without a request", async ({ page }) => {
  test.setTimeout(180_000);
  const outside: string[] = [];
  page.on("request", (request) => {
    if (!/^(?:http:\/\/127\.0\.0\.1|data:|blob:)/.test(request.url())) outside.push(request.url());
  });
  await openBuilder(page);
  for (let index = 0; index < documents.length; index += 1) {
    await page.getByRole("button", { name: "File" }).click();
    await page.getByText("All templates…").click();
    const chosen = page.getByRole("dialog", { name: "Templates" }).locator(".gallery-card").nth(index);
    const name = await chosen.locator("b").textContent();
    await chosen.click();
    await expect(page.getByRole("dialog")).toBeHidden();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    // Requests are pinned too; the page asks about their addresses first all the same.
    const ask = page.getByRole("dialog", { name: "Send data to these addresses?" });
    await expect(ask.or(page.locator('.run-summary:not([data-status="idle"])')).first()).toBeVisible();
    if (await ask.isVisible()) await ask.getByRole("button", { name: "Send and run" }).click();
    await expect(page.locator(".run-summary"), name ?? "").toHaveAttribute("data-status", /^(?:done|suspended)$/, { timeout: 20_000 });
    await expect(page.locator(".problems-button"), name ?? "").toHaveCount(0);
    await expect(page.locator("body"), name ?? "").not.toContainText("[simulated]");
  }
  expect(outside).toEqual([]);
});

test("the gallery has room on a narrow page, in the dark", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 760 });
  await page.emulateMedia({ colorScheme: "dark" });
  await openBuilder(page);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("All templates…").click();
  const gallery = page.getByRole("dialog", { name: "Templates" });
  await expect(gallery.locator(".thumbnail-cards:not([d=''])").first()).toBeVisible();
  expect(await gallery.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  expect(await findings(page)).toEqual([]);
  await picture(page, "templates-narrow");
});
