// Notes as papers on the canvas: beside what they belong to, in room of their own.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { card, exported, names, openDocument, picture } from "./builder.js";

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
    await expect(paper(page, "c")).toHaveText(/^Not yet\.\n\nFrom May on\./);
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

const field = (page: Page, of: string): Locator => page.getByRole("textbox", { name: `Note on ${of}`, exact: true });

interface Noted { notes?: string; steps: { notes?: string }[] }

/** The document as the export dialog shows it, which is closed again. */
async function documentOf(page: Page): Promise<Noted> {
  const document = (await exported(page)) as unknown as Noted;
  await expect(page.getByRole("dialog")).toHaveCount(0);
  return document;
}

const two = { version: 1, name: "Two", steps: [wait("a"), wait("b")] };

test("a note is added with a key, written where it stands, and is one undo", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, two);
  await card(page, "a").focus();
  await page.keyboard.press("n");
  await expect(field(page, "a")).toBeFocused();
  await page.keyboard.type("Ask Ada\nbefore noon.");
  await expect(field(page, "a")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(paper(page, "a").locator(".paper-text")).toHaveText("Ask Ada\nbefore noon.");
  await expect(card(page, "a")).toBeFocused();
  expect(await overlaps(page)).toEqual([]);
  expect((await documentOf(page)).steps[0]?.notes).toBe("Ask Ada\nbefore noon.");
  // One edit, one undo.
  await card(page, "a").focus();
  await page.keyboard.press("Control+z");
  await expect(page.locator(".paper")).toHaveCount(0);
  await page.keyboard.press("Control+Shift+z");
  await expect(paper(page, "a").locator(".paper-text")).toHaveText("Ask Ada\nbefore noon.");
  // The next edit is another.
  await card(page, "a").focus();
  await page.keyboard.press("n");
  await expect(field(page, "a")).toBeFocused();
  await page.keyboard.type(" Or Ben.");
  await page.keyboard.press("Control+Enter");
  await expect(paper(page, "a").locator(".paper-text")).toHaveText("Ask Ada\nbefore noon. Or Ben.");
  await expect(page.locator(".run-summary")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(paper(page, "a").locator(".paper-text")).toHaveText("Ask Ada\nbefore noon.");
  // Emptied, it is gone; blank, it is none either.
  await page.keyboard.press("n");
  await expect(field(page, "a")).toBeFocused();
  await field(page, "a").fill("  \n ");
  await page.keyboard.press("Escape");
  await expect(page.locator(".paper")).toHaveCount(0);
  expect((await documentOf(page)).steps[0]).not.toHaveProperty("notes");
});

test("a double-click opens a note, a click elsewhere keeps it, and a long one has room", async ({ page }) => {
  await openDocument(page, noted);
  const [before] = await boxes(paper(page, "b"));
  await paper(page, "b").dblclick();
  await expect(field(page, "b")).toBeFocused();
  await expect(field(page, "b")).toHaveValue(LONG);
  await page.keyboard.type(" Count again. ".repeat(8));
  await expect.poll(async () => (await boxes(paper(page, "b")))[0]?.height ?? 0).toBeGreaterThan(before?.height ?? Infinity);
  expect(await overlaps(page)).toEqual([]);
  await picture(page, "note-open");
  await card(page, "c").click();
  await expect(field(page, "b")).toHaveCount(0);
  await expect(card(page, "c")).toHaveClass(/selected/);
  await expect(paper(page, "b").locator(".paper-text")).toContainText("Count again.");
  // The rest of it is one click away, and for the keyboard it is a button.
  await paper(page, "b").getByRole("button", { name: "more: Note on b" }).click();
  await expect(field(page, "b")).toBeFocused();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  const edit = paper(page, "a").getByRole("button", { name: "Edit: Note on a" });
  await edit.focus();
  await page.keyboard.press("Enter");
  await expect(field(page, "a")).toBeFocused();
  await page.locator(".canvas").click({ position: { x: 20, y: 300 } });
  await expect(page.locator(".paper-field")).toHaveCount(0);
  const { width, height } = (await paper(page, "a").locator(".paper-edit").evaluate((button) => ({ width: (button as HTMLElement).offsetWidth, height: (button as HTMLElement).offsetHeight })));
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
});

test("the workflow's note is added from the menu of the canvas and from the search", async ({ page }) => {
  await openDocument(page, two);
  await page.locator(".canvas").click({ button: "right", position: { x: 30, y: 400 } });
  await page.getByRole("menuitem", { name: "Add a note to the workflow" }).click();
  await expect(field(page, "the workflow")).toBeFocused();
  await page.keyboard.type("For Monday.");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("note", { name: "Note on the workflow" })).toContainText("For Monday.");
  await expect(page.getByRole("button", { name: "Edit: Note on the workflow" })).toBeFocused();
  expect((await documentOf(page)).notes).toBe("For Monday.");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("workflow’s note");
  await page.keyboard.press("Enter");
  await expect(field(page, "the workflow")).toBeFocused();
  await field(page, "the workflow").fill("");
  await card(page, "a").click();
  await expect(page.getByRole("note")).toHaveCount(0);
  // A step's by the menu of its card, and by the search.
  await card(page, "b").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Add a note", exact: false }).click();
  await expect(field(page, "b")).toBeFocused();
  await page.keyboard.type("Later.");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("edit its note");
  await page.keyboard.press("Enter");
  await expect(field(page, "b")).toBeFocused();
  await expect(field(page, "b")).toHaveValue("Later.");
});

