// What comes while a person works stays out of the way: it moves nothing that is about to be clicked, and covers nothing.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { card, openBuilder, openDocument, picture } from "./builder.js";

const agent = (id: string, name: string): object => ({ id, type: "agent", name, agent: "helper", inputFrom: "About {{ topic }}" });

const asks = {
  version: 1,
  name: "Ask",
  initialState: { topic: "bees" },
  models: { default: { provider: "demo", model: "demo" } },
  agents: { helper: { model: "default", instructions: "Help." } },
  steps: [agent("s1", "ask"), agent("s2", "tell")],
};

const inspector = (page: Page): Locator => page.locator(".inspector");

const top = async (locator: Locator): Promise<number> => (await locator.boundingBox())?.y ?? 0;

/** Writes at the end of the prompt, whose preview has come by then. */
async function write(page: Page, text: string): Promise<void> {
  await inspector(page).getByLabel("Prompt").click();
  await expect(inspector(page).locator(".preview")).toBeVisible();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(text);
}

test("what is wrong with a prompt is said while it is typed, and nothing below moves @firefox", async ({ page }) => {
  await openDocument(page, asks);
  await card(page, "ask").click();
  const names = inspector(page).locator("select, .nested .input");
  await inspector(page).getByLabel("Prompt").click();
  await expect(inspector(page).locator(".preview")).toBeVisible();
  const places = (): Promise<number[]> => names.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  const before = await places();
  expect(before.length).toBeGreaterThan(3);
  await write(page, " and {{ topi }}");
  await expect(inspector(page).getByText("nothing gives “topi” before this")).toBeVisible();
  expect(await places()).toEqual(before);
  // A click goes where it was aimed before that came up.
  const choice = inspector(page).getByLabel("Answered by", { exact: true });
  // Where there is something to scroll above it, what is used next can stay where it is.
  await inspector(page).locator(".inspector-body").evaluate((body) => (body.scrollTop = 60));
  const { x = 0, y = 0, width = 0, height = 0 } = (await choice.boundingBox()) ?? {};
  const isOverlaid = await inspector(page).locator(".below.over").evaluate((below) => (below.firstElementChild?.getBoundingClientRect().bottom ?? 0) > below.getBoundingClientRect().bottom);
  expect(isOverlaid).toBe(true);
  // Beside the button that mends what is typed.
  await page.mouse.click(x + width - 20, y + height / 2);
  await expect(choice).toBeFocused();
  // Once the field is left all of it has its room, and what the person has come to stays.
  await expect(inspector(page).locator(".below.held")).toHaveCount(0);
  await expect(inspector(page).getByText("nothing gives “topi” before this")).toBeVisible();
  expect(Math.abs((await top(choice)) - y)).toBeLessThan(2);
});

test("what is wrong with a name has room of its own while it is typed, and lies over no field", async ({ page }) => {
  await openDocument(page, { ...asks, initialState: { topic: "bees", other: 1 }, tools: { find: { description: "Finds" } } });
  const covered = (): Promise<string[]> =>
    inspector(page).evaluate((form) => {
      const own = form.querySelector(".below.own .field-error")?.getBoundingClientRect();
      if (own === undefined) return ["no complaint"];
      const meets = (box: DOMRect): boolean => box.left < own.right - 1 && box.right > own.left + 1 && box.top < own.bottom - 1 && box.bottom > own.top + 1;
      return [...form.querySelectorAll(".input, .field-label, .text-button")].filter((one) => meets(one.getBoundingClientRect())).map((one) => one.outerHTML.slice(0, 80));
    });
  await inspector(page).locator("summary", { hasText: "find" }).click();
  const name = inspector(page).getByLabel("Name of the tool");
  const key = inspector(page).getByRole("group", { name: "Initial state", exact: true }).getByLabel("Key", { exact: true }).first();
  for (const field of [name, key]) {
    await field.fill("");
    await expect(inspector(page).locator(".below.own .field-error")).toContainText("It needs a name");
    expect(await covered()).toEqual([]);
    await expect(inspector(page).locator(".below.over")).toHaveCount(0);
  }
});

