// The words in which the specs speak of the builder.
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, type Locator, type Page } from "@playwright/test";

/** The hash of the style `body {}`, with which Playwright wakes Firefox before a picture. The page's policy forbids it. */
const OF_PLAYWRIGHT = "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA=";

/** Opens the builder as a first visitor sees it. */
export async function openBuilder(page: Page): Promise<void> {
  page.on("pageerror", (error) => {
    if (!error.message.includes(OF_PLAYWRIGHT)) throw error;
  });
  await page.goto("/");
  await expect(page.locator(".card").first()).toBeVisible();
}

/** Opens the builder with a document instead of the example. */
export async function openDocument(page: Page, document: object): Promise<void> {
  await openBuilder(page);
  await importText(page, JSON.stringify(document));
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

/** Pastes a text into the import dialog and presses Open. */
export async function importText(page: Page, text: string): Promise<void> {
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Import…").click();
  const dialog = page.getByRole("dialog", { name: "Import a workflow" });
  await dialog.getByRole("textbox").fill(text);
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
}

/** Opens the list of all workflows. */
export async function openLibrary(page: Page): Promise<Locator> {
  await page.keyboard.press("Control+o");
  const library = page.getByRole("dialog", { name: "Workflows" });
  await expect(library.locator(".row-open").first()).toBeVisible();
  return library;
}

/** All that the browser stores for the page, as one text: databases, storage and caches. */
export async function everythingStored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const found: unknown[] = [{ ...localStorage }, { ...sessionStorage }, document.cookie];
    const answered = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((done, failed) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => failed(request.error ?? new Error("the database refused"));
      });
    for (const { name = "" } of await indexedDB.databases()) {
      const database = await answered(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        const content = database.transaction(store).objectStore(store);
        found.push(name, store, await answered(content.getAllKeys()), await answered(content.getAll()));
      }
      database.close();
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) found.push(request.url, await (await cache.match(request))?.text());
    }
    return JSON.stringify(found);
  });
}

/** The card of the step with this name. */
export function card(page: Page, name: string): Locator {
  return page.locator(".card").filter({ has: page.locator(".card-name", { hasText: new RegExp(`^${name}$`) }) });
}

/** The names of the cards in the order of the tree. */
export async function names(page: Page): Promise<string[]> {
  return page.locator(".card .card-name").allTextContents();
}

/** The entry of a kind in the palette. */
export function kind(page: Page, word: string): Locator {
  return page.locator(`.palette .kind[data-kind="${word}"]`);
}

/** The place with this key: `/2` at the top, `s2/parallel/1` inside a step, `s3+` in the lane of a step. */
export function place(page: Page, key: string): Locator {
  return page.locator(`.place[data-place="${key}"]`);
}

/** Drags with the mouse, in several moves as a hand does, and lets go. */
export async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await hold(page, from, to);
  // The page may still be settling from the change before: a hand follows the place until it lights up.
  await expect(async () => {
    const { x, y } = await middle(to);
    await page.mouse.move(x - 1, y);
    await page.mouse.move(x, y);
    await expect(to).toHaveClass(/over/, { timeout: 200 });
  }).toPass();
  await page.mouse.up();
  await expect(page.locator(".ghost")).toHaveCount(0);
}

/** Drags with the mouse and holds. */
export async function hold(page: Page, from: Locator, to: Locator): Promise<void> {
  const start = await middle(from);
  const end = await middle(to);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  for (const part of [0.1, 0.4, 0.8, 1]) {
    await page.mouse.move(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part);
  }
}

