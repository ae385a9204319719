// The library: many workflows, none of which is lost.
import { expect, test, type Page } from "@playwright/test";
import { card, kind, openBuilder, openDocument, openLibrary, picture, written } from "./builder.js";

/** Makes a workflow of this name with one step. */
async function make(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page.locator(".menu-item").filter({ hasText: "An empty workflow" }).click();
  await expect(page.locator(".title-input")).toHaveValue("Untitled");
  await page.locator(".title-input").fill(name);
  await kind(page, "wait").click();
  await expect(page.locator(".saved")).toHaveText("Saved");
}

test("workflows are found, opened, renamed, duplicated, deleted and brought back", { tag: "@firefox" }, async ({ page }) => {
  await openBuilder(page);
  await make(page, "Bees");
  await make(page, "Wasps");
  const library = await openLibrary(page);
  const names = library.locator(".library-row:not(details *) .row-open b");
  await expect(names).toHaveText(["Wasps", "Bees", "Research report"]);
  await expect(library.locator("[aria-current=true]")).toContainText("Open now");
  await expect(library.locator(".thumbnail-cards").first()).toHaveAttribute("d", /^M/);
  await picture(page, "library");
  await library.getByRole("searchbox").fill("bee");
  await expect(names).toHaveText(["Bees"]);
  await page.keyboard.press("Enter");
  await expect(library).toHaveCount(0);
  await expect(page.locator(".title-input")).toHaveValue("Bees");

  await openLibrary(page);
  await library.getByRole("button", { name: "Rename Wasps" }).click();
  await expect(library.getByLabel("Name", { exact: true })).toBeFocused();
  await page.keyboard.type("Hornets");
  await page.keyboard.press("Enter");
  await expect(names.first()).toHaveText("Hornets");
  await library.getByRole("button", { name: "Duplicate Hornets" }).click();
  await expect(names.first()).toHaveText("Hornets copy");
  await library.getByRole("button", { name: "Rename Bees" }).click();
  await page.keyboard.type("not taken");
  await page.keyboard.press("Escape");
  await expect(library).toBeVisible();
  await expect(library.getByRole("button", { name: "Rename Bees" })).toBeVisible();

  await library.getByRole("button", { name: "Delete Hornets", exact: true }).click();
  await expect(names).toHaveText(["Hornets copy", "Bees", "Research report"]);
  await expect(library.locator(".library-done")).toContainText("“Hornets” is deleted.");
  await library.getByRole("button", { name: "Undo" }).click();
  await expect(names).toHaveText(["Hornets copy", "Hornets", "Bees", "Research report"]);
  await library.getByRole("button", { name: /^Hornets \d|^Hornets Just/ }).click();
  await expect(page.locator(".title-input")).toHaveValue("Hornets");
  await expect(card(page, "wait")).toBeVisible();
  // The other name is a change like any other.
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.locator(".title-input")).toHaveValue("Wasps");
});

test("a deleted workflow takes no name from a new one", async ({ page }) => {
  await openBuilder(page);
  const library = await openLibrary(page);
  await library.getByRole("button", { name: "New" }).click();
  await expect(page.locator(".title-input")).toHaveValue("Untitled");
  await openLibrary(page);
  await library.getByRole("button", { name: "New" }).click();
  await expect(page.locator(".title-input")).toHaveValue("Untitled 2");
  await openLibrary(page);
  for (const name of ["Untitled 2", "Untitled"]) {
    await library.getByRole("button", { name: `Delete ${name}`, exact: true }).click();
    await expect(library.locator(".library-done")).toContainText(`“${name}” is deleted.`);
  }
  await library.getByRole("button", { name: "New" }).click();
  await expect(page.locator(".title-input")).toHaveValue("Untitled");
  // One of them that is brought back takes none from that one either.
  await openLibrary(page);
  await library.locator("summary").click();
  await library.getByRole("button", { name: "Restore Untitled", exact: true }).click();
  await expect(library.locator(".library-done")).toContainText("“Untitled” is back as “Untitled 2”, since another one is called that by now.");
  await picture(page, "library-restored");
  await expect(library.locator(".row-open b").filter({ hasText: /^Untitled$/ })).toHaveCount(1);
  await library.locator("button.row-open").filter({ hasText: "Untitled 2" }).click();
  await expect(page.locator(".title-input")).toHaveValue("Untitled 2");
});

