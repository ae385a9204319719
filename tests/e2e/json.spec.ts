import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { card, kind, openBuilder, openDocument, picture, written } from "./builder.js";

const EDITOR = /\/assets\/document-[^/]*\.js$/;

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
  await page.getByTitle("JSON (J)").click();
  const view = page.getByRole("region", { name: "The workflow as JSON" });
  const text = view.getByRole("textbox", { name: "JSON of the workflow" });
  await expect(text).toHaveAttribute("contenteditable", "true");
  await expect(text).toBeFocused();
  return { view, text };
}

/** Pastes a text in the place of all that stands there. */
async function rewrite(text: Locator, written: string): Promise<void> {
  await text.press("Control+a");
  await text.page().keyboard.insertText(written);
}

/** What is selected in the text. */
const chosen = (text: Locator): Promise<string> =>
  text.evaluate((content) => String((content.getRootNode() as ShadowRoot & { getSelection(): Selection }).getSelection()));

/** What the editor has marked. */
const marked = (text: Locator): Locator => text.locator(".cm-lintRange");

test.beforeEach(({ page }) => {
  // What the page's policy forbids is written to the console.
  page.on("console", (message) => {
    if (/Content Security Policy|Content-Security-Policy/.test(message.text())) throw new Error(message.text());
  });
});

test("the workflow is edited as JSON and on the canvas, and each is taken back", async ({ page }) => {
  await openDocument(page, small);
  await page.keyboard.press("j");
  const view = page.getByRole("region", { name: "The workflow as JSON" });
  const text = view.getByRole("textbox", { name: "JSON of the workflow" });
  await expect(text).toHaveAttribute("contenteditable", "true");
  await expect(text).toBeFocused();
  await rewrite(text, (await written(text)).replace('"second"', '"renamed"'));
  // Who leaves at once loses nothing.
  await page.keyboard.press("Escape");
  await expect(view).toBeHidden();
  await expect(card(page, "renamed")).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect(card(page, "second")).toBeVisible();
  await page.keyboard.press("Control+y");
  await openJson(page);
  await expect(text).toContainText('"renamed"');
  // Undo right after typing takes back what was typed, not what was before it.
  await rewrite(text, (await written(text)).replace('"renamed"', '"again"'));
  await page.keyboard.press("Control+z");
  await expect(text).toContainText('"renamed"');
  await expect.poll(() => chosen(text)).toContain("renamed");
  await page.keyboard.press("Control+z");
  await expect(text).toContainText('"second"');
  await page.keyboard.press("Control+y");
  await expect(text).toContainText('"renamed"');
  await page.keyboard.press("Control+z");
  // What changes elsewhere is in the text.
  await page.locator(".title-input").fill("Other");
  await expect(text).toContainText('"name": "Other"');
  await expect(card(page, "first")).toHaveCount(1);
  await picture(page, "json");
  expect(await findings(page)).toEqual([]);
});

test("what is not valid is marked with its line and column, kept over a reload, and changes nothing", async ({ page }) => {
  await openDocument(page, small);
  const { view, text } = await openJson(page);
  const before = await written(text);
  const problem = view.getByRole("list", { name: "Problems" }).getByRole("button").first();
  await rewrite(text, before.replace('"name": "Small",', '"name": "Small"'));
  await expect(text).toHaveAttribute("aria-invalid", "true");
  await expect(problem).toContainText(/^Line \d+, column \d+ this is not JSON: expected `,` or `}`/);
  await expect(view).toContainText("The workflow is as it was before");
  // The place is marked, in the text and beside it, and says what is wrong under the pointer.
  await expect(marked(text)).toHaveText('"Small"');
  await expect(view.locator(".cm-lint-marker-error")).toHaveCount(1);
  await marked(text).hover();
  await expect(view.locator(".cm-tooltip-lint")).toContainText("this is not JSON: expected `,` or `}`");
  await expect(page.locator(".problems-button")).toBeVisible();
  await expect(card(page, "first")).toHaveCount(1);
  await picture(page, "json-problem");
  expect(await findings(page)).toEqual([]);
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await openJson(page);
  expect(await written(text)).not.toBe(before);
  await expect(problem).toContainText("this is not JSON");
  await expect(page.locator(".title-input")).toHaveValue("Small");
  // A fault of the structure names its line, and a click goes there.
  const at = before.indexOf('"type": "function"', before.indexOf('"second"') - 120);
  const wrong = `${before.slice(0, at)}"type": "teleport"${before.slice(at + '"type": "function"'.length)}`;
  await rewrite(text, wrong);
  await expect(problem).toContainText("teleport");
  await expect(marked(text)).toHaveText('"teleport"');
  await problem.click();
  expect(await chosen(text)).toBe('"teleport"');
  await expect(text).toBeFocused();
  // Undo while the text is none: what was typed goes, and nothing before it.
  await page.keyboard.press("Control+z");
  await expect(text).not.toContainText("teleport");
  await expect(page.locator(".title-input")).toHaveValue("Small");
  await view.getByRole("button", { name: "Back to what is valid" }).click();
  expect(await written(text)).toBe(before);
  await expect(text).toHaveAttribute("aria-invalid", "false");
  await expect(page.locator(".problems-button")).toBeHidden();
  // What was given up does not come back letter by letter.
  await page.keyboard.press("Control+z");
  await expect(text).toBeFocused();
  expect(await written(text)).toBe(before);
  // Templates are checked too, where they stand.
  await rewrite(text, before.replace('"set": {\n', '"set": {\n          "c": "{{ a | shout }}",\n'));
  await expect(problem).toContainText("shout");
  await expect(text).toHaveAttribute("aria-invalid", "false");
  await expect(marked(text)).toHaveText('"{{ a | shout }}"');
  await problem.click();
  expect(await chosen(text)).toBe('"{{ a | shout }}"');
  await page.keyboard.press("Escape");
  await expect(card(page, "first")).toBeVisible();
});

