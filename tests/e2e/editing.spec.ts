import { expect, test } from "@playwright/test";
import { card, drag, hold, kind, middle, names, openBuilder, openDocument, picture, place, written } from "./builder.js";

test.beforeEach(async ({ page }) => openBuilder(page));

test("a kind is dragged into a place between two steps", { tag: "@firefox" }, async ({ page }) => {
  await hold(page, kind(page, "function"), place(page, "/1"));
  await expect(place(page, "/1")).toHaveClass(/over/);
  await expect(page.locator(".ghost")).toBeVisible();
  await picture(page, "dragging");
  await page.mouse.up();
  await expect(page.locator(".ghost")).toHaveCount(0);
  await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual(["research", "function", "analyse"]);
  await expect(card(page, "function")).toHaveClass(/selected/);
});

test("a drop beside a place goes to the nearest one, and a drop far from all of them nowhere", { tag: "@firefox" }, async ({ page }) => {
  const before = await names(page);
  await hold(page, kind(page, "function"), place(page, "/1"));
  const [{ x, y }, card] = [await middle(place(page, "/1")), await page.locator(".card").first().boundingBox()];
  // On the card above the place, and beside the wire that leads to it.
  for (const [right, up] of [[0, card!.height / 2], [90, 0], [-60, card!.height / 3]] as const) {
    await page.mouse.move(x + right, y - up);
    await expect(place(page, "/1")).toHaveClass(/over/);
  }
  await page.mouse.up();
  await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual(["research", "function", "analyse"]);
  await page.keyboard.press("Control+z");
  await hold(page, kind(page, "function"), place(page, "/1"));
  const canvas = (await page.locator(".canvas").boundingBox())!;
  await page.mouse.move(canvas.x + 8, canvas.y + canvas.height / 2);
  await expect(page.locator(".place.over")).toHaveCount(0);
  await page.mouse.up();
  await expect.poll(() => names(page)).toEqual(before);
});

test("a kind is dragged between the lanes of a parallel, and into a lane", async ({ page }) => {
  await drag(page, kind(page, "agent"), place(page, "s2/parallel/1"));
  await expect.poll(async () => (await names(page)).slice(1, 6)).toEqual(["analyse", "market", "agent", "technology", "risks"]);
  await page.keyboard.press("Control+z");
  await drag(page, kind(page, "agent"), place(page, "s3+"));
  await expect.poll(async () => (await names(page)).slice(1, 5)).toEqual(["analyse", "lane", "market", "agent"]);
  await page.keyboard.press("Control+z");
  await expect.poll(async () => (await names(page)).slice(1, 4)).toEqual(["analyse", "market", "technology"]);
});

test("Escape and a drop outside change nothing", { tag: "@firefox" }, async ({ page }) => {
  const before = await names(page);
  await hold(page, card(page, "write_up"), place(page, "/1"));
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await expect.poll(() => names(page)).toEqual(before);
  await hold(page, card(page, "write_up"), page.locator(".palette h2").first());
  await page.mouse.up();
  await expect.poll(() => names(page)).toEqual(before);
  await expect(page.getByRole("button", { name: "Undo" })).toBeDisabled();
});

test("a card is dragged to another place, also into another step", { tag: "@firefox" }, async ({ page }) => {
  await drag(page, card(page, "write_up"), place(page, "/1"));
  await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual(["research", "write_up", "analyse"]);
  await drag(page, card(page, "write_up"), place(page, "s6/steps/1"));
  const order = await names(page);
  expect(order.indexOf("write_up")).toBe(order.indexOf("review") + 1);
});

test("a parallel cannot be dragged into itself", async ({ page }) => {
  const before = await names(page);
  await hold(page, card(page, "analyse"), place(page, "s2/parallel/1"));
  await expect(place(page, "s2/parallel/1")).not.toHaveClass(/over/);
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await expect.poll(() => names(page)).toEqual(before);
});

