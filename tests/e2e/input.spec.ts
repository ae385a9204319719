// What a workflow wants to be given: its schema as fields, and the form with which Run asks for it.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { card, everythingStored, exported, openDocument, picture, written } from "./builder.js";

const steps = [{ id: "s1", type: "function", name: "greet", run: { set: { said: "'Hello ' ~ who" } } }];

/** The fields of the workflow's input. */
const input = (page: Page): Locator => page.locator(".inspector").getByRole("group", { name: "Input", exact: true });

/** The dialog with which Run asks. */
const runForm = (page: Page): Locator => page.getByRole("dialog", { name: "Run with" });

async function press(page: Page): Promise<void> {
  await page.locator(".topbar").getByRole("button", { name: "Run", exact: true }).click();
}

const asked = { type: "object", required: ["who"], properties: { who: { type: "string" } } };

test("Run asks in its first field, and the keyboard comes back to Run", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", input: asked, steps });
  await press(page);
  const form = runForm(page);
  await expect(form.getByLabel("who")).toBeFocused();
  await page.keyboard.type("Ada and Bo");
  await expect(form.getByLabel("who")).toHaveValue("Ada and Bo");
  const button = page.locator(".topbar").getByRole("button", { name: "Run", exact: true });
  await form.getByRole("button", { name: "Cancel" }).click();
  await expect(form).toHaveCount(0);
  await expect(button).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(form.getByLabel("who")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(form).toHaveCount(0);
  await expect(button).toBeFocused();
  // One without a field has its button, which a space may press.
  await page.getByTitle("Endpoint settings").click();
  const endpoint = page.getByRole("dialog", { name: "Endpoint" });
  await expect(endpoint.getByRole("button", { name: "Save" })).toBeFocused();
});

test("what a run was given last is there for the next one, and what is typed takes its place", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", input: asked, steps });
  const form = runForm(page);
  for (const who of ["Ada", "Bo"]) {
    await press(page);
    await expect(form.getByLabel("who")).toBeFocused();
    await page.keyboard.type(who);
    await page.keyboard.press("ControlOrMeta+Enter");
    await expect(form).toHaveCount(0);
    await expect(page.locator(".final-state pre")).toContainText(`Hello ${who}"`);
  }
  // JSON is changed where the caret stands.
  await press(page);
  await form.getByRole("button", { name: "As JSON" }).click();
  await page.keyboard.press("Escape");
  await press(page);
  await expect(form.getByLabel("Values of the run")).toBeFocused();
  const chosen = await form.getByLabel("Values of the run").evaluate((area: HTMLTextAreaElement) => area.selectionEnd - area.selectionStart);
  expect(chosen).toBe(0);
});

test("Ctrl Enter runs from a field of the form, where Enter makes a line, and from its JSON", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", input: asked, steps });
  await press(page);
  const form = runForm(page);
  await form.getByLabel("who").fill("Ada");
  await page.keyboard.press("Enter");
  await page.keyboard.type("and Bo");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(form).toHaveCount(0);
  await expect(page.locator(".final-state pre")).toContainText("Hello Ada\\nand Bo");
  await press(page);
  await form.getByRole("button", { name: "As JSON" }).click();
  await expect(form.getByLabel("Values of the run")).toBeFocused();
  await form.getByLabel("Values of the run").fill('{ "who": "Cy" }');
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(form).toHaveCount(0);
  await expect(page.locator(".final-state pre")).toContainText("Hello Cy");
});

