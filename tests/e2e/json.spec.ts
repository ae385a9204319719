import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { card, openBuilder, openDocument, picture } from "./builder.js";

const small = {
  version: 1,
  name: "Small",
  steps: [
    { id: "s1", type: "function", name: "first", run: { set: { a: "1" } } },
    { id: "s2", type: "function", name: "second", run: { set: { b: "2" } } },
  ],
};

/** The view, once it is shown, and the text in it. */
async function openJson(page: Page): Promise<{ view: Locator; text: Locator }> {
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  const view = page.getByRole("region", { name: "The workflow as JSON" });
  const text = view.getByRole("textbox", { name: "JSON of the workflow" });
  await expect(text).toBeFocused();
  return { view, text };
}

/** The line that is selected in the text. */
const chosen = (text: Locator): Promise<string> => text.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd));

test("the workflow is edited as JSON and on the canvas, and each is taken back", async ({ page }) => {
  await openDocument(page, small);
  await page.keyboard.press("j");
  const view = page.getByRole("region", { name: "The workflow as JSON" });
  const text = view.getByRole("textbox", { name: "JSON of the workflow" });
  await expect(text).toBeFocused();
  await text.fill((await text.inputValue()).replace('"second"', '"renamed"'));
  // Who leaves at once loses nothing.
  await page.keyboard.press("Escape");
  await expect(view).toBeHidden();
  await expect(page.getByRole("button", { name: "JSON", exact: true })).toBeFocused();
  await expect(card(page, "renamed")).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect(card(page, "second")).toBeVisible();
  await page.keyboard.press("Control+y");
  await openJson(page);
  await expect(text).toHaveValue(/"renamed"/);
  // Undo right after typing takes back what was typed, not what was before it.
  await text.fill((await text.inputValue()).replace('"renamed"', '"again"'));
  await page.keyboard.press("Control+z");
  await expect(text).toHaveValue(/"renamed"/);
  await expect.poll(() => chosen(text)).toContain("renamed");
  await page.keyboard.press("Control+z");
  await expect(text).toHaveValue(/"second"/);
  // What changes elsewhere is in the text.
  await page.locator(".title-input").fill("Other");
  await expect(text).toHaveValue(/"name": "Other"/);
  await expect(card(page, "first")).toHaveCount(1);
  await picture(page, "json");
  expect(await findings(page)).toEqual([]);
});

test("what is not valid is marked with its line and column, kept over a reload, and changes nothing", async ({ page }) => {
  await openDocument(page, small);
  const { view, text } = await openJson(page);
  const before = await text.inputValue();
  const problem = view.getByRole("list", { name: "Problems" }).getByRole("button").first();
  await text.fill(before.replace('"name": "Small",', '"name": "Small"'));
  await expect(text).toHaveAttribute("aria-invalid", "true");
  await expect(problem).toContainText(/^Line \d+, column \d+ this is not JSON: expected `,` or `}`/);
  await expect(view).toContainText("The workflow is as it was before");
  await expect(view.locator(".as-json-mark")).toHaveCount(1);
  await expect(page.locator(".problems-button")).toBeVisible();
  await expect(card(page, "first")).toHaveCount(1);
  await picture(page, "json-problem");
  expect(await findings(page)).toEqual([]);
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await openJson(page);
  await expect(text).not.toHaveValue(before);
  await expect(problem).toContainText("this is not JSON");
  await expect(page.locator(".title-input")).toHaveValue("Small");
  // A fault of the structure names its line, and a click goes there.
  const at = before.indexOf('"type": "function"', before.indexOf('"second"') - 120);
  const wrong = `${before.slice(0, at)}"type": "teleport"${before.slice(at + '"type": "function"'.length)}`;
  await text.fill(wrong);
  await expect(problem).toContainText("teleport");
  await problem.click();
  const line = (await chosen(text)).trim();
  expect(line === "{" || line.includes("teleport")).toBe(true);
  expect(await text.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionStart + 80))).toContain("teleport");
  await expect(text).toBeFocused();
  // Undo while the text is none: what was typed goes, and nothing before it.
  await page.keyboard.press("Control+z");
  await expect(page.locator(".title-input")).toHaveValue("Small");
  await view.getByRole("button", { name: "Back to what is valid" }).click();
  await expect(text).toHaveValue(before);
  await expect(text).toHaveAttribute("aria-invalid", "false");
  await expect(page.locator(".problems-button")).toBeHidden();
  // Templates are checked too, at their lines.
  await text.fill(before.replace('"set": {\n', '"set": {\n          "c": "{{ a | shout }}",\n'));
  await expect(problem).toContainText("shout");
  await expect(text).toHaveAttribute("aria-invalid", "false");
  await problem.click();
  expect(await chosen(text)).toContain("shout");
  await page.keyboard.press("Escape");
  await expect(card(page, "first")).toBeVisible();
});

test("the selected step is shown where it stands", async ({ page }) => {
  await openBuilder(page);
  await card(page, "write_up").click();
  const { text } = await openJson(page);
  const after = (): Promise<string> => text.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionStart + 120));
  await expect.poll(after).toContain("write_up");
  await picture(page, "json-step");
});

test("JSON can be read and not written while another tab edits the workflow", async ({ page, context }) => {
  await openDocument(page, small);
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.locator(".banner")).toContainText("being edited in another tab");
  const { view, text } = await openJson(other);
  await expect(text).not.toBeEditable();
  await expect(view).toContainText("Another tab edits this workflow.");
  await page.locator(".title-input").fill("From the first tab");
  await expect(text).toHaveValue(/"name": "From the first tab"/);
  await other.getByRole("button", { name: "Edit here" }).click();
  await expect(text).toBeEditable();
  await text.fill((await text.inputValue()).replace("From the first tab", "From the second tab"));
  await expect(page.locator(".title-input")).toHaveValue("From the second tab");
});
