// The form of the selected step stays while steps are selected one after the other, and shows each as it is.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { card, openDocument, written } from "./builder.js";

const agent = (id: string, name: string, inputFrom: string): object => ({ id, type: "agent", name, agent: "writer", inputFrom });
const wait = (id: string, name: string, ms: number): object => ({ id, type: "wait", name, wait: { ms } });
const each = (id: string, name: string): object => ({ id, type: "foreach", name, items: "[1, 2]", as: "item", steps: [] });

const steps = {
  version: 1,
  name: "Steps",
  initialState: { topic: "bees" },
  models: { default: { provider: "demo", model: "demo" } },
  agents: { writer: { model: "default" } },
  steps: [
    agent("s1", "first", "About bees."),
    agent("s2", "second", "About wasps."),
    wait("s3", "short", 5),
    wait("s4", "long", 5000),
    each("s5", "each"),
    each("s6", "every"),
  ],
};

function field(page: Page, name: string): Locator {
  return page.locator(".inspector").getByRole("textbox", { name, exact: true });
}

test("what is typed belongs to the step that is shown, and undo to the step that it was typed into", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, steps);
  await card(page, "first").click();
  const prompt = field(page, "Prompt");
  await prompt.focus();
  await expect(prompt).toHaveAttribute("contenteditable", "true");
  await prompt.press("End");
  await page.keyboard.type(" Shortly.");
  await card(page, "second").click();
  // The same editor shows the other text, and nobody writes into it before it is entered.
  await expect.poll(() => written(prompt)).toBe("About wasps.");
  await expect(prompt).not.toBeFocused();
  await page.keyboard.type("xyz");
  await expect.poll(() => written(prompt)).toBe("About wasps.");
  await prompt.focus();
  await prompt.press("Control+z");
  await expect(card(page, "first")).toHaveClass(/selected/);
  await expect.poll(() => written(prompt)).toBe("About bees.");
  await card(page, "second").click();
  await expect.poll(() => written(prompt)).toBe("About wasps.");
});

test("a step selected by undo takes no letters that were meant for another", async ({ page }) => {
  await openDocument(page, steps);
  await card(page, "long").click();
  await field(page, "Milliseconds").fill("7000");
  await card(page, "short").click();
  await field(page, "Milliseconds").click();
  await page.getByRole("button", { name: "Undo" }).focus();
  await page.keyboard.press("Enter");
  await expect(card(page, "long")).toContainText("5 s");
  await expect(field(page, "Milliseconds")).not.toBeFocused();
});

test("a text that is no value stays with its step", async ({ page }) => {
  await openDocument(page, steps);
  await card(page, "short").click();
  const span = field(page, "Milliseconds");
  await span.fill("soon");
  await expect(page.locator(".inspector").getByText("Must be a whole number")).toBeVisible();
  await card(page, "long").click();
  await expect(span).toHaveValue("5000");
  await expect(page.locator(".inspector").getByText("Must be a whole number")).toHaveCount(0);
  await card(page, "short").click();
  await expect(span).toHaveValue("soon");
});

test("a field that is left shows what it means", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, steps);
  await card(page, "short").click();
  await field(page, "Milliseconds").fill("007");
  await field(page, "Milliseconds").press("Tab");
  await expect(field(page, "Milliseconds")).toHaveValue("7");
  await card(page, "each").click();
  await field(page, "Each item is called").fill("");
  await card(page, "every").click();
  await expect(field(page, "Each item is called")).toHaveValue("item");
});

test("name, kind, id and what it reads are those of the selected step, whatever was shown before", async ({ page }) => {
  await openDocument(page, steps);
  const head = page.locator(".inspector-head");
  for (const [name, kind, id] of [["first", "Agent", "s1"], ["long", "Wait", "s4"], ["each", "For each", "s5"], ["second", "Agent", "s2"]] as const) {
    await card(page, name).click();
    await expect(head.getByRole("heading")).toHaveText(name);
    await expect(head).toContainText(`${kind} · ${id}`);
    await expect(field(page, "Name")).toHaveValue(name);
  }
  // From a step to the workflow, to several, and back.
  await page.keyboard.press("Escape");
  await expect(head.getByRole("heading")).not.toHaveText("second");
  await card(page, "first").click();
  await card(page, "short").click({ modifiers: ["Control"] });
  await expect(field(page, "Name")).toHaveCount(0);
  await card(page, "short").click();
  await expect(field(page, "Name")).toHaveValue("short");
  await page.locator(".inspector").getByRole("button", { name: "Delete" }).click();
  await expect(card(page, "short")).toHaveCount(0);
  await expect(card(page, "first")).toBeVisible();
});

test("each step is shown from its top, however far the one before was scrolled", { tag: "@firefox" }, async ({ page }) => {
  // The document is opened by the file menu, which is longer than such a window is high.
  await page.setViewportSize({ width: 1280, height: 420 });
  await openDocument(page, steps);
  const body = page.locator(".inspector-body");
  const top = (): Promise<number> => body.evaluate(({ scrollTop }) => scrollTop);
  for (const [own, next] of [["first", "second"], ["second", "first"]] as const) {
    await card(page, own).focus();
    await body.hover();
    await page.mouse.wheel(0, 300);
    await expect.poll(top).toBeGreaterThan(0);
    await card(page, next).focus();
    await expect(field(page, "Name")).toHaveValue(next);
    await expect.poll(top).toBe(0);
  }
});