test("what was typed into the form of a run is there after Escape, and its JSON before all of it is right", async ({ page }) => {
  const list = { type: "array", items: { type: "string" } };
  await openDocument(page, { version: 1, name: "Greeting", input: { ...asked, properties: { ...asked.properties, guests: list } }, steps });
  await press(page);
  const form = runForm(page);
  await form.getByRole("button", { name: "Add an item" }).click();
  await expect(form.getByLabel("Item 1", { exact: true })).toBeFocused();
  await page.keyboard.type("Bo");
  await page.keyboard.press("Escape");
  await expect(form).toHaveCount(0);
  await press(page);
  await expect(form.getByLabel("Item 1", { exact: true })).toHaveValue("Bo");
  // One is still to be filled in.
  await form.getByRole("button", { name: "As JSON" }).click();
  const json = form.getByLabel("Values of the run");
  await expect(json).toHaveValue('{\n  "guests": [\n    "Bo"\n  ]\n}');
  await json.fill('{ "who": "Cy", "zzz": 3 }');
  await form.getByRole("button", { name: "As a form" }).click();
  await expect(form.getByText("The form has no field for all of “zzz”")).toBeVisible();
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".final-state pre")).toContainText('"zzz": 3');
  await press(page);
  await expect(form.getByLabel("who")).toHaveValue("Cy");
});

test("what was typed into the form of a run outlives a reload until a run has it, also while Run asks where it may send", async ({ page }) => {
  const models = { real: { provider: "openai", model: "tiny", baseUrl: "https://models.example/v1" } };
  await page.route("https://models.example/**", (route) => route.fulfill({ status: 401, body: "{}" }));
  await openDocument(page, { version: 1, name: "Greeting", input: asked, models, agents: { greeter: { model: "real" } }, steps: [{ id: "s1", type: "agent", name: "greet", agent: "greeter", inputFrom: "Greet {{ who }}" }] });
  await press(page);
  const form = runForm(page);
  await form.getByLabel("who").fill("Dee");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await press(page);
  await expect(form.getByLabel("who")).toHaveValue("Dee");
  await form.getByRole("button", { name: "Run", exact: true }).click();
  const agree = page.getByRole("dialog", { name: "Send data to these addresses?" });
  await expect(agree).toBeVisible();
  await page.reload();
  await press(page);
  await expect(form.getByLabel("who")).toHaveValue("Dee");
  await form.getByLabel("who").fill("Eve");
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await agree.getByRole("button", { name: "Send and run" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "error");
  // The run has it, and the next one begins with what that was given.
  await press(page);
  await expect(form.getByLabel("who")).toHaveValue("Eve");
});

/** Pastes a text that another program has put on the clipboard into the field that has the focus. */
async function pasteText(page: Page, text: string): Promise<boolean> {
  return await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    // Whether the browser itself writes it into the field.
    return document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })) ?? false;
  }, text);
}

test("a text of several lines that is pasted into a list is an item a line, and Enter begins the next one", async ({ page }) => {
  const guests = { type: "array", items: { type: "string" } };
  await openDocument(page, { version: 1, name: "Greeting", input: { type: "object", required: ["guests"], properties: { guests } }, steps: [{ ...steps[0], run: { set: { said: "guests | join('+')" } } }] });
  await press(page);
  const form = runForm(page);
  const item = (number: number): Locator => form.getByLabel(`Item ${number}`, { exact: true });
  await expect(item(1)).toBeFocused();
  expect(await pasteText(page, " Ada \r\n\nBo\n")).toBe(false);
  await expect(item(1)).toHaveValue("Ada");
  await expect(item(2)).toHaveValue("Bo");
  await expect(item(3)).toHaveCount(0);
  // All of an item is replaced; beside what stands there the paste is the browser's.
  await item(1).selectText();
  expect(await pasteText(page, "Cy\nDee")).toBe(false);
  await expect(item(2)).toHaveValue("Dee");
  await expect(item(3)).toHaveValue("Bo");
  await item(3).focus();
  await page.keyboard.press("End");
  expect(await pasteText(page, "x\ny")).toBe(true);
  expect(await pasteText(page, "one line")).toBe(true);
  // Enter is the end of an item, and the beginning of the next one.
  await item(1).press("Enter");
  await expect(item(2)).toBeFocused();
  await page.keyboard.type("Eve");
  await expect(item(3)).toHaveValue("Dee");
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".final-state pre")).toContainText("Cy+Eve+Dee+Bo");
});

