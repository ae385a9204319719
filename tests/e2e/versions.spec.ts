// Versions of a workflow, and runs that a visit has left.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { card, everythingStored, kind, openBuilder, openDocument, picture, run } from "./builder.js";

async function openVersions(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page.locator(".menu-item").filter({ hasText: "Versions…" }).click();
  return page.getByRole("dialog", { name: "Versions" });
}

test("a version is kept, compared as a tree, and restored as an edit", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, { version: 1, name: "Bees", steps: [{ id: "s1", type: "wait", name: "rest", wait: { ms: 5 } }, { id: "s2", type: "function", name: "count", run: { set: {} } }] });
  const dialog = await openVersions(page);
  await dialog.getByLabel("Name of the version").fill("Before the swarm");
  await dialog.getByRole("button", { name: "Keep this version" }).click();
  await expect(dialog.locator(".version summary b")).toHaveText(["Before the swarm"]);
  await page.keyboard.press("Escape");
  await card(page, "count").click();
  await page.getByLabel("Name", { exact: true }).fill("count_bees");
  await card(page, "rest").click();
  await page.keyboard.press("Delete");
  await kind(page, "condition").click();
  await run(page);
  // The run kept one of its own.
  await openVersions(page);
  await expect(dialog.locator(".version summary b")).toHaveText(["A run", "Before the swarm"]);
  await dialog.locator(".version summary").last().click();
  const rows = dialog.locator(".difference");
  await expect(rows.filter({ hasText: "count_bees" })).toHaveAttribute("data-change", "changed");
  await expect(rows.filter({ hasText: "count_bees" }).locator(".before")).toHaveText("count");
  await expect(rows.filter({ hasText: "rest" })).toHaveAttribute("data-change", "removed");
  await expect(rows.locator("xpath=self::*[@data-change='added']")).toHaveCount(1);
  await picture(page, "versions");
  await dialog.getByRole("button", { name: "Restore this version" }).click();
  await expect(card(page, "rest")).toBeVisible();
  await expect(card(page, "count")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card(page, "rest")).toHaveCount(0);
  await expect(card(page, "count_bees")).toBeVisible();
});

test("a version is deleted, and brought back by an undo", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Bees", steps: [{ id: "s1", type: "wait", name: "rest", wait: { ms: 5 } }] });
  const dialog = await openVersions(page);
  const shown = dialog.locator(".version summary b");
  for (const name of ["Before", "After"]) {
    await dialog.getByLabel("Name of the version").fill(name);
    await page.keyboard.press("Enter");
    await expect(shown.first()).toHaveText(name);
  }
  await dialog.locator(".version summary").last().click();
  await dialog.getByRole("button", { name: "Delete the version Before" }).click();
  await expect(shown).toHaveText(["After"]);
  await expect(dialog.locator(".version-gone")).toContainText("“Before” is deleted.");
  await picture(page, "version-deleted");
  const undo = dialog.getByRole("button", { name: "Undo" });
  await expect(undo).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(shown).toHaveText(["After", "Before"]);
  await expect(undo).toHaveCount(0);
  // The place of the newest one is taken by what is kept meanwhile.
  await dialog.locator(".version summary").first().click();
  await dialog.getByRole("button", { name: "Delete the version After" }).click();
  await expect(shown).toHaveText(["Before"]);
  await dialog.getByLabel("Name of the version").fill("Later");
  await page.keyboard.press("Enter");
  await expect(shown).toHaveText(["Later", "Before"]);
  await undo.click();
  await expect(shown).toHaveText(["After", "Later", "Before"]);
  await page.reload();
  await openVersions(page);
  await expect(shown).toHaveText(["After", "Later", "Before"]);
});

test("a version gets another name, and one of a run a first one", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Bees", steps: [{ id: "s1", type: "wait", name: "rest", wait: { ms: 5 } }] });
  await run(page);
  const dialog = await openVersions(page);
  await dialog.locator(".version summary").click();
  await dialog.getByLabel("Another name for A run").fill("Before the swarm");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(dialog.locator(".version summary b")).toHaveText(["Before the swarm"]);
  await dialog.locator(".version summary").click();
  await picture(page, "version-name");
  await dialog.getByLabel("Another name for Before the swarm").fill("After it");
  await dialog.getByLabel("Another name for Before the swarm").press("Enter");
  await expect(dialog.locator(".version summary b")).toHaveText(["After it"]);
  await page.reload();
  await openVersions(page);
  await expect(dialog.locator(".version summary b")).toHaveText(["After it"]);
});

