// A workflow as a link: packed into the part of an address that no browser sends, and looked at before a copy is opened.
import { randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { expect, test, type Locator, type Page } from "@playwright/test";
import { card, importText, openBuilder, openDocument, openLibrary, picture } from "./builder.js";

const bees = {
  version: 1,
  name: "Bees & <honey>",
  description: "Asks, and posts the answer.",
  initialState: { topic: "Bienenstöcke 🐝" },
  models: { m: { provider: "openai", model: "m", apiKey: { secret: "OPENAI_API_KEY" } } },
  agents: { a: { model: "m" } },
  steps: [
    { id: "s1", type: "agent", name: "ask", agent: "a", inputFrom: "Say something of {{ topic }}" },
    {
      id: "s2",
      type: "condition",
      name: "long",
      condition: "ask_output is containing('e')",
      steps: [{ id: "s3", type: "http", name: "post", http: { method: "POST", url: "https://notes.example/add", body: { json: { text: "{{ ask_output }}" } } } }],
    },
  ],
  pins: { s1: "Bees dance." },
};

/** The link that *Copy a link* puts on the clipboard. */
async function copied(page: Page): Promise<string> {
  await page.evaluate(() => {
    const own = window as unknown as { copied: string };
    navigator.clipboard.writeText = async (text: string) => void (own.copied = text);
  });
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page.getByText("Export…").click();
  await page.getByRole("button", { name: "Copy a link" }).click();
  await expect(page.getByText("is on the clipboard")).toBeVisible();
  return page.evaluate(() => (window as unknown as { copied: string }).copied);
}

const packed = (text: string): string => deflateRawSync(text).toString("base64url");
const shared = (page: Page): Locator => page.getByRole("dialog", { name: "A workflow from a link" });

test("a link brings a workflow to somebody else, who sees what it is before a copy is opened", { tag: "@firefox" }, async ({ page, browser }) => {
  await openDocument(page, bees);
  const link = await copied(page);
  const [address, brought] = link.split("#flow=");
  expect(address).toBe(page.url().split("#")[0]);
  expect(brought).toMatch(/^[\w-]+$/);

  const other = await (await browser.newContext()).newPage();
  const sent: string[] = [];
  other.on("request", (request) => sent.push(request.url()));
  await other.goto(link);
  await expect(shared(other)).toContainText("Bees & <honey>");
  await expect(shared(other)).toContainText("3 steps");
  await expect(shared(other)).toContainText("Asks, and posts the answer.");
  await expect(shared(other).getByRole("listitem")).toHaveText(["https://api.openai.com", "https://notes.example"]);
  await picture(other, "shared");
  // Nothing is taken along before somebody says so, and the server has not seen it.
  await expect(other.getByLabel("Name of the workflow")).not.toHaveValue("Bees & <honey>");
  expect(sent.filter((url) => url.includes("flow=") || !url.startsWith(address!))).toEqual([]);
  await other.keyboard.press("Enter");
  await expect(other.getByLabel("Name of the workflow")).toHaveValue("Bees & <honey>");
  await expect(card(other, "post")).toBeVisible();
  await other.getByRole("button", { name: "File", exact: true }).click();
  await other.getByText("Export…").click();
  const { pins: _, ...expected } = bees;
  expect(JSON.parse(await other.getByLabel("The workflow as JSON").inputValue())).toMatchObject(expected);
  expect(await other.getByLabel("The workflow as JSON").inputValue()).not.toContain("Bees dance");
  await other.keyboard.press("Escape");

  // A reload is no second copy, and whoever cancels has none.
  await other.reload();
  await expect(card(other, "post")).toBeVisible();
  await expect(shared(other)).toHaveCount(0);
  await other.goto(link);
  await shared(other).getByRole("button", { name: "Cancel" }).click();
  await expect((await openLibrary(other)).getByText("Bees & <honey>", { exact: true })).toHaveCount(1);
  await other.context().close();
});

test("a link that nobody has answered yet is offered again after a reload, and then no more", { tag: "@firefox" }, async ({ page }) => {
  const state = (): Promise<unknown> => page.evaluate(() => history.state as unknown);
  await page.goto(`/#flow=${packed(JSON.stringify(bees))}`);
  for (let reloads = 0; reloads < 3; reloads += 1) {
    await expect(shared(page)).toContainText("Bees & <honey>");
    await expect.poll(state).toContain("dialog");
    await page.reload();
  }
  // Another tab knows nothing of it.
  const other = await page.context().newPage();
  await other.goto("/");
  await expect(other.locator(".card").first()).toBeVisible();
  await expect(other.getByRole("dialog")).toHaveCount(0);
  await other.close();
  // Back closes it, and is an answer.
  await expect(shared(page)).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect.poll(state).toBeNull();
  await page.reload();
  await expect(page.locator(".card").first()).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  // So is a copy: neither it nor the workflow that Back leads to offers it again.
  await page.goto(`/?again#flow=${packed(JSON.stringify(bees))}`);
  await shared(page).getByRole("button", { name: "Open a copy" }).click();
  await expect(card(page, "post")).toBeVisible();
  await expect.poll(state).toBeNull();
  await page.goBack();
  await expect(card(page, "post")).toHaveCount(0);
  await expect.poll(state).toBeNull();
  await page.reload();
  await expect(page.locator(".card").first()).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a link to a workflow can be pasted like one to a file", async ({ page }) => {
  await openBuilder(page);
  await importText(page, `https://elsewhere.example/builder/#flow=${packed(JSON.stringify(bees))}`);
  await shared(page).getByRole("button", { name: "Open a copy" }).click();
  await expect(card(page, "post")).toBeVisible();
});

test("a link that was cut, or brings something else along, says so and opens nothing", async ({ page }) => {
  await openBuilder(page);
  const name = await page.getByLabel("Name of the workflow").inputValue();
  const damaged = "The workflow in this link cannot be read: some programs cut long links. Ask for the file instead.";
  const other = "What this link brings along is no workflow, or one of a newer version of this page.";
  for (const [brought, said] of [
    [packed(JSON.stringify(bees)).slice(0, 120), damaged],
    ["", damaged],
    ["!", damaged],
    [packed("\0".repeat(20_000_000)), damaged],
    [packed("hello"), other],
    [packed('{"version":99,"name":"n","steps":[]}'), other],
    [packed("[".repeat(100_000)), other],
  ] as const) {
    await importText(page, `https://elsewhere.example/#flow=${brought}`);
    await expect(page.getByRole("dialog").getByRole("alert")).toHaveText(said);
    await expect(shared(page)).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
  await expect(page.getByLabel("Name of the workflow")).toHaveValue(name);
});

test("a workflow that is too large for a link says so", async ({ page }) => {
  const letters = randomBytes(60_000).toString("base64");
  await openDocument(page, { ...bees, initialState: { letters } });
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page.getByText("Export…").click();
  const dialog = page.getByRole("dialog", { name: "Export the workflow" });
  await expect(dialog.getByRole("button", { name: "Copy a link" })).toHaveCount(0);
  await expect(dialog.getByText("This workflow is too large for a link: download the file instead, and pass that on.")).toBeVisible();
});
