// Tests of a workflow in the page: data beside its document, run by the worker that runs the workflow.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { downloaded, openDocument, openLibrary, picture, run, written } from "./builder.js";

const triage = {
  version: 1,
  name: "Triage",
  initialState: { message: "Hello" },
  models: { default: { provider: "demo", model: "demo" } },
  agents: { support: { model: "default" } },
  steps: [
    { id: "draft", type: "agent", name: "draft", agent: "support", inputFrom: "Answer: {{ message }}" },
    { id: "sort", type: "function", name: "sort", run: { set: { queue: "'people' if message is containing('!') else 'inbox'" } } },
  ],
};
const tests = (...cases: object[]): string => JSON.stringify({ cases });
const urgent = { name: "what is urgent goes to people", state: { message: "Help!" }, pins: { draft: "We are on it." }, assert: [{ equals: "people", of: "queue" }, { contains: "on it", of: "draft_output" }] };
const waits = { name: "the rest waits", pins: { draft: "Thanks." }, assert: [{ equals: "people", of: "queue" }] };

async function openTests(page: Page): Promise<{ dialog: Locator; text: Locator; results: Locator }> {
  await page.getByRole("button", { name: "File" }).click();
  await page.getByRole("button", { name: /^Tests…/ }).click();
  const dialog = page.getByRole("dialog", { name: "Tests" });
  return { dialog, text: dialog.getByRole("textbox", { name: "Tests" }), results: dialog.getByRole("list", { name: "Results" }).locator(":scope > li") };
}

/** Leaves the dialog, as a person has who sees the page again: the browser leaves its entry of the history a moment later. */
async function left(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await expect(page.locator("dialog")).toHaveCount(0);
  await expect.poll(() => page.evaluate(() => history.state as unknown)).toBeNull();
}

test("tests are written, run, kept over a reload and downloaded", async ({ page }) => {
  await openDocument(page, triage);
  let { dialog, text, results } = await openTests(page);
  await text.fill(tests(urgent, waits));
  await dialog.getByRole("button", { name: "Run the tests" }).click();
  await expect(dialog.getByRole("status")).toHaveText("1 of 2 did not pass.");
  await expect(results.nth(0)).toContainText("what is urgent goes to people passed");
  await expect(results.nth(1)).toContainText('queue equals "people": it is "inbox"');
  await picture(page, "tests");
  expect(await findings(page)).toEqual([]);
  await page.reload();
  ({ dialog, text, results } = await openTests(page));
  await expect.poll(() => written(text)).toContain("the rest waits");
  await text.fill(tests(urgent));
  await dialog.getByRole("button", { name: "Run the tests" }).click();
  await expect(dialog.getByRole("status")).toHaveText("The test passed.");
  const { name, text: file } = await downloaded(page, () => dialog.getByRole("button", { name: "Download" }).click());
  expect(name).toBe("triage.test.json");
  expect(JSON.parse(file)).toEqual({ cases: [urgent] });
});

test("a test is made of the shown run, and says what a change of the workflow breaks", async ({ page }) => {
  await openDocument(page, triage);
  let { dialog, text, results } = await openTests(page);
  await dialog.getByRole("textbox", { name: "Name of the test" }).fill("nothing is urgent");
  await expect(dialog.getByRole("button", { name: "Make a test of the shown run" })).toBeDisabled();
  await expect(dialog).toContainText("Run the workflow to its end first");
  await left(page);
  await run(page);
  ({ dialog, text, results } = await openTests(page));
  await dialog.getByRole("textbox", { name: "Name of the test" }).fill("nothing is urgent");
  await dialog.getByRole("button", { name: "Make a test of the shown run" }).click();
  await expect.poll(() => written(text)).toContain('"nothing is urgent"');
  await dialog.getByRole("button", { name: "Run the tests" }).click();
  await expect(dialog.getByRole("status")).toHaveText("The test passed.");
  await left(page);
  await page.keyboard.press("j");
  const json = page.getByRole("textbox", { name: "JSON of the workflow" });
  await expect(json).toHaveAttribute("contenteditable", "true");
  const document = await written(json);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(document.replace("Answer: ", "Answer politely: "));
  await left(page);
  ({ dialog, results } = await openTests(page));
  await dialog.getByRole("button", { name: "Run the tests" }).click();
  await expect(dialog.getByRole("status")).toHaveText("1 of 1 did not pass.");
  await expect(results.first()).toContainText("“draft” sends something else now than when this was recorded.");
  await expect(results.first()).not.toContainText("journal");
  await picture(page, "test-no-longer-fits");
  await results.first().getByRole("button", { name: "Record it again" }).click();
  await expect(dialog.getByRole("status")).toHaveText("The test passed.");
  await expect(results).toHaveText([/nothing is urgent passed/]);
  await expect.poll(() => written(text)).toContain('"nothing is urgent"');
  // It is kept in the place of the one before.
  await left(page);
  await page.reload();
  ({ dialog, text, results } = await openTests(page));
  await expect.poll(() => written(text)).toContain('"nothing is urgent"');
  await dialog.getByRole("button", { name: "Run the tests" }).click();
  await expect(dialog.getByRole("status")).toHaveText("The test passed.");
});

