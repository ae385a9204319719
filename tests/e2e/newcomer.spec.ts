// What who builds a first workflow comes upon.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { card, exported, kind, openBuilder, openDocument, openLibrary, picture, run, written } from "./builder.js";

const models = { demo: { provider: "demo", model: "demo" } };
const agents = { clerk: { model: "demo" } };
const reply = { id: "s1", type: "agent", name: "reply", agent: "clerk", inputFrom: "{{ mail }}" };

function inspector(page: Page): Locator {
  return page.locator(".inspector");
}

function document(steps: readonly object[], more: object = {}): object {
  return { version: 1, name: "Mails", models, agents, initialState: { mail: "Hello" }, steps, ...more };
}

test("a refused run says so in the list and above its steps, and the refused reply is not its answer", async ({ page }) => {
  const send = { id: "s3", type: "function", name: "send", run: { set: { sent: "reply_output" } } };
  await openDocument(page, document([reply, { id: "s2", type: "approval", name: "ask", message: "Send it?", steps: [send], else: [] }]));
  const answer = async (name: string): Promise<void> => {
    await run(page);
    await page.getByRole("form", { name: "Answer" }).getByRole("button", { name }).click();
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  };
  await answer("Approve");
  await expect(page.locator(".run-summary")).toContainText("Done");
  await answer("Refuse");
  await expect(page.locator(".run-summary")).toContainText("Refused");
  await expect(page.locator(".run-summary .state")).toHaveAttribute("data-status", "cancelled");
  await expect(page.locator(".last-answer")).toContainText("Refused.");
  await expect(page.locator(".last-answer")).not.toContainText("simulated");
  const past = page.getByLabel("Runs of this workflow");
  await expect(past.locator("option")).toHaveText(["Run 2: refused", "Run 1: done"]);
  await picture(page, "refused-run");
  await past.selectOption("Run 1: done");
  await expect(page.locator(".run-summary")).toContainText("Done");
});

test("a run that an End ended says why in the list and above its steps", async ({ page }) => {
  const stop = (status: string): object => ({ id: "s2", type: "end", name: "stop", end: { status, message: "nothing new in {{ mail }}" } });
  await openDocument(page, document([reply, stop("done")]));
  await run(page);
  await expect(page.locator(".run-summary")).toContainText("Ended: nothing new in Hello");
  await card(page, "stop").click();
  await inspector(page).getByLabel("Ends", { exact: true }).selectOption("with an error");
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "error");
  await expect(page.locator(".run-summary")).toContainText("Ended: nothing new in Hello");
  await expect(page.getByLabel("Runs of this workflow").locator("option")).toHaveText(["Run 2: ended: nothing new in Hello", "Run 1: ended: nothing new in Hello"]);
});

test("a condition behind a yes or no decides by it, and another one says that it is always a yes", async ({ page }) => {
  const output = { type: "object", properties: { why: { type: "string" }, allowed: { type: "boolean" } } };
  await openDocument(page, document([reply], { agents: { clerk: { model: "demo", output } } }));
  const always = inspector(page).getByText("It is always a yes");
  await card(page, "reply").click();
  await kind(page, "condition").click();
  await expect.poll(() => written(inspector(page).getByLabel("Condition"))).toBe("reply_output.allowed");
  await expect(always).toHaveCount(0);
  await inspector(page).getByLabel("Condition").fill("true");
  await expect(always).toBeVisible();
  await inspector(page).getByLabel("Condition").fill("mail == 'x'");
  await expect(always).toHaveCount(0);
});

test("the list of workflows says where runs wait, and waiting runs are told apart by what they were given", async ({ page }) => {
  const ask = { id: "s1", type: "approval", name: "ask", message: "May this  go on?" };
  await openDocument(page, document([ask], { input: { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] } }));
  for (const topic of ["Bees in winter", "Ants"]) {
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("dialog", { name: "Run with" }).getByLabel("topic").fill(topic);
    await page.getByRole("dialog", { name: "Run with" }).getByRole("button", { name: "Run", exact: true }).click();
    await expect(page.getByRole("dialog", { name: "Run with" })).toHaveCount(0);
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  }
  // The first one waits already when the second has not begun.
  await expect(page.getByLabel("Runs of this workflow").locator("option")).toHaveCount(2);
  const library = await openLibrary(page);
  await expect(library.locator(".library-row.current")).toContainText("2 runs wait for your answer");
  await expect(library.getByText("wait for your answer")).toHaveCount(1);
  await picture(page, "library-waiting");
  await page.keyboard.press("Escape");
  await page.reload();
  const runs = page.getByLabel("Runs to go on with");
  await expect(runs.locator("option")).toHaveText([/^ask · “Ants” · .*\d/, /^ask · “Bees in winter” · .*\d/]);
});

