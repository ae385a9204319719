// What a person is told: of calls that failed, of names that nothing gives, and of what they can take along.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { card, downloaded, exported, importText, openBuilder, openDocument, openLibrary, picture, run, dropOn, written } from "./builder.js";

const models = { demo: { provider: "demo", model: "demo" } };

function inspector(page: Page): Locator {
  return page.locator(".inspector");
}

/** Pictures of the page in both schemes, and as narrow as a phone. */
async function pictures(page: Page, name: string): Promise<void> {
  await picture(page, `told-${name}`);
  await page.emulateMedia({ colorScheme: "dark" });
  await picture(page, `told-${name}-dark`);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 390, height: 800 });
  await picture(page, `told-${name}-narrow`);
  await page.setViewportSize({ width: 1280, height: 800 });
}

test("a call of a tool that failed is seen on the card, in the run and in the form, with what was said", async ({ page }) => {
  const tools = { look: { description: "Looks something up", run: { code: "throw new Error('There is no such order.');" } } };
  const agents = { helper: { model: "demo", tools: ["look"] } };
  await openDocument(page, { version: 1, name: "Help", models, tools, agents, steps: [{ id: "s1", type: "agent", name: "help", agent: "helper", inputFrom: "Look it up." }] });
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  const badge = card(page, "help").locator(".badge.warned");
  await expect(badge).toHaveText("1 call, failed");
  await expect(badge).toHaveAttribute("title", /There is no such order\./);
  const row = page.locator(".step-row", { has: page.locator("b", { hasText: /^help$/ }) });
  await expect(row.locator(".badge.warned")).toContainText(/^1 call failed: .*There is no such order\./);
  await expect(row.locator(".step-text")).not.toBeEmpty();
  await row.click();
  await expect(inspector(page).locator(".run-of-step .told-row.warning")).toContainText(/1 call failed. look: .*There is no such order\./);
  await pictures(page, "failed-call");
});

test("a key that is read as a name gets its quotes at a click", async ({ page }) => {
  const agents = { sorter: { model: "demo" } };
  const steps = [
    { id: "s1", type: "agent", name: "kind", agent: "sorter", inputFrom: "Which kind?" },
    { id: "s2", type: "function", name: "keep", run: { set: { both: "{kind: kind_output, team: 'a'}" } } },
  ];
  await openDocument(page, { version: 1, name: "Sort", models, agents, steps });
  await card(page, "keep").click();
  await expect(inspector(page)).toContainText("“kind” before a colon is read as a name");
  await pictures(page, "bare-key");
  await inspector(page).getByRole("button", { name: "each key in quotes" }).click();
  await expect(inspector(page)).not.toContainText("before a colon is read as a name");
  expect(((await exported(page)) as { steps: { run: object }[] }).steps[1]?.run).toEqual({ set: { both: "{'kind': kind_output, 'team': 'a'}" } });
});

test("code that cannot do without a key is told before a run, which asks for it, and what it returns is known", async ({ page }) => {
  const steps = [
    { id: "s1", type: "function", name: "split", run: { code: "return { rows: state.csv.trim().split(',') };" } },
    { id: "s2", type: "foreach", name: "each", items: "[1]", steps: [] },
  ];
  await openDocument(page, { version: 1, name: "Rows", steps });
  await card(page, "split").click();
  await expect(inspector(page)).toContainText(/nothing gives “csv” before this/i);
  await expect(inspector(page).getByRole("button", { name: "Ask for csv when running" })).toBeVisible();
  await pictures(page, "code");
  await card(page, "each").click();
  const items = inspector(page).getByLabel("Items");
  await items.fill("");
  await items.press("r");
  await expect(inspector(page).getByRole("option", { name: /rows/ })).toBeVisible();
});

test("a tool takes the steps of a stored workflow, with what they use, and JSON stands behind it", async ({ page }) => {
  const agents = { writer: { model: "demo", instructions: "Write." } };
  const input = { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] };
  await openDocument(page, { version: 1, name: "Write it", models, agents, input, steps: [{ id: "s1", type: "agent", name: "write", agent: "writer", inputFrom: "{{ topic }}" }] });
  await expect(page.locator(".saved")).toHaveText("Saved");
  const tools = { look: { description: "Looks something up", run: { code: "return {};" } } };
  await importText(page, JSON.stringify({ version: 1, name: "Help", models, tools, agents: { helper: { model: "demo", tools: ["look"] } }, steps: [{ id: "s1", type: "agent", name: "help", agent: "helper", inputFrom: "Look it up." }] }));
  await expect(page.locator(".title-input")).toHaveValue("Help");
  await card(page, "help").click();
  await inspector(page).getByRole("button", { name: "Edit tool look" }).click();
  const entry = inspector(page).getByRole("group", { name: "Tools that it may call" });
  await entry.getByLabel("A call runs").selectOption({ label: "a workflow" });
  await entry.getByLabel("Copy the steps of").selectOption({ label: "Write it" });
  await expect(page.locator(".notice")).toContainText("Copied from “Write it”: 1 step, with 1 agent.");
  await pictures(page, "tool-workflow");
  const document = (await exported(page)) as unknown as { agents: Record<string, object>; tools: { look: { input: object; run: { workflow: { steps: { type: string; agent: string }[] } } } } };
  expect(document.tools.look.input).toEqual(input);
  expect(document.tools.look.run.workflow.steps).toMatchObject([{ type: "agent", name: "write", agent: "writer" }]);
  expect(document.agents["writer"]).toMatchObject({ instructions: "Write." });
  await entry.locator("summary").filter({ hasText: "As JSON" }).click();
  await expect.poll(() => written(entry.getByLabel("Steps", { exact: true }))).toContain('"agent": "writer"');
  await entry.getByLabel("Steps", { exact: true }).fill('{ "steps": [{ "id": "t1", "name": "found" }] }');
  await expect(entry).toContainText("steps[0].type (the step “found”)");
});

