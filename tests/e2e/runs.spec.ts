// Runs after the first one: begun at a step, and looked at again.
import { expect, test, type Page } from "@playwright/test";
import { card, downloaded, kind, openBuilder, openDocument, picture, run } from "./builder.js";

interface KeptRun {
  readonly run: string;
  readonly suspended: boolean;
  readonly ended?: boolean;
}

/** The runs that the page has kept. */
function keptRuns(page: Page): Promise<readonly KeptRun[]> {
  return page.evaluate(
    () =>
      new Promise<KeptRun[]>((done) => {
        const opening = indexedDB.open("stepweave-builder");
        opening.onsuccess = () => {
          const all = opening.result.transaction("runs").objectStore("runs").getAll();
          all.onsuccess = () => {
            opening.result.close();
            done(all.result as KeptRun[]);
          };
        };
      }),
  );
}

/** Loads the page again once all that has ended is kept: a person does not do so in the same moment, as a test does. */
async function reloadOnceKept(page: Page): Promise<void> {
  const isKept = async (): Promise<boolean> => {
    const kept = await keptRuns(page);
    return kept.length > 0 && kept.every(({ ended }) => ended === true);
  };
  await expect.poll(isKept).toBe(true);
  await page.reload();
}

/** The name of the one run that is kept, once it waits. */
async function waitingRun(page: Page): Promise<string> {
  const waiting = async (): Promise<string> => (await keptRuns(page)).find(({ suspended }) => suspended)?.run ?? "";
  await expect.poll(waiting).not.toBe("");
  return waiting();
}

const flow = {
  version: 1,
  name: "Count",
  models: { m: { provider: "demo", model: "demo" } },
  agents: { a: { model: "m" } },
  steps: [
    { id: "s1", type: "agent", name: "ask", agent: "a", inputFrom: "Hello?" },
    { id: "s2", type: "function", name: "mark", run: { set: { mark: "'one'" } } },
    { id: "s3", type: "function", name: "end", run: { set: { told: "mark ~ '!'" } } },
  ],
};

test("a past run shows what it was when it ran, whatever its steps are by now", async ({ page }) => {
  const kinds = [{ name: "bees", when: "kind == 'bees'", steps: [] }, { name: "wasps", when: "kind == 'wasps'", steps: [] }];
  const sort = { id: "s1", type: "switch", name: "sort", cases: kinds, default: [] };
  await openDocument(page, { version: 1, name: "Past", initialState: { kind: "wasps" }, steps: [sort] });
  await run(page);
  const row = page.locator(".step-row").filter({ has: page.locator('b:text-is("sort")') });
  await expect(row.locator(".step-text")).toHaveText("wasps");
  await card(page, "sort").click({ position: { x: 20, y: 10 } });
  await page.locator(".inspector").getByLabel("Name of case 2").fill("hornets");
  await page.locator(".inspector").getByLabel("Name", { exact: true }).fill("choose");
  await expect(card(page, "choose")).toBeVisible();
  await expect(row.locator(".step-text")).toHaveText("wasps");
  await expect(page.locator(".run-of-step .output")).toHaveText("wasps");
  await run(page);
  await expect(page.locator(".step-row .step-text")).toHaveText("hornets");
  await page.getByLabel("Runs of this workflow").selectOption({ index: 1 });
  await expect(row.locator(".step-text")).toHaveText("wasps");
  await picture(page, "run-of-before");
});

test("a run begins at a step with what came before, and the runs before it stay to be looked at", async ({ page }) => {
  await openDocument(page, flow);
  await run(page);
  await expect(page.locator(".final-state pre")).toContainText('"told": "one!"');
  const answer = await page.locator(".step-row").filter({ hasText: "ask" }).locator(".step-text").textContent();
  await card(page, "mark").click();
  await page.locator(".inspector").getByLabel("Expression").fill("'two'");
  await page.getByRole("button", { name: "Run again from here" }).click();
  await expect(page.locator(".final-state pre")).toContainText('"told": "two!"');
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  expect(await page.locator(".step-row").filter({ hasText: "ask" }).locator(".step-text").textContent()).toBe(answer);

  const past = page.getByLabel("Runs of this workflow");
  await expect(past.locator("option")).toHaveText(["Run 2: done", "Run 1: done"]);
  await past.selectOption("Run 1: done");
  await expect(page.locator(".final-state pre")).toContainText('"told": "one!"');
  const changed = page.getByText("This run is of the workflow before you changed it.");
  await expect(changed).toBeVisible();
  await picture(page, "past-runs");
  await past.selectOption("Run 2: done");
  await expect(page.locator(".final-state pre")).toContainText('"told": "two!"');
  await expect(changed).toHaveCount(0);
  await page.locator(".inspector").getByLabel("Expression").fill("'three'");
  await expect(changed).toBeVisible();
});

