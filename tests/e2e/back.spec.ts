// The browser's Back and Forward lead through what was open, and out of a dialog first.
import { expect, test, type Page } from "@playwright/test";
import { importText, openBuilder, openDocument, openLibrary } from "./builder.js";

const named = (name: string): object => ({ version: 1, name, steps: [{ id: "s1", type: "wait", name: "rest", wait: { ms: 1 } }] });

async function expectOpen(page: Page, name: string): Promise<void> {
  await expect(page.getByLabel("Name of the workflow")).toHaveValue(name);
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

test("Back and Forward lead through the workflows that were open, and a reload opens the same one", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, named("one"));
  const first = page.url();
  await importText(page, JSON.stringify(named("two")));
  await expectOpen(page, "two");
  const second = page.url();
  const library = await openLibrary(page);
  await library.locator(".row-open", { hasText: "Research report" }).click();
  await expectOpen(page, "Research report");

  await page.goBack();
  await expectOpen(page, "two");
  expect(page.url()).toBe(second);
  await page.getByLabel("Name of the workflow").fill("two, changed");
  await page.goBack();
  await expectOpen(page, "one");
  expect(page.url()).toBe(first);
  await page.reload();
  await expectOpen(page, "one");
  await page.goForward();
  await expectOpen(page, "two, changed");
  await page.goForward();
  await expectOpen(page, "Research report");
  // A link is an entry too.
  await page.evaluate((address) => location.assign(address), first);
  await expectOpen(page, "one");
  await page.goBack();
  await expectOpen(page, "Research report");
});

test("Back closes a dialog, and only then leads to what was open before", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, named("one"));
  await importText(page, JSON.stringify(named("two")));
  await expectOpen(page, "two");
  await openLibrary(page);
  await page.goBack();
  await expectOpen(page, "two");

  // One that is closed otherwise leaves no entry behind, also when others follow it.
  for (const close of ["Escape", "button"] as const) {
    await openLibrary(page);
    if (close === "Escape") await page.keyboard.press("Escape");
    else await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
  const library = await openLibrary(page);
  await library.getByRole("button", { name: "Import…" }).click();
  await expect(page.getByRole("dialog", { name: "Import a workflow" })).toBeVisible();
  await page.goBack();
  await expectOpen(page, "two");
  // Forward leads into no dialog.
  await page.goForward();
  await expectOpen(page, "two");
  await page.goBack();
  await expectOpen(page, "one");
});

test("a reload with an open dialog leaves nothing of it to go back to", async ({ page }) => {
  await openDocument(page, named("one"));
  await importText(page, JSON.stringify(named("two")));
  await expectOpen(page, "two");
  await openLibrary(page);
  await page.reload();
  await expectOpen(page, "two");
  await expect.poll(() => page.evaluate(() => history.state as unknown)).toBe(null);
  await page.goBack();
  await expectOpen(page, "one");
});

test("Back does not lead to a workflow that was deleted while it was open, and says so of another one", async ({ page }) => {
  await openBuilder(page);
  for (const name of ["one", "two", "three"]) {
    await importText(page, JSON.stringify(named(name)));
    await expectOpen(page, name);
  }
  const library = await openLibrary(page);
  await library.getByRole("button", { name: "Delete three" }).click();
  await expect(library.locator(".library-done")).toContainText("is deleted");
  await page.keyboard.press("Escape");
  await expectOpen(page, "two");
  await page.goBack();
  await expectOpen(page, "two");
  await page.goBack();
  await expectOpen(page, "one");
  const again = await openLibrary(page);
  await again.getByRole("button", { name: "Delete Research report" }).click();
  await expect(again.locator(".library-done")).toContainText("is deleted");
  await page.keyboard.press("Escape");
  await expectOpen(page, "one");
  await page.goBack();
  await expect(page.locator(".notice")).toContainText("The workflow of this address is deleted. The list of workflows brings it back; this one is shown instead.");
  await expectOpen(page, "one");
  await page.goto("about:blank");
  await page.goto("./#w=nobody");
  await expect(page.locator(".notice")).toContainText("The workflow of this address is not stored in this browser. This one is shown instead.");
});

test.describe("on a phone", () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  test("Back closes the form of a step, and a dialog over it first", async ({ page }) => {
    await openDocument(page, named("one"));
    await importText(page, JSON.stringify(named("two")));
    await expectOpen(page, "two");
    const form = page.getByRole("complementary", { name: "Inspector" });
    await page.locator(".card").tap();
    await expect(form.getByLabel("Name", { exact: true })).toHaveValue("rest");
    await openLibrary(page);
    await page.goBack();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(form).toBeVisible();
    await page.goBack();
    await expect(form).toBeHidden();
    await expectOpen(page, "two");
    // Closed otherwise it leaves no entry behind.
    await page.locator(".card").tap();
    await form.getByRole("button", { name: "Close the inspector" }).tap();
    await expect(form).toBeHidden();
    await page.goBack();
    await expectOpen(page, "one");
  });

  test("Run shows the run, also where the form of a step was open", async ({ page }) => {
    await openDocument(page, named("one"));
    await page.locator(".card").tap();
    await expect(page.getByRole("complementary", { name: "Inspector" })).toBeVisible();
    await page.getByRole("button", { name: "Run", exact: true }).tap();
    await expect(page.locator(".run-summary")).toBeVisible();
    await expect(page.getByRole("complementary", { name: "Inspector" })).toBeHidden();
  });
});