test("a waiting run that was given nothing is told by what it asks", async ({ page }) => {
  await openDocument(page, document([{ id: "s1", type: "approval", name: "ask", message: "May this\n go on? {{ mail }}" }]));
  for (let times = 0; times < 2; times += 1) await run(page);
  await expect(page.getByLabel("Runs of this workflow").locator("option")).toHaveCount(2);
  await page.reload();
  await expect(page.getByLabel("Runs to go on with").locator("option").first()).toHaveText(/^ask · “May this go on\? Hello” · /);
});

test("the words of an agent are offered above the fold, and more of one agent is not more of another", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  const other = { id: "s2", type: "agent", name: "check", agent: "checker", inputFrom: "x" };
  await openDocument(page, document([reply, other], { agents: { ...agents, checker: { model: "demo" } } }));
  await card(page, "reply").click();
  await expect(inspector(page).getByRole("button", { name: "Answer only with words from a list" })).toBeInViewport({ ratio: 1 });
  const more = inspector(page).locator("details.more-fields").filter({ hasText: "More of this agent" });
  await more.locator("summary").first().click();
  await expect(more).toHaveAttribute("open");
  // Another name is the same agent.
  const name = inspector(page).getByLabel("This agent is called");
  await name.fill("writer");
  await name.press("Tab");
  await expect(more).toHaveAttribute("open");
  await card(page, "check").click();
  await expect(more).not.toHaveAttribute("open");
  await card(page, "reply").click();
  await expect(more).toHaveAttribute("open");
});

test("a new agent of the workflow is named at once", async ({ page }) => {
  await openDocument(page, document([reply]));
  await inspector(page).getByRole("button", { name: "Add an agent" }).click();
  await expect(inspector(page).getByLabel("This agent is called")).toBeFocused();
  await page.keyboard.type("checker");
  await page.keyboard.press("Tab");
  expect(Object.keys((await exported(page)).agents)).toEqual(["clerk", "checker"]);
});

test("a workflow whose run waits is fitted below the banner", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  const steps = [reply, { id: "s2", type: "approval", name: "ask", message: "Go?" }, ...["a", "b", "c"].map((name, at) => ({ id: `s${at + 3}`, type: "wait", name, wait: { ms: 1 } }))];
  await openDocument(page, document(steps));
  await run(page);
  await page.reload();
  await expect(page.locator(".banner")).toBeVisible();
  const canvas = await page.locator(".canvas").boundingBox();
  await expect(async () => {
    const first = await card(page, "reply").boundingBox();
    const start = await page.locator(".pill").first().boundingBox();
    expect(start!.y).toBeGreaterThanOrEqual(canvas!.y + 15);
    expect(first!.y).toBeGreaterThan(start!.y);
    const end = await page.locator(".pill").last().boundingBox();
    expect(end!.y + end!.height).toBeLessThanOrEqual(canvas!.y + canvas!.height - 15);
  }).toPass();
});

test("the card that a run came to last is seen once the panel has taken its room, and not under the zoom", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  const steps = [reply, ...["a", "b", "c", "d"].map((name, at) => ({ id: `s${at + 3}`, type: "function", name, run: { set: { [name]: "1" } } }))];
  await openDocument(page, document(steps));
  await run(page);
  await expect(async () => {
    const canvas = await page.locator(".canvas").boundingBox();
    const last = await card(page, "d").boundingBox();
    expect(last!.y + last!.height).toBeLessThanOrEqual(canvas!.y + canvas!.height);
    const bar = await page.locator(".controls").boundingBox();
    const covers = last!.x < bar!.x + bar!.width && last!.y + last!.height > bar!.y;
    expect(covers).toBe(false);
  }).toPass();
  await picture(page, "last-card");
});

test("in a window of 720 pixels no kind is below the hint, and the kinds of a key are whole", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await openBuilder(page);
  await expect(page.locator(".hint")).toBeVisible();
  const hidden = await page.locator(".kinds").evaluate((kinds) => kinds.scrollHeight - kinds.clientHeight);
  expect(hidden).toBe(0);
  await openDocument(page, document([reply], { input: { type: "object", properties: { ok: { type: "boolean" } } } }));
  const select = inspector(page).locator(".schema-row").getByLabel("Kind");
  // As wide as its longest word asks for, or wider.
  const missing = await select.evaluate((own) => {
    const free = own.cloneNode(true) as HTMLSelectElement;
    free.style.cssText = "position: fixed; width: auto";
    for (const option of [...free.options]) if (option.value !== (own as HTMLSelectElement).value) option.remove();
    own.after(free);
    const wanted = free.offsetWidth;
    free.remove();
    return wanted - (own as HTMLElement).offsetWidth;
  });
  expect(missing).toBeLessThanOrEqual(0);
});