test("what a run has given is copied and downloaded, a list of flat objects as CSV too", async ({ page }) => {
  const set = { rows: "[{ 'name': 'Ada, A.', 'n': 1 }, { 'name': '=1+1', 'n': 2 }]" };
  await openDocument(page, { version: 1, name: "My rows", steps: [{ id: "s1", type: "function", name: "list", run: { set } }] });
  await run(page);
  const state = page.locator(".final-state").getByRole("group", { name: "Download" });
  const json = await downloaded(page, () => state.getByRole("button", { name: "JSON" }).click());
  const rows = [{ name: "Ada, A.", n: 1 }, { name: "=1+1", n: 2 }];
  expect([json.name, JSON.parse(json.text)]).toEqual(["my-rows-state.json", { rows }]);
  const csv = await downloaded(page, () => state.getByRole("button", { name: "rows as CSV" }).click());
  expect(csv).toEqual({ name: "my-rows-state.rows.csv", text: "name,n\r\n\"Ada, A.\",1\r\n'=1+1,2\r\n" });
  await card(page, "list").click();
  const step = inspector(page).locator(".run-of-step");
  const own = await downloaded(page, () => step.getByRole("button", { name: "JSON" }).click());
  expect([own.name, JSON.parse(own.text)]).toEqual(["my-rows-list.json", { rows }]);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await step.getByRole("button", { name: "Copy" }).click();
  await expect(page.locator(".notice")).toContainText("What the step gave is on the clipboard.");
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual({ rows });
  await pictures(page, "downloads");
});

test("who deletes a workflow of which a run waits is told so", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Ask", steps: [{ id: "s1", type: "approval", name: "sign", message: "Sign it?" }] });
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  const library = await openLibrary(page);
  await expect(library.locator(".row-waits")).toBeVisible();
  await library.getByRole("button", { name: "Delete Ask" }).click();
  await expect(library.locator(".library-done")).toContainText("“Ask” is deleted. A run of it waits for your answer, and goes with it.");
  await pictures(page, "deleted");
});

test("workflows of several files, and of a file of many, get numbers where their names are taken", async ({ page }) => {
  const bees = { version: 1, name: "Bees", steps: [] };
  await openDocument(page, bees);
  const text = JSON.stringify(bees);
  await dropOn(page, ".stage", { files: [{ name: "a.json", text }, { name: "b.json", text: JSON.stringify({ stepweave: "library", version: 1, workflows: [bees] }) }] });
  const library = page.getByRole("dialog", { name: "Workflows" });
  await expect(library.locator(".row-open b").filter({ hasText: /^Bees/ })).toHaveCount(3);
  expect((await library.locator(".row-open b").filter({ hasText: /^Bees/ }).allTextContents()).sort()).toEqual(["Bees", "Bees 2", "Bees 3"]);
});

test("what is opened at the end of a form comes into view, and no button lies over a preview", async ({ page }) => {
  const steps = [
    { id: "s1", type: "function", name: "list", run: { set: { rows: "[1, 2]" } } },
    { id: "s2", type: "foreach", name: "each", items: "rows", steps: [] },
  ];
  await openDocument(page, { version: 1, name: "Rows", steps });
  await page.setViewportSize({ width: 1280, height: 560 });
  await card(page, "each").click();
  await inspector(page).getByLabel("Items").click();
  await page.keyboard.press("End");
  await page.keyboard.type(" ");
  const preview = inspector(page).locator(".preview");
  await expect(preview).toBeVisible();
  const box = await preview.boundingBox();
  const top = await page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.closest("button")?.textContent ?? "", { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 });
  expect(top).toBe("");
  await picture(page, "told-preview");
  await page.keyboard.press("Escape");
  const more = inspector(page).locator("details.more-fields").last();
  await more.locator("summary").click();
  await expect.poll(async () => {
    const [form, section] = [await inspector(page).locator(".inspector-body").boundingBox(), await more.boundingBox()];
    return (section?.y ?? 0) - (form?.y ?? 0) < 120 || (section?.y ?? 0) + (section?.height ?? 0) <= (form?.y ?? 0) + (form?.height ?? 0) + 1;
  }).toBe(true);
});

test("any address that speaks OpenAI's format has a tile of its own", async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  const dialog = page.getByRole("dialog");
  const other = dialog.getByRole("button", { name: "Other OpenAI-compatible address" });
  await other.click();
  await expect(other).toHaveAttribute("aria-pressed", "true");
  await expect(dialog.getByRole("button", { name: "OpenAI chat completions" })).toHaveAttribute("aria-pressed", "false");
  await expect(dialog.getByLabel("Base URL")).toHaveValue("");
  await expect(dialog.getByLabel("Name of the key")).toHaveValue("");
  await dialog.getByLabel("Base URL").fill("https://models.example.com/v1");
  await expect(other).toHaveAttribute("aria-pressed", "true");
  await pictures(page, "endpoint");
  await dialog.getByRole("button", { name: "OpenAI chat completions" }).click();
  await expect(other).toHaveAttribute("aria-pressed", "false");
  await other.click();
  await dialog.getByLabel("Base URL").fill("https://models.example.com/v1");
  await dialog.getByLabel("Model", { exact: true }).fill("mine");
  await dialog.getByRole("button", { name: "Save" }).click();
  expect(((await exported(page)) as { models: object }).models).toMatchObject({ default: { provider: "openai", model: "mine", baseUrl: "https://models.example.com/v1" } });
});