test("the first item of a list is there to be written into, and is none while it is empty", async ({ page }) => {
  const guests = { type: "array", items: { type: "string" } };
  await openDocument(page, { version: 1, name: "Greeting", input: { type: "object", required: ["guests"], properties: { guests } }, steps: [{ ...steps[0], run: { set: { said: "guests | length" } } }] });
  await press(page);
  const form = runForm(page);
  const item = (number: number): Locator => form.getByLabel(`Item ${number}`, { exact: true });
  await expect(item(1)).toBeFocused();
  await picture(page, "first-item");
  expect(await findings(page)).toEqual([]);
  // Enter and the button lead to it as long as it is empty, and it is no item.
  await page.keyboard.press("Enter");
  await form.getByRole("button", { name: "Add an item" }).click();
  await expect(item(1)).toBeFocused();
  await expect(item(2)).toHaveCount(0);
  await expect(form.getByRole("button", { name: "Remove item 1" })).toBeDisabled();
  await page.keyboard.type("a");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.locator(".final-state pre")).toContainText('"said": 0');
  // A column that is pasted into it is an item a line.
  await press(page);
  await expect(item(1)).toBeFocused();
  expect(await pasteText(page, "Ada\r\nBo\r\nCy\r\n")).toBe(false);
  await expect(item(3)).toHaveValue("Cy");
  await item(3).press("ControlOrMeta+Enter");
  await expect(page.locator(".final-state pre")).toContainText('"said": 3');
});

test("a table that is pasted into a list of objects is an item a line", async ({ page }) => {
  const guests = { type: "array", items: { type: "object", required: ["name", "age"], properties: { name: { type: "string" }, age: { type: "integer" }, comes: { type: "boolean" } } } };
  await openDocument(page, { version: 1, name: "Greeting", input: { type: "object", required: ["guests"], properties: { guests } }, steps: [{ ...steps[0], run: { set: { said: "guests" } } }] });
  await press(page);
  const form = runForm(page);
  await expect(form.getByLabel("name", { exact: true })).toBeFocused();
  expect(await pasteText(page, "Age\tName\r\n3\tAda\r\n4\tBo")).toBe(false);
  await expect(form.getByLabel("name", { exact: true })).toHaveCount(2);
  await expect(form.getByLabel("age", { exact: true }).nth(1)).toHaveValue("4");
  await picture(page, "pasted-table");
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".final-state pre")).toContainText(/"said": \[\s+\{\s+"name": "Ada",\s+"age": 3\s+\},\s+\{\s+"name": "Bo",\s+"age": 4\s+\}\s+\]/);
});

test("the form of a run begins with what the last run was given, also in a later visit", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", initialState: { who: "nobody" }, input: asked, steps });
  await press(page);
  const form = runForm(page);
  await expect(form.getByLabel("who")).toHaveValue("nobody");
  for (const who of ["Ada", "Bo"]) {
    await form.getByLabel("who").fill(who);
    await form.getByRole("button", { name: "Run", exact: true }).click();
    await expect(page.locator(".final-state pre")).toContainText(`Hello ${who}`);
    await press(page);
    await expect(form.getByLabel("who")).toHaveValue(who);
  }
  await page.reload();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await press(page);
  await expect(form.getByLabel("who")).toHaveValue("Bo");
});