/** Types something at the end of the text that makes it no workflow, and closes the view. */
async function leaveBroken(page: Page): Promise<void> {
  const { view, text } = await openJson(page);
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(" oops");
  await expect(text).toHaveAttribute("aria-invalid", "true");
  await page.keyboard.press("Escape");
  await expect(view).toBeHidden();
}

/** Takes away what `leaveBroken` has typed. */
async function mend(page: Page, text: Locator): Promise<void> {
  await page.keyboard.press("Control+End");
  for (let letter = 0; letter < " oops".length; letter += 1) await page.keyboard.press("Backspace");
  await expect(text).toHaveAttribute("aria-invalid", "false");
}

test("a text that was kept takes nothing away that was done since, unless a person chooses it", async ({ page }) => {
  await openDocument(page, small);
  await leaveBroken(page);
  await page.locator(".title-input").fill("Renamed");
  await kind(page, "wait").click();
  await expect(card(page, "wait")).toBeVisible();
  const changed = "The workflow has changed since this text was written.";
  const first = await openJson(page);
  await expect(first.view).toContainText(changed);
  await expect(first.text).toContainText("oops");
  expect(await findings(page)).toEqual([]);
  await picture(page, "json-changed");
  // A text that is valid again waits for a word, also over a reload.
  await mend(page, first.text);
  await expect(first.view).toContainText(changed);
  await expect(page.locator(".title-input")).toHaveValue("Renamed");
  await expect(card(page, "wait")).toHaveCount(1);
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  const { view, text } = await openJson(page);
  await expect(view).toContainText(changed);
  await expect(text).toContainText('"name": "Small"');
  await expect(page.locator(".title-input")).toHaveValue("Renamed");
  await view.getByRole("button", { name: "Show the workflow as it is" }).click();
  await expect(text).toContainText('"name": "Renamed"');
  await expect(text).toContainText('"wait"');
  await expect(view).toContainText("What you type changes the workflow as soon as it is valid.");
  await page.keyboard.press("Escape");

  // Who keeps the text has it in the place of the workflow once it is valid, and can take that back.
  await leaveBroken(page);
  await card(page, "wait").click();
  await page.keyboard.press("Delete");
  await expect(card(page, "wait")).toHaveCount(0);
  await openJson(page);
  await view.getByRole("button", { name: "Use this text instead" }).click();
  await expect(view).toContainText("The workflow is as it was before, until this is valid.");
  await expect(text).toBeFocused();
  await mend(page, text);
  await expect(card(page, "wait")).toHaveCount(1);
  await expect(view).toContainText("What you type changes the workflow as soon as it is valid.");
  await page.keyboard.press("Control+z");
  await expect(card(page, "wait")).toHaveCount(0);
  // A change that is taken back leaves the version that the text was typed over.
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(" oops");
  await expect(text).toHaveAttribute("aria-invalid", "true");
  await page.locator(".title-input").fill("Other");
  await expect(view).toContainText(changed);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(view.getByRole("button", { name: "Back to what is valid" })).toBeVisible();
  await view.getByRole("button", { name: "Back to what is valid" }).click();
  await expect(text).toContainText('"name": "Renamed"');
});

