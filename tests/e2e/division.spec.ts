// How the page is divided, and what a run does to the canvas.
import { expect, test, type Page } from "@playwright/test";
import { card, kind, openBuilder, openDocument, picture, run } from "./builder.js";

const width = async (page: Page, selector: string) => (await page.locator(selector).boundingBox())?.width ?? 0;
const height = async (page: Page, selector: string) => (await page.locator(selector).boundingBox())?.height ?? 0;

test("the inspector and the panel are as large as a person makes them, also after a reload", { tag: "@firefox" }, async ({ page }) => {
  await openBuilder(page);
  const line = page.getByRole("separator", { name: "Width of the inspector" });
  const box = await line.boundingBox();
  await page.mouse.move(box?.x ?? 0, 400);
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) - 180, 420, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => width(page, ".inspector")).toBe(500);
  await line.focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => width(page, ".inspector")).toBe(476);
  await page.keyboard.press("End");
  await expect.poll(() => width(page, ".inspector"), "the canvas keeps its room").toBeLessThanOrEqual(760);

  await run(page);
  const below = page.getByRole("separator", { name: "Height of the panel" });
  await below.focus();
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => height(page, ".panel")).toBe(260);
  await page.reload();
  await expect(card(page, "research")).toBeVisible();
  await expect.poll(() => width(page, ".inspector")).toBeGreaterThan(600);
  await page.getByRole("separator", { name: "Width of the inspector" }).press("Enter");
  await expect.poll(() => width(page, ".inspector")).toBe(320);
});

test("the panel stands beside the canvas by choice", async ({ page }) => {
  await openBuilder(page);
  await run(page);
  const before = await height(page, ".canvas");
  await page.getByRole("button", { name: "Beside the canvas" }).click();
  await expect.poll(() => height(page, ".canvas")).toBeGreaterThan(before + 200);
  await page.getByRole("separator", { name: "Width of the panel" }).focus();
  await page.keyboard.press("Home");
  await expect.poll(() => width(page, ".panel")).toBe(280);
  await expect(page.locator(".step-row").first()).toBeVisible();
  // However narrow it is, what the run has come to can be read.
  await run(page);
  await expect(page.getByLabel("Runs of this workflow")).toBeVisible();
  const cut = await page.locator(".panel-head").evaluate((head) => [head, ...head.querySelectorAll("*:not(option)")].filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0).map((part) => part.className));
  expect(cut).toEqual([]);
  await picture(page, "panel-beside");
  await page.reload();
  await run(page);
  await expect.poll(() => width(page, ".panel")).toBe(280);
  await page.getByRole("separator", { name: "Width of the panel" }).dblclick();
  await expect.poll(() => width(page, ".panel")).toBe(380);
  await page.getByRole("button", { name: "Below the canvas" }).click();
  await expect.poll(() => height(page, ".panel")).toBe(236);
});

/** Whether the way that the run took leads down to a card. */
async function isTaken(page: Page, name: string): Promise<boolean> {
  const style = await card(page, name).evaluate((element) => {
    const { m41, m42 } = new DOMMatrix(getComputedStyle(element).transform);
    return { x: m41 + (element as HTMLElement).offsetWidth / 2, y: m42 - 10 };
  });
  return page.locator(".wire.taken").evaluate((path, { x, y }) => (path as SVGPathElement).isPointInStroke(new DOMPoint(x, y)), style);
}

test("the wires show the way that a run took", async ({ page }) => {
  await openBuilder(page);
  await expect(page.locator(".wire.taken")).toHaveAttribute("d", "");
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect.poll(() => isTaken(page, "review")).toBe(true);
  for (const name of ["research", "market", "risks", "review_wanted", "write_up"]) await expect.poll(() => isTaken(page, name), name).toBe(true);
  await expect.poll(() => isTaken(page, "no_review"), "the other way").toBe(false);
});

test("the way that a run took goes on through a lane without steps", async ({ page }) => {
  const choice = (condition: string) => ({
    version: 1,
    name: "Choice",
    steps: [{ id: "c", type: "condition", name: "choose", condition, steps: [], else: [{ id: "n", type: "function", name: "other", run: { set: { n: "1" } } }] }],
  });
  /** Whether the way leads by the slot of the lane without steps. */
  const isPast = async () => {
    const slot = await page.locator(".place", { hasText: "Drop a step" }).boundingBox();
    const at = { x: (slot?.x ?? 0) + (slot?.width ?? 0) / 2, y: (slot?.y ?? 0) + (slot?.height ?? 0) + 6 };
    return page.locator(".wire.taken").evaluate((path, { x, y }) => (path as SVGPathElement).isPointInStroke(new DOMPoint(x, y).matrixTransform((path as SVGPathElement).getScreenCTM()?.inverse())), at);
  };
  for (const [condition, past] of [["true", true], ["false", false]] as const) {
    await openDocument(page, choice(condition));
    await run(page);
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
    await expect.poll(isPast, condition).toBe(past);
    await expect.poll(() => isTaken(page, "other"), condition).toBe(!past);
  }
});