test("a run that the page before holds still is offered once that lets go", { tag: "@firefox" }, async ({ page, context }) => {
  await openDocument(page, { version: 1, name: "Asks", steps: [{ id: "s1", type: "approval", name: "review", message: "All right?" }] });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  // A page that goes away may let go of its locks after the next one has looked.
  const before = await context.newPage();
  await before.route("**/before", (route) => route.fulfill({ contentType: "text/html", body: "" }));
  await before.goto("/before");
  const run = await waitingRun(page);
  await before.evaluate((name) => void navigator.locks.request(name, () => new Promise((done) => Object.assign(globalThis, { letGo: done }))), `stepweave.run.${run}`);
  await page.reload();
  await expect(card(page, "review")).toBeVisible();
  const show = page.locator(".banner").getByRole("button", { name: "Show it" });
  await expect.poll(() => page.evaluate(async () => ((await navigator.locks.query()).pending ?? []).length)).toBe(1);
  await expect(show).toHaveCount(0);
  await before.close();
  await show.click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
});

for (const width of [1280, 390]) {
  test(`Show it leads to the form of the answer, wherever the form of the step was scrolled to: ${width} wide`, { tag: width > 600 ? ["@firefox"] : [] }, async ({ page }) => {
    const long = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`key${at}`, { type: "string" }]));
    await openDocument(page, { version: 1, name: "Asks", steps: [{ id: "s1", type: "approval", name: "review", message: "All right?", schema: { type: "object", required: ["say"], properties: { say: { type: "string" }, ...long } } }] });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
    await waitingRun(page);
    await page.setViewportSize({ width, height: 700 });
    await page.reload();
    // The step is looked at already, further down.
    const close = page.getByRole("button", { name: "Close the inspector" });
    if (width > 600) await card(page, "review").click();
    // What opens the form comes behind the cards.
    else {
      await expect(async () => {
        await card(page, "review").dblclick();
        await expect(close).toBeVisible({ timeout: 1_000 });
      }).toPass();
    }
    await page.locator(".inspector-body").evaluate((body) => (body.scrollTop = body.scrollHeight));
    if (width < 600) await close.click();
    await page.locator(".banner").getByRole("button", { name: "Show it" }).click();
    const form = page.getByRole("form", { name: "Answer" });
    await expect(form.getByText("All right?")).toBeInViewport();
    await expect(form.getByLabel("say")).toBeInViewport({ ratio: 1 });
    await expect(form.getByLabel("say")).toBeFocused();
    await picture(page, `show-it-${width}`);
    await page.keyboard.type("Yes");
    await expect(form.getByLabel("say")).toHaveValue("Yes");
  });
}