test("a click selects, the inspector edits, undo takes a whole word back", { tag: "@firefox" }, async ({ page }) => {
  await card(page, "research").click();
  await expect(card(page, "research")).toHaveClass(/selected/);
  await picture(page, "inspector-agent");
  const field = page.locator(".inspector").getByLabel("Name");
  await field.press("Control+a");
  await field.pressSequentially("gather");
  await expect(card(page, "gather")).toBeVisible();
  await field.press("Tab");
  await page.keyboard.press("Control+z");
  await expect(card(page, "research")).toBeVisible();
  await page.keyboard.press("Control+Shift+z");
  await expect(card(page, "gather")).toBeVisible();
});

test("what is typed after a reload is taken back without what was typed before it", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Typing", steps: [{ id: "s1", type: "approval", name: "ask", message: "May" }] });
  await card(page, "ask").click();
  const message = page.locator(".inspector").getByLabel("Message");
  await message.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(" I");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await card(page, "ask").click();
  await message.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(" go?");
  await expect.poll(() => written(message)).toBe("May I go?");
  await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
  await page.keyboard.press("ControlOrMeta+z");
  await card(page, "ask").click();
  await expect.poll(() => written(message)).toBe("May I");
});

test("a function's rows are edited; a key used twice is reported and kept", async ({ page }) => {
  await card(page, "no_review").click();
  const inspector = page.locator(".inspector");
  await inspector.getByRole("button", { name: "Add a key" }).click();
  const keys = inspector.getByLabel("Key", { exact: true });
  await keys.nth(1).fill("review_output");
  await expect(inspector.getByText("Another row has this name already.")).toBeVisible();
  await card(page, "research").click();
  await card(page, "no_review").click();
  await expect(keys.nth(1)).toHaveValue("review_output");
  await keys.nth(1).fill("checked");
  await inspector.getByLabel("Expression").nth(1).fill("true");
  await expect(card(page, "no_review")).toContainText("checked = true");
});

test("a condition's expression is edited and decides the run", async ({ page }) => {
  await card(page, "review_wanted").click();
  await page.locator(".inspector").getByLabel("Condition").fill("needsReview == false");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(card(page, "no_review")).toHaveAttribute("data-status", "done");
  await expect(card(page, "review")).not.toHaveAttribute("data-status", "done");
});

test("an agent's instructions and model are edited where it is picked", async ({ page }) => {
  await card(page, "market").click();
  const inspector = page.locator(".inspector");
  await inspector.getByLabel("Instructions").fill("Be brief.");
  await card(page, "risks").click();
  await expect(inspector.getByLabel("Instructions")).toHaveValue("Be brief.");
  await inspector.getByLabel("Answered by", { exact: true }).selectOption({ label: "New agent…" });
  await expect(inspector.getByLabel("Answered by", { exact: true })).toHaveValue("risks");
  await expect(card(page, "risks")).toContainText("risks");
});

test("initial state that is no JSON is reported and never lost", async ({ page }) => {
  const state = page.getByLabel("Initial state");
  await page.getByRole("group", { name: "Initial state", exact: true }).getByRole("button", { name: "JSON", exact: true }).click();
  await state.fill('{ "topic": "bees", ');
  await expect(page.getByText(/^Line 1: /)).toBeVisible();
  await card(page, "research").click();
  await page.keyboard.press("Escape");
  await expect.poll(() => written(state)).toBe('{ "topic": "bees", ');
  await state.fill('{ "topic": "bees" }');
  await expect(page.getByText(/^Line 1: /)).toHaveCount(0);
  await expect(page.locator(".pill.start")).toContainText("1 value");
});

test("delete, duplicate and their way back", async ({ page }) => {
  await card(page, "analyse").click();
  await page.keyboard.press("Delete");
  await page.getByRole("dialog", { name: "Others use this" }).getByRole("button", { name: "Delete anyway" }).click();
  await expect(card(page, "market")).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card(page, "market")).toBeVisible();
  await card(page, "research").click();
  await page.keyboard.press("Control+d");
  await expect(card(page, "research_2")).toHaveClass(/selected/);
  await card(page, "research_2").hover();
  await card(page, "research_2").getByRole("button", { name: "Delete" }).click();
  await expect(card(page, "research_2")).toHaveCount(0);
});

