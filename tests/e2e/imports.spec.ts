import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { findings } from "./axe.js";
import { card, dropOn, importText, openBuilder, openLibrary, picture } from "./builder.js";

const file = (name: string): string => readFileSync(new URL(`../imports/files/${name}`, import.meta.url), "utf8");

test("a workflow of n8n is taken over beside the others, with what became of each node", async ({ page }) => {
  await openBuilder(page);
  await importText(page, file("triage.n8n.json"));
  const dialog = page.getByRole("dialog", { name: "What was imported" });
  await expect(dialog).toContainText("10 nodes of n8n: 9 taken over (");
  await expect(dialog).toContainText("1 placeholder. Of 11 connections 1 is lost.");
  await expect(dialog).toContainText("Answer → Classify");
  await expect(dialog).toContainText("it leads back to “Classify”");
  await expect(dialog).toContainText("Write this expression anew: $now.toISO()");
  await picture(page, "imported");
  expect(await findings(page)).toEqual([]);
  // A click goes to the step.
  await dialog.getByRole("button", { name: /^Store googleSheets/ }).click();
  await expect(dialog).toBeHidden();
  await expect(card(page, "Store")).toBeVisible();
  await expect(page.locator(".title-input")).toHaveValue("Ticket triage");
  // The workflow before it is still there, and the new one is stored.
  await page.reload();
  await expect(page.locator(".title-input")).toHaveValue("Ticket triage");
  await openLibrary(page);
  await expect(page.getByRole("dialog").getByRole("button", { name: /^Research report/ })).toBeVisible();
});

test("a file of Dify is dropped, and code of Agent Builder pasted", async ({ page }) => {
  await openBuilder(page);
  await dropOn(page, ".canvas", { files: [{ name: "chat.yml", text: file("chat.dify.yml") }] });
  const dialog = page.getByRole("dialog", { name: "What was imported" });
  await expect(dialog).toContainText("10 nodes of Dify");
  await expect(dialog).toContainText("All 8 connections are kept.");
  await dialog.getByRole("button", { name: "Show the workflow" }).click();
  await expect(page.locator(".title-input")).toHaveValue("Travel desk");
  // Pasted on the page, outside of any field.
  await page.locator(".canvas").click({ position: { x: 4, y: 4 } });
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, file("agent-builder.txt"));
  await expect(dialog).toContainText("of OpenAI Agent Builder");
  await page.keyboard.press("Escape");
  await expect(page.locator(".title-input")).toHaveValue("Shop desk");
});

test("files of other tools are named for what they are, and the text stays", async ({ page }) => {
  await openBuilder(page);
  const flow = '{ "nodes": [{ "type": "genericNode" }], "edges": [] }';
  await importText(page, flow);
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("alert")).toContainText("This is a file of Langflow, which cannot be imported. Build it anew");
  await dialog.getByRole("textbox").fill("app: {}\nworkflow:\n  - [");
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("This file cannot be imported: it is no valid YAML");
  await expect(dialog.getByRole("textbox")).toHaveValue("app: {}\nworkflow:\n  - [");
});

test("the list of an import has room on a narrow page, in the dark too", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 760 });
  await page.emulateMedia({ colorScheme: "dark" });
  await openBuilder(page);
  await dropOn(page, ".canvas", { files: [{ name: "triage.json", text: file("triage.n8n.json") }] });
  const dialog = page.getByRole("dialog", { name: "What was imported" });
  await expect(dialog).toContainText("10 nodes of n8n");
  expect(await dialog.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  expect(await findings(page)).toEqual([]);
  await picture(page, "imported-narrow");
});