test("what was sent to an agent can be read, and a preview has what the run was given", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Mails",
    models: { m: { provider: "demo", model: "demo" } },
    agents: { a: { model: "m" } },
    input: { type: "object", required: ["mail"], properties: { mail: { type: "string" } } },
    steps: [
      { id: "s1", type: "agent", name: "sort", agent: "a", inputFrom: "Sort this mail: {{ mail }}" },
      { id: "s2", type: "function", name: "compose", run: { set: { reply: "'Dear customer, ' ~ mail" } } },
    ],
  });
  await press(page);
  await runForm(page).getByLabel("mail").fill("Where is my parcel?");
  await page.keyboard.press("Tab");
  await runForm(page).getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  // The last step makes the text that the run was for.
  const last = page.getByRole("region", { name: "Last answer" });
  await expect(last).toContainText("reply of compose");
  await expect(last).toContainText("Dear customer, Where is my parcel?");
  const inspector = page.locator(".inspector");
  await card(page, "compose").click();
  await expect(inspector.getByLabel("What it gave")).toHaveText("Dear customer, Where is my parcel?");
  await expect(inspector.locator(".run-of-step .field-label")).toHaveText(["reply"]);
  await card(page, "sort").click();
  await expect(inspector.getByLabel("Prompt that was sent", { exact: true })).toHaveText("Sort this mail: Where is my parcel?");
  await inspector.getByText("Prompt that was sent").scrollIntoViewIfNeeded();
  await picture(page, "prompt-that-was-sent");
  expect(await findings(page)).toEqual([]);
  await inspector.getByRole("textbox", { name: "Prompt", exact: true }).focus();
  await expect(inspector.getByRole("group", { name: "Preview" })).toContainText("Sort this mail: Where is my parcel?");
  // It is kept with the run.
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await card(page, "sort").click();
  await expect(inspector.getByLabel("Prompt that was sent", { exact: true })).toHaveText("Sort this mail: Where is my parcel?");
});

test("the input of a workflow is made of keys, and Run asks for it", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", steps });
  // A workflow without an input runs as it is.
  const own = input(page);
  await own.getByRole("button", { name: "Add a key" }).click();
  await own.getByLabel("Key", { exact: true }).fill("who");
  await own.getByLabel("What it is").fill("Who is greeted");
  await own.getByRole("button", { name: "Add a key" }).click();
  const mood = own.getByRole("group", { name: "key", exact: true });
  await mood.getByLabel("Key", { exact: true }).fill("who");
  await expect(own.getByText("Another key has this name already.")).toBeVisible();
  await own.getByLabel("Key", { exact: true }).nth(1).fill("mood");
  await expect(own.getByText("Another key has this name already.")).toHaveCount(0);
  const second = own.getByRole("group", { name: "mood", exact: true });
  await second.getByLabel("Kind").selectOption("One of…");
  await second.getByLabel("Choices").fill("warm\ndry\n");
  await second.getByLabel("Required").uncheck();
  await own.getByRole("button", { name: "Add a key" }).click();
  const third = own.getByRole("group", { name: "key", exact: true });
  await third.getByLabel("Key", { exact: true }).fill("guests");
  const guests = own.getByRole("group", { name: "guests", exact: true });
  await guests.getByLabel("Kind").selectOption("List");
  await guests.getByLabel("Each item is").selectOption("Object");
  await guests.getByRole("button", { name: "Add a key" }).click();
  await guests.getByRole("group", { name: "key", exact: true }).getByLabel("Kind").selectOption("Whole number");
  await picture(page, "input-schema");
  expect(await findings(page)).toEqual([]);
  expect((await exported(page))["input"]).toEqual({
    type: "object",
    required: ["who", "guests"],
    properties: {
      who: { type: "string", description: "Who is greeted" },
      mood: { enum: ["warm", "dry"] },
      guests: { type: "array", items: { type: "object", properties: { key: { type: "integer" } }, required: ["key"] } },
    },
  });
  // JSON is behind it, both ways.
  await own.getByRole("button", { name: "As JSON" }).first().click();
  await expect(page.locator(".inspector").getByLabel("Input", { exact: true })).toBeVisible();
  await page.locator(".inspector").getByRole("button", { name: "As fields" }).click();
  await expect(own.getByLabel("Key", { exact: true }).first()).toHaveValue("who");

  await press(page);
  const form = runForm(page);
  await expect(form).toBeVisible();
  await expect(form.getByText("Who is greeted")).toBeVisible();
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect(form.getByText("Fill this in.")).toBeVisible();
  await form.getByLabel("who").fill("Ada");
  await form.getByRole("group", { name: "guests" }).getByRole("button", { name: "Add an item" }).click();
  await form.getByLabel("key", { exact: true }).fill("many");
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect(form.getByText("Must be a whole number, such as 2.")).toBeVisible();
  await expect(form.getByLabel("key", { exact: true })).toBeFocused();
  await picture(page, "run-with");
  expect(await findings(page)).toEqual([]);
  await form.getByLabel("key", { exact: true }).fill("2");
  await expect(form.getByText("Must be a whole number, such as 2.")).toHaveCount(0);
  await form.getByRole("button", { name: "As JSON" }).click();
  await expect(form.getByLabel("Values of the run")).toHaveValue(/"guests": \[/);
  await form.getByRole("button", { name: "As a form" }).click();
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect(form).toHaveCount(0);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state")).toContainText("Hello Ada");
  // The next run offers what was given last; nothing of it is in the document.
  await press(page);
  await expect(form.getByLabel("who")).toHaveValue("Ada");
  await form.getByRole("button", { name: "Cancel" }).click();
  await expect(form).toHaveCount(0);
  expect(await exported(page)).not.toHaveProperty("initialState");
  // Without keys no form opens.
  const remove = own.getByRole("button", { name: "Remove this key" }).first();
  await remove.click();
  // A step reads the first of them.
  await page.getByRole("button", { name: "Delete anyway" }).click();
  await remove.click();
  await remove.click();
  expect(await exported(page)).not.toHaveProperty("input");
  await page.keyboard.press("Control+z");
  await expect(own.getByLabel("Key", { exact: true })).toHaveCount(2);
});