test("Escape leaves the dialog also right after a key, when suggestions are looked for", async ({ page }) => {
  await openDocument(page, triage);
  const { text } = await openTests(page);
  await text.focus();
  await expect(text).toHaveAttribute("contenteditable", "true");
  // Both before the editor has looked.
  await page.evaluate(() => {
    const key = (type: string, key: string): KeyboardEvent => new KeyboardEvent(type, { key, bubbles: true, composed: true, cancelable: true });
    let field: Element | null = document.activeElement;
    while (field?.shadowRoot?.activeElement) field = field.shadowRoot.activeElement;
    document.execCommand("insertText", false, "t");
    (globalThis as { taken?: boolean }).taken = field?.dispatchEvent(key("keydown", "Escape")) === false;
  });
  expect(await page.evaluate(() => (globalThis as { taken?: boolean }).taken)).toBe(false);
});

test("a test that is recorded again stays in its place, with what a person has written for it", async ({ page }) => {
  await openDocument(page, triage);
  await run(page);
  let { dialog, text, results } = await openTests(page);
  // An editor draws no more of a long text than is seen.
  const kept = async (): Promise<string> => (await downloaded(page, () => dialog.getByRole("button", { name: "Download" }).click())).text;
  await dialog.getByRole("textbox", { name: "Name of the test" }).fill("recorded");
  await dialog.getByRole("button", { name: "Make a test of the shown run" }).click();
  await expect.poll(() => written(text)).toContain('"recorded"');
  const { cases: [made] } = JSON.parse(await kept()) as { cases: [{ assert: object[] }] };
  const own = { regex: ".", of: "draft_output" };
  await text.fill(tests({ ...made, assert: [...made.assert, own] }, waits));
  await left(page);
  // Another step that asks something is one for which nothing was recorded.
  await page.keyboard.press("j");
  const json = page.getByRole("textbox", { name: "JSON of the workflow" });
  await expect(json).toHaveAttribute("contenteditable", "true");
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(JSON.stringify({ ...triage, steps: [...triage.steps, { id: "more", type: "agent", name: "polish", agent: "support", inputFrom: "Polish: {{ draft_output }}" }] }));
  await left(page);
  ({ dialog, text, results } = await openTests(page));
  await dialog.getByRole("button", { name: "Run the tests" }).click();
  await expect(results.nth(0)).toContainText("“polish” sends something now for which nothing was recorded.");
  await results.nth(0).getByRole("button", { name: "Record it again" }).click();
  await expect(results.nth(0)).toContainText("recorded passed");
  await expect(results.nth(1)).toContainText("the rest waits did not pass");
  const { cases } = JSON.parse(await kept()) as { cases: { name: string; assert: object[] }[] };
  expect(cases.map(({ name }) => name)).toEqual(["recorded", "the rest waits"]);
  expect(cases[0]?.assert).toContainEqual(own);
  expect(JSON.stringify(cases[0]?.assert)).toContain("polish_output");
});

test("what is wrong with tests is said, and they go with their workflow", async ({ page }) => {
  await openDocument(page, triage);
  const { dialog, text, results } = await openTests(page);
  for (const [wrong, said] of [
    ["{", /JSON/],
    ["[]", /write \{ "cases": \[ … \] \}/],
    [tests({ name: "" }), /cases\[0\] has no name/],
    [tests({ ...urgent, recording: "elsewhere.json" }), /npx stepweave test reads it there/],
  ] as const) {
    await text.fill(wrong);
    await dialog.getByRole("button", { name: "Run the tests" }).click();
    await expect(dialog.getByRole("alert")).toContainText(said);
    await expect(results).toHaveCount(0);
  }
  // Nobody has agreed to this address.
  await left(page);
  await openDocument(page, { ...triage, name: "Elsewhere", models: { default: { provider: "openai", model: "m", baseUrl: "https://models.example/v1" } } });
  const other = await openTests(page);
  await expect.poll(() => written(other.text)).toBe("");
  await other.text.fill(tests({ name: "answers", status: "done" }));
  await other.dialog.getByRole("button", { name: "Run the tests" }).click();
  await expect(other.results.first()).toContainText("this run may not send anything to https://models.example");
  await left(page);
  await expect(other.dialog).toBeHidden();
  const library = await openLibrary(page);
  await expect(library.getByText("Triage", { exact: true })).toBeVisible();
});