const asks = { version: 1, name: "Ask", steps: [{ id: "s1", type: "function", name: "prepare", run: { set: { n: "1" } } }, { id: "s2", type: "approval", name: "sign", message: "How many?", schema: { type: "integer" } }] };

test("a run that waits for a person is offered again after a reload, and goes on", async ({ page }) => {
  await openDocument(page, asks);
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await page.reload();
  await expect(page.locator(".banner")).toContainText("waits for your answer");
  await picture(page, "waiting-run");
  await page.getByRole("button", { name: "Show it" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await card(page, "sign").click();
  const form = page.getByRole("form", { name: "Answer" });
  await form.getByLabel("Answer").fill("3");
  await form.getByRole("button", { name: "Send and go on" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await page.reload();
  await expect(page.locator(".card").first()).toBeVisible();
  await expect(page.locator(".banner")).toHaveCount(0);
});

test("a run that waits is answered in its panel once its step is no longer in the workflow, also after a reload", async ({ page }) => {
  await openDocument(page, { ...asks, steps: [...asks.steps, { id: "s3", type: "function", name: "after", run: { set: { m: "2" } } }] });
  await run(page);
  const panel = page.locator(".panel");
  const form = panel.getByRole("form", { name: "Answer" });
  await expect(panel.getByRole("button", { name: "Answer", exact: true })).toBeVisible();
  await expect(form).toHaveCount(0);
  await card(page, "sign").click();
  await page.keyboard.press("Delete");
  await expect(card(page, "sign")).toHaveCount(0);
  await expect(form).toContainText("How many?");
  await expect(panel).toContainText("sign is no longer in the workflow.");
  await picture(page, "waiting-step-gone");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await page.getByRole("button", { name: "Show it" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await form.getByLabel("Answer").fill("3");
  await form.getByRole("button", { name: "Send and go on" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state pre")).toContainText('"sign_output": 3');
  await expect(page.locator(".final-state pre")).toContainText('"m": 2');
});

test("the times of a run and the runs before it are the same after a reload, also where a run waits", async ({ page }) => {
  await openDocument(page, asks);
  const summary = page.locator(".run-summary");
  const form = page.getByRole("form", { name: "Answer" });
  const time = card(page, "sign").locator(".card-time");
  await run(page);
  await expect(summary).toHaveAttribute("data-status", "suspended");
  await page.waitForTimeout(1500);
  await card(page, "sign").click();
  await form.getByLabel("Answer").fill("3");
  await form.getByRole("button", { name: "Send and go on" }).click();
  await expect(summary).toHaveAttribute("data-status", "done");
  // How long the answer took beside that is the machine's.
  await expect(time).toHaveAttribute("title", /waited \d+\.\d s/);
  const before = (await time.getAttribute("title")) ?? "";
  await page.reload();
  await expect(time).toHaveAttribute("title", before);
  // A second run waits. The first one is at hand before and after it is taken up.
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(summary).toHaveAttribute("data-status", "suspended");
  await page.reload();
  await page.getByRole("button", { name: "Show it" }).click();
  await expect(summary).toHaveAttribute("data-status", "suspended");
  const runs = page.getByLabel("Runs of this workflow");
  await expect(runs.locator("option")).toHaveText(["Run 2: waits for your answer", /^Run 1: /]);
  await runs.selectOption("1");
  await expect(time).toHaveAttribute("title", before);
});

test("a run that is looked at again while it waits has the same times then, when it has gone on, and later", async ({ page }) => {
  await openDocument(page, { ...asks, steps: [{ id: "s9", type: "condition", name: "all", condition: "true", steps: [{ id: "s8", type: "wait", name: "rest", wait: { ms: 300 } }, ...asks.steps], else: [] }] });
  const summary = page.locator(".run-summary");
  const times = async (names: readonly string[]): Promise<(string | null)[]> => Promise.all(names.map((name) => card(page, name).locator(".card-time").getAttribute("title")));
  await run(page);
  await expect(summary).toHaveAttribute("data-status", "suspended");
  const began = Date.now();
  const waiting = await times(["rest"]);
  for (let looks = 0; looks < 3; looks += 1) {
    await page.waitForTimeout(1500);
    await page.reload();
    await page.getByRole("button", { name: "Show it" }).click();
    await expect(summary).toHaveAttribute("data-status", "suspended");
    expect(await times(["rest"])).toEqual(waiting);
  }
  await card(page, "sign").click();
  const form = page.getByRole("form", { name: "Answer" });
  await form.getByLabel("Answer").fill("3");
  await form.getByRole("button", { name: "Send and go on" }).click();
  await expect(summary).toHaveAttribute("data-status", "done");
  const most = (Date.now() - began) / 1000;
  const ended = await times(["all", "rest", "sign"]);
  expect(ended[1]).toBe(waiting[0]);
  const waited = Number(/waited (\d+\.\d) s$/.exec(ended[2] ?? "")?.[1]);
  expect(waited).toBeGreaterThan(4.5);
  // It began before that was seen.
  expect(waited).toBeLessThan(most + 1.5);
  await page.reload();
  await expect(card(page, "sign").locator(".card-time")).toHaveAttribute("title", ended[2] ?? "");
  expect(await times(["all", "rest", "sign"])).toEqual(ended);
});

test("a wait that a reload cuts off has taken as long as it is, whether the page was there or not", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Long", steps: [{ id: "s1", type: "wait", name: "rest", wait: { ms: 5000 } }, { id: "s2", type: "wait", name: "more", wait: { ms: 2000 } }] });
  const time = (name: string): Locator => card(page, name).locator(".card-time");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForTimeout(1500);
  await page.reload();
  await page.getByRole("button", { name: "Go on", exact: true }).click();
  await expect(time("rest")).toHaveText(/^5\.\d s$/);
  // The second one is over while no page is there.
  await page.goto("about:blank");
  await page.waitForTimeout(3500);
  await page.goto("/");
  await page.getByRole("button", { name: "Go on", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(time("rest")).toHaveText(/^5\.\d s$/);
  await expect(time("more")).toHaveText(/^2\.\d s$/);
});

test("a run from a step on that waits has the same times after a reload", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Again", steps: [{ id: "s1", type: "function", name: "first", run: { set: { n: "1" } } }, { id: "s8", type: "condition", name: "way", condition: "true", steps: [{ id: "s3", type: "wait", name: "rest", wait: { ms: 300 } }, ...asks.steps.slice(1, 2)], else: [] }] });
  const summary = page.locator(".run-summary");
  const time = card(page, "rest").locator(".card-time");
  await run(page);
  await expect(summary).toHaveAttribute("data-status", "suspended");
  await page.waitForTimeout(2000);
  await card(page, "rest").click();
  await page.getByRole("button", { name: "Run again from here" }).click();
  await expect(page.getByLabel("Runs of this workflow").locator("option")).toHaveCount(2);
  await expect(summary).toHaveAttribute("data-status", "suspended");
  const before = await time.textContent();
  await page.reload();
  await page.getByRole("button", { name: "Show it" }).first().click();
  await expect(summary).toHaveAttribute("data-status", "suspended");
  await expect(time).toHaveText(before ?? "");
});

test("a run that a reload cuts off is offered again, and does not repeat what it has done", async ({ page }) => {
  const long = { version: 1, name: "Long", steps: [{ id: "s1", type: "function", name: "first", run: { set: { n: "1" } } }, { id: "s2", type: "wait", name: "rest", wait: { ms: 4000 } }, { id: "s3", type: "function", name: "last", run: { set: { m: "2" } } }] };
  await openDocument(page, long);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(card(page, "first")).toHaveAttribute("data-status", "done");
  await expect(card(page, "rest")).toHaveAttribute("data-status", "running");
  await page.reload();
  await expect(page.locator(".banner")).toContainText("was cut off");
  await page.getByRole("button", { name: "Go on", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await page.reload();
  await expect(page.locator(".card").first()).toBeVisible();
  await expect(page.locator(".banner")).toHaveCount(0);
});

test("a run that is discarded is not offered again", async ({ page }) => {
  await openDocument(page, asks);
  await run(page);
  await page.reload();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(page.locator(".banner")).toHaveCount(0);
  await page.reload();
  await expect(page.locator(".card").first()).toBeVisible();
  await expect(page.locator(".banner")).toHaveCount(0);
});

test("no key of an endpoint is in anything that is stored: documents, changes, versions, journals", async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("button", { name: "Endpoint settings" }).click();
  await page.getByRole("button", { name: "OpenAI chat completions" }).click();
  await page.getByLabel("API key").fill("sk-very-secret");
  await page.getByRole("button", { name: "Save" }).click();
  await page.route("https://api.openai.com/**", (route) => route.fulfill({ status: 401, body: '{"error":{"message":"sk-very-secret is wrong"}}' }));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).not.toHaveAttribute("data-status", /idle|running/);
  const dialog = await openVersions(page);
  await expect(dialog.locator(".version")).toHaveCount(1);
  const stored = await everythingStored(page);
  expect(stored).toContain("OPENAI_API_KEY");
  expect(stored).not.toContain("sk-very-secret");
});

test("of several runs that wait or were cut off each is offered by what it waits for, and none is lost", async ({ page }) => {
  const two = { ...asks, steps: [...asks.steps, { id: "s3", type: "wait", name: "rest", wait: { ms: 3_600_000 } }, { id: "s4", type: "approval", name: "ship", message: "Ship it?" }] };
  await openDocument(page, two);
  const summary = page.locator(".run-summary");
  const banner = page.locator(".banner");
  const form = page.getByRole("form", { name: "Answer" });
  for (let times = 0; times < 2; times += 1) {
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(summary).toHaveAttribute("data-status", "suspended");
  }
  await expect(page.getByLabel("Runs of this workflow").locator("option")).toHaveText(["Run 2: waits for your answer", "Run 1: waits for your answer"]);
  // The second one goes on, and is cut off.
  await card(page, "sign").click();
  await form.getByLabel("Answer").fill("3");
  await form.getByRole("button", { name: "Send and go on" }).click();
  await expect(card(page, "rest")).toHaveAttribute("data-status", "running");
  await page.reload();
  await expect(banner).toContainText("2 runs of this workflow wait for your answer or were cut off.");
  const runs = banner.getByLabel("Runs to go on with");
  await expect(runs.locator("option")).toHaveText([/^Cut off · .*\d/, /^sign · .*\d/]);
  await expect(banner.getByRole("button", { name: "Go on" })).toBeVisible();
  await picture(page, "waiting-runs");
  expect(await findings(page)).toEqual([]);
  // By keyboard alone.
  await runs.focus();
  await page.keyboard.press("ArrowDown");
  await expect(banner.getByRole("button", { name: "Show it" })).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(summary).toHaveAttribute("data-status", "suspended");
  await expect(runs).toHaveCount(0);
  await expect(banner).toContainText("A run of this workflow was cut off.");
  await page.reload();
  await expect(runs.locator("option")).toHaveCount(2);
  await banner.getByRole("button", { name: "Discard" }).click();
  await expect(banner).toContainText("A run of this workflow waits for your answer.");
  await banner.getByRole("button", { name: "Show it" }).click();
  await expect(summary).toHaveAttribute("data-status", "suspended");
  await expect(banner).toHaveCount(0);
});

test("the form of a question comes into view, and who answers by the keyboard is at its card then", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 480 });
  await openDocument(page, { version: 1, name: "Ask", steps: [{ id: "s1", type: "approval", name: "sign", message: "All right?", steps: [{ id: "y", type: "function", name: "yes", run: { set: { said: "1" } } }] }, { id: "s2", type: "function", name: "after", run: { set: { n: "1" } } }] });
  await card(page, "sign").click();
  await page.locator(".inspector-body").evaluate((body) => (body.scrollTop = body.scrollHeight));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  const form = page.locator(".inspector").getByRole("form", { name: "Answer" });
  await expect(form.getByText("All right?")).toBeInViewport();
  await form.getByRole("button", { name: "Approve" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(card(page, "sign")).toBeFocused();
});

test("a run whose time for an answer is over is offered as what it is", async ({ page }) => {
  const [, ask] = asks.steps;
  await openDocument(page, { ...asks, steps: [{ ...ask, expiresMs: 3000, expired: [{ id: "late", type: "function", name: "late", run: { set: { late: "true" } } }] }] });
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await page.goto("about:blank");
  await page.waitForTimeout(3500);
  await page.goto("./");
  const banner = page.locator(".banner");
  await expect(banner).toContainText("The time for your answer is over: it goes on without one.");
  await banner.getByRole("button", { name: "Go on" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
});

test("a run that waits is offered where the workflow is edited, and one that is gone is said to be", async ({ page, context }) => {
  await openDocument(page, asks);
  await run(page);
  await page.reload();
  await expect(page.locator(".banner")).toContainText("waits for your answer");
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole("button", { name: "Edit here" }).click();
  await expect(other.locator(".banner")).toContainText("waits for your answer");
  await expect(page.locator(".banner")).toHaveCount(1);
  await expect(page.locator(".banner")).toContainText("is being edited in another tab");
  await page.getByRole("button", { name: "Edit here" }).click();
  await expect(page.locator(".banner")).toContainText("waits for your answer");
  await page.evaluate(async () => {
    const asked = indexedDB.open("stepweave-builder");
    const database = await new Promise<IDBDatabase>((done) => (asked.onsuccess = () => done(asked.result)));
    database.transaction("runs", "readwrite").objectStore("runs").clear();
    database.close();
  });
  await page.getByRole("button", { name: "Show it" }).click();
  await expect(page.getByText("This run is no longer there: another tab goes on with it, or has ended or discarded it.")).toBeVisible();
  await expect(page.locator(".banner")).toHaveCount(0);
});
