// What a person must see: nothing covers the work, and nothing of it is cut off that there is room for.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { card, drag, kind, openBuilder, openDocument, picture, place, run, sorts, written } from "./builder.js";

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function inspector(page: Page): Locator {
  return page.locator(".inspector");
}

async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error(`${String(locator)} is not on the page`);
  return box;
}

function touch(one: Box, other: Box): boolean {
  return one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;
}

/** Where the end of what an element shows of its text is, from its left, as a part of its width. */
function shown(element: Locator): Promise<number> {
  return element.evaluate((own) => {
    const { left, width, bottom } = own.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(own);
    const rects = [...range.getClientRects()].filter((rect) => rect.top < bottom - 2);
    return (Math.min(Math.max(...rects.map(({ right }) => right)), left + width) - left) / width;
  });
}

test("what the caret has lit goes out with its field", { tag: "@firefox" }, async ({ page }) => {
  const set = (id: string, name: string, value: string) => ({ id, type: "function", name, run: { set: { [name]: value } } });
  await openDocument(page, {
    ...sorts,
    steps: [...sorts.steps, set("s2", "seen", "sort_output"), { id: "s3", type: "condition", name: "is_other", condition: "sort_output == 'other'", steps: [set("s4", "yes", "true")], else: [] }],
  });
  const lit = page.locator(".card.lit");
  const json = page.locator(".json-button");
  const leave: (() => Promise<void>)[] = [
    () => card(page, "yes").click(),
    () => page.getByRole("button", { name: "Undo" }).click({ force: true }),
    () => json.click(),
    () => page.locator(".canvas").click({ position: { x: 30, y: 30 } }),
    () => inspector(page).getByRole("button", { name: "Delete" }).click(),
  ];
  for (const away of leave) {
    await card(page, "is_other").click();
    const field = inspector(page).getByLabel("Condition", { exact: true });
    await field.click();
    await field.press("Home");
    await expect(lit.locator(".card-name")).toHaveText("sort");
    await away();
    await expect(lit).toHaveCount(0);
    if ((await json.getAttribute("aria-pressed")) === "true") await json.click();
  }
  // Nor does a pointer leave anything lit.
  await card(page, "seen").click();
  const field = inspector(page).getByLabel("Expression");
  await field.click();
  await inspector(page).getByLabel("Name", { exact: true }).click();
  await expect(lit).toHaveCount(0);
  await field.locator(".word-name").hover();
  await expect(lit).toHaveCount(1);
  await page.mouse.move(640, 700);
  await expect(lit).toHaveCount(0);
});

test("a card shows the beginning of a literal list, and what is inside takes its first item", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Pages",
    steps: [{ id: "s1", type: "foreach", name: "each", items: "['https://a.test/a-long-path/of/many/parts', 'https://b.test']", result: "page_output", steps: [{ id: "s2", type: "http", name: "page", http: { url: "{{ item }}", origins: ["https://a.test"] } }] }],
  });
  const summary = card(page, "each").locator(".card-summary");
  expect(await shown(summary)).toBeGreaterThan(0.95);
  await expect(card(page, "each").locator(".card-detail")).toHaveText("gives page_output");
  await card(page, "page").click();
  await inspector(page).getByLabel("Address", { exact: true }).click();
  await expect(inspector(page).getByRole("group", { name: "Preview" })).toContainText("https://a.test/a-long-path");
  await picture(page, "literal-list");
});

test("the message of an End is on its card as far as there is room, before a run and after", async ({ page }) => {
  const message = "Your message cannot be answered by this desk: please write to the office of the bees.";
  await openDocument(page, { version: 1, name: "End", steps: [{ id: "s1", type: "end", name: "end", end: { status: "done", message } }] });
  const before = card(page, "end").locator(".card-summary");
  await expect(before).toHaveText(`ends the run${message}`);
  const lines = (element: Locator) => element.evaluate((own) => [...own.textContent].length > 0 && Math.round(own.getBoundingClientRect().height / 16));
  expect(await lines(before)).toBe(2);
  await picture(page, "end-before");
  await run(page);
  const after = card(page, "end").locator(".card-output");
  await expect(after).toHaveText(`ends the run${message}`);
  expect(await lines(after)).toBe(2);
  await picture(page, "end-after");
});

test("steps that are dropped into the lanes of a switch leave all of it in view", async ({ page }) => {
  await openDocument(page, sorts);
  await card(page, "sort").click();
  await kind(page, "switch").click();
  await expect(page.locator(".branch")).toHaveText(["billing", "broken", "other", "default"]);
  const canvas = await boxOf(page.locator(".canvas"));
  for (const [at, number] of [0, 1, 2].entries()) {
    await drag(page, kind(page, "agent"), place(page, `s2/cases[${number}].steps/0`));
    await expect(page.locator(".card")).toHaveCount(3 + at);
    await expect(async () => {
      for (const own of await page.locator(".card").all()) {
        const box = await boxOf(own);
        expect(box.x).toBeGreaterThanOrEqual(canvas.x);
        expect(box.x + box.width).toBeLessThanOrEqual(canvas.x + canvas.width);
      }
    }).toPass({ timeout: 3000 });
  }
  await picture(page, "lanes");
  // What is all in view stays where it is, once the view has come to rest.
  await page.waitForTimeout(400);
  const before = await boxOf(card(page, "sort"));
  await drag(page, kind(page, "wait"), place(page, "s2/cases[0].steps/1"));
  await expect(card(page, "wait")).toBeVisible();
  await page.waitForTimeout(400);
  expect((await boxOf(card(page, "sort"))).width).toBeCloseTo(before.width, 0);
});

