// What stands in a field and is not valid yet keeps a run waiting as long as the field is there, and no longer.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { card, openDocument, picture } from "./builder.js";

const greet = { id: "s1", type: "function", name: "greet", run: { set: { said: "'Hello'" } } };

async function press(page: Page): Promise<void> {
  await page.locator(".topbar").getByRole("button", { name: "Run", exact: true }).click();
}

/** Something in the document is not valid yet, and Run says so. */
async function keepsWaiting(page: Page): Promise<void> {
  await press(page);
  await expect(page.locator(".problems").first()).toContainText("not valid yet");
}

/** The workflow runs, also as it is found after a reload. */
async function runs(page: Page): Promise<void> {
  await press(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await press(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.getByText("not valid yet")).toHaveCount(0);
}

/** Adds a row whose key another one has already. */
async function addTaken(rows: Locator, add: string): Promise<void> {
  await rows.getByRole("button", { name: add }).click();
  await rows.getByLabel("Key", { exact: true }).last().fill("a");
  await expect(rows.getByText(/has this name already/)).toBeVisible();
}

/** Leaves the field, and takes back what was done. */
async function undo(page: Page, times: number): Promise<void> {
  await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
  for (let done = 0; done < times; done += 1) await page.keyboard.press("ControlOrMeta+z");
}

test("an undo takes what was half written along with its row, and a row that is added then is a new one", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", input: { type: "object", properties: { a: { type: "string" } } }, steps: [greet] });
  const input = page.locator(".inspector").getByRole("group", { name: "Input", exact: true });
  await addTaken(input, "Add a key");
  await keepsWaiting(page);
  await undo(page, 2);
  await expect(input.getByLabel("Key", { exact: true })).toHaveCount(1);
  await input.getByRole("button", { name: "Add a key" }).click();
  await expect(input.getByLabel("Key", { exact: true }).last()).toHaveValue("key");
  await expect(input.getByText(/has this name already/)).toHaveCount(0);
  await undo(page, 1);
  await press(page);
  await expect(page.getByRole("dialog", { name: "Run with" })).toBeVisible();
});

test("a schema that is written as JSON has other rows, whatever was half written in those before", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", input: { type: "object", properties: { a: { type: "string" } } }, steps: [greet] });
  const input = page.locator(".inspector").getByRole("group", { name: "Input", exact: true });
  await addTaken(input, "Add a key");
  await input.getByRole("button", { name: "As JSON" }).click();
  await page.locator(".inspector").getByLabel("Input", { exact: true }).fill('{ "type": "object", "properties": { "x": { "type": "string" }, "y": { "type": "string" } } }');
  await page.locator(".inspector").getByRole("button", { name: "As fields" }).click();
  await expect(input.getByLabel("Key", { exact: true }).last()).toHaveValue("y");
  await expect(input.getByText(/has this name already/)).toHaveCount(0);
  await press(page);
  await expect(page.getByRole("dialog", { name: "Run with" })).toBeVisible();
});

test("a value of the initial state that is taken back keeps no run waiting", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", initialState: { a: "x" }, steps: [greet] });
  const state = page.locator(".inspector").getByRole("group", { name: "Initial state", exact: true });
  await addTaken(state, "Add a value");
  await keepsWaiting(page);
  await undo(page, 2);
  await runs(page);
});

test("another kind of wait and another body have other fields", async ({ page }) => {
  const rest = { id: "s2", type: "wait", name: "rest", wait: { ms: 1 } };
  await openDocument(page, { version: 1, name: "Greeting", steps: [greet, rest] });
  const inspector = page.locator(".inspector");
  await card(page, "rest").click();
  await inspector.getByLabel("Milliseconds").fill("abc");
  await keepsWaiting(page);
  await inspector.getByLabel("Wait", { exact: true }).selectOption("until");
  await inspector.getByLabel("Until", { exact: true }).fill("'2020-01-31T12:00:00Z'");
  await runs(page);
});