test("what only JSON says stays, and a text that is no schema yet outlives a reload", async ({ page }) => {
  const schema = { type: "object", required: ["who"], additionalProperties: false, properties: { who: { type: "string", pattern: "^[A-Z]", minLength: 2 }, odd: { anyOf: [{ type: "string" }, { type: "null" }] } } };
  await openDocument(page, { version: 1, name: "Strict", initialState: { who: "Bo" }, input: schema, steps });
  const own = input(page);
  await expect(own.getByRole("group", { name: "odd", exact: true }).getByLabel("Kind")).toHaveValue("More, in JSON");
  await own.getByRole("group", { name: "who", exact: true }).getByLabel("What it is").fill("A name");
  expect((await exported(page))["input"]).toEqual({ ...schema, properties: { ...schema.properties, who: { ...schema.properties.who, description: "A name" } } });
  await own.getByRole("button", { name: "As JSON" }).click();
  const text = page.locator(".inspector").getByLabel("Input", { exact: true });
  await text.fill('{ "type": ');
  await expect(page.locator(".inspector").getByText(/^Line 1: /)).toBeVisible();
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await expect(page.locator(".inspector").getByText(/^Line 1: /)).toBeVisible();
  await press(page);
  await expect(runForm(page)).toHaveCount(0);
  await expect(page.locator(".problems").first()).toContainText("not valid yet");
  await text.fill(JSON.stringify({ ...schema, properties: { who: schema.properties.who } }));
  await press(page);
  // The form begins with the initial state, and says what the fields know; the engine knows the rest.
  await expect(runForm(page).getByLabel("who")).toHaveValue("Bo");
  await runForm(page).getByLabel("who").fill("b");
  await runForm(page).getByRole("button", { name: "Run", exact: true }).click();
  await expect(runForm(page).getByText("Must have at least 2 characters.")).toBeVisible();
  await runForm(page).getByLabel("who").fill("bee");
  await runForm(page).getByRole("button", { name: "Run", exact: true }).click();
  await expect(runForm(page).getByText('Must match "^[A-Z]", but is "bee".')).toBeVisible();
  await runForm(page).getByLabel("who").fill("Bea");
  await page.keyboard.press("Tab");
  await runForm(page).getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  // From a step on, a run has what the one before it was given.
  await card(page, "greet").click();
  await page.locator(".inspector").getByRole("button", { name: /from here/i }).click();
  await expect(runForm(page)).toHaveCount(0);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state")).toContainText("Hello Bea");
});

