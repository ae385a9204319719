// Several steps at once: how they are selected, and what is done with them.
import { expect, test, type Page } from "@playwright/test";
import { card, drag, middle, names, openBuilder, openDocument, picture, place } from "./builder.js";

const wait = (id: string): object => ({ id, type: "wait", name: id, wait: { ms: 1 } });

const flow = {
  version: 1,
  name: "Flow",
  steps: [wait("a"), wait("b"), { id: "p", type: "parallel", name: "p", parallel: [wait("x"), wait("y")] }, wait("c")],
};

async function selected(page: Page): Promise<string[]> {
  return page.locator(".card.selected .card-name").allTextContents();
}

test("clicks with Ctrl and Shift select several steps, which are deleted as one change", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "a").click();
  await card(page, "c").click({ modifiers: ["ControlOrMeta"] });
  await expect.poll(() => selected(page)).toEqual(["a", "c"]);
  await expect(page.locator(".inspector").getByRole("heading", { name: "2 steps" })).toBeVisible();
  await card(page, "a").click({ modifiers: ["ControlOrMeta"] });
  await expect.poll(() => selected(page)).toEqual(["c"]);
  await card(page, "a").click();
  await card(page, "p").click({ modifiers: ["Shift"] });
  await expect.poll(() => selected(page)).toEqual(["a", "b", "p"]);
  await expect(page.locator(".inspector").getByRole("list", { name: "Selected steps" }).getByRole("button")).toHaveText(["a", "b", "p"]);
  await picture(page, "select-several");
  await page.keyboard.press("Delete");
  await expect.poll(() => names(page)).toEqual(["c"]);
  await page.keyboard.press("Control+z");
  await expect.poll(() => names(page)).toEqual(["a", "b", "p", "x", "y", "c"]);
  await expect.poll(() => selected(page)).toEqual(["p"]);
});

test("a box selects what it touches, and a click elsewhere nothing", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  const from = await middle(card(page, "a"));
  const to = await middle(card(page, "b"));
  await page.keyboard.down("Shift");
  await page.mouse.move(from.x - 220, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x - 100, from.y + 20);
  await page.mouse.move(to.x, to.y);
  await expect(page.locator(".selection-box")).toBeVisible();
  await picture(page, "select-box");
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect(page.locator(".selection-box")).toHaveCount(0);
  await expect.poll(() => selected(page)).toEqual(["a", "b"]);
  await page.mouse.click(from.x - 220, from.y);
  await expect.poll(() => selected(page)).toEqual([]);
});

test("selected steps are dragged together, and duplicated together", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "a").click();
  await card(page, "c").click({ modifiers: ["ControlOrMeta"] });
  await drag(page, card(page, "c"), place(page, "p/parallel/1"));
  await expect.poll(() => names(page)).toEqual(["b", "p", "x", "a", "c", "y"]);
  await expect.poll(() => selected(page)).toEqual(["a", "c"]);
  await page.keyboard.press("Control+d");
  await page.keyboard.press("1");
  await expect.poll(() => names(page)).toEqual(["b", "p", "x", "a", "c", "a_2", "c_2", "y"]);
  await expect.poll(() => selected(page)).toEqual(["a_2", "c_2"]);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await expect.poll(() => names(page)).toEqual(["a", "b", "p", "x", "y", "c"]);
});

test("several steps are selected, moved and switched off with the keyboard alone", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "a").focus();
  await page.keyboard.press("Shift+ArrowDown");
  await expect.poll(() => selected(page)).toEqual(["a", "b"]);
  await expect(card(page, "b")).toBeFocused();
  await page.keyboard.press("Alt+ArrowDown");
  await expect.poll(() => names(page)).toEqual(["p", "x", "y", "a", "b", "c"]);
  await expect.poll(() => selected(page)).toEqual(["a", "b"]);
  await page.locator(".inspector").getByText("Enabled").click();
  await expect(card(page, "a")).toContainText("off");
  await expect(card(page, "b")).toContainText("off");
  await page.keyboard.press("Control+z");
  await expect(card(page, "b")).not.toContainText("off");
  await card(page, "b").focus();
  await page.keyboard.press("Control+a");
  await expect.poll(() => selected(page)).toEqual(["p", "a", "b", "c"]);
  await page.keyboard.press("Escape");
  await expect.poll(() => selected(page)).toEqual(["c"]);
});

test("lines of the outline are selected as a range and one by one", async ({ page }) => {
  await openDocument(page, flow);
  await page.locator("body").press("l");
  const line = (key: string) => page.locator(`[role=treeitem][data-line="${key}"]`);
  await line("a").click();
  await line("c").click({ modifiers: ["Shift"] });
  await expect.poll(() => selected(page)).toEqual(["a", "b", "p", "c"]);
  await line("p").click({ modifiers: ["ControlOrMeta"] });
  await expect.poll(() => selected(page)).toEqual(["a", "b", "c"]);
  await expect(line("p")).toHaveAttribute("aria-selected", "false");
  await line("a").focus();
  await page.keyboard.press("Shift+ArrowDown");
  await expect(line("b")).toBeFocused();
  await expect.poll(() => selected(page)).toEqual(["a", "b"]);
  await page.keyboard.press("Delete");
  await expect.poll(() => names(page)).toEqual(["p", "x", "y", "c"]);
  await expect(line("p")).toBeFocused();
});

test("the example is what it was when many changes of many steps are taken back", async ({ page }) => {
  await openBuilder(page);
  const before = await names(page);
  for (let round = 0; round < 10; round += 1) {
    await page.keyboard.press("Control+a");
    await page.keyboard.press(round % 2 === 0 ? "Control+d" : "Alt+ArrowUp");
    await page.keyboard.press("Shift+ArrowUp");
    await page.keyboard.press("Delete");
    // What others use is deleted on a second word.
    await page.evaluate(() => new Promise(requestAnimationFrame));
    const anyway = page.getByRole("button", { name: "Delete anyway" });
    if (await anyway.isVisible()) await anyway.click();
  }
  await expect(card(page, "research")).toHaveCount(0);
  const undo = page.getByRole("button", { name: "Undo" });
  for (let round = 0; round < 40 && (await undo.isEnabled()); round += 1) await page.keyboard.press("Control+z");
  await expect(undo).toBeDisabled();
  await page.keyboard.press("1");
  await expect.poll(() => names(page)).toEqual(before);
});
