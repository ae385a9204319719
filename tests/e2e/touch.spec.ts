import { expect, test, type CDPSession, type Page } from "@playwright/test";
import { card, kind, middle, names, openBuilder, openDocument, picture, place } from "./builder.js";

// A tablet: fingers only, and both side panels beside the canvas.
test.use({ hasTouch: true, viewport: { width: 1180, height: 820 } });

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Fingers on the screen, each at its place. */
class Fingers {
  #session: CDPSession;
  #at: Point[] = [];

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async of(page: Page): Promise<Fingers> {
    return new Fingers(await page.context().newCDPSession(page));
  }

  /** Puts them down, one after the other. */
  async down(...at: Point[]): Promise<void> {
    for (const point of at) {
      this.#at.push(point);
      await this.#send("touchStart");
    }
  }

  /** Moves all of them to where they shall be, in several moves as a hand does. */
  async move(...to: Point[]): Promise<void> {
    const from = this.#at;
    for (const part of [0.1, 0.3, 0.6, 0.9, 1]) {
      this.#at = from.map(({ x, y }, index) => ({ x: x + ((to[index]?.x ?? x) - x) * part, y: y + ((to[index]?.y ?? y) - y) * part }));
      await this.#send("touchMove");
    }
  }

  async up(): Promise<void> {
    this.#at = [];
    await this.#send("touchEnd");
  }

  async #send(type: "touchStart" | "touchMove" | "touchEnd"): Promise<void> {
    await this.#session.send("Input.dispatchTouchEvent", { type, touchPoints: this.#at.map((point, id) => ({ ...point, id })) });
  }
}

/** A place of the canvas with nothing on it. */
async function nothing(page: Page): Promise<Point> {
  const box = await page.locator(".canvas").boundingBox();
  if (box === null) throw new Error("there is no canvas");
  return { x: box.x + 40, y: box.y + box.height / 2 };
}

test("one finger pans, two pinch", async ({ page }) => {
  await openBuilder(page);
  const fingers = await Fingers.of(page);
  const before = await card(page, "research").boundingBox();
  const start = await nothing(page);
  await fingers.down(start);
  await fingers.move({ x: start.x + 60, y: start.y + 90 });
  await fingers.up();
  const panned = await card(page, "research").boundingBox();
  expect(panned?.x).toBeCloseTo((before?.x ?? 0) + 60, 0);
  expect(panned?.y).toBeCloseTo((before?.y ?? 0) + 90, 0);
  // Also from over a card.
  const { x, y } = await middle(card(page, "research"));
  await fingers.down({ x: x - 60, y }, { x: x + 60, y });
  await fingers.move({ x: x - 90, y }, { x: x + 90, y });
  await fingers.up();
  const zoomed = await card(page, "research").boundingBox();
  expect(zoomed?.width).toBeCloseTo((panned?.width ?? 0) * 1.5, 0);
  const after = await middle(card(page, "research"));
  expect(Math.hypot(after.x - x, after.y - y)).toBeLessThan(3);
  await expect(page.getByRole("button", { name: "Undo" })).toBeDisabled();
});

test("a finger drags a kind and a card into a place", async ({ page }) => {
  await openBuilder(page);
  const fingers = await Fingers.of(page);
  await fingers.down(await middle(kind(page, "function")));
  await fingers.move(await middle(place(page, "/1")));
  await expect(place(page, "/1")).toHaveClass(/over/);
  await expect(page.locator(".ghost")).toBeVisible();
  await picture(page, "touch-dragging");
  await fingers.up();
  await expect(page.locator(".ghost")).toHaveCount(0);
  await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual(["research", "function", "analyse"]);
  await fingers.down(await middle(card(page, "function")));
  await fingers.move(await middle(place(page, "/0")));
  await expect(place(page, "/0")).toHaveClass(/over/);
  await fingers.up();
  await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual(["function", "research", "analyse"]);
});

test("a tap selects, adds and runs", async ({ page }) => {
  await openBuilder(page);
  await card(page, "research").tap();
  await expect(card(page, "research")).toHaveClass(/selected/);
  await expect(page.locator(".inspector").getByLabel("Name")).toHaveValue("research");
  const { x, y } = await middle(place(page, "/1"));
  await page.touchscreen.tap(x, y);
  await page.getByRole("menuitem", { name: "Parallel" }).tap();
  await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual(["research", "parallel", "analyse"]);
  await page.getByRole("button", { name: "Undo" }).tap();
  await page.getByRole("button", { name: "Run", exact: true }).tap();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
});

test("a second finger gives a drag up and changes nothing", async ({ page }) => {
  await openBuilder(page);
  const before = await names(page);
  const fingers = await Fingers.of(page);
  const start = await middle(card(page, "research"));
  const over = await middle(place(page, "s2/parallel/1"));
  await fingers.down(start);
  await fingers.move(over);
  await expect(page.locator(".ghost")).toBeVisible();
  await fingers.down({ x: over.x + 120, y: over.y });
  await expect(page.locator(".ghost")).toHaveCount(0);
  await fingers.up();
  await expect.poll(() => names(page)).toEqual(before);
  await expect(page.getByRole("button", { name: "Undo" })).toBeDisabled();
});