test("the initial state is a form whose keys are renamed with all that reads them, and JSON behind it", async ({ page }) => {
  await openDocument(page, { version: 1, name: "State", initialState: { who: "Ada", many: 2, ready: true, list: [1] }, steps });
  const state = page.locator(".inspector").getByRole("group", { name: "Initial state", exact: true });
  const row = (name: string): Locator => state.getByRole("group", { name, exact: true });
  await expect(row("list").getByLabel("Kind", { exact: true })).toHaveValue("JSON");
  await row("many").getByLabel("Value", { exact: true }).fill("many");
  await expect(state.getByText("Must be a number, such as 2.5.")).toBeVisible();
  await expect(page.getByRole("button", { name: "1 problem" })).toBeVisible();
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await expect(row("many").getByLabel("Value", { exact: true })).toHaveValue("many");
  await row("many").getByLabel("Value", { exact: true }).fill("3");
  await expect(page.getByRole("button", { name: "1 problem" })).toHaveCount(0);
  await row("ready").getByLabel("Value", { exact: true }).selectOption("no");
  await row("list").getByLabel("Value", { exact: true }).fill("[1, 2]");
  await row("who").getByLabel("Key", { exact: true }).fill("person");
  await row("many").getByLabel("Kind", { exact: true }).selectOption("Text");
  await state.getByRole("button", { name: "Add a value" }).click();
  await row("key").getByLabel("Key", { exact: true }).fill("person");
  await expect(state.getByText("Another value has this name already.")).toBeVisible();
  await state.getByLabel("Key", { exact: true }).last().fill("new");
  await row("new").getByLabel("Value", { exact: true }).fill("text with {{ nothing }}");
  await picture(page, "state-form");
  expect(await findings(page)).toEqual([]);
  const document = (await exported(page)) as unknown as { initialState: object; steps: { run: { set: { said: string } } }[] };
  expect(document.initialState).toEqual({ person: "Ada", many: "3", ready: false, list: [1, 2], new: "text with {{ nothing }}" });
  expect(document.steps[0]?.run.set.said).toBe("'Hello ' ~ person");
  await row("new").getByRole("button", { name: "Remove this value" }).click();
  await expect(state.getByLabel("Key", { exact: true })).toHaveCount(4);
  await page.keyboard.press("Control+z");
  await expect(state.getByLabel("Key", { exact: true })).toHaveCount(5);
});

test("the initial state is a form, a table or JSON, as it was picked, and a table first where there is room", async ({ page }) => {
  const long = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen.\nThe end.";
  await openDocument(page, { version: 1, name: "State", initialState: { who: "Ada", text: long, many: 2 }, steps });
  const state = page.locator(".inspector").getByRole("group", { name: "Initial state", exact: true });
  const look = (name: string): Locator => page.locator(".inspector").getByRole("group", { name: "Show as" }).getByRole("button", { name, exact: true });
  const value = (name: string): Locator => state.getByRole("group", { name, exact: true }).getByLabel("Value", { exact: true });
  const top = async (field: Locator): Promise<number> => (await field.boundingBox())?.y ?? NaN;
  // Where the inspector is narrow one value is below the other, and a long text has its lines.
  await expect(look("Form")).toHaveAttribute("aria-pressed", "true");
  await expect(value("text")).toHaveAttribute("rows", "4");
  await expect(value("who")).toHaveAttribute("rows", "1");
  const key = state.getByRole("group", { name: "who", exact: true }).getByLabel("Key", { exact: true });
  expect(await top(value("who"))).toBeGreaterThan(await top(key));
  await look("Table").click();
  await expect(look("Table")).toBeFocused();
  await expect(value("text")).toHaveAttribute("rows", "1");
  expect(await top(value("who"))).toBe(await top(key));
  await value("who").fill("Bea");
  await picture(page, "state-table");
  expect(await findings(page)).toEqual([]);
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await expect(look("Table")).toHaveAttribute("aria-pressed", "true");
  await expect(value("who")).toHaveValue("Bea");
  // In JSON both other ways wait until it can be read.
  await look("JSON").click();
  const json = page.locator(".inspector").getByRole("textbox", { name: "Initial state" });
  await json.focus();
  await expect(json).toHaveAttribute("contenteditable", "true");
  await json.press("Control+a");
  await page.keyboard.insertText('{ "who": ');
  await expect(look("Form")).toBeDisabled();
  await json.press("Control+a");
  await page.keyboard.insertText('{ "who": "Cleo", "ready": true }');
  await look("Form").click();
  await expect(value("who")).toHaveValue("Cleo");
  await look("JSON").click();
  await page.reload();
  await expect(look("JSON")).toHaveAttribute("aria-pressed", "true");
  await expect.poll(() => written(json)).toContain("Cleo");
  // Who has picked nothing has a table where there is room for it.
  await page.evaluate(() => {
    localStorage.removeItem("stepweave.preference.state-look");
    localStorage.setItem("stepweave.preference.inspector-width", "560");
  });
  await page.reload();
  await expect(look("Table")).toHaveAttribute("aria-pressed", "true");
});

