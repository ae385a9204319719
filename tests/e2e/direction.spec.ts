// Signs that turn the direction of a text turn nothing that stands beside it, and no word of the page.
import { expect, test, type Locator } from "@playwright/test";
import { card, importText, openBuilder, openDocument, openLibrary, picture, run } from "./builder.js";

/** Turns round whatever stands behind it. */
const TURN = "\u202e";

const hostile = {
  version: 1,
  name: `${TURN}one`,
  initialState: { given: `${TURN}given`, behind: "it" },
  steps: [
    { id: "s1", type: "function", name: `${TURN}two`, run: { set: { said: "given", all: "[given, behind]" } } },
    { id: "s2", type: "function", name: "three", run: { code: `throw new Error("${TURN}bad");` }, onError: "continue" },
  ],
};

/** Whether these words of the page stand there from the left to the right. */
async function readsOn(at: Locator, words: string): Promise<boolean> {
  return at.evaluate((element, words) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const from = (node.nodeValue ?? "").indexOf(words);
      if (from < 0) continue;
      const lefts = [from, from + words.length - 1].map((at) => {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect().left;
      });
      return lefts[0]! < lefts[1]!;
    }
    throw new Error(`nothing says ${words}`);
  }, words);
}

test("a sign in a name or a value turns no word of the page", async ({ page }) => {
  await openDocument(page, hostile);
  await expect(page).toHaveTitle("[U+202E]one · Stepweave");
  // The name is what it was.
  await expect(card(page, `${TURN}two`)).toBeVisible();
  await run(page);
  const panel = page.locator(".panel");
  const state = panel.getByLabel("State as JSON");
  await expect(state).toContainText('"given": "\\u202Egiven"');
  await expect(panel).toContainText("bad");
  await picture(page, "direction-run");
  await card(page, `${TURN}two`).click();
  await picture(page, "direction-inspector");

  const library = await openLibrary(page);
  await library.getByRole("button", { name: `Delete ${TURN}one` }).click();
  const done = library.locator(".library-done");
  await expect(done).toContainText("is deleted.");
  expect(await readsOn(done, "is deleted")).toBe(true);
  await picture(page, "direction-library");
});

test("a problem writes out a sign that turns the direction", async ({ page }) => {
  await openBuilder(page);
  await importText(page, JSON.stringify({ ...hostile, steps: [{ id: "s1", type: "agent", name: "ask", agent: `${TURN}nobody` }] }));
  const problem = page.getByRole("dialog").locator(".problem").first();
  await expect(problem).toContainText("[U+202E]nobody");
  await picture(page, "direction-problem");
});