test("what a person only says yes or no to is shown without a button having the focus", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Asks", steps: [{ id: "s1", type: "approval", name: "review", message: "All right?", schema: { type: "object", required: ["approved"], properties: { approved: { type: "boolean" } } } }] });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await waitingRun(page);
  await page.reload();
  await page.locator(".banner").getByRole("button", { name: "Show it" }).click();
  await expect(page.getByRole("form", { name: "Answer" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
});

test("runs of several tabs are listed by their numbers", async ({ page, context }) => {
  await openDocument(page, flow);
  await run(page);
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole("button", { name: "Edit here" }).click();
  await run(other);
  await expect.poll(async () => (await keptRuns(page)).filter(({ ended }) => ended === true).length).toBe(2);
  await page.getByRole("button", { name: "Edit here" }).click();
  const listed = page.getByLabel("Runs of this workflow").locator("option");
  await expect(listed).toHaveText([/^Run 2/, /^Run 1/]);
});

test("the journal of a run is downloaded under the name of the workflow", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  const search = page.getByRole("dialog", { name: "Search" });
  const journals = search.getByRole("option").filter({ hasText: "Download the journal of this run" });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("journal");
  await expect(search.getByText("Nothing is called this.")).toBeVisible();
  await page.keyboard.press("Escape");
  await run(page);
  const button = page.getByRole("button", { name: "Download the journal of this run" });
  await expect(button).toBeEnabled();
  const { name, text } = await downloaded(page, () => button.click());
  expect(name).toBe("count.journal.json");
  const journal = JSON.parse(text) as { version: number; entries: { key: string }[] };
  expect(journal.version).toBe(2);
  expect(journal.entries.length).toBeGreaterThan(1);
  for (const word of ["journal", "history", "download"]) {
    // One that is pressed while the list is closing closes with it.
    await expect(async () => {
      await page.keyboard.press("Control+k");
      await expect(search).toBeVisible({ timeout: 1000 });
    }).toPass();
    await page.keyboard.type(word);
    await expect(journals).toHaveCount(1);
    await page.keyboard.press("Escape");
    await expect(search).toHaveCount(0);
  }
  await page.keyboard.press("Control+k");
  await page.keyboard.type("journal");
  const again = await downloaded(page, () => page.keyboard.press("Enter"));
  expect(again.text).toBe(text);
  await page.getByRole("button", { name: "Close the panel" }).click();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("runs");
  await expect(search.getByRole("option").filter({ hasText: "Show the run" })).toHaveCount(1);
});

test("the last runs are there again after a reload, and in their own workflow only", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  await run(page);
  const first = await page.locator(".step-row").filter({ hasText: "ask" }).locator(".step-text").textContent();
  await run(page);
  await expect(page.getByLabel("Runs of this workflow").locator("option").first()).toHaveText("Run 2: done");
  const answer = await page.locator(".step-row").filter({ hasText: "ask" }).locator(".step-text").textContent();
  await reloadOnceKept(page);
  await expect(page.locator(".final-state pre")).toContainText('"told": "one!"');
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".step-row").filter({ hasText: "ask" }).locator(".step-text")).toHaveText(answer ?? "");
  await expect(page.locator(".card[data-status=done]")).toHaveCount(3);
  const past = page.getByLabel("Runs of this workflow");
  await expect(past.locator("option")).toHaveText(["Run 2: done", "Run 1: done"]);
  await past.selectOption("Run 1: done");
  await expect(page.locator(".step-row").filter({ hasText: "ask" }).locator(".step-text")).toHaveText(first ?? "");
  await past.selectOption("Run 2: done");
  await expect(page.locator(".step-row").filter({ hasText: "ask" }).locator(".step-text")).toHaveText(answer ?? "");
  // It is closed, and brought back.
  const back = page.getByRole("button", { name: "Show the run" });
  await expect(back).toBeHidden();
  await page.getByRole("button", { name: "Close the panel" }).click();
  await expect(page.locator(".panel")).toHaveCount(0);
  await picture(page, "run-closed");
  await back.click();
  await expect(page.locator(".final-state pre")).toContainText('"told": "one!"');
  // It is as good as before: a run begins at a step with what it gave.
  await card(page, "mark").click();
  await page.locator(".inspector").getByLabel("Expression").fill("'two'");
  await page.getByRole("button", { name: "Run again from here" }).click();
  await expect(page.locator(".final-state pre")).toContainText('"told": "two!"');
  expect(await page.locator(".step-row").filter({ hasText: "ask" }).locator(".step-text").textContent()).toBe(answer);
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page.getByText("An empty workflow").click();
  await expect(page.locator(".panel")).toHaveCount(0);
  await page.goBack();
  await expect(page.locator(".final-state pre")).toContainText('"told": "two!"');
  await expect(page.locator(".card[data-status=done]")).toHaveCount(3);
});