test("a key of the input is renamed with all that reads it, letter by letter, in one undo, and it is said how much that is", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Given",
    input: { type: "object", properties: { who: { type: "string" }, place: { type: "object", properties: { who: { type: "string" } } } }, required: ["who"] },
    initialState: { who: "nobody" },
    models: { default: { provider: "demo", model: "demo" } },
    agents: { a: { model: "default" } },
    steps: [
      { id: "s1", type: "agent", name: "greet", agent: "a", inputFrom: "Greet {{ who }} of {{ place.who }}{% for who in [1] %}{{ who }}{% endfor %}." },
      { id: "s2", type: "function", name: "keep", run: { set: { said: "'Hello ' ~ who" } } },
    ],
  });
  const own = input(page);
  const key = own.getByRole("group", { name: "who", exact: true }).first().getByLabel("Key", { exact: true });
  await key.press("Control+a");
  await page.keyboard.type("person");
  await page.keyboard.press("Tab");
  await expect(page.locator(".notice")).toHaveText("“who” is now “person”: 2 uses changed with it.");
  await picture(page, "input-renamed");
  let document = (await exported(page)) as unknown as { input: { properties: object; required: string[] }; initialState: object; steps: [{ inputFrom: string }, { run: { set: object } }] };
  expect(Object.keys(document.input.properties)).toEqual(["person", "place"]);
  expect(document.input.required).toEqual(["person"]);
  expect(document.initialState).toEqual({ person: "nobody" });
  expect(document.steps[0].inputFrom).toBe("Greet {{ person }} of {{ place.who }}{% for who in [1] %}{{ who }}{% endfor %}.");
  expect(document.steps[1].run.set).toEqual({ said: "'Hello ' ~ person" });
  // What is inside of a key is no key of the state.
  const inner = own.getByRole("group", { name: "place", exact: true }).getByRole("group", { name: "who", exact: true }).getByLabel("Key", { exact: true });
  await inner.fill("name");
  await page.keyboard.press("Tab");
  document = (await exported(page)) as unknown as typeof document;
  expect(document.steps[0].inputFrom).toContain("{{ place.who }}");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  document = (await exported(page)) as unknown as typeof document;
  expect(document.input.required).toEqual(["who"]);
  expect(document.steps[0].inputFrom).toContain("Greet {{ who }} of");
  await expect(page.getByRole("button", { name: "Undo" })).toBeDisabled();
});