/** The middle of what can be seen of an element, also of one that is only a line. */
export async function middle(locator: Locator): Promise<{ x: number; y: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error(`${String(locator)} is not on the page`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Runs the workflow and waits for its end. */
export async function run(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).not.toHaveAttribute("data-status", /idle|running/);
}

/** A workflow of one agent that asks this endpoint. */
export function asking(baseUrl: string, apiKey?: string): object {
  const key = apiKey === undefined ? {} : { apiKey: { secret: apiKey } };
  return {
    version: 1,
    name: "Ask",
    models: { real: { provider: "openai", model: "tiny", baseUrl, ...key } },
    agents: { helper: { model: "real", instructions: "Help." } },
    steps: [{ id: "s1", type: "agent", name: "ask", agent: "helper", inputFrom: "Hello?" }],
  };
}

/** A workflow of an agent that answers with one of some words. */
export const sorts = {
  version: 1,
  name: "Sort",
  initialState: { mail: "My jar is broken." },
  models: { default: { provider: "demo", model: "demo" } },
  agents: { sorter: { model: "default", output: { enum: ["billing", "broken", "other"] } } },
  steps: [{ id: "s1", type: "agent", name: "sort", agent: "sorter", inputFrom: "{{ mail }}" }],
};

/** A workflow to talk to. */
export function talking(model: object, more: object = {}, step: object = {}): object {
  return {
    version: 1,
    name: "Talk",
    models: { own: model },
    agents: { guide: { model: "own", ...("tools" in more ? { tools: Object.keys(more.tools as object) } : {}) } },
    ...more,
    steps: [{ id: "s1", type: "agent", name: "answer", agent: "guide", inputFrom: "{{ input }}", history: { key: "messages" }, ...step }],
  };
}

/** The file that an act downloads. */
export async function downloaded(page: Page, act: () => Promise<void>): Promise<{ name: string; text: string }> {
  const { downloadsPath } = test.info().project.use.launchOptions ?? {};
  if (downloadsPath === undefined) {
    const [download] = await Promise.all([page.waitForEvent("download"), act()]);
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
  }
  // Playwright does not hear of Firefox's downloads of what a page has made; the file is there.
  await rm(downloadsPath, { recursive: true, force: true });
  await act();
  let text = "";
  let name: string | undefined;
  await expect(async () => {
    [name] = await readdir(downloadsPath);
    text = await readFile(join(downloadsPath, name ?? ""), "utf8");
    expect(text).not.toBe("");
  }).toPass();
  return { name: name ?? "", text };
}

/** Where screenshots go, to be looked at. */
export async function picture(page: Page, name: string): Promise<void> {
  const { project } = test.info();
  await page.screenshot({ path: `test-results/pictures/${project.name}/${name}.png` });
}

/** Drops something on an element, as a file manager or another page does. */
export async function dropOn(page: Page, selector: string, what: { files?: { name: string; text: string }[]; link?: string }): Promise<void> {
  await page.evaluate(
    ({ selector, files = [], link }) => {
      const data = new DataTransfer();
      for (const { name, text } of files) data.items.add(new File([text], name, { type: "application/json" }));
      if (link !== undefined) data.setData("text/uri-list", link);
      const target = document.querySelector(selector);
      for (const type of ["dragover", "drop"]) target?.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    { selector, ...what },
  );
}

/** The document as the export dialog shows it. */
export async function exported(page: Page): Promise<Record<string, never>> {
  return JSON.parse(await exportedText(page)) as Record<string, never>;
}

/** The text of the document, letter by letter as the export dialog shows it. */
export async function exportedText(page: Page): Promise<string> {
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page.getByText("Export…").click();
  const shown = page.getByRole("textbox", { name: "The workflow as JSON" });
  const text = await shown.inputValue();
  await page.keyboard.press("Escape");
  // Keys that are pressed next are meant for the page.
  await expect(shown).toHaveCount(0);
  return text;
}

/** What stands in a field, be it a plain one or an editor of code. */
export function written(field: Locator): Promise<string> {
  return field.evaluate((element) => {
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
    return [...element.querySelectorAll(".cm-line")].map((line) => ([...line.children].some((piece) => piece.matches(".cm-placeholder")) ? "" : line.textContent)).join("\n");
  });
}