test("what is typed into a note survives a reload in the middle of it", async ({ page }) => {
  await openDocument(page, two);
  await card(page, "b").focus();
  await page.keyboard.press("n");
  await expect(field(page, "b")).toBeFocused();
  await page.keyboard.type("Half a sent");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await expect(paper(page, "b").locator(".paper-text")).toHaveText("Half a sent");
  await page.keyboard.press("Control+z");
  await expect(page.locator(".paper")).toHaveCount(0);
});

test("keys that mean something on the canvas are letters in a note, and undo takes the typing back", async ({ page }) => {
  await openDocument(page, two);
  await card(page, "a").focus();
  await page.keyboard.press("n");
  await expect(field(page, "a")).toBeFocused();
  await page.keyboard.type("d w u c 1 0 N");
  await page.keyboard.press("Backspace");
  await expect(field(page, "a")).toHaveValue("d w u c 1 0 ");
  await page.keyboard.press("Control+z");
  await expect(field(page, "a")).toHaveValue("");
  expect(await names(page)).toEqual(["a", "b"]);
  await page.keyboard.press("Escape");
  await expect(page.locator(".paper")).toHaveCount(0);
});

test("notes are folded to signs by choice, which the page remembers", async ({ page }) => {
  await openDocument(page, noted);
  await expect(page.locator(".paper")).toHaveCount(7);
  await card(page, "a").focus();
  await page.keyboard.press("Shift+N");
  await expect(page.locator(".paper")).toHaveCount(0);
  await expect(card(page, "a").getByTitle("Waits for the mail.")).toBeVisible();
  await expect(page.locator(".pill.start").getByTitle("For the Monday meeting.")).toBeVisible();
  await picture(page, "notes-folded");
  await page.reload();
  await expect(card(page, "a").getByTitle("Waits for the mail.")).toBeVisible();
  await expect(page.locator(".paper")).toHaveCount(0);
  // One that is written is a paper as long as it is.
  await card(page, "e").focus();
  await page.keyboard.press("n");
  await expect(field(page, "e")).toBeFocused();
  await page.keyboard.type("New.");
  await expect(page.locator(".paper")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(page.locator(".paper")).toHaveCount(0);
  await expect(card(page, "e").getByTitle("New.")).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("show notes");
  await page.keyboard.press("Enter");
  await expect(page.locator(".paper")).toHaveCount(8);
});

test.describe("with fingers", () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  test("a tap opens a note on a phone", async ({ page }) => {
    await openDocument(page, noted);
    await paper(page, "a").tap();
    await expect(field(page, "a")).toBeFocused();
    await field(page, "a").fill("Tapped.");
    await picture(page, "note-open-narrow");
    await card(page, "e").tap();
    // The tap has opened the step's form, below what is left of the canvas.
    await page.getByRole("button", { name: "Close the inspector" }).tap();
    await page.getByRole("button", { name: "Show everything" }).tap();
    await expect(paper(page, "a").locator(".paper-text")).toHaveText("Tapped.");
    await page.getByRole("note").tap();
    await expect(field(page, "the workflow")).toBeFocused();
  });
});

test("a tab that follows reads notes and cannot write them", async ({ page, context }) => {
  await openDocument(page, noted);
  await expect(page.locator(".saved")).toHaveText("Saved");
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(paper(other, "a")).toBeVisible();
  await paper(other, "a").dblclick();
  await expect(field(other, "a")).toHaveAttribute("readonly", "");
  await other.keyboard.type("x");
  await expect(field(other, "a")).toHaveValue("Waits for the mail.");
});

test("the note of the workflow is written in the inspector too, and is on its paper with each letter", async ({ page }) => {
  await openDocument(page, two);
  const notes = page.locator(".inspector").getByLabel("Notes", { exact: true });
  await notes.fill("Ask Ada\nbefore noon.");
  const paper = page.getByRole("note", { name: "Note on the workflow" });
  await expect(paper).toContainText("Ask Ada\nbefore noon.");
  expect(await overlaps(page)).toEqual([]);
  expect((await documentOf(page)).notes).toBe("Ask Ada\nbefore noon.");
  // What is written on the paper is in the field.
  await paper.getByRole("button", { name: "Edit: Note on the workflow" }).click();
  await expect(field(page, "the workflow")).toBeFocused();
  await page.keyboard.type(" Or Ben.");
  await expect(notes).toHaveValue("Ask Ada\nbefore noon. Or Ben.");
  await page.keyboard.press("Escape");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await expect(notes).toHaveValue("Ask Ada\nbefore noon. Or Ben.");
  await notes.fill("");
  await expect(paper).toHaveCount(0);
  expect((await documentOf(page)).notes).toBeUndefined();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(paper).toContainText("Or Ben.");
});
