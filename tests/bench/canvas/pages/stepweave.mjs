// The builder as a person works in it: every act is one of pointer and keys.

/** What its first card is found by. */
export const FIRST = ".card";

/** By then the page says whether a change is still to be stored. */
const STORED_MS = 1_000;

/** Opens the builder with a document that it then has stored. */
export async function keep(page, origin, document) {
  await page.goto(origin);
  await page.locator(FIRST).first().waitFor();
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Import…").click();
  const dialog = page.getByRole("dialog", { name: "Import a workflow" });
  await dialog.getByRole("textbox").fill(JSON.stringify(document));
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await page.waitForFunction((name) => document.querySelector(".title-input").value === name, document.name);
  await page.waitForTimeout(STORED_MS);
  await page.locator(".saved", { hasText: /^Saved$/ }).waitFor();
}

/** Where every card stands, and what is seen of them at first: the camera passes over all of it in a tall window. */
export async function positions(page, steps) {
  const viewport = await seen(page);
  const { width, height } = page.viewportSize();
  await page.setViewportSize({ width: 4000, height: 5000 });
  await page.evaluate(() => bench.wheel(".canvas", { way: { x: 0, y: 100 }, ctrlKey: true, turns: 1 }));
  const found = new Map();
  for (let left = 3 * steps; found.size < steps && left > 0; left -= 1) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    for (const card of await page.evaluate(shown)) found.set(card.id, card);
    await page.evaluate(() => bench.wheel(".canvas", { way: { x: 0, y: 3000 }, ctrlKey: false, turns: 1 }));
  }
  if (found.size < steps) throw new Error(`only ${found.size} of ${steps} cards were found`);
  await page.setViewportSize({ width, height });
  return { cards: [...found.values()], viewport };
}

/** The canvas on the page, and where the world is in it. */
function seen(page) {
  return page.evaluate(() => {
    const { x, y, width, height } = document.querySelector(".canvas").getBoundingClientRect();
    const { a, e, f } = new DOMMatrix(getComputedStyle(document.querySelector(".world")).transform);
    return { box: { x, y, width, height }, zoom: a, x: e, y: f };
  });
}

function shown() {
  return [...document.querySelectorAll(".card")].map((card) => {
    const [, x, y] = /translate\(([-\d.]+)px, ([-\d.]+)px\)/.exec(card.style.transform).map(Number);
    const text = (selector) => card.querySelector(selector)?.textContent ?? "";
    return { id: card.dataset.step, kind: card.dataset.kind, x, y, width: card.offsetWidth, height: card.offsetHeight, name: text(".card-name"), summary: text(".card-body") };
  });
}

/** What the acts are done with. */
export class Stepweave {
  canvas = ".canvas";
  card = ".card";
  /** How much a turn of the wheel zooms here, of what it is at React Flow's. */
  pinch = 1;
  #page;

  constructor(page) {
    this.#page = page;
  }

  field() {
    return this.#page.locator(".inspector-body").getByLabel("Name", { exact: true });
  }

  insertButton() {
    return this.#page.locator('.palette .kind[data-kind="wait"]');
  }

  undoButton() {
    return this.#page.getByRole("button", { name: "Undo", exact: true });
  }

  async startStream() {
    await this.#page.getByRole("button", { name: "Run", exact: true }).click();
    const agree = this.#page.getByRole("button", { name: "Send and run" });
    const first = this.#page.locator(".card-output.streaming").first();
    await agree.or(first).first().waitFor();
    if (await agree.isVisible()) await agree.click();
    await first.waitFor();
  }

  stopStream() {
    return this.#page.getByRole("button", { name: "Stop", exact: true }).click();
  }

  async outline() {
    await this.#page.locator(".palette").getByRole("button", { name: "Outline", exact: true }).click();
    await this.#page.getByRole("treeitem").first().waitFor();
    await this.#page.locator(".palette").getByRole("button", { name: "Add", exact: true }).click();
  }

  async find(text) {
    await this.#page.keyboard.press("Control+f");
    await this.#page.keyboard.type(text, { delay: 60 });
    await this.#page.keyboard.press("Escape");
  }
}