test("the selected step is shown where it stands", async ({ page }) => {
  await openBuilder(page);
  await card(page, "write_up").click();
  const { text } = await openJson(page);
  await expect(text).toContainText("write_up");
  // Its first line is selected, near the top.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  expect(await chosen(text)).toContain("write_up");
  await picture(page, "json-step");
});

test("the keyboard is where it was once the JSON is closed, and a new workflow closes it", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, small);
  const view = page.getByRole("region", { name: "The workflow as JSON" });
  const text = view.getByRole("textbox", { name: "JSON of the workflow" });
  const editing = async (): Promise<void> => {
    await expect(text).toHaveAttribute("contenteditable", "true");
    await expect(text).toBeFocused();
  };
  await card(page, "first").click();
  await page.keyboard.press("j");
  await editing();
  await page.keyboard.press("Escape");
  await expect(view).toBeHidden();
  await expect(card(page, "first")).toBeFocused();
  await page.keyboard.press("a");
  await expect(page.getByRole("menu", { name: "Kind of the new step" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(card(page, "first")).toBeFocused();
  // Where no step is selected, what had the focus has it again.
  await page.keyboard.press("Escape");
  await expect(page.locator(".card.selected")).toHaveCount(0);
  await page.getByTitle("JSON (J)").focus();
  await page.keyboard.press("Enter");
  await editing();
  await page.keyboard.press("Escape");
  await expect(view).toBeHidden();
  await expect(page.getByTitle("JSON (J)")).toBeFocused();
  await page.keyboard.press("Enter");
  await editing();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("new workflow");
  await page.keyboard.press("Enter");
  await expect(page.locator(".title-input")).toHaveValue("Untitled");
  await expect(view).toBeHidden();
});

test("JSON can be read and not written while another tab edits the workflow", async ({ page, context }) => {
  await openDocument(page, small);
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.locator(".banner")).toContainText("being edited in another tab");
  const { view, text } = await openJson(other);
  await expect(text).not.toBeEditable();
  // It takes nothing back either.
  await page.locator(".title-input").fill("First");
  await expect(other.locator(".title-input")).toHaveValue("First");
  await expect(other.getByRole("button", { name: "Undo" })).toBeDisabled();
  await expect(view).toContainText("Another tab edits this workflow.");
  await page.locator(".title-input").fill("From the first tab");
  await expect(text).toContainText('"name": "From the first tab"');
  await other.getByRole("button", { name: "Edit here" }).click();
  await expect(text).toBeEditable();
  await rewrite(text, (await written(text)).replace("From the first tab", "From the second tab"));
  await expect(page.locator(".title-input")).toHaveValue("From the second tab");
});

test("without its editor the JSON is a plain text, with its lines numbered and its problems marked", async ({ page }) => {
  await page.route(EDITOR, (route) => route.abort());
  await openDocument(page, small);
  await page.keyboard.press("j");
  const view = page.getByRole("region", { name: "The workflow as JSON" });
  const text = view.getByRole("textbox", { name: "JSON of the workflow" });
  await expect(text).toBeFocused();
  await expect(text).toHaveValue(/"second"/);
  const before = await text.inputValue();
  await expect(view.locator(".as-json-lines")).toContainText(`${before.split("\n").length}`);
  await text.fill(before.replace('"name": "Small",', '"name": "Small"'));
  const problem = view.getByRole("list", { name: "Problems" }).getByRole("button").first();
  await expect(problem).toContainText(/^Line \d+, column \d+ this is not JSON/);
  await expect(view.locator(".as-json-mark")).toHaveCount(1);
  await expect(text).toHaveAttribute("aria-invalid", "true");
  await problem.click();
  expect(await text.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd))).toBe('"Small"');
  await text.fill(before.replace('"second"', '"renamed"'));
  // Undo right after typing takes back what was typed.
  await page.keyboard.press("Control+z");
  await expect(text).toHaveValue(before);
  await text.fill(before.replace('"second"', '"renamed"'));
  await page.keyboard.press("Escape");
  await expect(card(page, "renamed")).toBeVisible();
});

