// Random series of what people do: nothing is lost, every view shows the same, and no key is stored.
import { expect, test, type Page } from "@playwright/test";
import { between, generator } from "../kill/random.mjs";
import { asking, everythingStored, exportedText, openDocument } from "./builder.js";

const KEY = "sk-series-5f1e9c";
/** More of them, and other ones, are tried by hand: STEPWEAVE_ACTIONS=500 STEPWEAVE_SEED=7. */
const ACTIONS = Number(process.env["STEPWEAVE_ACTIONS"] ?? 150);
/** After so many actions everything is compared. */
const ROUND = 50;
/** More steps than these are not all cards with text at once, even in a window of this size. */
const MOST_STEPS = 24;
const WINDOW = { width: 2400, height: 2000 };

interface Step {
  readonly id: string;
  readonly name: string;
  readonly [key: string]: unknown;
}

/** The steps of a document in the order of its tree, with how deep they are. */
function walk(steps: readonly Step[], level = 1): { id: string; name: string; level: number; hasNote: boolean }[] {
  return steps.flatMap((step) => {
    const cases = ((step["cases"] as { steps: Step[] }[] | undefined) ?? []).map(({ steps }) => steps);
    const inner = (step["workflow"] as { steps?: Step[] } | undefined)?.steps;
    const blocks = [...cases, ...["steps", "else", "expired", "parallel", "default"].map((key) => step[key] as Step[] | undefined), inner];
    return [{ id: step.id, name: step.name, level, hasNote: step["notes"] !== undefined }, ...blocks.flatMap((block) => walk(block ?? [], level + 1))];
  });
}

/** The document as the export dialog writes it. */
async function document(page: Page): Promise<string> {
  await page.keyboard.press("Escape");
  const text = await exportedText(page);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  return text;
}

/** Presses a button of the bar again and again while it can be pressed; how often it was. */
function press(page: Page, name: "Undo" | "Redo", most: number): Promise<number> {
  return page.getByRole("button", { name, exact: true }).evaluate(async (element, most) => {
    const button = element as HTMLButtonElement;
    let done = 0;
    for (; done < most && !button.disabled; done += 1) {
      button.click();
      await new Promise((next) => setTimeout(next));
    }
    return done;
  }, most);
}

/** Outline, canvas and document have the same steps in the same order. */
async function sameEverywhere(page: Page, text: string): Promise<void> {
  const expected = walk((JSON.parse(text) as { steps: Step[] }).steps);
  await page.getByRole("button", { name: "Show everything" }).click();
  const cards = page.locator(".card");
  await expect(cards).toHaveCount(expected.length);
  const shown = await cards.evaluateAll((all) => all.map((card) => [card.getAttribute("data-step"), card.querySelector(".card-name")?.textContent]));
  expect(shown.toSorted()).toEqual(expected.map(({ id, name }) => [id, name]).toSorted());
  const noted = expected.filter(({ hasNote }) => hasNote);
  const papers = await cards.filter({ has: page.locator(".paper, .card-note") }).evaluateAll((all) => all.map((card) => card.getAttribute("data-step")));
  expect(papers.toSorted()).toEqual(noted.map(({ id }) => id).toSorted());
  // As papers or as signs, never both.
  await expect.poll(() => cards.evaluateAll((all) => [".paper", ".card-note"].filter((kind) => all.some((card) => card.querySelector(kind) !== null)).length)).toBeLessThanOrEqual(1);
  const tab = (name: string): Promise<void> => page.locator(".palette").getByRole("button", { name, exact: true }).click();
  await tab("Outline");
  await expect(page.getByRole("tree", { name: "Steps" })).toBeVisible();
  const lines = await page.getByRole("treeitem").evaluateAll((all) => all.map((line) => [line.getAttribute("data-line"), line.querySelector(".line-name")?.textContent, Number(line.getAttribute("aria-level"))]));
  expect(lines.filter(([key]) => !String(key).includes("/"))).toEqual(expected.map(({ id, name, level }) => [id, name, level]));
  await tab("Add");
}

async function noKey(page: Page, text: string): Promise<void> {
  expect(text).not.toContain(KEY);
  expect(await everythingStored(page)).not.toContain(KEY);
  expect(await page.content()).not.toContain(KEY);
}

/** Gives the focus to any card on the canvas, as Tab does; whether there is one. */
async function focusAny(page: Page, number: number): Promise<boolean> {
  return page.evaluate((number) => {
    const cards = [...globalThis.document.querySelectorAll<HTMLElement>(".card")];
    cards[number % cards.length]?.focus();
    return cards.length > 0;
  }, number);
}