test("everything can be done from the keyboard", { tag: "@firefox" }, async ({ page }) => {
  await kind(page, "condition").focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".inspector").getByLabel("Condition", { exact: true })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(card(page, "condition")).toBeFocused();
  await page.keyboard.press("Alt+ArrowUp");
  const order = await names(page);
  expect(order.indexOf("condition")).toBeLessThan(order.indexOf("write_up"));
  await expect(card(page, "condition")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(card(page, "no_review")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.locator(".inspector").getByLabel("Name")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(card(page, "condition")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.locator(".card:focus")).toHaveCount(1);
  await picture(page, "keyboard");
});

test("a kind that is clicked beside the menu of a slot goes into that slot, and the next one behind it", async ({ page }) => {
  await card(page, "research").click();
  const { x, y } = await middle(place(page, "/1"));
  await page.mouse.click(x, y);
  const menu = page.getByRole("menu", { name: "Kind of the new step" });
  await expect(menu).toBeVisible();
  await card(page, "research").click();
  await expect(menu).toHaveCount(0);
  const last = await middle(place(page, "/0"));
  await page.mouse.click(last.x, last.y);
  await expect(menu).toBeVisible();
  await kind(page, "wait").click();
  await expect(menu).toHaveCount(0);
  await expect.poll(async () => (await names(page)).slice(0, 2)).toEqual(["wait", "research"]);
  await kind(page, "parallel").click();
  await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual(["wait", "parallel", "research"]);
  // A kind that is dragged goes where it is dropped.
  const again = await middle(place(page, "/0"));
  await page.mouse.click(again.x, again.y);
  await expect(menu).toBeVisible();
  await drag(page, kind(page, "loop"), place(page, "/1"));
  await expect(menu).toHaveCount(0);
  await expect.poll(async () => (await names(page)).slice(0, 2)).toEqual(["wait", "loop"]);
});

test("a plus between two steps offers the kinds", { tag: "@firefox" }, async ({ page }) => {
  const { x, y } = await middle(place(page, "/1"));
  await page.mouse.move(x, y);
  await page.mouse.click(x, y);
  await expect(page.getByRole("menu", { name: "Kind of the new step" })).toBeVisible();
  await picture(page, "picker");
  await page.getByRole("menuitem", { name: "Parallel" }).click();
  await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual(["research", "parallel", "analyse"]);
  await picture(page, "empty-parallel");
});

test("an empty workflow says how to begin", async ({ page }) => {
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("An empty workflow").click();
  await expect(page.locator(".card")).toHaveCount(0);
  await expect(place(page, "/0")).toContainText("Drag a step here");
  await picture(page, "empty");
  await drag(page, kind(page, "agent"), place(page, "/0"));
  await expect(card(page, "agent")).toBeVisible();
  await expect(page.locator(".inspector").getByLabel("Answered by", { exact: true })).toHaveValue("agent");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(card(page, "agent")).toHaveAttribute("data-status", "done");
});

test("a problem that is found moves no button from under the pointer", async ({ page }) => {
  await openDocument(page, { version: 1, name: "One", models: { m: { provider: "demo", model: "demo" } }, agents: { helper: { model: "m" } }, steps: [{ id: "s1", type: "agent", name: "count", agent: "helper" }] });
  await card(page, "count").click();
  await page.locator(".inspector").getByLabel("Name", { exact: true }).fill("count all");
  const places = (): Promise<(string | number)[][]> =>
    page.locator(".topbar").getByRole("button", { name: /^(Undo|Redo|JSON|Run)$/ }).evaluateAll((all) => all.map((button) => [button.textContent, button.getBoundingClientRect().left]));
  await expect(page.locator(".problems-button")).toBeVisible();
  const found = await places();
  await page.locator(".inspector").getByLabel("Name", { exact: true }).fill("count");
  await expect(page.locator(".problems-button")).toHaveCount(0);
  expect(found).toHaveLength(4);
  expect(await places()).toEqual(found);
});
