// What can be done with steps, and all the ways to it: keys, the context menu, the search.
import { expect, test, type Page } from "@playwright/test";
import { card, middle, names, openDocument, picture, place } from "./builder.js";

const wait = (id: string): object => ({ id, type: "wait", name: id, wait: { ms: 1 } });

const flow = {
  version: 1,
  name: "Flow",
  steps: [wait("a"), wait("b"), { id: "p", type: "parallel", name: "p", parallel: [wait("x"), wait("y")] }, wait("c")],
};

const menu = (page: Page) => page.locator(".context-menu");
const entry = (page: Page, name: string) => menu(page).getByRole("menuitem", { name, exact: true });

/** Whether a step's card is inside the frame of another: its list is one of the other's. */
async function slotOf(page: Page, key: string): Promise<number> {
  return place(page, key).count();
}

test("the keyboard wraps the selected steps in every container, unwraps them, and each is one undo", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  for (const [letter, container, key] of [
    ["c", "condition", "steps"],
    ["p", "parallel", "parallel"],
    ["s", "sequence", "steps"],
    ["f", "foreach", "steps"],
    ["l", "loop", "steps"],
  ] as const) {
    await card(page, "a").focus();
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("w");
    await expect(page.getByRole("menu", { name: "Wrap the selected steps in" })).toBeVisible();
    await page.keyboard.press(letter);
    await page.keyboard.press("Enter");
    await expect.poll(() => names(page), container).toEqual([container, "a", "b", "p", "x", "y", "c"]);
    await expect(card(page, container)).toBeFocused();
    await expect.poll(() => slotOf(page, `s1/${key}/2`)).toBe(1);
    await page.keyboard.press("Control+z");
    await expect.poll(() => names(page)).toEqual(["a", "b", "p", "x", "y", "c"]);
    await page.keyboard.press("Shift+Control+z");
    await card(page, container).focus();
    await page.keyboard.press("u");
    await expect.poll(() => names(page)).toEqual(["a", "b", "p", "x", "y", "c"]);
    await expect(page.locator(".card.selected .card-name")).toHaveText(["a", "b"]);
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await expect.poll(() => names(page)).toEqual(["a", "b", "p", "x", "y", "c"]);
  }
});

test("a card that has the focus is meant by the keys of a step, also where no step is selected", async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "b").click();
  await page.keyboard.press("Escape");
  await expect(page.locator(".card.selected")).toHaveCount(0);
  await expect(card(page, "b")).toBeFocused();
  await page.keyboard.press("d");
  await expect(card(page, "b")).toHaveClass(/off/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => names(page)).toEqual(["b", "a", "p", "x", "y", "c"]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowDown");
  await expect(card(page, "a")).toBeFocused();
});

test("a name of several words leads to its entry of a menu", async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "a").focus();
  await page.keyboard.press("w");
  await expect(page.getByRole("menu", { name: "Wrap the selected steps in" })).toBeVisible();
  await page.keyboard.type("for e");
  await page.keyboard.press("Enter");
  await expect.poll(() => names(page)).toEqual(["foreach", "a", "b", "p", "x", "y", "c"]);
});

test("steps of two lists are not wrapped together, and the page says why", async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "a").click();
  await card(page, "x").click({ modifiers: ["ControlOrMeta"] });
  await page.keyboard.press("w");
  await page.keyboard.press("l");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Steps that go into one container have to be in the same list.")).toBeVisible();
  await expect.poll(() => names(page)).toEqual(["a", "b", "p", "x", "y", "c"]);
});

test("the right button opens a menu with arrows, letters and Escape", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "b").click({ button: "right" });
  await expect(menu(page)).toHaveRole("menu");
  await expect(card(page, "b")).toHaveClass(/selected/);
  await expect(entry(page, "Edit")).toBeFocused();
  await expect(entry(page, "Duplicate")).toHaveAttribute("aria-keyshortcuts", "Control+D");
  await expect(entry(page, "Duplicate")).toContainText("Ctrl D");
  await expect(entry(page, "Unwrap")).toHaveCount(0);
  await picture(page, "context-menu");
  await page.keyboard.press("ArrowUp");
  await expect(menu(page).getByRole("menuitem").last()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("d");
  await expect(entry(page, "Duplicate")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(menu(page)).toHaveCount(0);
  await expect(card(page, "b")).toBeFocused();
  await card(page, "p").click({ button: "right" });
  await entry(page, "Unwrap").click();
  await expect.poll(() => names(page)).toEqual(["a", "b", "x", "y", "c"]);
  await page.keyboard.press("Control+z");
  await expect.poll(() => names(page)).toEqual(["a", "b", "p", "x", "y", "c"]);
  // A click elsewhere closes it.
  await card(page, "b").click({ button: "right" });
  await card(page, "a").click();
  await expect(menu(page)).toHaveCount(0);
});

