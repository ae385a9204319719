// What a step says of itself: its prompt, its ways, what it reads and gives, its tools.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { card, drag, exported, kind, names, openBuilder, openDocument, picture, place, run, sorts, written } from "./builder.js";

function inspector(page: Page): Locator {
  return page.locator(".inspector");
}

async function empty(page: Page): Promise<void> {
  await openBuilder(page);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("An empty workflow").click();
  await expect(page.locator(".card")).toHaveCount(0);
}

test("a new agent step is ready for its instructions, clicked or dragged", { tag: "@firefox" }, async ({ page }) => {
  await empty(page);
  await kind(page, "agent").click();
  await expect(card(page, "agent")).toHaveClass(/selected/);
  await expect(inspector(page).getByLabel("Prompt")).toBeFocused();
  await page.keyboard.type("Write about bees.");
  await expect.poll(() => written(inspector(page).getByLabel("Prompt"))).toBe("Write about bees.");
  await drag(page, kind(page, "agent"), place(page, "/1"));
  await expect(card(page, "agent_2")).toHaveClass(/selected/);
  await page.keyboard.type("Now about wasps.");
  await expect.poll(() => written(inspector(page).getByLabel("Prompt"))).toBe("Now about wasps.");
  await expect(card(page, "agent")).toContainText("Write about bees.");
  // What was typed is one change, and the step the one before.
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card(page, "agent_2")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card(page, "agent_2")).toHaveCount(0);
});

test("a switch behind an agent that answers with one of some words has a case for each", async ({ page }) => {
  await openDocument(page, sorts);
  await card(page, "sort").click();
  await kind(page, "switch").click();
  await expect(page.locator(".branch")).toHaveText(["billing", "broken", "other", "default"]);
  await page.getByRole("button", { name: "Show everything" }).click();
  await drag(page, kind(page, "function"), place(page, "s2/cases[1].steps/0"));
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await card(page, "switch").click();
  // A case that is gone can be made again, and no other one is made twice.
  await inspector(page).getByRole("button", { name: "Remove case 3" }).click();
  await expect(page.locator(".branch")).toHaveText(["billing", "broken", "default"]);
  await inspector(page).getByRole("button", { name: "A case for each answer of sort" }).click();
  await expect(page.locator(".branch")).toHaveText(["billing", "broken", "other", "default"]);
  await expect(inspector(page).getByRole("button", { name: "A case for each answer of sort" })).toHaveCount(0);
  await expect(card(page, "function")).toBeVisible();
  await expect(page.locator(".card.flawed")).toHaveCount(0);
});

test("a switch that is moved behind such an agent gets its cases there, once, in the same undo", async ({ page }) => {
  await openDocument(page, sorts);
  await drag(page, kind(page, "switch"), place(page, "/0"));
  await expect(page.locator(".branch")).toHaveText(["true", "default"]);
  await drag(page, card(page, "switch"), place(page, "/2"));
  await expect(page.locator(".branch")).toHaveText(["billing", "broken", "other", "default"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.locator(".branch")).toHaveText(["true", "default"]);
  await expect(page.locator(".card").first()).toContainText("switch");
  // By the keyboard and through the clipboard it is the same.
  await card(page, "switch").click();
  await page.keyboard.press("Alt+ArrowDown");
  await expect(page.locator(".branch")).toHaveText(["billing", "broken", "other", "default"]);
});

test("one click makes the answer of an agent one of some words, and one more a switch with their cases", { tag: "@firefox" }, async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("An empty workflow").click();
  await kind(page, "agent").click();
  await expect(inspector(page).getByLabel("Prompt")).toBeFocused();
  const words = inspector(page).getByLabel("Choices");
  await inspector(page).getByRole("button", { name: "Answer only with words from a list" }).click();
  await expect(words).toBeFocused();
  await picture(page, "answer-with-words");
  // What is typed takes the place of the words that stand there as examples.
  await page.keyboard.type("billing\ndelivery\nother");
  await expect(words).toHaveValue("billing\ndelivery\nother");
  await expect(inspector(page).getByRole("button", { name: "Answer only with words from a list" })).toHaveCount(0);
  await kind(page, "switch").click();
  await expect(page.locator(".branch")).toHaveText(["billing", "delivery", "other", "default"]);
  const { agents } = (await exported(page)) as unknown as { agents: Record<string, { output?: unknown }> };
  expect(Object.values(agents).map(({ output }) => output)).toContainEqual({ enum: ["billing", "delivery", "other"] });
  // The switch with its cases is one undo, and so are the words.
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card(page, "switch")).toHaveCount(0);
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(page.locator(".branch")).toHaveCount(4);
  // A word that comes later is one more click for the switch.
  await card(page, "agent").click();
  await words.fill("billing\ndelivery\nother\nspam");
  await card(page, "switch").click();
  await inspector(page).getByRole("button", { name: "A case for each answer of agent" }).click();
  await expect(page.locator(".branch")).toHaveText(["billing", "delivery", "other", "spam", "default"]);
  await expect(page.locator(".card.flawed")).toHaveCount(0);
  await page.reload();
  await card(page, "agent").click();
  await inspector(page).locator("summary").filter({ hasText: "More of this agent" }).click();
  await expect(words).toHaveValue("billing\ndelivery\nother\nspam");
  await inspector(page).getByRole("button", { name: "Any text" }).click();
  await expect(words).toHaveCount(0);
  await expect(inspector(page).getByRole("button", { name: "Answer only with words from a list" })).toBeVisible();
});