test("a key that is no plain name says how it is read, and a complaint leaves nothing behind", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", input: asked, steps });
  const key = input(page).getByLabel("Key", { exact: true });
  const about = input(page).getByLabel("What it is");
  const colour = (): Promise<string> => about.evaluate((field) => getComputedStyle(field).borderColor);
  const before = await colour();
  await key.fill("");
  await expect(input(page).getByText("It needs a name.")).toBeVisible();
  expect(await colour()).toBe(before);
  await page.keyboard.press("Tab");
  await key.fill("my key");
  await expect(input(page).getByText('state["my key"]')).toBeVisible();
  await key.fill("who");
  await expect(input(page).locator(".below > div:visible")).toHaveCount(0);
});

test("a run that a key has begun from a card leaves the keyboard there", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", input: asked, steps });
  await card(page, "greet").focus();
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(runForm(page).getByLabel("who")).toBeFocused();
  await page.keyboard.type("Ada");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(card(page, "greet")).toBeFocused();
});

test("what a run was given under a key that nothing declares is there again after a reload", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", steps });
  await press(page);
  await runForm(page).getByLabel("who").fill("Ada");
  await runForm(page).getByRole("button", { name: "Run" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect.poll(() => everythingStored(page)).toContain("run.done");
  await page.reload();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await press(page);
  await expect(runForm(page).getByLabel("who")).toHaveValue("Ada");
});

test("a note changes nothing of what was run", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", initialState: { who: "Ada" }, steps });
  await press(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await card(page, "greet").click();
  await page.keyboard.press("n");
  await page.keyboard.type("Ask Ada.");
  await page.keyboard.press("Escape");
  await expect(page.getByText("Ask Ada.")).toBeVisible();
  const changed = page.getByText("This run is of the workflow before you changed it");
  await expect(changed).toHaveCount(0);
  await page.locator(".inspector").getByLabel("Name", { exact: true }).first().fill("hello");
  await expect(changed).toBeVisible();
});

test("values that do not fit are said at their fields, before anything asks where they go or runs", async ({ page }) => {
  const properties = { code: { type: "string", pattern: "^[A-Z]{3}$" }, stops: { type: "array", items: { type: "object", properties: { price: { type: "number", exclusiveMinimum: 0 } } } } };
  const get = { id: "s2", type: "http", name: "get", http: { url: "https://api.example.com/{{ code }}" } };
  await openDocument(page, { version: 1, name: "Codes", input: { type: "object", required: ["code"], properties }, steps: [get] });
  const form = runForm(page);
  await press(page);
  await form.getByLabel("code").fill("x");
  await form.getByRole("button", { name: "Add an item" }).click();
  await form.getByLabel("price").fill("0");
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect(form.getByText('Must match "^[A-Z]{3}$", but is "x".')).toBeVisible();
  await expect(form.getByText("Must be more than 0, but is 0.")).toBeVisible();
  await expect(form.getByLabel("code")).toBeFocused();
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await form.getByRole("button", { name: "As JSON" }).click();
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect(form.getByText('Must match "^[A-Z]{3}$", but is "x".')).toBeVisible();
  await form.getByLabel("Values of the run").fill('{ "code": "OSL", "stops": [{ "price": 1 }] }');
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "Send data to these addresses?" })).toBeVisible();
});

test("a run whose values do not fit together leads back to its form, which has them", async ({ page }) => {
  const properties = { from: { type: "string" }, to: { type: "string" } };
  const input = { type: "object", properties, not: { properties: { from: { const: "Oslo" } }, required: ["from"] } };
  await openDocument(page, { version: 1, name: "Trip", input, steps: [{ id: "s1", type: "function", name: "greet", run: { set: { said: "from" } } }] });
  const form = runForm(page);
  await press(page);
  await form.getByLabel("from").fill("Oslo");
  await form.getByRole("button", { name: "Run", exact: true }).click();
  const failure = page.locator(".run-steps .failure");
  await expect(failure).toContainText("does not fit its schema");
  await failure.getByRole("button", { name: "Change what it gets" }).click();
  await expect(form.getByLabel("from")).toHaveValue("Oslo");
  await form.getByLabel("from").fill("Bergen");
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".final-state pre")).toContainText("Bergen");
});
