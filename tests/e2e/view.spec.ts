import { expect, test } from "@playwright/test";
import { card, kind, middle, openBuilder, openDocument, picture, run } from "./builder.js";

test("the wheel pans, ctrl and the wheel zoom around the pointer", { tag: "@firefox" }, async ({ page }) => {
  await openBuilder(page);
  const before = await card(page, "research").boundingBox();
  await page.mouse.move(600, 300);
  await page.mouse.wheel(0, 100);
  const panned = await card(page, "research").boundingBox();
  expect(panned?.y).toBeCloseTo((before?.y ?? 0) - 100, 0);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -60);
  await page.keyboard.up("Control");
  const zoomed = await card(page, "research").boundingBox();
  expect(zoomed?.width ?? 0).toBeGreaterThan((panned?.width ?? 0) * 1.3);
  await page.getByRole("button", { name: "Life size" }).click();
  await expect(page.locator(".zoom-level")).toHaveText("100%");
  await page.getByRole("button", { name: "Show everything" }).click();
  await expect(card(page, "write_up")).toBeInViewport();
});

test("space or the middle button drags the view, also over a card", { tag: "@firefox" }, async ({ page }) => {
  await openBuilder(page);
  const before = await card(page, "research").boundingBox();
  const [x, y] = [(before?.x ?? 0) + 40, (before?.y ?? 0) + 20];
  await page.mouse.move(x, y);
  await page.keyboard.down("Space");
  await page.mouse.down();
  await page.mouse.move(x + 50, y + 30, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Space");
  const after = await card(page, "research").boundingBox();
  expect(after?.x).toBeCloseTo((before?.x ?? 0) + 50, 0);
  await page.mouse.down({ button: "middle" });
  await page.mouse.move(x + 20, y + 10, { steps: 4 });
  await page.mouse.up({ button: "middle" });
  expect((await card(page, "research").boundingBox())?.x).toBeCloseTo((after?.x ?? 0) - 30, 0);
});

test("a workflow of thousands of steps keeps the page small", async ({ page }) => {
  const leaf = (id: string) => ({ id, type: "function", name: `n_${id}`, run: { set: {} } });
  const steps = Array.from({ length: 100 }, (_, row) => ({
    id: `p${row}`,
    type: "parallel",
    name: `row_${row}`,
    parallel: Array.from({ length: 20 }, (_, column) => leaf(`f${row}_${column}`)),
  }));
  await openDocument(page, { version: 1, name: "Large", steps });
  const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
  await expect.poll(() => elements()).toBeLessThan(2000);
  await page.mouse.move(600, 400);
  for (let turn = 0; turn < 20; turn += 1) await page.mouse.wheel(120, 400);
  await expect.poll(() => elements()).toBeLessThan(2000);
  await page.getByRole("button", { name: "Show everything" }).click();
  await expect(page.locator("canvas.overview")).toBeVisible();
  await expect.poll(elements).toBeLessThan(450);
  await picture(page, "overview");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done", { timeout: 20_000 });
  await expect.poll(() => elements()).toBeLessThan(4000);
  await picture(page, "overview-done");
});

test("everything is shown also of a workflow that is thousands of steps long", async ({ page }) => {
  const steps = Array.from({ length: 1500 }, (_, row) => ({ id: `s${row}`, type: "function", name: `n${row}`, run: { set: {} } }));
  await openDocument(page, { version: 1, name: "Long", steps });
  await page.getByRole("button", { name: "Show everything" }).click();
  const overview = page.locator("canvas.overview");
  await expect(overview).toBeVisible();
  // The first and the last row of pixels with a card in them, and the height of the canvas.
  const drawn = () =>
    overview.evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      const rows = Array.from({ length: canvas.height }, (_, row) => row).filter((row) => {
        const pixels = data.subarray(row * canvas.width * 4, (row + 1) * canvas.width * 4);
        return pixels.some((value, index) => index % 4 === 3 && value > 0);
      });
      return { first: rows[0] ?? -1, last: rows.at(-1) ?? -1, height: canvas.height };
    });
  await expect.poll(async () => (await drawn()).first).toBeGreaterThan(5);
  const { last, height } = await drawn();
  expect(last).toBeGreaterThan(height / 2);
  expect(last).toBeLessThan(height - 5);
  await picture(page, "overview-long");
  const level = page.locator(".zoom-level");
  const before = await level.textContent();
  await page.getByRole("button", { name: "Zoom out" }).click();
  await expect(level).toHaveText(before ?? "");
});

test("a kind that comes from the palette moves the view only after it has been away from the side", async ({ page }) => {
  await openBuilder(page);
  const canvas = await page.locator(".canvas").boundingBox();
  const left = async () => (await card(page, "research").boundingBox())?.x ?? 0;
  const before = await left();
  const from = await middle(kind(page, "agent"));
  const side = (canvas?.x ?? 0) + 8;
  const height = (canvas?.y ?? 0) + 200;
  const frames = (count: number) => page.evaluate((many) => new Promise<void>((done) => {
    const next = (left: number) => (left === 0 ? done() : requestAnimationFrame(() => next(left - 1)));
    next(many);
  }), count);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(side, height, { steps: 6 });
  await expect(page.locator(".ghost")).toBeVisible();
  await frames(12);
  await expect.poll(() => left()).toBe(before);
  await page.mouse.move(side + 200, height, { steps: 6 });
  await frames(2);
  await page.mouse.move(side, height, { steps: 6 });
  await expect.poll(left).toBeGreaterThan(before);
  await page.keyboard.press("Escape");
  await page.mouse.up();
});

test("a card that is being edited stays when it is moved out of view", async ({ page }) => {
  await openBuilder(page);
  await card(page, "research").click();
  await page.mouse.move(600, 400);
  for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, 400);
  await expect(card(page, "research")).toHaveCount(1);
  await page.locator(".inspector").getByLabel("Name").fill("found");
  await expect(card(page, "found")).toHaveCount(1);
});

test("on a narrow page the inspector comes and goes", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 780 });
  await openBuilder(page);
  await card(page, "research").click();
  const field = page.locator(".inspector").getByLabel("Name");
  await expect(field).toBeHidden();
  await page.getByRole("button", { name: "Open the inspector" }).click();
  await expect(field).toBeVisible();
  await picture(page, "narrow");
  await page.getByRole("button", { name: "Close the inspector" }).click();
  await expect(field).toBeHidden();
  await expect(card(page, "research")).toBeInViewport();
});

test("every text on the cards of the example is readable when the page opens", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await openBuilder(page);
  await run(page);
  const smallest = await page.locator(".world").evaluate((world) => {
    const zoom = new DOMMatrix(getComputedStyle(world).transform).a;
    const texts = [...world.querySelectorAll(".card *, .pill, .branch")].filter((element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== ""));
    return Math.min(...texts.map((element) => Number.parseFloat(getComputedStyle(element).fontSize) * zoom));
  });
  expect(smallest).toBeGreaterThanOrEqual(11);
});