test("of several ways without steps the one that a run took is seen, with its word", async ({ page }) => {
  const at = (id: string, n: number) => ({ id, type: "switch", name: id, cases: [1, 2].map((one) => ({ name: `is ${one}`, when: `${n} == ${one}`, steps: [] })), default: [] });
  const choice = (id: string, condition: string) => ({ id, type: "condition", name: id, condition, steps: [], else: [] });
  const asks = { id: "q", type: "approval", name: "q", message: "May it?", steps: [], else: [] };
  await openDocument(page, { version: 1, name: "Ways", steps: [at("two", 2), at("none", 3), choice("right", "true"), choice("wrong", "false"), asks] });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator(".question").getByRole("button", { name: "Refuse" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await page.getByRole("button", { name: "Show everything" }).click();
  await expect(page.locator(".branch.taken")).toHaveText(["is 2", "default", "yes", "no", "refused"]);
  // Whether the way leads on below each word.
  const found = await page.locator(".wire.taken").evaluate((path) =>
    [...document.querySelectorAll(".branch")].map((word) => {
      const { left, width, bottom } = word.getBoundingClientRect();
      const own = path as SVGPathElement;
      return own.isPointInStroke(new DOMPoint(left + width / 2, bottom + 4).matrixTransform(own.getScreenCTM()?.inverse()));
    }),
  );
  expect(found).toEqual([false, true, false, false, false, true, true, false, false, true, false, true]);
});

test("a step that is newer than the run has no way out of it that was taken", async ({ page }) => {
  const set = (id: string) => ({ id, type: "function", name: id, run: { set: { [id]: "1" } } });
  await openDocument(page, { version: 1, name: "Newer", steps: [set("first"), set("last")] });
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect.poll(() => isTaken(page, "last")).toBe(true);
  await card(page, "first").click();
  await kind(page, "wait").click();
  await expect(card(page, "wait")).toBeVisible();
  await expect.poll(() => isTaken(page, "last")).toBe(false);
});

test("the way back of a loop is taken by a second round", async ({ page }) => {
  const loop = (until: string) => ({
    version: 1,
    name: "Loop",
    initialState: { n: 0 },
    steps: [{ id: "l", type: "loop", name: "again", repeat: { until }, maxIterations: 5, steps: [{ id: "s", type: "function", name: "count", run: { set: { n: "n + 1" } } }] }],
  });
  const isBack = () => page.locator(".wire.taken").evaluate((path) => (path.getAttribute("d") ?? "").includes("H"));
  await openDocument(page, loop("n > 0"));
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  expect(await isBack()).toBe(false);
  await openDocument(page, loop("n > 2"));
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect.poll(isBack).toBe(true);
});

test("the view follows a run and comes back, unless a person looks elsewhere or the run fails", async ({ page }) => {
  const steps = (last: string) => Array.from({ length: 12 }, (_, at) => ({ id: `s${at}`, type: "function", name: `step${at}`, run: at === 11 ? { code: last } : { set: { n: `${at}` } } }));
  const view = () => page.locator(".world").evaluate((world) => getComputedStyle(world).transform);
  await openDocument(page, { version: 1, name: "Long", steps: steps("return {};") });
  const before = await view();
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect.poll(view).toBe(before);
  await openDocument(page, { version: 1, name: "Fails", steps: steps("throw new Error('no')") });
  const began = await view();
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "error");
  await expect(card(page, "step11")).toBeInViewport();
  await expect.poll(() => view()).not.toBe(began);
});

test("what is in the middle of the canvas stays there when the window or the panel changes", async ({ page }) => {
  await openBuilder(page);
  /** The place in the workflow that is in the middle of the canvas. */
  const middleOf = () =>
    page.locator(".canvas").evaluate((canvas) => {
      const { a, e, f } = new DOMMatrix(getComputedStyle(canvas.querySelector(".world") as Element).transform);
      return { x: Math.round((canvas.clientWidth / 2 - e) / a), y: Math.round((canvas.clientHeight / 2 - f) / a) };
    });
  // Before anything was looked at, all of it is shown anew.
  await page.locator(".canvas").hover();
  await page.mouse.wheel(0, 30);
  const before = await middleOf();
  const width = await page.locator(".canvas").evaluate((canvas) => canvas.clientWidth);
  await page.setViewportSize({ width: 1000, height: 640 });
  await expect.poll(() => page.locator(".canvas").evaluate((canvas) => canvas.clientWidth)).not.toBe(width);
  await expect.poll(middleOf).toEqual(before);
  await page.getByRole("separator", { name: "Width of the inspector" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(middleOf).toEqual(before);
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(middleOf).toEqual(before);
});