test("a run that goes on is said to be cut off with its workflow, and is offered once that is back", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Rests", steps: [{ id: "s1", type: "function", name: "first", run: { set: { a: "1" } } }, { id: "s2", type: "wait", name: "rest", wait: { ms: 600000 } }] });
  const go = page.getByRole("button", { name: "Run", exact: true });
  const bring = async (): Promise<void> => {
    const library = await openLibrary(page);
    await library.getByRole("button", { name: "Delete Rests", exact: true }).click();
    await expect(library.locator(".library-done")).toContainText("“Rests” is deleted. A run of it that goes on is cut off.");
    await library.getByRole("button", { name: "Undo" }).click();
    await library.locator(".row-open").filter({ hasText: "Rests" }).click();
    await expect(page.locator(".banner")).toContainText("A run of this workflow was cut off.");
  };
  await go.click();
  await expect(card(page, "rest")).toHaveAttribute("data-status", "running");
  await bring();
  await expect(page.locator(".run-summary")).toHaveCount(0);
  await page.locator(".banner").getByRole("button", { name: "Go on" }).click();
  await expect(card(page, "first")).toHaveAttribute("data-status", "done");
  await expect(card(page, "rest")).toHaveAttribute("data-status", "running");
  // Also when another workflow is open by then.
  const library = await openLibrary(page);
  await library.locator(".row-open").filter({ hasText: "Research report" }).click();
  await expect(page.locator(".title-input")).toHaveValue("Research report");
  await bring();
});

test("the picture of a workflow that another tab edits is that of what is stored", async ({ page, context }) => {
  await openBuilder(page);
  await make(page, "Bees");
  await kind(page, "function").click();
  await expect(page.locator(".saved")).toHaveText("Saved");
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.getByRole("button", { name: "Edit here" })).toBeVisible();
  const library = await openLibrary(other);
  const row = library.locator(".library-row", { hasText: "Bees" });
  await expect(row.locator(".thumbnail-cards")).toHaveAttribute("d", /^M[^M]+M[^M]+$/);
});

test("the open workflow can be deleted, and is there again", async ({ page }) => {
  await openBuilder(page);
  const library = await openLibrary(page);
  await library.getByRole("button", { name: "Delete Research report" }).click();
  await expect(page.locator(".title-input")).toHaveValue("Untitled");
  await library.locator("summary").click();
  await picture(page, "library-deleted");
  await library.getByRole("button", { name: "Restore Research report" }).click();
  await library.getByRole("button", { name: /^Research report/ }).click();
  await expect(page.locator(".title-input")).toHaveValue("Research report");
  await expect(card(page, "research")).toBeVisible();
});