test("a pin that is no JSON yet keeps a run waiting, and the one from before stays", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", pins: { s1: { said: "Pinned" } }, steps: [greet] });
  await card(page, "greet").click();
  const inspector = page.locator(".inspector");
  await inspector.getByText("More", { exact: true }).click();
  const pin = inspector.getByRole("textbox", { name: "Pinned output" });
  await pin.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("falsetrue");
  await expect(page.getByRole("button", { name: "1 problem" })).toBeVisible();
  await expect(card(page, "greet")).toHaveClass(/flawed/);
  await press(page);
  await expect(page.locator(".problems").first()).toContainText("what stands in “Pinned output” is not valid yet");
  await expect(page.locator(".run-summary")).not.toHaveAttribute("data-status", "done");
  await pin.fill('{ "said": "Anew" }');
  await runs(page);
  await expect(page.locator(".final-state pre")).toContainText("Anew");
});

test("a number that becomes none is the one from before, and a time may be typed with its unit", { tag: "@firefox" }, async ({ page }) => {
  const rest = { id: "s2", type: "wait", name: "rest", wait: { ms: 1000 } };
  await openDocument(page, { version: 1, name: "Greeting", initialState: { n: 1000 }, steps: [greet, rest, { id: "s3", type: "loop", name: "again", repeat: { while: "false" }, maxIterations: 20, steps: [] }] });
  const inspector = page.locator(".inspector");
  const over = async (field: Locator, text: string): Promise<void> => {
    await field.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(text);
  };
  const state = inspector.getByRole("group", { name: "Initial state", exact: true });
  await over(state.getByLabel("Value", { exact: true }), "10 s");
  await expect(state.getByText("Must be")).toBeVisible();
  await card(page, "again").click();
  await over(inspector.getByLabel("Most rounds"), "5x");
  await expect(card(page, "again")).toContainText("at most 20 times");
  await card(page, "rest").click();
  const span = inspector.getByLabel("Milliseconds");
  await over(span, "10 mins");
  await expect(inspector.getByText("Must be a whole number of milliseconds, 0 or more, or a time such as 10 s or 5 min.")).toBeVisible();
  await expect(card(page, "rest")).toContainText("waits1 s");
  await keepsWaiting(page);
  await over(span, "10 s");
  await expect(span).toHaveValue("10 s");
  await expect(card(page, "rest")).toContainText("waits10 s");
  await page.keyboard.press("Tab");
  await expect(span).toHaveValue("10000");
  await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
  await expect(state.getByLabel("Value", { exact: true })).toHaveValue("10 s");
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Export…").click();
  await expect(page.getByLabel("The workflow as JSON")).toHaveValue(/"n": 1000\b[\s\S]*"ms": 10000\b[\s\S]*"maxIterations": 20\b/);
});

test("a request that sends nothing has no text that is no JSON yet", async ({ page }) => {
  const send = { id: "s2", type: "http", name: "send", enabled: false, http: { url: "https://a.example/", body: { json: {} } } };
  await openDocument(page, { version: 1, name: "Greeting", steps: [greet, send] });
  const inspector = page.locator(".inspector");
  await card(page, "send").click();
  await inspector.getByLabel("JSON to send").fill('{"a": ');
  await keepsWaiting(page);
  await inspector.getByLabel("Body", { exact: true }).selectOption("");
  await press(page);
  await expect(page.getByText("not valid yet")).toHaveCount(0);
});

test("a schema of a step keeps a run waiting as one of the workflow does", async ({ page }) => {
  const checked = { ...greet, output: { type: "object", properties: { a: { type: "string" } } } };
  await openDocument(page, { version: 1, name: "Greeting", steps: [checked] });
  await card(page, "greet").click();
  const inspector = page.locator(".inspector");
  await inspector.getByText("More", { exact: true }).click();
  const output = inspector.getByRole("group", { name: "Output", exact: true });
  await addTaken(output, "Add a key");
  await keepsWaiting(page);
  await expect(output.getByLabel("Key", { exact: true }).last()).toHaveValue("a");
});

