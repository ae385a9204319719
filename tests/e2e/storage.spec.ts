// What is stored of the open workflow: everything, at once.
import { expect, test, type BrowserContext, type Page } from "@playwright/test";
import { card, downloaded, everythingStored, kind, openBuilder, openDocument, importText, picture } from "./builder.js";

/** Ends the process that shows the page, as a crash or a full memory does: no handler of the page runs any more. */
async function kill(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  session.send("Page.crash").catch(() => {});
  await crashed;
  await page.close();
}

async function reopen(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await expect(page.locator(".card").first()).toBeVisible();
  return page;
}

/** Two frames, after which everything that was typed before has been handled. */
async function frames(page: Page): Promise<void> {
  await page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
}

test("a page that is killed right after a key loses nothing, and undo and redo are there again", async ({ page, context, browserName }) => {
  test.skip(browserName !== "chromium", "only Chromium lets a test kill a page");
  await openBuilder(page);
  const address = page.url();
  let open = page;
  let typed = "";
  for (const word of ["Bees", " and", " wasps", " in", " June"]) {
    await open.locator(".title-input").focus();
    await open.keyboard.press("End");
    if (typed === "") await open.locator(".title-input").fill("");
    await open.keyboard.type(word);
    typed += word;
    await frames(open);
    await kill(context, open);
    open = await reopen(context, address);
    await expect(open.locator(".title-input")).toHaveValue(typed);
  }
  await kind(open, "wait").click();
  await kind(open, "function").click();
  await expect(card(open, "function")).toBeVisible();
  await open.getByRole("button", { name: "Undo" }).click();
  await expect(card(open, "function")).toHaveCount(0);
  await frames(open);
  await kill(context, open);
  open = await reopen(context, address);
  await expect(card(open, "wait")).toBeVisible();
  await open.getByRole("button", { name: "Redo" }).click();
  await expect(card(open, "function")).toBeVisible();
  const undo = open.getByRole("button", { name: "Undo" });
  for (let left = 0; left < 20 && (await undo.isEnabled()); left += 1) await undo.click();
  await expect(undo).toBeDisabled();
  await expect(open.locator(".title-input")).toHaveValue("Research report");
  await expect(card(open, "wait")).toHaveCount(0);
});

test("what a key writes does not grow with the document", async ({ page }) => {
  const steps = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `s${index}`, type: "function", name: `step_${index}`, run: { set: {} } }));
  const written: number[] = [];
  for (const count of [10, 1000]) {
    await openDocument(page, { version: 1, name: `Of ${count}`, steps: steps(count) });
    await card(page, "step_0").click();
    await expect(page.locator(".saved")).toHaveText("Saved");
    await page.evaluate(() => {
      const counted = globalThis as { bytes?: number };
      counted.bytes = 0;
      for (const name of ["put", "add"] as const) {
        const real = IDBObjectStore.prototype[name];
        IDBObjectStore.prototype[name] = function (this: IDBObjectStore, value: unknown, key?: IDBValidKey) {
          counted.bytes = (counted.bytes ?? 0) + JSON.stringify(value).length;
          return key === undefined ? real.call(this, value) : real.call(this, value, key);
        };
      }
    });
    await page.getByLabel("Name", { exact: true }).fill("other_name");
    await expect(page.locator(".saved")).toHaveText("Saved");
    written.push(await page.evaluate(() => (globalThis as { bytes?: number }).bytes ?? 0));
    await page.reload();
    await expect(page.locator(".card").first()).toBeVisible();
  }
  const [few = 0, many = 0] = written;
  expect(few).toBeGreaterThan(50);
  // The list's entry has the same small picture of both.
  expect(many).toBeLessThan(few + 15_000);
});

test("what an older page has stored is taken over once, also what was being written while it was left", { tag: "@firefox" }, async ({ page }) => {
  const work = (name: string): string => JSON.stringify({ document: { version: 1, name, steps: [{ id: "s1", type: "wait", name: "rest", wait: { ms: 5 } }] }, drafts: { initialState: '{ "half": ' } });
  await page.route("**/blank", (route) => route.fulfill({ contentType: "text/html", body: "<title>blank</title>" }));
  await page.goto("/blank");
  const stored = { first: work("First"), older: work("Older second"), newer: work("Second") };
  await page.evaluate(
    ({ first, older, newer }) =>
      new Promise<void>((done) => {
        const opening = indexedDB.open("keyval-store");
        opening.onupgradeneeded = () => opening.result.createObjectStore("keyval");
        opening.onsuccess = () => {
          const transaction = opening.result.transaction("keyval", "readwrite");
          transaction.objectStore("keyval").put({ at: 1000, text: first }, "stepweave.workflow");
          transaction.objectStore("keyval").put({ at: 2000, text: older }, "stepweave.workflow.2");
          localStorage.setItem("stepweave.workflow.2", JSON.stringify({ at: 3000, text: newer }));
          transaction.oncomplete = () => {
            opening.result.close();
            done();
          };
        };
      }),
    stored,
  );
  await openBuilder(page);
  await expect(page.locator(".title-input")).toHaveValue("Second");
  await expect(card(page, "rest")).toBeVisible();
  const names = () =>
    page.evaluate(
      () =>
        new Promise<string[]>((done) => {
          const opening = indexedDB.open("stepweave-builder");
          opening.onsuccess = () => {
            const all = opening.result.transaction("workflows").objectStore("workflows").getAll();
            all.onsuccess = () => {
              opening.result.close();
              done((all.result as { name: string }[]).map(({ name }) => name).sort());
            };
          };
        }),
    );
  await expect.poll(() => names()).toEqual(["First", "Second"]);
  await page.reload();
  await expect(card(page, "rest")).toBeVisible();
  await expect.poll(() => names()).toEqual(["First", "Second"]);
});