test("the library works from the keyboard alone", async ({ page }) => {
  await openBuilder(page);
  await make(page, "Bees");
  const library = await openLibrary(page);
  await expect(library.getByRole("searchbox")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(library.getByRole("button", { name: /^Bees/ })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Control+d");
  await expect(library.locator(".row-open b").first()).toHaveText("Research report copy");
  await expect(library.locator(".row-open").first()).toBeFocused();
  await page.keyboard.press("Delete");
  await expect(library.getByRole("button", { name: "Undo" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(library.locator(".row-open b").first()).toHaveText("Research report copy");
  await expect(library.locator(".row-open").first()).toBeFocused();
  await page.keyboard.press("F2");
  await page.keyboard.press("Escape");
  await expect(library.locator(".row-open").first()).toBeFocused();
  await page.keyboard.press("F2");
  await page.keyboard.type("Report");
  await page.keyboard.press("Enter");
  await expect(library.locator(".row-open b").first()).toHaveText("Report");
  await expect(library.locator(".row-open").first()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator(".title-input")).toHaveValue("Report");
});

test("a reload and a bookmark open the workflow that they name", { tag: "@firefox" }, async ({ page, context }) => {
  await openBuilder(page);
  const first = page.url();
  await make(page, "Bees");
  const second = page.url();
  expect(second).not.toBe(first);
  await page.reload();
  await expect(page.locator(".title-input")).toHaveValue("Bees");
  await page.goto(first);
  await expect(page.locator(".title-input")).toHaveValue("Research report");
  // Another tab opens what no tab has open.
  const other = await context.newPage();
  await other.goto("/");
  await expect(other.locator(".title-input")).toHaveValue("Bees");
  await other.locator(".title-input").fill("Bees of June");
  await expect(other.locator(".saved")).toHaveText("Saved");
  for (const tab of [other, await context.newPage()]) {
    await tab.goto("/#w=nobody-knows-it");
    await expect(tab.locator(".notice")).toContainText("not stored in this browser");
  }
});

test("of two tabs with one workflow one edits and the other follows, until it takes over", { tag: "@firefox" }, async ({ page, context }) => {
  await openBuilder(page);
  await page.locator(".title-input").fill("First");
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.locator(".title-input")).toHaveValue("First");
  await expect(other.locator(".banner")).toContainText("being edited in another tab");
  await picture(other, "following");
  await expect(kind(other, "wait")).toHaveCSS("opacity", "0.45");
  await expect(kind(page, "wait")).toHaveCSS("opacity", "1");
  await expect(kind(other, "wait")).toHaveAttribute("aria-disabled", "true");
  await expect(kind(page, "wait")).toHaveAttribute("aria-disabled", "false");
  await page.locator(".title-input").fill("Second");
  await kind(page, "wait").click();
  await expect(other.locator(".title-input")).toHaveValue("Second");
  await expect(card(other, "wait")).toBeVisible();
  // It cannot be changed here, by no way.
  await kind(other, "function").click({ force: true });
  await expect(other.locator(".notice")).toContainText("Edit here");
  await expect(card(other, "function")).toHaveCount(0);
  await expect(other.locator(".title-input")).toHaveAttribute("readonly");
  await expect(other.locator(".inspector").getByLabel("Description")).toBeDisabled();
  await other.getByRole("button", { name: "Show everything" }).click();
  await card(other, "wait").click();
  await expect(other.locator(".card-tool")).toHaveCount(0);
  await expect(other.locator(".inspector").getByLabel("Name", { exact: true })).toBeDisabled();
  await other.getByRole("button", { name: "Edit here" }).click();
  await expect(other.locator(".inspector").getByLabel("Name", { exact: true })).toBeEnabled();
  await expect(other.locator(".banner")).toHaveCount(0);
  await expect(page.locator(".banner")).toContainText("being edited in another tab");
  await other.getByRole("button", { name: "Undo" }).click();
  await expect(card(other, "wait")).toHaveCount(0);
  await expect(card(page, "wait")).toHaveCount(0);
  await other.locator(".title-input").fill("Third");
  await expect(page.locator(".title-input")).toHaveValue("Third");
  await expect(other.locator(".saved")).toHaveText("Saved");
  // Nobody has to be asked when the tab that edits is gone.
  await other.close();
  await expect(page.locator(".banner")).toHaveCount(0);
  await page.locator(".title-input").fill("Fourth");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await expect(page.locator(".title-input")).toHaveValue("Fourth");
});

test("words go into no field once another tab edits", { tag: "@firefox" }, async ({ page, context }) => {
  await openBuilder(page);
  await card(page, "research").click();
  const prompt = page.locator(".inspector").getByRole("textbox", { name: "Prompt", exact: true });
  await prompt.click();
  await expect(prompt).toHaveAttribute("contenteditable", "true");
  const before = await written(prompt);
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole("button", { name: "Edit here" }).click();
  await expect(page.locator(".banner")).toContainText("being edited in another tab");
  await page.bringToFront();
  await prompt.press("End");
  await page.keyboard.type("lost");
  expect(await written(prompt)).toBe(before);
  // And once it edits here again, they do.
  await page.getByRole("button", { name: "Edit here" }).click();
  await expect(page.locator(".banner")).toHaveCount(0);
  await prompt.press("End");
  await page.keyboard.type(" Kept.");
  await expect.poll(() => written(prompt)).toBe(`${before} Kept.`);
});

test("a workflow that another tab deletes says so, and is there again with the next change", { tag: "@firefox" }, async ({ page, context }) => {
  await openBuilder(page);
  await make(page, "Bees");
  const other = await context.newPage();
  await openBuilder(other);
  const library = await openLibrary(other);
  await library.getByRole("button", { name: "Delete Bees", exact: true }).click();
  await expect(library.locator(".library-done")).toContainText("“Bees” is deleted.");
  await expect(page.locator(".notice")).toContainText("was deleted in another tab");
  await expect(page.locator(".saved")).toHaveText("Deleted in another tab");
  await library.getByRole("button", { name: "Undo" }).click();
  await expect(page.locator(".saved")).toHaveText("Saved");
  await expect(page.locator(".notice")).toHaveCount(0);
  await library.getByRole("button", { name: "Delete Bees", exact: true }).click();
  await expect(page.locator(".saved")).toHaveText("Deleted in another tab");
  await page.locator(".title-input").fill("Bees again");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await expect(page.locator(".title-input")).toHaveValue("Bees again");
});