test("the JSON of a thousand steps is folded, edited at its end, and marked there", async ({ page }) => {
  const steps = Array.from({ length: 1000 }, (_, at) => ({ id: `s${at}`, type: "function", name: `step_${at}`, run: { set: { [`k${at}`]: "1" } } }));
  await openDocument(page, { version: 1, name: "Large", steps });
  const { view, text } = await openJson(page);
  await page.keyboard.press("Control+End");
  await expect(text).toContainText("step_999");
  // Of a long text only what is seen is in the page.
  expect(await text.locator(".cm-line").count()).toBeLessThan(200);
  for (let line = 0; line < 5; line += 1) await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.press("Shift+Home");
  expect(await chosen(text)).toContain('"k999": "1"');
  await page.keyboard.insertText('"k999": "k998 +"');
  const problem = view.getByRole("list", { name: "Problems" }).getByRole("button").first();
  await expect(problem).toContainText(/^Line \d{4}/);
  await page.keyboard.press("Control+Home");
  await expect(text).toContainText('"name": "Large"');
  await problem.click();
  await expect(marked(text)).toHaveText('"k998 +"');
  expect(await chosen(text)).toBe('"k998 +"');
  // What is folded shows by its beginning, and is unfolded for a problem inside of it.
  await page.keyboard.press("Control+Alt+[");
  await picture(page, "json-folded");
  await expect(text.locator(".cm-foldPlaceholder").first()).toBeVisible();
  await expect(text).not.toContainText("k998 +");
  await problem.click();
  await expect(text).toContainText("k998 +");
  await page.keyboard.insertText('"k998"');
  await expect(problem).toBeHidden();
  await page.keyboard.press("Control+z");
  await expect(text).toContainText("k998 +");
  await page.keyboard.press("Control+z");
  await expect(text).toContainText('"k999": "1"');
  await page.keyboard.press("Escape");
  await expect(view).toBeHidden();
});

test("a reload loses nothing of what was typed, with or without a pause", async ({ page }) => {
  await openDocument(page, small);
  const { text } = await openJson(page);
  await text.press("Control+End");
  await page.keyboard.type("what follows is no JSON", { delay: 60 });
  await page.reload();
  await openJson(page);
  await expect(text).toContainText("what follows is no JSON");
});

test("Ctrl F finds in the text of the JSON, which covers the canvas, and what finds it is loaded then", async ({ page }) => {
  const loaded: string[] = [];
  page.on("request", (request) => void loaded.push(request.url()));
  await openDocument(page, small);
  const { view, text } = await openJson(page);
  const finding = (): string[] => loaded.filter((url) => /\/assets\/finding-/.test(url));
  expect(finding()).toEqual([]);
  await page.keyboard.press("Control+f");
  const find = view.getByRole("textbox", { name: "Find" });
  await expect(find).toBeFocused();
  expect(finding()).toHaveLength(1);
  await expect(page.getByRole("region", { name: "Find and replace" })).toHaveCount(0);
  await page.keyboard.type("second");
  await page.keyboard.press("Enter");
  await expect.poll(() => chosen(text)).toBe("second");
  await picture(page, "json-find");
  expect(await findings(page)).toEqual([]);
  await view.getByRole("textbox", { name: "Replace" }).fill("other");
  await view.getByRole("button", { name: "Replace all" }).click();
  await expect.poll(() => written(text)).toContain('"other"');
  await page.keyboard.press("Escape");
  await expect(find).toHaveCount(0);
  await expect(view).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(view).toHaveCount(0);
  await expect(card(page, "other")).toBeVisible();
  // Over the canvas it is the search of the workflow.
  await page.keyboard.press("Control+f");
  await expect(page.getByRole("region", { name: "Find and replace" })).toBeVisible();
});

test("the selected step is in view when the JSON is opened", async ({ page }) => {
  const steps = Array.from({ length: 30 }, (_, at) => ({ id: `s${at}`, type: "wait", name: `step${at}`, wait: { ms: 1 } }));
  await openDocument(page, { version: 1, name: "Long", initialState: { topic: "x" }, steps });
  await card(page, "step4").click();
  await page.keyboard.press("j");
  const text = page.getByRole("region", { name: "The workflow as JSON" }).getByRole("textbox", { name: "JSON of the workflow" });
  await expect(text).toHaveAttribute("contenteditable", "true");
  await expect.poll(() => chosen(text)).toContain('"s4"');
  await expect(text.locator(".cm-line", { hasText: '"s4"' })).toBeInViewport({ ratio: 1 });
  // The gutter shows what stands above too.
  await expect(text.locator(".cm-line", { hasText: '"step3"' })).toBeInViewport();
});

test("what is missing is said at its line, and columns begin at 1", async ({ page }) => {
  await openDocument(page, small);
  const { view, text } = await openJson(page);
  await rewrite(text, '{\n"oops"\n}');
  await expect(view.getByRole("list", { name: "Problems" })).toContainText("Line 2, column 7");
  await text.press("Control+a");
  await text.press("Delete");
  await expect(view.getByRole("list", { name: "Problems" })).toContainText("Line 1, column 1");
});