test("what a field gives is shown while it has the focus, and moves nothing below it", async ({ page }) => {
  const each = { id: "s3", type: "foreach", name: "each", items: "list", steps: [] };
  await openDocument(page, { ...asks, initialState: { topic: "bees", list: ["one", "two", "three", "four"] }, steps: [...asks.steps, each] });
  const fields = inspector(page).locator(".input, .code-field, .more-fields summary");
  for (const [step, label] of [["ask", "Prompt"], ["each", "Items"]] as const) {
    await card(page, step).click();
    // Its editor takes the place of the plain field with the first focus.
    await inspector(page).getByLabel(label, { exact: true }).click();
    await expect(inspector(page).locator(".preview")).toBeVisible();
    await inspector(page).locator(".inspector-head").click();
    await expect(inspector(page).locator(".preview")).toHaveCount(0);
    const places = (): Promise<number[]> => fields.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
    const before = await places();
    await inspector(page).getByLabel(label, { exact: true }).click();
    await expect(inspector(page).locator(".preview")).toBeVisible();
    expect(await places(), label).toEqual(before);
    // The next field is where it was, also once this one is left for it.
    await page.keyboard.press("Shift+Tab");
    await expect(inspector(page).locator(".preview")).toHaveCount(0);
    expect(await places(), label).toEqual(before);
  }
});

test("a button that mends what is typed takes its click while it lies over the form", async ({ page }) => {
  await openDocument(page, asks);
  await card(page, "ask").click();
  await write(page, " and {{ topi }}");
  const mend = inspector(page).getByRole("button", { name: "Write topic" });
  await expect(mend).toBeVisible();
  await mend.click();
  await expect(inspector(page).locator(".field-error")).toHaveCount(0);
  await expect(card(page, "ask")).toContainText("About {{ topic }} and {{ topic }}");
});

for (const by of ["mouse", "keyboard"] as const) {
  test(`what is offered below a field is seen and pressed while its preview lies there: by the ${by}`, { tag: "@firefox" }, async ({ page }) => {
    const sort = { id: "s1", type: "agent", name: "sort", agent: "helper", inputFrom: "It is {{ topic }}. Answer with one of" };
    await openDocument(page, { ...asks, steps: [sort] });
    await card(page, "sort").click();
    await write(page, ": red, green or blue");
    await expect(inspector(page).locator(".preview")).toContainText("It is bees. Answer with one of: red, green or blue");
    const offer = inspector(page).getByRole("button", { name: "Answer with one of: red, green, blue" });
    await expect(offer).toBeInViewport({ ratio: 1 });
    await picture(page, "offer-below-preview");
    // It stands under what lies over the form.
    const isUnder = (): Promise<boolean> =>
      offer.evaluate((button) => {
        const over = document.querySelector(".below.own.over > div")?.getBoundingClientRect().bottom ?? Infinity;
        return over <= button.getBoundingClientRect().top;
      });
    await expect.poll(isUnder).toBe(true);
    await expect(inspector(page).locator(".preview")).toBeVisible();
    if (by === "mouse") await offer.click();
    else {
      for (let tabs = 0; tabs < 6 && !(await offer.evaluate((button) => button === document.activeElement)); tabs += 1) await page.keyboard.press("Tab");
      await expect(offer).toBeFocused();
      await page.keyboard.press("Enter");
    }
    await expect(inspector(page).locator(".chosen-words")).toHaveText("Answers with one of: red, green, blue");
  });
}

test("a button that removes something is not pressed while what lies over the form hides it", { tag: "@firefox" }, async ({ page }) => {
  const way = (id: string, value: string): object => ({ name: value, when: `kind == '${value}'`, steps: [{ id, type: "wait", name: id, wait: { ms: 1 } }] });
  const steps = [
    { id: "s1", type: "agent", name: "sort", agent: "helper", inputFrom: "Is it red, green or blue? {{ topic }}" },
    { id: "s2", type: "switch", name: "choose", cases: [way("a", "red"), way("b", "green"), way("c", "blue")], default: [] },
  ];
  await openDocument(page, { ...asks, initialState: { topic: "bees", kind: "k".repeat(300) }, steps });
  await card(page, "choose").click();
  const heads = inspector(page).getByRole("button", { name: /^Remove case/ });
  await inspector(page).getByLabel("When", { exact: true }).first().click();
  await expect(inspector(page).locator(".below.over .preview")).toBeVisible();
  const over = await inspector(page).locator(".below.over > div").boundingBox();
  const hidden = await heads.evaluateAll((all, over) => {
    const isHidden = ({ left, right, top, bottom }: DOMRect): boolean => over !== null && over.x <= left && right <= over.x + over.width && over.y <= top && bottom <= over.y + over.height;
    return all.map((one) => one.getBoundingClientRect()).filter(isHidden).map(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }));
  }, over);
  expect(hidden.length).toBeGreaterThan(0);
  await page.mouse.click(hidden[0]?.x ?? 0, hidden[0]?.y ?? 0);
  // What lies over it goes with the focus, and leaves nothing pressed.
  await expect(inspector(page).locator(".preview")).toHaveCount(0);
  await expect(heads).toHaveCount(3);
  await heads.nth(1).click();
  await expect(heads).toHaveCount(2);
});

