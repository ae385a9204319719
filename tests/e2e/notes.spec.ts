// Notes as papers on the canvas: beside what they belong to, in room of their own.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { card, openDocument, picture } from "./builder.js";

const LONG = "Every Monday the list comes from the warehouse, and it is never complete. ".repeat(8).trim();

const wait = (id: string, more: object = {}): object => ({ id, type: "wait", name: id, wait: { ms: 1 }, ...more });

const noted = {
  version: 1,
  name: "Noted",
  notes: "For the Monday meeting. Ask Ada before you change anything here.",
  steps: [
    wait("a", { notes: "Waits for the mail." }),
    {
      id: "p", type: "parallel", name: "p", notes: "Both at once, since neither needs the other.",
      parallel: [wait("b", { notes: LONG }), wait("c", { enabled: false, notes: "Not yet.\n\nFrom May on." })],
    },
    {
      id: "q", type: "condition", name: "q", condition: "x > 3", notes: "Three is what Ben said.", else: [],
      steps: [wait("d", { notes: "界面上的每一张便签都属于一个步骤，并且在布局中占有自己的位置。" })],
    },
    wait("e"),
  ],
};

const paper = (page: Page, name: string): Locator => card(page, name).locator(".paper");

interface Box { x: number; y: number; width: number; height: number }

async function boxes(all: Locator): Promise<Box[]> {
  return all.evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().toJSON() as Box));
}

/** What lies on something else, of all cards, papers, pills and words on wires. */
async function overlaps(page: Page): Promise<string[]> {
  const things = await boxes(page.locator(".card, .paper, .pill, .branch"));
  const touch = (a: Box, b: Box): boolean => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  return things.flatMap((one, index) => things.slice(index + 1).filter((other) => touch(one, other)).map((other) => JSON.stringify([one, other])));
}

/** Which papers do not show all of their text, and say so. */
const cut = (page: Page): Promise<string[]> =>
  page.locator(".paper-text").evaluateAll((all) => all.filter((text) => text.scrollHeight > text.clientHeight + 1).map((text) => text.textContent?.slice(0, 12) ?? ""));

for (const scheme of ["light", "dark"] as const) {
  test(`notes stand on papers that cover nothing (${scheme})`, { tag: "@firefox" }, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await openDocument(page, noted);
    await page.getByRole("button", { name: "Show everything" }).click();
    await expect(page.locator(".paper")).toHaveCount(7);
    await expect(page.getByRole("note", { name: "Note on the workflow" })).toContainText("Ask Ada before you change anything here.");
    await expect(paper(page, "c")).toHaveText("Not yet.\n\nFrom May on.");
    // All of a short text is seen, and the beginning of a long one.
    await expect.poll(() => cut(page)).toEqual([LONG.slice(0, 12)]);
    expect(await overlaps(page)).toEqual([]);
    await picture(page, `notes-${scheme}`);
    expect(await findings(page)).toEqual([]);
    // It is read once, with its card.
    await expect(page.getByRole("group", { name: "a, Wait, note: Waits for the mail.", exact: true })).toBeVisible();
    expect(await paper(page, "a").ariaSnapshot()).not.toContain("Waits for the mail.");
  });
}

test("notes are read on a phone too", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openDocument(page, noted);
  await expect(page.getByRole("note", { name: "Note on the workflow" })).toBeInViewport({ ratio: 0.99 });
  await expect(paper(page, "a")).toBeInViewport({ ratio: 0.99 });
  await picture(page, "notes-narrow");
});

test("a note goes where its step goes", async ({ page }) => {
  await openDocument(page, noted);
  await card(page, "a").focus();
  await page.keyboard.press("Alt+ArrowDown");
  await expect.poll(() => overlaps(page)).toEqual([]);
  expect((await boxes(paper(page, "a")))[0]?.y).toBeGreaterThan((await boxes(card(page, "p")))[0]?.y ?? Infinity);
  await page.keyboard.press("Control+d");
  await expect(page.locator(".paper", { hasText: "Waits for the mail." })).toHaveCount(2);
  await page.keyboard.press("Delete");
  await expect(page.locator(".paper", { hasText: "Waits for the mail." })).toHaveCount(1);
  await page.keyboard.press("Control+z");
  await expect(page.locator(".paper", { hasText: "Waits for the mail." })).toHaveCount(2);
  expect(await overlaps(page)).toEqual([]);
});

test("from far away a paper is a mark of its own, and a press on it finds the step", async ({ page }) => {
  const steps = Array.from({ length: 60 }, (_, index) => wait(`s${index}`, { notes: LONG }));
  await openDocument(page, { version: 1, name: "Many", steps });
  // The papers of a step whose card is above what is seen are drawn all the same.
  await expect(page.locator(".minimap canvas")).toBeVisible();
  await page.getByRole("button", { name: "Show everything" }).click();
  await expect(page.locator(".overview")).toBeVisible();
  await expect(page.locator(".paper")).toHaveCount(0);
  await picture(page, "notes-overview");
  const line = await page.locator(".overview").evaluate((element) => getComputedStyle(element).getPropertyValue("--paper-line").trim());
  const marks = await page.locator(".overview").evaluate((element, line) => {
    const canvas = element as HTMLCanvasElement;
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(line.slice(at, at + 2), 16));
    const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    const found: { x: number; y: number }[] = [];
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) found.push({ x: (at / 4) % canvas.width, y: Math.floor(at / 4 / canvas.width) });
    }
    return found;
  }, line);
  expect(marks.length).toBeGreaterThan(100);
  await page.locator(".overview").click({ position: marks[0] ?? { x: 0, y: 0 } });
  await expect(page.locator(".card.selected")).toHaveAttribute("data-step", "s0");
});