test("slots, containers and the canvas have menus of their own", async ({ page }) => {
  await openDocument(page, flow);
  const at = await middle(place(page, "/1"));
  await page.mouse.click(at.x, at.y, { button: "right" });
  await entry(page, "Add a step here").click();
  await page.keyboard.type("wa");
  await page.keyboard.press("Enter");
  await expect.poll(() => names(page)).toEqual(["a", "wait", "b", "p", "x", "y", "c"]);
  // Beside its card, in the frame of the container.
  const box = await card(page, "p").boundingBox();
  await page.mouse.click((box?.x ?? 0) - 40, (box?.y ?? 0) + 20, { button: "right" });
  await expect(card(page, "p")).toHaveClass(/selected/);
  await expect(entry(page, "Unwrap")).toBeVisible();
  await page.keyboard.press("Escape");
  const canvas = await page.locator(".canvas").boundingBox();
  await page.mouse.click((canvas?.x ?? 0) + 12, (canvas?.y ?? 0) + 12, { button: "right" });
  await entry(page, "Select all").click();
  await expect(page.locator(".card.selected .card-name")).toHaveText(["a", "wait", "b", "p", "c"]);
});

test("Shift F10 opens the menu where the keyboard is, in the outline too", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "a").focus();
  await page.keyboard.press("Shift+F10");
  await expect(menu(page)).toBeVisible();
  await page.keyboard.type("switch");
  await page.keyboard.press("Enter");
  await expect(card(page, "a")).toContainText("off");
  await page.keyboard.press("d");
  await expect(card(page, "a")).not.toContainText("off");
  await page.keyboard.press("l");
  const line = page.locator('[role=treeitem][data-line="b"]');
  await line.focus();
  await page.keyboard.press("Shift+F10");
  await expect(menu(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(line).toBeFocused();
});

test("steps are copied, cut and pasted from the menu", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openDocument(page, flow);
  await card(page, "a").click({ button: "right" });
  await entry(page, "Cut").click();
  await expect.poll(() => names(page)).toEqual(["b", "p", "x", "y", "c"]);
  await card(page, "c").click({ button: "right" });
  await entry(page, "Paste").click();
  await expect.poll(() => names(page)).toEqual(["b", "p", "x", "y", "c", "a"]);
});

test("a key shows the selected steps as large as they can be", async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "p").click();
  await page.keyboard.press("-");
  await page.keyboard.press("-");
  await page.keyboard.press("2");
  await expect(page.locator(".zoom-level")).toHaveText("100%");
  await expect(card(page, "y")).toBeInViewport({ ratio: 1 });
});

test("single-key commands can be switched off, and the list of keys has every one", async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "a").focus();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keyboard" });
  for (const name of ["Switch off", "Unwrap", "Undo", "Show the selected steps", "Menu of what can be done"]) await expect(dialog.getByText(name, { exact: false }).first()).toBeVisible();
  await picture(page, "keys");
  await dialog.getByText("Single-key shortcuts").click();
  await page.keyboard.press("Escape");
  await card(page, "a").focus();
  await page.keyboard.press("w");
  await expect(menu(page)).toHaveCount(0);
  await page.keyboard.press("Shift+F10");
  await expect(menu(page)).toBeVisible();
});

const nested = {
  version: 1,
  name: "Nested",
  steps: [
    { id: "p", type: "parallel", name: "p", parallel: [
      { id: "q", type: "loop", name: "q", repeat: { until: "true" }, maxIterations: 2, steps: [wait("x")] }, wait("y")] },
    wait("z"),
  ],
};