for (const [width, height] of [[1280, 800], [1000, 800], [768, 900], [390, 844]] as const) {
  test(`what is said for a moment covers nothing in a window of ${width} pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await openBuilder(page);
    await page.getByLabel("Name of the workflow").fill("A workflow with a name that takes all of the room that there is in the bar, and more");
    const isSaidToBeSaved = async (): Promise<boolean> => ((await page.locator(".saved").boundingBox())?.width ?? 0) > 20;
    if (width >= 1280) await expect.poll(isSaidToBeSaved).toBe(true);
    await page.getByRole("button", { name: "File", exact: true }).click();
    await page.locator("#file-menu").getByRole("button", { name: /^Look/ }).click();
    const notice = page.locator(".notice");
    await expect(notice).toHaveText("Look: dark");
    await expect(notice).toHaveAttribute("title", "Look: dark");
    const others = page.locator(".topbar button, .topbar input, .controls button, .card, .palette button, .inspector .input").filter({ visible: true });
    const covered = await others.evaluateAll((all) => {
      const own = document.querySelector(".notice")?.getBoundingClientRect();
      if (own === undefined) return ["no notice"];
      const meets = (box: DOMRect): boolean => box.left < own.right - 1 && box.right > own.left + 1 && box.top < own.bottom - 1 && box.bottom > own.top + 1;
      return all.filter((one) => meets(one.getBoundingClientRect())).map((one) => one.outerHTML.slice(0, 80));
    });
    expect(covered).toEqual([]);
    // Whether all is saved is seen as before.
    if (width >= 1280) expect(await isSaidToBeSaved()).toBe(true);
    const box = (await notice.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
    expect(box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= height).toBe(true);
  });
}

test("a window that becomes narrower before anything was looked at shows the whole width again, and taking a step back leads back", async ({ page }) => {
  await page.setViewportSize({ width: 1600, height: 900 });
  const lanes = ["one", "two", "three"].map((name, index) => agent(`a${index}`, name));
  const many = Array.from({ length: 6 }, (_, index) => agent(`m${index}`, `later_${index}`));
  await openDocument(page, { ...asks, steps: [{ id: "p", type: "parallel", name: "all", parallel: lanes }, ...many] });
  await page.setViewportSize({ width: 1280, height: 800 });
  const canvas = page.locator(".canvas");
  await expect(async () => {
    const own = (await canvas.boundingBox()) ?? { x: 0, width: 0 };
    for (const name of ["one", "three"]) {
      const lane = (await card(page, name).boundingBox()) ?? { x: -1, width: 9999 };
      expect(lane.x).toBeGreaterThanOrEqual(own.x);
      expect(lane.x + lane.width).toBeLessThanOrEqual(own.x + own.width);
    }
  }).toPass();
  const start = page.locator(".pill.start");
  await expect(start).toBeInViewport();
  const before = await top(start);
  // It goes to the end of the workflow, far below.
  await page.locator('.palette .kind[data-kind="wait"]').click();
  await expect(card(page, "wait")).toBeInViewport();
  await expect(start).not.toBeInViewport();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => top(start)).toBeCloseTo(before, 0);
});

test("a name of 200 characters is cut everywhere, and seen as a whole under the pointer", async ({ page }) => {
  const long = `step_${"long_".repeat(39)}`;
  const choice = { id: "c", type: "switch", name: "pick", cases: [{ name: long, when: "true", steps: [] }], default: [] };
  await openDocument(page, { ...asks, name: long, steps: [agent("s1", long), choice] });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await page.locator(".card").first().click();
  await page.getByRole("button", { name: "Outline" }).click();
  for (const selector of [".card .card-name", ".inspector-head h2", ".line-name", ".step-row b", ".title-input"]) {
    const name = page.locator(selector).first();
    await name.hover();
    await expect(name, selector).toHaveAttribute("title", long);
    const around = await name.evaluate((one) => one.parentElement!.scrollWidth - one.parentElement!.clientWidth);
    expect(around, selector).toBeLessThanOrEqual(1);
  }
  await expect(page.locator(".branch").first()).toHaveAttribute("title", long);
  const wider = await page.evaluate(() => [".inspector-body", ".panel", ".palette", "body"].filter((selector) => {
    const own = document.querySelector(selector);
    return own !== null && own.scrollWidth > own.clientWidth + 1;
  }));
  expect(wider).toEqual([]);
});