test("a database of the page before is given what it has not, and keeps what it has", async ({ page }) => {
  await page.route("**/blank", (route) => route.fulfill({ contentType: "text/html", body: "<title>blank</title>" }));
  await page.goto("/blank");
  const text = JSON.stringify({ document: { version: 1, name: "Before", steps: [{ id: "s1", type: "wait", name: "rest", wait: { ms: 5 } }] }, drafts: {} });
  await page.evaluate(
    (text) =>
      new Promise<void>((done) => {
        const opening = indexedDB.open("stepweave-builder", 1);
        opening.onupgradeneeded = () => {
          const { result } = opening;
          result.createObjectStore("workflows", { keyPath: "id" }).put({ id: "w1", name: "Before", createdAt: 1, changedAt: 1 });
          result.createObjectStore("snapshots", { keyPath: "workflow" }).put({ workflow: "w1", last: 0, text });
          for (const name of ["changes", "entries"]) result.createObjectStore(name);
          result.createObjectStore("versions", { keyPath: ["workflow", "number"] });
          result.createObjectStore("runs", { keyPath: ["workflow", "run"] });
        };
        opening.onsuccess = () => {
          opening.result.close();
          done();
        };
      }),
    text,
  );
  await openBuilder(page);
  await expect(page.locator(".title-input")).toHaveValue("Before");
  await expect(card(page, "rest")).toBeVisible();
  expect(await everythingStored(page)).toContain('"chats"');
});

test("data of a newer page is left as it is, and the page says so", { tag: "@firefox" }, async ({ page }) => {
  await openBuilder(page);
  await page.locator(".title-input").fill("Mine");
  await expect(page.locator(".saved")).toHaveText("Saved");
  // A newer page opens the database in another tab, while this one is open.
  const upgrade = () =>
    page.evaluate(
      () =>
        new Promise<void>((done) => {
          const opening = indexedDB.open("stepweave-builder", 99);
          opening.onsuccess = () => {
            opening.result.close();
            done();
          };
        }),
    );
  await upgrade();
  await expect(page.getByRole("alert")).toContainText("a newer version of this page");
  await page.reload();
  await expect(page.locator(".card").first()).toBeVisible();
  await expect(page.getByRole("alert")).toContainText("a newer version of this page");
  await page.locator(".title-input").fill("Of no use");
  await expect(page.locator(".saved")).toHaveText("Not saved");
  const version = await page.evaluate(async () => (await indexedDB.databases()).find(({ name }) => name === "stepweave-builder")?.version);
  expect(version).toBe(99);
});

test("a stored workflow that cannot be read is kept, and offered as a file", { tag: "@firefox" }, async ({ page }) => {
  await openBuilder(page);
  await page.locator(".title-input").fill("Precious");
  await expect(page.locator(".saved")).toHaveText("Saved");
  const id = new URL(page.url()).hash.slice("#w=".length);
  const snapshot = (broken?: string) =>
    page.evaluate(
      ({ id, broken }) =>
        new Promise<string>((done) => {
          const opening = indexedDB.open("stepweave-builder");
          opening.onsuccess = () => {
            const store = opening.result.transaction("snapshots", "readwrite").objectStore("snapshots");
            const reading = store.get(id);
            reading.onsuccess = () => {
              const before = reading.result as { text: string };
              if (broken !== undefined) store.put({ ...before, text: broken });
              opening.result.close();
              done(before.text);
            };
          };
        }),
      { id, broken },
    );
  const broken = '{"document":{"version":1,"name":"Precious","steps":"not a list"}}';
  await snapshot(broken);
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("cannot be read");
  // Work goes on in a workflow of its own.
  await kind(page, "wait").click();
  await expect(card(page, "wait")).toBeVisible();
  await expect(page.locator(".saved")).toHaveText("Saved");
  expect(await snapshot()).toBe(broken);
  expect(new URL(page.url()).hash).not.toContain(id);
  const { name, text } = await downloaded(page, () => page.getByRole("button", { name: "Download it" }).click());
  expect(name).toBe("unreadable-workflow.json");
  // Nobody takes it for a workflow, and a page that can read it does.
  await importText(page, text);
  const dialog = page.getByRole("dialog", { name: "Import a workflow" });
  await expect(dialog.getByRole("alert")).toContainText("this version of the page cannot read it either");
  await page.keyboard.press("Escape");
  await importText(page, text.replace("not a list", "[]").replace('\\"[]\\"', "[]"));
  await expect(page.locator(".title-input")).toHaveValue("Precious 2");
});

test("where the browser stores nothing, the library says so and what to do", { tag: "@firefox" }, async ({ page }) => {
  await page.addInitScript(() => {
    const open = (): never => {
      throw new DOMException("storage is blocked", "SecurityError");
    };
    Object.defineProperty(globalThis, "indexedDB", { value: { open, databases: () => Promise.resolve([]) } });
  });
  await openBuilder(page);
  await page.keyboard.press("Control+o");
  const library = page.getByRole("dialog", { name: "Workflows" });
  await expect(library).toContainText("this browser stores nothing for this page");
  await expect(library).not.toContainText("There are no workflows yet");
  await expect(library).not.toContainText("Stored in this browser");
  await picture(page, "library-nothing-stored");
  await library.getByRole("button", { name: "Export the open workflow…" }).click();
  await expect(page.getByRole("dialog", { name: "Export the workflow" }).getByLabel("The workflow as JSON")).toHaveValue(/Research report/);
});