test("a long touch opens the menu, and a drag does not", async ({ page }) => {
  await openBuilder(page);
  const fingers = await Fingers.of(page);
  const at = await middle(card(page, "research"));
  await fingers.down(at);
  await expect(page.locator(".context-menu")).toBeVisible();
  await fingers.up();
  await page.locator(".context-menu").getByRole("menuitem", { name: "Duplicate" }).tap();
  await expect(card(page, "research_2")).toHaveCount(1);
  await expect(page.locator(".context-menu")).toHaveCount(0);
});

test.describe("on a telephone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("a tap opens the step, and what is tapped is large enough", async ({ page }) => {
    await openBuilder(page);
    await card(page, "research").tap();
    await expect(page.locator(".inspector").getByLabel("Name", { exact: true })).toBeVisible();
    await picture(page, "phone-step");
    await page.getByRole("button", { name: "Close the inspector" }).tap();
    for (const name of ["Duplicate", "Delete"]) {
      const box = await card(page, "research").getByRole("button", { name }).boundingBox();
      expect(box?.width).toBeGreaterThanOrEqual(24);
      expect(box?.height).toBeGreaterThanOrEqual(23.5);
    }
    // What lies on the canvas grows with it.
    const small = await page.locator("button:visible:not(.world *), summary:visible").evaluateAll((all) =>
      all.flatMap((one) => {
        const { width, height } = one.getBoundingClientRect();
        return width > 0 && (width < 24 || height < 23.5) ? [`${one.getAttribute("aria-label") ?? one.textContent}: ${width}×${height}`] : [];
      }),
    );
    expect(small).toEqual([]);
  });

  test("Run stays in sight beside all other buttons", async ({ page }) => {
    await openDocument(page, {
      version: 1,
      name: "A workflow with a long name",
      models: { m: { provider: "demo", model: "demo" } },
      agents: { a: { model: "m" } },
      pins: { s1: "Hello!" },
      steps: [{ id: "s1", type: "agent", name: "talk", agent: "a", inputFrom: "{{ message }} {{ nobody }}", history: { key: "chat" } }],
    });
    await expect(page.locator(".pins-button")).toBeVisible();
    const run = await page.locator(".run-button").boundingBox();
    expect((run?.x ?? 0) + (run?.width ?? 0)).toBeLessThanOrEqual(390);
    await expect(page.locator(".problems-button")).toBeVisible();
    await picture(page, "phone-bar");
    for (const width of [390, 360, 320]) {
      await page.setViewportSize({ width, height: 844 });
      // Each of them is there with all of its width, under no other one.
      const wrong = await page.locator(".topbar button:visible:not(.menu *)").evaluateAll((all) =>
        all.flatMap((one) => {
          const { left, right, top, width, height } = one.getBoundingClientRect();
          const isFree = [left + 1, right - 1].every((x) => one.contains(document.elementFromPoint(x, top + height / 2)));
          return isFree && width >= 24 && height >= 24 ? [] : [`${one.getAttribute("aria-label") ?? one.textContent}: ${left}–${right}`];
        }),
      );
      expect(wrong).toEqual([]);
    }
    await picture(page, "phone-bar-narrow");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator(".run-button").tap();
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  });
});

test("on a phone a fingertip has room enough between two steps, also where it shows the world smaller", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openBuilder(page);
  const heights = await page.locator(".place:not([data-look='empty']) .place-add").evaluateAll((all) => all.map((one) => {
    const { top, height, left, width } = one.getBoundingClientRect();
    const middle = { x: left + width / 2, y: top + height / 2 };
    const at = (away: number): Element | null | undefined => document.elementFromPoint(middle.x, middle.y + away)?.closest(".place-add");
    // What is not in sight, or under a bar, is tapped by nobody; beside a place there may be another one.
    if (at(0) !== one) return undefined;
    return at(-11) && at(11) ? height : 0;
  }));
  const seen = heights.filter((height) => height !== undefined);
  expect(seen.length).toBeGreaterThan(3);
  expect(Math.min(...seen)).toBeGreaterThanOrEqual(24);
});

test("on a phone the answer of a run is in view when it is there, above the steps", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openBuilder(page);
  await page.getByRole("button", { name: "Run", exact: true }).tap();
  const answer = page.getByRole("region", { name: "Last answer" });
  await expect(answer.locator("h2").first()).toBeInViewport();
  const [own, steps] = await Promise.all([answer.boundingBox(), page.locator(".run-steps").boundingBox()]);
  expect((own?.y ?? 0) + (own?.height ?? 0)).toBeLessThanOrEqual((steps?.y ?? 0) + 1);
  await page.locator(".run-steps .step-row").last().scrollIntoViewIfNeeded();
  await expect(page.locator(".run-steps .step-row").last()).toContainText("write_up");
  await page.getByLabel("State as JSON").scrollIntoViewIfNeeded();
  await picture(page, "answer-on-a-phone");
});