test("an undo takes back what is not valid before any change, and says so", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", steps: [{ ...greet, retryCount: 3 }] });
  await card(page, "greet").click();
  const inspector = page.locator(".inspector");
  await inspector.getByLabel("Name", { exact: true }).fill("hail");
  await inspector.getByText("More", { exact: true }).click();
  const retries = inspector.getByLabel("Retries");
  const button = page.getByRole("button", { name: "Undo" });
  await retries.fill("-1");
  await page.keyboard.press("ControlOrMeta+z");
  await expect(retries).toHaveValue("3");
  await expect(inspector.getByText("Must be a whole number")).toHaveCount(0);
  await expect(page.locator(".notice")).toHaveText("Taken back, as it was not valid: “-1”");
  await expect(card(page, "hail")).toBeVisible();
  // Letter by letter, of which the first are a number; and with the button, when the field is left.
  await retries.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("5x");
  await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
  await button.click();
  await expect(page.locator(".notice")).toContainText("“5x”");
  await expect(card(page, "hail")).toHaveClass(/selected/);
  await expect(retries).toHaveValue("3");
  await button.click();
  await expect(card(page, "greet")).toBeVisible();
  // What was changed later goes first.
  await retries.fill("abc");
  await inspector.getByLabel("Name", { exact: true }).fill("wave");
  await button.click();
  await expect(card(page, "greet")).toBeVisible();
  await expect(retries).toHaveValue("abc");
  // Also of an earlier visit.
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await button.click();
  await expect(page.locator(".notice")).toContainText("“abc”");
  await expect(button).toBeDisabled();
});

test("a redo gives again what is not valid and was taken back, at its turn", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", steps: [{ ...greet, retryCount: 3 }] });
  await card(page, "greet").click();
  const inspector = page.locator(".inspector");
  await inspector.getByText("More", { exact: true }).click();
  const retries = inspector.getByLabel("Retries");
  const [undone, again] = [page.getByRole("button", { name: "Undo" }), page.getByRole("button", { name: "Redo" })];
  await inspector.getByLabel("Name", { exact: true }).fill("hail");
  await retries.fill("-1");
  await undone.click();
  await undone.click();
  await expect(card(page, "greet")).toBeVisible();
  await again.click();
  await expect(card(page, "hail")).toBeVisible();
  await expect(retries).toHaveValue("3");
  await again.click();
  await expect(retries).toHaveValue("-1");
  await expect(page.locator(".notice")).toHaveText("It is there again, and still not valid: “-1”");
  await expect(again).toBeDisabled();
  await undone.click();
  await expect(retries).toHaveValue("3");
  // Letter by letter, of which the first were a number.
  await retries.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("5x");
  await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
  await undone.click();
  await card(page, "hail").click();
  await expect(retries).toHaveValue("3");
  await again.click();
  await expect(retries).toHaveValue("5x");
  await undone.click();
  await expect(retries).toHaveValue("3");
  // What is changed since has taken its place.
  await inspector.getByLabel("Name", { exact: true }).fill("wave");
  await undone.click();
  await again.click();
  await expect(card(page, "wave")).toBeVisible();
  await expect(retries).toHaveValue("3");
});