test("a container is collapsed to one card, is so after a reload, and no part of the document", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, nested);
  await card(page, "p").focus();
  await page.keyboard.press("c");
  await expect.poll(() => names(page)).toEqual(["p", "z"]);
  await expect(card(page, "p")).toContainText("3 steps");
  await expect(card(page, "p")).toHaveAccessibleName(/collapsed, 3 steps/);
  await picture(page, "collapsed");
  await expect(page.getByRole("button", { name: "Undo" })).toBeDisabled();
  await page.reload();
  await expect.poll(() => names(page)).toEqual(["p", "z"]);
  // What is moved or copied is all of it.
  await card(page, "p").focus();
  await page.keyboard.press("Alt+ArrowDown");
  await expect.poll(() => names(page)).toEqual(["z", "p"]);
  await page.keyboard.press("c");
  await expect.poll(() => names(page)).toEqual(["z", "p", "q", "x", "y"]);
  await card(page, "q").click({ button: "right" });
  await entry(page, "Collapse").click();
  await expect.poll(() => names(page)).toEqual(["z", "p", "q", "y"]);
  // Whoever goes to a step inside sees it.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("outline");
  await page.keyboard.press("Enter");
  await page.locator('[role=treeitem][data-line="x"]').click();
  await expect(card(page, "x")).toHaveClass(/selected/);
  await expect.poll(() => names(page)).toEqual(["z", "p", "q", "x", "y"]);
});

test("a note is written with a key and stands on the card", async ({ page }) => {
  await openDocument(page, nested);
  await card(page, "z").focus();
  await page.keyboard.press("n");
  const note = page.getByRole("textbox", { name: "Note on z" });
  await expect(note).toBeFocused();
  await page.keyboard.type("Ask Ada before changing this.");
  await page.keyboard.press("Escape");
  await expect(card(page, "z").locator(".paper")).toHaveText("Ask Ada before changing this.");
  await expect(card(page, "z")).toBeFocused();
  await page.keyboard.press("Control+z");
  await expect(card(page, "z").locator(".paper")).toHaveCount(0);
});

test("a minimap shows where the canvas looks in a large workflow, and a press on it goes there", { tag: "@firefox" }, async ({ page }) => {
  const steps = Array.from({ length: 60 }, (_, index) => ({ id: `s${index}`, type: "wait", name: `step_${index}`, wait: { ms: 1 } }));
  await openDocument(page, { version: 1, name: "Many", steps });
  const map = page.locator(".minimap canvas");
  await expect(map).toBeVisible();
  await expect(card(page, "step_0")).toBeInViewport();
  await picture(page, "minimap");
  const box = await map.boundingBox();
  if (box === null) throw new Error("there is no minimap");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 8);
  await expect(card(page, "step_58")).toBeInViewport();
  await expect(card(page, "step_0")).toHaveCount(0);
  // Held, the view follows.
  await page.mouse.move(box.x + box.width / 2, box.y + box.height - 8);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.up();
  await expect(card(page, "step_30")).toBeInViewport();
  // One selected step is a mark of its own on the map, which goes along; it is where the step is in the part that is seen.
  const mark = page.locator(".minimap-one");
  await expect(mark).toBeHidden();
  await card(page, "step_30").click();
  await expect(mark).toBeVisible();
  const [seen, at] = [await page.locator(".minimap-seen").boundingBox(), await mark.boundingBox()];
  expect(at?.y).toBeGreaterThanOrEqual(seen?.y ?? Number.NaN);
  expect((at?.y ?? 0) + (at?.height ?? 0)).toBeLessThanOrEqual((seen?.y ?? 0) + (seen?.height ?? 0));
  await card(page, "step_31").click();
  await expect.poll(async () => (await mark.boundingBox())?.y).toBeGreaterThan(at?.y ?? 0);
  await card(page, "step_30").click({ modifiers: ["Control"] });
  await expect(mark).toBeHidden();
  await page.locator("body").press("m");
  await expect(map).toHaveCount(0);
  await page.locator("body").press("m");
  await expect(map).toBeVisible();
  await page.getByRole("button", { name: "Show everything" }).click();
  await expect(map).toHaveCount(0);
});

test("what a command of the search opens or goes to has the keyboard's focus", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  const find = async (words: string): Promise<void> => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(words);
    await page.keyboard.press("Enter");
  };
  await card(page, "a").click();
  await find("Wrap in…");
  const wraps = page.getByRole("menu", { name: "Wrap the selected steps in" });
  await expect(wraps.locator(":focus")).toHaveCount(1);
  await page.keyboard.press("s");
  await page.keyboard.press("Enter");
  await expect.poll(() => names(page)).toEqual(["sequence", "a", "b", "p", "x", "y", "c"]);
  await card(page, "b").click();
  await find("Edit");
  await expect(page.locator(".inspector .input:focus")).toHaveValue("b");
  await page.keyboard.press("Escape");
  await expect(card(page, "b")).toBeFocused();
  await find("Add a step");
  await expect(page.getByRole("menu", { name: "Kind of the new step" }).locator(":focus")).toHaveCount(1);
});
