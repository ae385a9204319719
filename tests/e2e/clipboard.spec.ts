// Steps on the system's clipboard: copied, cut and pasted as JSON, from one workflow to another too.
import { expect, test, type Page } from "@playwright/test";
import { card, exported, names, openDocument, picture } from "./builder.js";

const wait = (id: string): object => ({ id, type: "wait", name: id, wait: { ms: 1 } });
const flow = {
  version: 1,
  name: "From",
  models: { m: { provider: "openai", model: "tiny", apiKey: { secret: "OPENAI_API_KEY" } }, unused: { provider: "demo", model: "demo" } },
  tools: { count: { description: "Counts.", run: { code: "return {};" } } },
  agents: { writer: { model: "m", instructions: "Write.", tools: ["count"] } },
  steps: [wait("a"), { id: "s2", type: "agent", name: "write", agent: "writer" }, wait("c")],
};

async function selected(page: Page): Promise<string[]> {
  return page.locator(".card.selected .card-name").allTextContents();
}

test("steps are copied and pasted as one change, with names of their own", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "a").click();
  await card(page, "write").click({ modifiers: ["Shift"] });
  await page.keyboard.press("ControlOrMeta+c");
  await expect(page.locator(".notice")).toHaveText("2 steps copied.");
  await card(page, "c").click();
  await page.keyboard.press("ControlOrMeta+v");
  await expect.poll(() => names(page)).toEqual(["a", "write", "c", "a_2", "write_2"]);
  await expect.poll(() => selected(page)).toEqual(["a_2", "write_2"]);
  await picture(page, "clipboard");
  await page.keyboard.press("ControlOrMeta+z");
  await expect.poll(() => names(page)).toEqual(["a", "write", "c"]);
});

test("cut steps go elsewhere, each way in one change", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "a").click();
  await page.keyboard.press("ControlOrMeta+x");
  await expect.poll(() => names(page)).toEqual(["write", "c"]);
  await card(page, "c").click();
  await page.keyboard.press("ControlOrMeta+v");
  await expect.poll(() => names(page)).toEqual(["write", "c", "a"]);
  await page.keyboard.press("ControlOrMeta+z");
  await page.keyboard.press("ControlOrMeta+z");
  await expect.poll(() => names(page)).toEqual(["a", "write", "c"]);
});

test("who uses what is cut is said and not asked, and finds it again once it is pasted", async ({ page }) => {
  const set = (id: string, reads: string): object => ({ id, type: "function", name: id, run: { set: { [id]: reads } } });
  await openDocument(page, { version: 1, name: "Used", steps: [{ id: "rest", type: "http", name: "rest", http: { url: "https://a.test/" } }, set("pick", "rest_output"), set("show", "rest_output"), set("end", "pick")] });
  await card(page, "rest").click();
  await page.keyboard.press("ControlOrMeta+x");
  await expect.poll(() => names(page)).toEqual(["pick", "show", "end"]);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.locator(".notice")).toHaveText("“pick” and “show” use what you cut: paste it where it runs before it is read.");
  await card(page, "end").click();
  await page.keyboard.press("ControlOrMeta+v");
  await expect.poll(() => names(page)).toEqual(["pick", "show", "end", "rest"]);
  // What nobody uses goes without a word.
  await page.keyboard.press("ControlOrMeta+z");
  await expect(page.locator(".notice")).toHaveCount(0, { timeout: 15_000 });
  await card(page, "end").click();
  await page.keyboard.press("ControlOrMeta+x");
  await expect.poll(() => names(page)).toEqual(["pick", "show"]);
  await expect(page.locator(".notice")).toHaveCount(0);
});

test("what the steps use goes along to another workflow, and no more", async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "write").click();
  await page.keyboard.press("ControlOrMeta+c");
  await openOther(page);
  await page.keyboard.press("ControlOrMeta+v");
  await expect.poll(() => names(page)).toEqual(["start", "write"]);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Export…").click();
  const exported = JSON.parse(await page.getByLabel("The workflow as JSON").inputValue()) as Record<string, object>;
  expect(Object.keys(exported.models ?? {})).toEqual(["m"]);
  expect(Object.keys(exported.tools ?? {})).toEqual(["count"]);
  // Another agent of this name was there.
  expect(Object.keys(exported.agents ?? {})).toEqual(["writer", "writer_2"]);
  expect(exported.steps).toEqual([expect.objectContaining({ name: "start" }), expect.objectContaining({ name: "write", agent: "writer_2" })]);
});

test("a field, a marked text and a text of another kind stay what they are", async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "a").click();
  await page.getByLabel("Name", { exact: true }).fill("first");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+x");
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("");
  await page.keyboard.press("ControlOrMeta+v");
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("first");
  await card(page, "c").click();
  await page.keyboard.press("ControlOrMeta+v");
  await expect.poll(() => names(page)).toEqual(["first", "write", "c"]);
});

async function openOther(page: Page): Promise<void> {
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Import…").click();
  const dialog = page.getByRole("dialog", { name: "Import a workflow" });
  await dialog.getByRole("textbox").fill(JSON.stringify({ version: 1, name: "To", models: { m: (flow.models as Record<string, object>).m }, agents: { writer: { model: "m", instructions: "Other." } }, steps: [wait("start")] }));
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await card(page, "start").click();
}

/** Pastes a text that another program has put on the clipboard. */
async function pasteText(page: Page, text: string): Promise<void> {
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

test("steps come out of an answer of a chat, a list or alone", async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "c").click();
  await pasteText(page, `Here is your step:\n\n\`\`\`json\n${JSON.stringify(wait("d"))}\n\`\`\`\nIt waits.`);
  await expect.poll(() => names(page)).toEqual(["a", "write", "c", "d"]);
  await pasteText(page, JSON.stringify([wait("e"), wait("f")]));
  await expect.poll(() => names(page)).toEqual(["a", "write", "c", "d", "e", "f"]);
  // Among words, and without an id.
  await pasteText(page, 'So it waits: { "type": "wait", "name": "g", "wait": { "ms": 1 } }. Enjoy!');
  await expect.poll(() => names(page)).toEqual(["a", "write", "c", "d", "e", "f", "g"]);
  await pasteText(page, '[{ "type": "wait", "name": "h" }]');
  await expect(page.locator(".notice")).toHaveText("The steps that were pasted cannot be read: `wait` is missing.");
});

test("a copy reads its own steps", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Copies",
    steps: [{ id: "s1", type: "foreach", name: "each", items: "[1]", result: "rest_output", steps: [{ id: "s2", type: "http", name: "rest", http: { url: "https://a.test/" } }] }],
  });
  await card(page, "each").click();
  await page.keyboard.press("ControlOrMeta+d");
  await expect.poll(() => names(page)).toEqual(["each", "rest", "each_2", "rest_2"]);
  expect(await exported(page)).toMatchObject({ steps: [{ result: "rest_output" }, { result: "rest_2_output" }] });
});

test("a text that is no step is said to be none", async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "a").click();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text/plain", "Dear Bo, thank you for the jars.");
    document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await expect(page.locator(".notice")).toHaveText("What is on the clipboard is no step of a workflow.");
  await expect.poll(() => names(page)).toEqual(["a", "write", "c"]);
});
