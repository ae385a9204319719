// All of the builder without a mouse, in the outline of the steps.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { card, names, openBuilder, openDocument, picture, run } from "./builder.js";

const wait = (id: string): object => ({ id, type: "wait", name: id, wait: { ms: 1 } });

const flow = {
  version: 1,
  name: "Flow",
  initialState: { ready: true },
  steps: [wait("first"), { id: "gate", type: "condition", name: "gate", condition: "ready", steps: [wait("inner")], else: [] }, wait("last")],
};

function line(page: Page, key: string): Locator {
  return page.locator(`[role=treeitem][data-line="${key}"]`);
}

async function openOutline(page: Page): Promise<void> {
  await page.locator(".palette").getByRole("button", { name: "Outline" }).click();
  await expect(page.getByRole("tree", { name: "Steps" })).toBeVisible();
}

test("the outline mirrors the tree, with levels, ways and what the run said", async ({ page }) => {
  await openDocument(page, flow);
  await openOutline(page);
  const lines = await page.getByRole("treeitem").evaluateAll((items) =>
    items.map((own) => [own.getAttribute("aria-label"), own.getAttribute("aria-level"), own.getAttribute("aria-posinset"), own.getAttribute("aria-setsize")]),
  );
  expect(lines).toEqual([
    ["first, Wait", "1", "1", "3"],
    ["gate, Condition", "1", "2", "3"],
    ["yes inner, Wait", "2", "1", "2"],
    ["no Add a step", "2", "2", "2"],
    ["last, Wait", "1", "3", "3"],
  ]);
  await run(page);
  await expect(line(page, "inner")).toHaveAttribute("aria-label", "yes inner, Wait, done");
  await picture(page, "outline");
});

