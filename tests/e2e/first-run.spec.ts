// What who runs a workflow for the first times comes upon: what is missing, what failed, and what a run asks.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { card, openBuilder, openDocument, openLibrary, picture, run, written } from "./builder.js";

const models = { demo: { provider: "demo", model: "demo" } };
const agents = { clerk: { model: "demo" } };

/** A person says yes or no. */
const review = {
  type: "approval",
  name: "review",
  message: "Good?",
  output: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
};

function inspector(page: Page): Locator {
  return page.locator(".inspector");
}

function ask(prompt: string, more: object = {}): object {
  return { id: "s1", type: "agent", name: "ask", agent: "clerk", inputFrom: prompt, ...more };
}

function document(steps: readonly object[], more: object = {}): object {
  return { version: 1, name: "First", models, agents, steps, ...more };
}

function pressRun(page: Page): Promise<void> {
  return page.getByRole("button", { name: "Run", exact: true }).click();
}

test("a run is asked for what nothing gives, in the form of what it is given", async ({ page }) => {
  const each = { id: "s2", type: "foreach", name: "each", items: "urls", steps: [] };
  await openDocument(page, document([ask("Write about {{ topic }}"), each]));
  await pressRun(page);
  const dialog = page.getByRole("dialog", { name: "Run with" });
  await expect(dialog).toContainText("“ask” reads it, and nothing gives it.");
  await picture(page, "asked-undeclared");
  await dialog.getByRole("button", { name: "Run" }).click();
  await expect(dialog).toContainText("topic");
  await dialog.getByLabel("topic").fill("bees");
  await dialog.getByRole("button", { name: "Run" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(card(page, "ask")).toContainText("bees");
  // It is asked for again, with what it was given last.
  await pressRun(page);
  await expect(dialog.getByLabel("topic")).toHaveValue("bees");
});

test("what failed says that its step has changed since, and is run again at a click", async ({ page }) => {
  const input = { type: "object", properties: { mail: { type: "string" } }, required: ["mail"] };
  await openDocument(page, document([ask("{{ mail }} {{ list.first }}")], { input, initialState: { list: {} } }));
  const given = page.getByRole("dialog", { name: "Run with" });
  await pressRun(page);
  await given.getByLabel("mail").fill("Hello");
  await given.getByRole("button", { name: "Run" }).click();
  const failure = page.locator(".run-view .failure");
  await expect(failure).toContainText("“Prompt” has no value");
  // It may pass the next time, so that it can be run again as it is.
  await failure.getByRole("button", { name: "Run again" }).click();
  await expect(page.getByLabel("Runs of this workflow").locator("option")).toHaveCount(2);
  await expect(failure).toContainText("“Prompt” has no value");
  const red = await failure.evaluate((element) => getComputedStyle(element).backgroundColor);
  await card(page, "ask").click();
  await inspector(page).getByLabel("Prompt").fill("{{ mail }}");
  await expect(failure).toContainText("“ask” has changed since.");
  await expect(failure).not.toHaveCSS("background-color", red);
  await picture(page, "failed-before");
  await failure.getByRole("button", { name: "Run again" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(given).toHaveCount(0);
  await expect(failure).toHaveCount(0);
  await expect(card(page, "ask")).toContainText("Hello");
});

test("a run that problems kept from beginning is begun where they were listed", async ({ page }) => {
  await openDocument(page, document([{ id: "s1", type: "condition", name: "way", condition: "(", steps: [], else: [] }])).catch(() => page.getByRole("button", { name: "Open it anyway" }).click());
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const panel = page.locator(".panel");
  await expect(panel.locator("button.problem")).toHaveCount(1);
  await panel.locator("button.problem").click();
  await inspector(page).getByLabel("Condition").fill("true");
  await expect(panel).toContainText("No problems");
  await panel.getByRole("button", { name: "Run it" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
});

test("a loop says what ended it", async ({ page }) => {
  const loop = (id: string, name: string, more: object) => ({ id, type: "loop", name, maxIterations: 3, steps: [{ id: `${id}a`, type: "function", name: `count_${name}`, run: { set: { [name]: `${name} + 1` } } }], ...more });
  await openDocument(page, document([loop("s1", "few", { repeat: { until: "few == 2" } }), loop("s2", "most", { repeat: { until: "false" }, onMax: "continue" }), loop("s3", "some", { repeat: { while: "some < 1" } })], { initialState: { few: 0, most: 0, some: 0 } }));
  await run(page);
  const row = (name: string) => page.locator(".step-row").filter({ has: page.locator(`b:text-is("${name}")`) }).locator(".step-text");
  await expect(row("few")).toHaveText("2 rounds, until its condition held");
  await expect(row("most")).toHaveText("3 rounds, the most that it may run");
  await expect(row("some")).toHaveText("1 round, until its condition held no longer");
  await card(page, "most").click({ position: { x: 20, y: 10 } });
  await expect(page.locator(".run-of-step .output")).toHaveText("3 rounds, the most that it may run");
});

test("a step whose name expressions cannot read is called otherwise at a click, with what reads it", async ({ page }) => {
  await openDocument(page, document([ask("Hello"), { ...ask("{{ ask_output }}"), id: "s9", name: "next" }]));
  await card(page, "ask").click();
  const name = inspector(page).getByLabel("Name", { exact: true });
  await expect(inspector(page)).toContainText("Its answer becomes ask_output");
  await name.fill("fetch items");
  await expect(inspector(page)).toContainText("templates cannot name the answer of “fetch items” plainly");
  // What is said below the field does not hide it while a person is in there.
  await expect(name).toBeFocused();
  await picture(page, "call-it");
  await inspector(page).getByRole("button", { name: "Call it fetch_items" }).click();
  await expect(name).toHaveValue("fetch_items");
  await expect(inspector(page)).toContainText("Its answer becomes fetch_items_output");
  await expect(inspector(page).getByRole("button", { name: /^Call it/ })).toHaveCount(0);
  await card(page, "next").click();
  await expect.poll(() => written(inspector(page).getByLabel("Prompt"))).toBe('{{ state["fetch_items_output"] }}');
});

test("a fix of a failure has it offered to be run again", async ({ page }) => {
  await openDocument(page, document([ask("{{ tpoic }}")], { initialState: { topic: "bees" } }));
  await run(page);
  const failure = page.locator(".run-view .failure");
  await failure.getByRole("button", { name: "Write topic" }).click();
  await failure.getByRole("button", { name: "Run again" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
});

test("addresses as items become a list at a click", async ({ page }) => {
  await openDocument(page, document([{ id: "s1", type: "foreach", name: "each", items: "[1]", steps: [] }]));
  await card(page, "each").click();
  const items = inspector(page).getByLabel("Items");
  await items.fill("https://a.example, https://b.example");
  await expect(inspector(page)).toContainText("plain texts are no list yet");
  await picture(page, "plain-items");
  await inspector(page).getByRole("button", { name: "Make a list of 2 texts" }).click();
  await expect.poll(() => written(items)).toBe('["https://a.example", "https://b.example"]');
  await expect(page.locator(".problems-button")).toHaveCount(0);
});

test("a case that is always true says so, and the answer before it decides at a click", async ({ page }) => {
  const way = { id: "s2", type: "switch", name: "way", cases: [{ when: "true", steps: [] }], default: [] };
  await openDocument(page, document([ask("Is it billing, broken or other?"), way]));
  await card(page, "way").click();
  await expect(inspector(page).getByText("It is always true")).toBeVisible();
  await picture(page, "always-true");
  await inspector(page).getByRole("button", { name: "Let ask answer with one of: billing, broken, other" }).click();
  await expect(page.locator(".branch")).toHaveText(["billing", "broken", "other", "default"]);
  await expect(inspector(page).getByText("It is always true")).toHaveCount(0);
});

test("runs keep their numbers after a reload", async ({ page }) => {
  await openDocument(page, document([ask("Hello")]));
  const past = page.getByLabel("Runs of this workflow").locator("option");
  await run(page);
  await run(page);
  await expect(past).toHaveText(["Run 2: done", "Run 1: done"]);
  await page.reload();
  await expect(past).toHaveText(["Run 2: done", "Run 1: done"]);
  await card(page, "ask").click();
  await inspector(page).getByLabel("Prompt", { exact: true }).fill("Hello again");
  await run(page);
  await expect(past).toHaveText(["Run 3: done", "Run 2: done", "Run 1: done"]);
});

test("a run that waits has its own number when it is shown again, and the next one another", async ({ page }) => {
  await openDocument(page, document([{ id: "s1", ...review }]));
  const past = page.getByLabel("Runs of this workflow").locator("option");
  for (let times = 0; times < 2; times += 1) {
    await pressRun(page);
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
    await page.getByRole("form", { name: "Answer" }).getByRole("button", { name: "Approve" }).click();
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  }
  await pressRun(page);
  await expect(past).toHaveText(["Run 3: waits for your answer", "Run 2: done", "Run 1: done"]);
  await page.reload();
  await page.locator(".banner").getByRole("button", { name: "Show it" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await pressRun(page);
  await expect(past).toHaveText(["Run 4: waits for your answer", "Run 3: waits for your answer", "Run 2: done", "Run 1: done"]);
});

test("to show a run that waits sends nothing and asks nothing; its answer asks, and is kept until it is given", async ({ page }) => {
  const real = { demo: { provider: "openai", model: "tiny", baseUrl: "https://models.example/v1" } };
  await page.route("https://models.example/**", (route) => route.fulfill({ status: 500, body: "{}" }));
  const schema = { type: "object", required: ["approved"], properties: { approved: { type: "boolean" }, comment: { type: "string" } } };
  await openDocument(page, document([{ id: "s2", ...review, schema }, ask("Hello")], { models: real }));
  const agree = page.getByRole("dialog", { name: "Send data to these addresses?" });
  await pressRun(page);
  await agree.getByRole("button", { name: "Send and run" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await page.reload();
  await page.locator(".banner").getByRole("button", { name: "Show it" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await expect(agree).toHaveCount(0);
  const answer = page.getByRole("form", { name: "Answer" });
  await answer.getByLabel("comment").fill("As agreed");
  await answer.getByRole("button", { name: "Approve" }).click();
  await expect(agree).toContainText("https://models.example");
  // Nothing is answered yet: what was written is there after a no, and after a reload.
  await agree.getByRole("button", { name: "Cancel" }).click();
  await expect(answer.getByLabel("comment")).toHaveValue("As agreed");
  await answer.getByRole("button", { name: "Approve" }).click();
  await expect(agree).toBeVisible();
  await page.reload();
  await page.locator(".banner").getByRole("button", { name: "Show it" }).click();
  await expect(answer.getByLabel("comment")).toHaveValue("As agreed");
  await answer.getByRole("button", { name: "Approve" }).click();
  await agree.getByRole("button", { name: "Send and run" }).click();
  await expect(card(page, "ask")).toHaveAttribute("data-status", /running|error/);
});

test("the beginning says what a run asks for", async ({ page }) => {
  const input = { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] };
  await openDocument(page, document([ask("{{ topic }}")], { input }));
  await expect(page.locator(".pill.start")).toHaveText("Asks for topic");
});

test("a new workflow has no view of the one before it", async ({ page }) => {
  await openBuilder(page);
  await openDocument(page, document([ask("{{ tpoic }}")], { initialState: { topic: "bees" } }));
  await run(page);
  await page.getByRole("tab", { name: "Problems" }).click();
  await (await openLibrary(page)).getByRole("button", { name: "New" }).click();
  await expect(page.locator(".title-input")).toHaveValue("Untitled");
  await expect(page.locator(".panel")).toHaveCount(0);
});

test("of a run that waits the words on the ways are seen, and not under the zoom", async ({ page }) => {
  await page.setViewportSize({ width: 1000, height: 640 });
  const approval = { id: "s5", type: "approval", name: "review", message: "Good?", steps: [ask("Hello", { id: "s6", name: "reply" })], else: [] };
  const steps = ["s1", "s2", "s3"].map((id) => ask("Hello", { id, name: `ask_${id}` }));
  await openDocument(page, document([...steps, approval]));
  await run(page);
  const bar = await page.locator(".controls").boundingBox();
  const panel = await page.locator(".panel").boundingBox();
  await expect(async () => {
    for (const word of await page.locator(".branch").all()) {
      const box = await word.boundingBox();
      if (box === null || bar === null || panel === null) throw new Error("it is not on the page");
      const isUnder = box.x < bar.x + bar.width && box.y + box.height > bar.y;
      expect(isUnder).toBe(false);
      expect(box.y + box.height).toBeLessThan(panel.y);
    }
  }).toPass();
});

test("a run that needs the answer of a step that is switched off says so", async ({ page }) => {
  const off = { ...ask("Draft"), id: "s0", name: "draft", enabled: false };
  await openDocument(page, document([off, ask("{{ draft_output }}")]));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "Run with" })).toContainText("“ask” reads it, and “draft”, which gives it, is switched off.");
});