test("of many runs the last ten are there again, and of large ones as many as there is room for", async ({ page }) => {
  const say = (value: string): object => ({ version: 1, name: "Count", steps: [{ id: "s1", type: "function", name: "mark", run: { set: { mark: value } } }] });
  await openDocument(page, say("'one'"));
  const past = page.getByLabel("Runs of this workflow").locator("option");
  await run(page);
  for (let number = 2; number <= 12; number++) {
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(past.first()).toHaveText(`Run ${number}: done`);
  }
  await reloadOnceKept(page);
  await expect(past).toHaveCount(10);
  await card(page, "mark").click();
  await page.locator(".inspector").getByLabel("Expression").fill("'0123456789' * 100000");
  for (const number of [13, 14]) {
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(past.first()).toHaveText(`Run ${number}: done`);
  }
  await reloadOnceKept(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state")).toContainText("0123456789");
  await expect(past).toHaveCount(0);
});

test("a wheel moves all that a run has come to, wherever it is over it", async ({ page }) => {
  const lines = Array.from({ length: 60 }, (_, line) => `line ${line}`);
  await openDocument(page, { ...flow, initialState: { lines }, steps: [{ id: "s1", type: "function", name: "tell", run: { set: { told: "lines | join('\n\n')" } } }] });
  await run(page);
  const all = page.locator(".final-state");
  await all.getByRole("heading", { name: "told of tell" }).hover();
  await page.mouse.wheel(0, 10_000);
  await expect(all.getByLabel("State as JSON")).toContainText("line 59");
  await expect.poll(() => all.evaluate((element) => element.scrollTop > 0 && element.scrollTop + element.clientHeight > element.scrollHeight - 2)).toBe(true);
  await expect(all.getByRole("heading", { name: "Final state" })).not.toBeInViewport();
  await all.getByLabel("State as JSON").hover();
  await page.mouse.wheel(0, -10_000);
  await expect.poll(() => all.evaluate((element) => element.scrollTop)).toBe(0);
});

test("another workflow has none of the runs before it, and counts its own", async ({ page }) => {
  await openDocument(page, flow);
  await run(page);
  await run(page);
  await expect(page.getByLabel("Runs of this workflow")).toBeVisible();
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page.getByText("An empty workflow").click();
  const past = page.getByLabel("Runs of this workflow").locator("option");
  await expect(past).toHaveCount(0);
  await kind(page, "function").click();
  await run(page);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(past).toHaveText(["Run 2: done", "Run 1: done"]);
  await page.goBack();
  await expect(page.locator(".card")).toHaveCount(3);
  await expect(past).toHaveText(["Run 2: done", "Run 1: done"]);
});

test("what a run did not come to is paler than what it did", async ({ page }) => {
  await openBuilder(page);
  await run(page);
  await expect(card(page, "no_review")).toHaveCSS("border-style", "dashed");
  await expect(card(page, "review")).toHaveCSS("border-style", "solid");
});

test("two hundred steps are drawn, outlined and run", async ({ page }) => {
  const leaf = (id: string): object => ({ id, type: "function", name: id, run: { set: { [id]: "1" } } });
  const steps = Array.from({ length: 40 }, (_, row) => ({
    id: `p${row}`,
    type: "parallel",
    name: `row_${row}`,
    parallel: Array.from({ length: 4 }, (_, column) => leaf(`f${row}_${column}`)),
  }));
  await openDocument(page, { version: 1, name: "Large", steps });
  await page.locator(".palette").getByRole("button", { name: "Outline" }).click();
  await expect(page.getByRole("treeitem").first()).toHaveAttribute("aria-setsize", "40");
  await page.getByRole("treeitem").first().focus();
  await page.keyboard.press("End");
  const last = page.locator('[role=treeitem][data-line="f39_3"]');
  await expect(last).toBeFocused();
  await run(page);
  await expect(last).toHaveAttribute("data-status", "done");
  await last.click();
  await expect(card(page, "f39_3")).toBeInViewport();
  await picture(page, "two-hundred");
});

test("above the final state stands what the step gave that ran last on the way that was taken", async ({ page }) => {
  const replies = (id: string, text: string) => ({ id, type: "function", name: `function_${id}`, run: { set: { reply: `'${text}'` } } });
  const approval = { id: "s2", type: "approval", name: "sign", schema: { type: "object", properties: { approved: { type: "boolean" } } }, steps: [replies("s3", "It is sent.")], else: [replies("s4", "It stays here.")] };
  await openDocument(page, { ...flow, steps: [flow.steps[0], approval] });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("form", { name: "Answer" }).getByRole("button", { name: "Refuse" }).click();
  const last = page.getByRole("region", { name: "Last answer" });
  await expect(last).toContainText("reply of function_s4");
  await expect(last).toContainText("It stays here.");
});

test("above the final state stands why an End ended the run, and at a failure it is said once", async ({ page }) => {
  const guard = (status: string): object => ({ id: "s1", type: "condition", name: "guard", condition: "true", steps: [{ id: "s2", type: "end", name: "refuse", end: { status, message: "We cannot help with {{ topic }}." } }] });
  const reply = { id: "s3", type: "function", name: "reply", run: { set: { reply: "'Of course.'" } } };
  await openDocument(page, { version: 1, name: "Guarded", initialState: { topic: "wasps" }, steps: [guard("done"), reply] });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const last = page.getByRole("region", { name: "Last answer" });
  await expect(last.getByRole("heading")).toHaveText(/^refuse$/i);
  await expect(last).toContainText("We cannot help with wasps.");
  await reloadOnceKept(page);
  await expect(last).toContainText("We cannot help with wasps.");
  await openDocument(page, { version: 1, name: "Guarded", initialState: { topic: "wasps" }, steps: [guard("error"), reply] });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "error");
  await expect(last).toHaveCount(0);
});