test("steps are selected, edited, added, moved, read and deleted with the keyboard alone", async ({ page }) => {
  await openDocument(page, flow);
  await page.locator("body").press("l");
  await expect(line(page, "first")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(line(page, "gate")).toBeFocused();
  await expect(card(page, "gate")).toHaveClass(/selected/);
  await page.keyboard.press("ArrowRight");
  await expect(line(page, "inner")).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(line(page, "gate")).toBeFocused();

  // Into the empty way.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(line(page, "gate/else/0")).toBeFocused();
  await page.keyboard.press("Enter");
  const menu = page.getByRole("menu", { name: "Kind of the new step" });
  await expect(menu.getByRole("menuitem", { name: "Agent" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(menu).toHaveCount(0);
  await expect.poll(() => names(page)).toEqual(["first", "gate", "inner", "function", "last"]);

  // Moved, and the focus stays with it.
  await line(page, "last").focus();
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => names(page)).toEqual(["first", "last", "gate", "inner", "function"]);
  await expect(line(page, "last")).toBeFocused();

  // Added after a step.
  await page.keyboard.press("a");
  await page.keyboard.press("End");
  await expect(menu.getByRole("menuitem", { name: "Approval" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(menu).toHaveCount(0);

  // Deleted: the next one takes its place.
  await line(page, "first").focus();
  await page.keyboard.press("Delete");
  await expect(line(page, "last")).toBeFocused();
  await expect.poll(() => names(page)).toEqual(["last", "gate", "inner", "function"]);

  // Run, then read what a step gave.
  await page.keyboard.press("Control+Enter");
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await line(page, "gate").focus();
  await page.keyboard.press("o");
  await expect(page.getByLabel("What the run says of this step")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.locator(".run-of-step .output")).toBeFocused();
  await expect(page.locator(".run-of-step .output")).toHaveText("true");

  await line(page, "gate").focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".inspector").getByLabel("Name")).toBeFocused();
});

test("shortcuts of a single key can be switched off, and stay so on the next visit", async ({ page }) => {
  const turn = async (): Promise<void> => {
    await page.getByRole("button", { name: "File", exact: true }).click();
    await page.getByRole("button", { name: "Keyboard…" }).click();
    await page.getByLabel("Single-key shortcuts").press("Space");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  };
  const menu = page.getByRole("menu", { name: "Kind of the new step" });
  const tree = page.getByRole("tree", { name: "Steps" });
  const zoom = (): Promise<number> => page.locator(".world").evaluate((world) => new DOMMatrix(getComputedStyle(world).transform).a);
  /** Presses the keys, and then one that works, so that they have done what they do. */
  const pressAll = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
    await page.keyboard.press("ArrowDown");
    await expect(card(page, "gate")).toHaveClass(/selected/);
  };
  await openDocument(page, flow);
  await turn();
  await card(page, "first").click();
  const before = await zoom();
  await pressAll("l", "a", "o", "?", "+", "0");
  await expect.poll(() => zoom()).toBe(before);
  for (const opened of [menu, tree, page.getByRole("dialog")]) await expect(opened).toHaveCount(0);
  await openOutline(page);
  await line(page, "first").focus();
  await pressAll("a", "o");
  await expect(menu).toHaveCount(0);
  await expect(line(page, "gate")).toBeFocused();

  await page.reload();
  await card(page, "first").click();
  await pressAll("l", "a");
  for (const opened of [menu, tree]) await expect(opened).toHaveCount(0);
  await turn();
  await card(page, "first").click();
  await page.keyboard.press("a");
  await expect(menu).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("l");
  await expect(tree).toBeVisible();
});

test("a list of all keys is a key away", async ({ page }) => {
  await openBuilder(page);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard" })).toContainText("Move up");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("of 5,000 steps only the lines that are seen are elements, and the keyboard reaches all", async ({ page }) => {
  test.slow();
  const steps = Array.from({ length: 5000 }, (_, index) => ({ id: `s${index}`, type: "wait", name: `step_${index}`, wait: { ms: 1 } }));
  await openDocument(page, { version: 1, name: "Many", steps });
  await openOutline(page);
  const lines = page.getByRole("treeitem");
  await expect(line(page, "s0")).toBeVisible();
  await expect.poll(() => lines.count()).toBeLessThan(80);
  await line(page, "s0").focus();
  await page.keyboard.press("End");
  await expect(line(page, "s4999")).toBeFocused();
  await expect(line(page, "s4999")).toBeInViewport();
  await expect(line(page, "s4999")).toHaveAttribute("aria-posinset", "5000");
  await expect(line(page, "s4999")).toHaveAttribute("aria-setsize", "5000");
  await expect(line(page, "s4999")).toHaveAttribute("aria-level", "1");
  await expect(card(page, "step_4999")).toHaveClass(/selected/);
  await page.keyboard.press("ArrowUp");
  await expect(line(page, "s4998")).toBeFocused();
  await expect.poll(() => lines.count()).toBeLessThan(80);
  // Screen readers go from line to line in the order of the steps, wherever the elements stand.
  const owned = await page.getByRole("tree", { name: "Steps" }).evaluate((tree) =>
    (tree.getAttribute("aria-owns") ?? "").split(" ").map((id) => Number(document.getElementById(id)?.getAttribute("aria-posinset"))),
  );
  expect(owned).toEqual([...owned].sort((a, b) => a - b));
  expect(owned).toHaveLength(await lines.count());
  // The line with the focus stays when it is scrolled away, and the arrows go on from it.
  await page.locator(".outline").evaluate((outline) => outline.scrollTo(0, 0));
  await expect(line(page, "s0")).toBeInViewport();
  await expect(line(page, "s4998")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(line(page, "s4997")).toBeFocused();
  await expect(line(page, "s4997")).toBeInViewport();
  // Its name is edited, and stands in the line at once.
  await page.keyboard.press("Enter");
  await expect(page.locator(".inspector").getByLabel("Name", { exact: true })).toBeFocused();
  await page.locator(".inspector").getByLabel("Name", { exact: true }).fill("renamed");
  await expect(line(page, "s4997")).toHaveAttribute("aria-label", "renamed, Wait");
  await line(page, "s4997").click();
  await expect(line(page, "s4997")).toBeFocused();
  await page.keyboard.press("Delete");
  await expect(line(page, "s4998")).toBeFocused();
  await page.keyboard.press("Home");
  await expect(line(page, "s0")).toBeFocused();
  await expect(line(page, "s0")).toHaveAttribute("aria-setsize", "4999");
  await page.keyboard.press("ArrowDown");
  await expect(line(page, "s1")).toBeFocused();
  // What is selected elsewhere is brought into view.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("step_2500");
  await page.keyboard.press("Enter");
  await expect(line(page, "s2500")).toBeInViewport();
  await expect.poll(() => lines.count()).toBeLessThan(80);
  await picture(page, "outline-many");
  expect(await findings(page)).toEqual([]);
});