test("a notice covers neither the kinds of steps nor the canvas nor a field", async ({ page }) => {
  await openDocument(page, sorts);
  await card(page, "sort").click();
  const name = inspector(page).getByLabel("Name", { exact: true });
  await kind(page, "function").click();
  await expect(card(page, "function")).toHaveClass(/selected/);
  await inspector(page).getByLabel("Expression").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("sort_output");
  await card(page, "sort").click();
  await name.fill("sorted");
  await name.press("Tab");
  const notice = page.locator(".notice");
  await expect(notice).toContainText("is now “sorted”");
  const own = await boxOf(notice);
  for (const other of [".palette", ".canvas", ".inspector", ".title-input", ".topbar .group", ".run-button"]) {
    expect(touch(own, await boxOf(page.locator(other))), other).toBe(false);
  }
  await picture(page, "notice");
});

test("an expression that is set has the width of the inspector, and its suggestions stand beside it", async ({ page }) => {
  await openDocument(page, { ...sorts, steps: [...sorts.steps, { id: "s2", type: "function", name: "keep", run: { set: { kept: "mail" } } }] });
  await card(page, "keep").click();
  const field = inspector(page).getByLabel("Expression");
  await field.click();
  const box = await boxOf(page.locator(".set-value"));
  expect(box.width).toBeGreaterThan(250);
  await field.press("End");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("so");
  const list = inspector(page).getByRole("listbox", { name: "Suggestions" });
  await expect(list).toBeVisible();
  await picture(page, "set-row");
  expect(touch(await boxOf(list), box)).toBe(false);
  await page.keyboard.press("Enter");
  await expect.poll(() => written(field)).toBe("sort_output");
});

test("a hint is whole in low windows, and the kinds above it can be reached", async ({ page }) => {
  for (const height of [800, 720, 560]) {
    await page.setViewportSize({ width: 1280, height });
    await openBuilder(page);
    const hint = await boxOf(page.getByRole("region", { name: "Hint" }));
    expect(hint.y + hint.height).toBeLessThanOrEqual(height);
    await picture(page, `hint-${height}`);
    await kind(page, "approval").scrollIntoViewIfNeeded();
    const last = await boxOf(kind(page, "approval"));
    expect(last.y + last.height).toBeLessThanOrEqual(hint.y);
    if (height === 800) expect(await page.locator(".kinds").evaluate((kinds) => kinds.scrollHeight - kinds.clientHeight)).toBe(0);
  }
});

test("a step whose run waited for a person says so", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Ask",
    steps: [{ id: "s1", type: "condition", name: "always", condition: "true", steps: [{ id: "s2", type: "wait", name: "rest", wait: { ms: 300 } }, { id: "s3", type: "approval", name: "ask", message: "Go on?", schema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] } }], else: [] }],
  });
  await run(page);
  const answer = inspector(page).getByRole("form", { name: "Answer" });
  await expect(answer).toBeVisible();
  await page.waitForTimeout(1500);
  await answer.getByRole("button", { name: "Approve" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  const row = (name: string) => page.locator(".step-row").filter({ hasText: name }).locator(".card-time");
  await expect(row("always")).toHaveText(/^[3-9]\d\d ms, waited [1-9]\.\d s$/);
  await expect(row("ask")).toHaveText(/^waited [1-9]\.\d s$/);
  await expect(card(page, "always").locator(".card-time")).toHaveText(/^[3-9]\d\d ms$/);
  await expect(card(page, "ask").locator(".card-time")).toHaveText(/^waited [1-9]\.\d s$/);
  await picture(page, "waited");
});

test("in a window that becomes narrow the workflow is fitted anew, the zoom covers none of it, and Escape closes the form", async ({ page }) => {
  await openBuilder(page);
  await page.setViewportSize({ width: 390, height: 844 });
  const canvas = await boxOf(page.locator(".canvas"));
  const inView = async (name: string) => {
    const box = await boxOf(card(page, name));
    return box.x >= canvas.x && box.x + box.width <= canvas.x + canvas.width;
  };
  await expect.poll(() => inView("research")).toBe(true);
  const controls = await boxOf(page.getByRole("toolbar", { name: "Zoom" }));
  expect([controls.x, controls.width, controls.y + controls.height]).toEqual([0, 390, canvas.y + canvas.height]);
  await page.getByRole("button", { name: "Show everything" }).click();
  await expect.poll(async () => { const box = await boxOf(card(page, "write_up")); return box.y + box.height <= controls.y; }).toBe(true);
  await picture(page, "narrowed");
  await card(page, "research").click();
  await page.getByRole("button", { name: "Open the inspector" }).click();
  const name = inspector(page).getByLabel("Name", { exact: true });
  await name.click();
  await page.keyboard.press("Escape");
  await expect(inspector(page)).not.toBeVisible();
  await expect(card(page, "research")).toHaveClass(/selected/);
  await expect(card(page, "research")).toBeFocused();
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(page.locator(".zoom-level")).not.toHaveText(/^[1-6]\d%$/);
});