test("the form of an agent says who decides by its answer, and has it answer with the words that are compared", async ({ page }) => {
  await empty(page);
  await kind(page, "agent").click();
  await expect(inspector(page).getByText("decides next")).toHaveCount(0);
  await kind(page, "condition").click();
  await card(page, "agent").click();
  await expect(inspector(page).getByText("condition decides next: it can take a way for each word that this may answer with.")).toBeInViewport({ ratio: 1 });
  await expect(inspector(page).getByRole("button", { name: "Answer only with words from a list" })).toBeInViewport({ ratio: 1 });
  await card(page, "condition").click();
  await inspector(page).getByLabel("Condition", { exact: true }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("agent_output == 'billing'");
  await card(page, "agent").click();
  await expect(inspector(page).getByText("condition compares the answer with words, and it may be any text.")).toBeInViewport({ ratio: 1 });
  await inspector(page).getByRole("button", { name: "Answer with one of: billing, other" }).click();
  const { agents } = (await exported(page)) as unknown as { agents: Record<string, { output?: unknown }> };
  expect(Object.values(agents).map(({ output }) => output)).toContainEqual({ enum: ["billing", "other"] });
  await expect(inspector(page).locator(".chosen-words")).toContainText("billing, other");
});

test("words that a prompt lists, or that cases ask for, become the answers of an agent at a click", async ({ page }) => {
  await empty(page);
  await kind(page, "agent").click();
  await inspector(page).getByLabel("Prompt").fill("Is this mail good, bad or mixed? {{ mail }}");
  await expect(inspector(page).getByRole("button", { name: "Answer with one of: good, bad, mixed" })).toBeVisible();
  await kind(page, "switch").click();
  const compare = async (at: number, word: string): Promise<void> => {
    const when = inspector(page).getByLabel("When").nth(at);
    await when.click();
    await expect(when).toHaveAttribute("contenteditable", "true");
    await when.fill(`agent_output == '${word}'`);
    // What is said below a field lies over what is offered there, until the field is left.
    await inspector(page).locator(".inspector-head").click();
    await expect(inspector(page).locator(".preview")).toHaveCount(0);
  };
  await compare(0, "good");
  await expect(page.locator(".branch")).toHaveText(["good", "default"]);
  await inspector(page).getByRole("button", { name: "Add a case" }).click();
  await compare(1, "bad");
  await picture(page, "words-of-cases");
  await inspector(page).getByRole("button", { name: "Let agent answer with one of: good, bad, other" }).click();
  await expect(inspector(page).getByText("answers with any text")).toHaveCount(0);
  expect(await exported(page)).toMatchObject({ agents: { agent: { output: { enum: ["good", "bad", "other"] } } } });
  await drag(page, kind(page, "agent"), place(page, "s2/cases[1].steps/0"));
  await expect.poll(() => names(page)).toEqual(["agent", "switch", "bad"]);
  await page.keyboard.press("Escape");
  await card(page, "agent").click();
  await expect(inspector(page).getByRole("button", { name: /^Answer with one of/ })).toHaveCount(0);
  for (let step = 0; step < 2; step += 1) await page.getByRole("button", { name: "Undo" }).click();
  await card(page, "agent").click();
  await inspector(page).getByRole("button", { name: "Answer with one of: good, bad, mixed" }).click();
  expect(await exported(page)).toMatchObject({ agents: { agent: { output: { enum: ["good", "bad", "mixed"] } } } });
  // What was chosen stands where it was offered, with a way back.
  await expect(inspector(page).locator(".chosen-words")).toHaveText("Answers with one of: good, bad, mixed");
  await picture(page, "chosen-words");
  expect(await findings(page)).toEqual([]);
  await inspector(page).getByRole("button", { name: "Remove these words" }).click();
  await expect(inspector(page).locator(".chosen-words")).toHaveCount(0);
  await expect(inspector(page).getByRole("button", { name: "Answer with one of: good, bad, mixed" })).toBeVisible();
});

test("a case is called as a person calls it: its steps stay, and one undo takes the name back", async ({ page }) => {
  await openDocument(page, sorts);
  await card(page, "sort").click();
  await kind(page, "switch").click();
  await page.getByRole("button", { name: "Show everything" }).click();
  await drag(page, kind(page, "function"), place(page, "s2/cases[1].steps/0"));
  await card(page, "switch").click();
  const name = inspector(page).getByLabel("Name of case 2");
  await expect(name).toHaveValue("broken");
  await name.press("Control+a");
  await name.pressSequentially("Broken jars");
  await name.press("Tab");
  await expect(page.locator(".branch")).toHaveText(["billing", "Broken jars", "other", "default"]);
  await page.locator(".palette").getByRole("button", { name: "Outline" }).click();
  await expect(page.locator('[role=treeitem][data-line="s3"]')).toHaveAttribute("aria-label", "Broken jars function, Function");
  await picture(page, "case-names");
  await page.reload();
  await expect(page.locator(".branch")).toHaveText(["billing", "Broken jars", "other", "default"]);
  const { steps } = (await exported(page)) as unknown as { steps: { cases: { name?: string; steps: unknown[] }[] }[] };
  expect(steps[1]?.cases.map(({ name, steps }) => [name, steps.length])).toEqual([["billing", 0], ["Broken jars", 1], ["other", 0]]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.locator(".branch")).toHaveText(["billing", "broken", "other", "default"]);
  await expect(card(page, "function")).toBeVisible();
  // Without a name it is called by its condition.
  await card(page, "switch").click();
  await inspector(page).getByLabel("Name of case 1").fill("");
  // Without a name it is called by the word that it asks for.
  await expect(page.locator(".branch").first()).toHaveText("billing");
});

test("a new approval shows both of its ways, on the canvas, in the outline and in the form", async ({ page }) => {
  await empty(page);
  await kind(page, "approval").click();
  await expect(page.locator(".branch")).toHaveText(["approved", "refused"]);
  await expect(inspector(page).getByRole("checkbox", { name: /Steps when approved/ })).toBeChecked();
  await expect(inspector(page).getByRole("checkbox", { name: /Steps when refused/ })).toBeChecked();
  await kind(page, "function").click();
  await page.locator(".palette").getByRole("button", { name: "Outline" }).click();
  await expect(page.locator('[role=treeitem][data-line="s2"]')).toHaveAttribute("aria-label", /^approved function/);
  await expect(page.locator('[role=treeitem][data-line="s1/else/0"]')).toHaveAttribute("aria-label", "refused Add a step");
  await expect(page.locator(".card.flawed")).toHaveCount(0);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(card(page, "approval")).toContainText("Waits for your answer");
  await inspector(page).getByRole("form", { name: "Answer" }).getByRole("button", { name: "Approve" }).click();
  await expect(card(page, "function")).toHaveAttribute("data-status", "done");
});

test("a step shows what it reads and writes, and a name lights the card at its other end", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Passing",
    initialState: { topic: "bees" },
    models: { default: { provider: "demo", model: "demo" } },
    agents: { writer: { model: "default" } },
    steps: [
      { id: "s1", type: "agent", name: "draft", agent: "writer", inputFrom: "Write about {{ topic }}." },
      { id: "s2", type: "function", name: "count", run: { set: { size: "draft_output | length" } } },
      { id: "s3", type: "condition", name: "long", condition: "size > 3 and steps.draft.output", steps: [{ id: "s4", type: "wait", name: "rest", wait: { ms: 1 } }], else: [{ id: "s5", type: "wait", name: "other", wait: { ms: 1 } }] },
    ],
  });
  const reads = inspector(page).getByRole("group", { name: "Reads" }).getByRole("button");
  const writes = inspector(page).getByRole("group", { name: "Writes" }).getByRole("button");
  await card(page, "long").click();
  await expect(reads).toHaveText(["size", "draft_output"]);
  await expect(writes).toHaveCount(0);
  await reads.first().hover();
  await expect(card(page, "count")).toHaveClass(/lit/);
  await expect(card(page, "draft")).not.toHaveClass(/lit/);
  expect(await findings(page)).toEqual([]);
  await picture(page, "reads-and-writes");
  await page.mouse.move(640, 700);
  await expect(page.locator(".card.lit")).toHaveCount(0);
  await reads.nth(1).click();
  await expect(card(page, "draft")).toHaveClass(/selected/);
  await expect(reads).toHaveText(["topic"]);
  await reads.first().hover();
  await expect(reads.first()).toHaveAttribute("title", "from the initial state");
  await expect(writes).toHaveText(["draft_output"]);
  await writes.first().hover();
  await expect(page.locator(".card.lit .card-name")).toHaveText(["count", "long"]);
  await expect(writes.first()).toHaveAttribute("title", "read by count, long");
  // What is typed counts at once.
  await inspector(page).getByLabel("Prompt").fill("Write about {{ topic }} for {{ reader }}.");
  await expect(reads).toHaveText(["topic", "reader"]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await findings(page)).toEqual([]);
});