test("the kind that was picked for a value goes with its name", async ({ page }) => {
  await openDocument(page, document([reply], { initialState: { first: "a", mail: "b" } }));
  const rows = inspector(page).locator(".state-row");
  await rows.nth(1).getByLabel("Kind").selectOption("JSON");
  await rows.nth(0).getByRole("button", { name: "Remove this value" }).click();
  await expect(rows).toHaveCount(1);
  await expect(rows.getByLabel("Kind")).toHaveValue("JSON");
  await inspector(page).getByRole("button", { name: "Add a value" }).click();
  await expect(rows.nth(1).getByLabel("Kind")).toHaveValue("Text");
});

test("keys that are pressed before the browser has closed a dialog are the page's", async ({ page }) => {
  await openDocument(page, document([reply]));
  await openLibrary(page);
  // Escape cancels a dialog at once, and closes it in a task of its own, which the next key may be ahead of.
  await page.evaluate(() => {
    window.document.querySelector("dialog")?.dispatchEvent(new Event("cancel", { cancelable: true }));
    window.document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true, cancelable: true }));
  });
  await expect(page.getByRole("dialog", { name: "Search" })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(1);
});

test("who answers or pins with the keyboard has it where that was", async ({ page }) => {
  await openDocument(page, document([reply, { id: "s2", type: "approval", name: "ask", message: "Send it?", steps: [], else: [] }]));
  await run(page);
  const focused = (): Promise<string> => page.evaluate(() => globalThis.document.activeElement?.tagName ?? "");
  await page.getByRole("form", { name: "Answer" }).getByRole("button", { name: "Approve" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect.poll(focused).not.toBe("BODY");
  await card(page, "reply").click();
  await inspector(page).getByRole("button", { name: "Pin this output" }).focus();
  await page.keyboard.press("Enter");
  await expect(inspector(page).getByRole("button", { name: "Unpin" })).toBeFocused();
});

test("the names that a prompt reads are whole while it is written", async ({ page }) => {
  await openDocument(page, document([{ ...reply, inputFrom: undefined }]));
  await card(page, "reply").click();
  const prompt = inspector(page).getByRole("textbox", { name: "Prompt", exact: true });
  await prompt.click();
  await page.keyboard.type("{{ mail }}");
  const written = inspector(page).getByRole("group", { name: "Writes" });
  await expect(inspector(page).getByRole("group", { name: "Reads" }).getByRole("button", { name: "mail" })).toBeVisible();
  // Whole, and in front: each could be pressed.
  await written.getByRole("button").first().click({ trial: true });
  await expect(written).toBeInViewport({ ratio: 1 });
});

test("on a phone each kind of step shows its name", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await openDocument(page, document([reply]));
  await expect(page.locator(".palette").getByRole("button", { name: "Agent", exact: true })).toBeVisible();
  await expect(page.locator(".palette").getByText("Request", { exact: true })).toBeInViewport();
  await page.setViewportSize({ width: 900, height: 800 });
  await expect(page.locator(".palette").getByRole("button", { name: "Agent", exact: true })).toBeVisible();
});

test("problems and warnings are counted apart, and together where they are listed", async ({ page }) => {
  const elsewhere = { id: "s2", type: "http", name: "get", http: { url: "{{ item }}", origins: ["https://b.example"] } };
  const each = { id: "s1", type: "foreach", name: "each", items: "['https://a.example/x']", steps: [elsewhere] };
  await openDocument(page, document([each, { id: "s3", type: "function", name: "sum", run: { set: { a: "1" } } }]));
  await expect(page.locator(".problems-button")).toHaveText("1 warning");
  await card(page, "sum").click();
  await inspector(page).getByLabel("Expression").fill("1 +");
  await expect(page.locator(".problems-button")).toHaveText("1 problem, 1 warning");
  await page.locator(".problems-button").click();
  await expect(page.getByRole("tab", { name: /Problems/ })).toContainText("2");
});

test("what keeps a workflow from running is listed first, in the order of its steps", async ({ page }) => {
  const set = (id: string, name: string, value: string) => ({ id, type: "function", name, run: { set: { [`${name}_value`]: value } } });
  await openDocument(page, document([set("s1", "twin", "1"), set("s2", "twin", "1"), set("s3", "second", "1"), set("s4", "third", "2")]));
  await expect(page.locator(".problems-button")).toHaveText("1 warning");
  for (const name of ["third", "second"]) {
    await card(page, name).click();
    await inspector(page).getByLabel("Expression").fill("1 +");
  }
  await page.locator(".problems-button").click();
  const rows = page.locator("ul.problems button.problem");
  await expect(rows).toHaveText([/^\s*second/, /^\s*third/, /^\s*twin/]);
  await expect(rows.last()).toHaveAttribute("data-severity", "warning");
  await picture(page, "problems-in-order");
});