/** Writes, changes, empties or folds notes: on the paper of the focused card, on that of the workflow, or in the form. */
async function note(page: Page, any: (below: number) => number): Promise<void> {
  const text = ["", " ", `Note ${any(100)}`, "Ask Ada\nbefore noon.", "Every Monday the list is incomplete. ".repeat(12)][any(5)] ?? "";
  const form = page.locator(".inspector-body").getByLabel("Notes", { exact: true });
  const how = any(5);
  if (how === 0) return page.keyboard.press("Shift+N");
  if (how === 1) return (await form.isVisible()) ? form.fill(text) : undefined;
  if (how === 2) {
    await page.keyboard.press("Escape");
    await page.locator(".canvas").click({ position: { x: 5, y: 300 } });
    if (await form.isVisible()) return form.fill(text);
    return;
  }
  await page.keyboard.press("n");
  const paper = page.locator(".paper-field");
  await expect(paper).toBeFocused();
  if (any(2) === 0) await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
  // It is closed by a key, or by whatever a person does next.
  if (any(2) === 0) await page.keyboard.press(any(2) === 0 ? "Escape" : "ControlOrMeta+Enter");
}

/** One thing that a person does. */
async function act(page: Page, any: (below: number) => number): Promise<void> {
  const steps = await page.locator(".card").count();
  const kinds = page.locator(".palette .kind");
  const roll = steps > MOST_STEPS ? 99 : any(100);
  if (roll < 24) return kinds.nth(any(await kinds.count())).click();
  if (roll < 30) return void (await press(page, "Undo", 1 + any(4)));
  if (roll < 34) return void (await press(page, "Redo", 1 + any(4)));
  if (roll < 38) return page.locator(".title-input").fill(`Flow ${any(1000)}`);
  if (!(await focusAny(page, any(1000)))) return;
  if (roll < 44) return page.keyboard.press("Control+d");
  if (roll < 50) return page.keyboard.press("d");
  if (roll < 60) return page.keyboard.press(any(2) === 0 ? "Alt+ArrowUp" : "Alt+ArrowDown");
  if (roll < 66) {
    await page.keyboard.press("Control+c");
    await focusAny(page, any(1000));
    return page.keyboard.press("Control+v");
  }
  if (roll < 70) return page.keyboard.press("u");
  if (roll < 75) {
    if (any(2) === 0) {
      await focusAny(page, any(1000));
      await page.keyboard.press("Shift+ArrowDown");
    }
    await page.keyboard.press("w");
    const menu = page.getByRole("menuitem");
    if (await menu.first().isVisible()) await menu.nth(any(await menu.count())).click();
    return;
  }
  if (roll < 83) {
    const field = page.locator(".inspector-body").getByLabel("Name", { exact: true });
    if (!(await field.isVisible())) return;
    await field.fill(["draft", "check it", "a'b", "größe", `step_${any(50)}`][any(5)] ?? "");
    return page.keyboard.press("Tab");
  }
  if (roll < 92) return note(page, any);
  if (roll < 94) {
    return page.locator(".inspector-body").getByLabel(/^(Prompt|Condition|List|Message to the person)$/).first().fill(`{{ ${["topic", "draft_output", "x"][any(3)]} }}`, { timeout: 300 }).catch(() => {});
  }
  await page.keyboard.press("Delete");
  const question = page.getByRole("dialog", { name: "Others use this" });
  if (await question.isVisible()) await question.getByRole("button", { name: any(3) === 0 ? "Keep it" : "Delete anyway" }).click();
}

test("whatever series of things a person does, undo takes back, every view agrees, no key is stored, and a reload changes nothing", async ({ page, context }) => {
  test.setTimeout(480_000);
  await page.setViewportSize(WINDOW);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
  const seed = Number(process.env["STEPWEAVE_SEED"] ?? 20_261_123);
  const random = generator(seed);
  const any = (below: number): number => between(random, 0, below - 1);
  await openDocument(page, asking("https://models.example/v1", "MY_KEY"));
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  await page.getByRole("dialog").getByLabel("API key").fill(KEY);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  const first = await document(page);
  for (let done = 1; done <= ACTIONS; done += 1) {
    await test.step(`action ${done} of seed ${seed}`, () => act(page, any));
    if (done % ROUND !== 0) continue;
    const before = await document(page);
    await sameEverywhere(page, before);
    await press(page, "Redo", await press(page, "Undo", 1 + any(12)));
    await expect.poll(() => document(page)).toBe(before);
    await noKey(page, before);
    if (done % (ROUND * 3) !== 0) continue;
    await expect(page.locator(".saved")).toHaveText("Saved");
    await page.reload();
    await expect(page.locator(".title-input")).toHaveValue((JSON.parse(before) as { name: string }).name);
    await expect.poll(() => document(page)).toBe(before);
  }
  // All the way back, to the very first document, and again to the last.
  const last = await document(page);
  const many = await press(page, "Undo", 2000);
  await expect.poll(() => document(page)).toBe(first);
  expect(await press(page, "Redo", many)).toBe(many);
  await expect.poll(() => document(page)).toBe(last);
});