test("whoever takes the workflow along reads what of it is not valid yet, and gets there", async ({ page }) => {
  const send = { id: "s2", type: "http", name: "send", enabled: false, http: { url: "https://a.example/", query: { a: "1", b: "2" } } };
  await openDocument(page, { version: 1, name: "Greeting", initialState: { a: 1, b: 2 }, steps: [{ ...greet, retryCount: 3 }, send] });
  const inspector = page.locator(".inspector");
  const take = async (): Promise<Locator> => {
    await page.getByRole("button", { name: "File", exact: true }).click();
    await page.getByText("Export…").click();
    return page.getByRole("dialog").getByRole("alert");
  };
  await expect(await take()).toHaveCount(0);
  await page.keyboard.press("Escape");
  const state = inspector.getByRole("group", { name: "Initial state", exact: true });
  await state.getByLabel("Key", { exact: true }).nth(1).fill("a");
  await card(page, "greet").click();
  await inspector.getByText("More", { exact: true }).click();
  await inspector.getByLabel("Retries").fill("-1");
  await card(page, "send").click();
  await inspector.getByText("Query, headers, pages").click();
  await inspector.getByLabel("Parameter", { exact: true }).nth(1).fill("a");
  const said = await take();
  await expect(said).toContainText("Not all that you see is in it");
  await expect(said.getByRole("listitem")).toHaveText([
    /^\s*what stands in “Initial state, row 2, key” is not valid yet \(“a”\)\s*Go to it$/,
    /^greet:\s*what stands in “Retries” is not valid yet \(“-1”\)\s*Go to it$/,
    /^send:\s*what stands in “Query, row 2” is not valid yet \(“a”\)\s*Go to it$/,
  ]);
  await expect(page.getByLabel("The workflow as JSON")).toHaveValue(/"retryCount": 3/);
  await picture(page, "export-half-written");
  await said.getByRole("listitem").filter({ hasText: "Retries" }).getByRole("button").click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(inspector.getByLabel("Retries")).toBeFocused();
  await expect(inspector.getByLabel("Retries")).toHaveValue("-1");
  await (await take()).getByRole("listitem").filter({ hasText: "Initial state" }).getByRole("button").click();
  await expect(state.getByLabel("Key", { exact: true }).nth(1)).toBeFocused();
  await (await take()).getByRole("listitem").filter({ hasText: "Query" }).getByRole("button").click();
  await expect(inspector.getByLabel("Parameter", { exact: true }).nth(1)).toBeFocused();
});

test("what is half written stays with its row when one above it is removed, and when that is taken back", async ({ page }) => {
  const query = { a: "1", b: "2", c: "3" };
  const send = { id: "s2", type: "http", name: "send", enabled: false, http: { url: "https://a.example/", query } };
  await openDocument(page, { version: 1, name: "Greeting", initialState: { a: 1, b: 2, c: 3 }, steps: [greet, send] });
  const state = page.locator(".inspector").getByRole("group", { name: "Initial state", exact: true });
  await state.getByLabel("Key", { exact: true }).nth(1).fill("c");
  await state.getByLabel("Value", { exact: true }).nth(2).fill("three");
  await state.getByRole("button", { name: "Remove this value" }).first().click();
  await expect(state.getByLabel("Key", { exact: true })).toHaveCount(2);
  await expect(state.getByLabel("Key", { exact: true }).nth(0)).toHaveValue("c");
  await expect(state.getByRole("group", { name: "b", exact: true }).getByLabel("Key", { exact: true })).toHaveValue("c");
  await expect(state.getByLabel("Value", { exact: true }).nth(1)).toHaveValue("three");
  await undo(page, 1);
  await expect(state.getByLabel("Key", { exact: true }).nth(1)).toHaveValue("c");
  await expect(state.getByLabel("Key", { exact: true }).nth(0)).toHaveValue("a");
  await expect(state.getByLabel("Value", { exact: true }).nth(2)).toHaveValue("three");
  await card(page, "send").click();
  await page.locator(".inspector").getByText("Query, headers, pages").click();
  const rows = page.locator(".inspector").getByLabel("Parameter", { exact: true });
  await rows.nth(1).fill("c");
  await page.locator(".inspector").getByRole("button", { name: "Remove this parameter" }).first().click();
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0)).toHaveValue("c");
  await expect(rows.nth(1)).toHaveValue("c");
  await expect(page.getByText("Another row has this name already.")).toHaveCount(1);
  // A row takes along what was half written in it.
  await page.locator(".inspector").getByRole("button", { name: "Remove this parameter" }).first().click();
  await expect(rows).toHaveCount(1);
  await expect(page.getByText("Another row has this name already.")).toHaveCount(0);
});
