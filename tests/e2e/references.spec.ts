import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { card, exported, names, openDocument, picture, written } from "./builder.js";

/** A step that two others read, one of them in a condition and in a text that has a name of its own. */
const report = {
  version: 1,
  name: "Report",
  initialState: { topic: "bees", lines: ["a"] },
  models: { default: { provider: "demo", model: "demo" } },
  agents: { draft: { model: "default" }, editor: { model: "default" } },
  steps: [
    { id: "s1", type: "agent", name: "draft", agent: "draft", inputFrom: "Write about {{ topic }}." },
    { id: "s2", type: "condition", name: "long", condition: "draft_output | length > 10", steps: [
      { id: "s3", type: "agent", name: "shorten", agent: "editor", inputFrom: "{% for draft_output in lines %}{{ draft_output }}{% endfor %}Shorten: {{ draft_output }}" },
    ] },
    { id: "s4", type: "foreach", name: "each", items: "lines", as: "line", result: "line ~ line_index", steps: [
      { id: "s5", type: "function", name: "keep", run: { set: { kept: "line ~ steps.draft.output" } } },
    ] },
    { id: "s6", type: "agent", name: "check", agent: "editor", inputFrom: "{{ topic }}" },
  ],
};

function inspector(page: Page): Locator {
  return page.locator(".inspector");
}

async function prompt(page: Page, step: string): Promise<string> {
  await card(page, step).click();
  return written(inspector(page).getByLabel("Prompt"));
}

test("what uses a step follows its name, letter by letter and in one undo", async ({ page }) => {
  await openDocument(page, report);
  await card(page, "draft").click();
  const name = inspector(page).getByLabel("Name", { exact: true });
  await name.press("Control+a");
  // Halfway it is the name of another step.
  await name.pressSequentially("checked text");
  await name.press("Tab");
  await expect.poll(() => prompt(page, "shorten")).toBe('{% for draft_output in lines %}{{ draft_output }}{% endfor %}Shorten: {{ state["checked text_output"] }}');
  await expect.poll(() => prompt(page, "check")).toBe("{{ topic }}");
  await card(page, "long").click();
  await expect.poll(() => written(inspector(page).getByLabel("Condition"))).toBe('state["checked text_output"] | length > 10');
  await card(page, "keep").click();
  await expect.poll(() => written(inspector(page).getByLabel("Expression"))).toBe('line ~ steps["checked text"].output');
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
  await expect(card(page, "draft")).toBeVisible();
  await expect.poll(() => prompt(page, "shorten")).toContain("Shorten: {{ draft_output }}");
  await expect(page.getByRole("button", { name: "Undo" })).toBeDisabled();
  await page.keyboard.press("Control+Shift+z");
  await page.reload();
  await expect.poll(() => prompt(page, "shorten")).toContain('{{ state["checked text_output"] }}');
});

test("an item, a key, an agent and a model take their uses along", async ({ page }) => {
  await openDocument(page, report);
  await card(page, "each").click();
  const item = inspector(page).getByLabel("Each item is called");
  await item.fill("row");
  await item.press("Tab");
  await expect.poll(() => written(inspector(page).getByLabel("Result of each item"))).toBe("row ~ row_index");
  await card(page, "keep").click();
  await expect.poll(() => written(inspector(page).getByLabel("Expression"))).toBe("row ~ steps.draft.output");
  await card(page, "shorten").click();
  await expect(inspector(page).locator(".shared")).toHaveText(/Shared by 2 steps: shorten, check\./);
  const agent = inspector(page).getByLabel("This agent is called");
  await agent.fill("draft");
  await agent.press("Tab");
  await expect(inspector(page).getByRole("alert").filter({ hasText: "Another agent has this name already." })).toBeVisible();
  await agent.fill("reviewer");
  await agent.press("Tab");
  await expect(inspector(page).getByRole("combobox", { name: "Answered by", exact: true })).toHaveValue("reviewer");
  await card(page, "check").click();
  await expect(inspector(page).getByRole("combobox", { name: "Answered by", exact: true })).toHaveValue("reviewer");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await inspector(page).locator("summary", { hasText: "default" }).click();
  const model = inspector(page).getByLabel("This model is called");
  await model.fill("small");
  await model.press("Tab");
  await card(page, "check").click();
  await expect(inspector(page).getByRole("combobox", { name: "Model", exact: true })).toHaveValue("small");
  await expect(page.locator(".problem-count, .problems li")).toHaveCount(0);
});

test("who uses a step is said before it is deleted", async ({ page }) => {
  await openDocument(page, report);
  await card(page, "draft").click();
  await page.keyboard.press("Delete");
  const dialog = page.getByRole("dialog", { name: "Others use this" });
  await expect(dialog).toContainText("“draft” is used by:");
  await expect(dialog.getByRole("listitem")).toHaveText([/long Condition/, /shorten Prompt/, /keep the value of kept/]);
  expect(await findings(page)).toEqual([]);
  await picture(page, "delete-used");
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await findings(page)).toEqual([]);
  await picture(page, "delete-used-dark");
  await page.keyboard.press("Escape");
  await expect(card(page, "draft")).toBeVisible();
  await card(page, "draft").click();
  await page.keyboard.press("Delete");
  await dialog.getByRole("button", { name: /shorten/ }).click();
  await expect(card(page, "shorten")).toHaveClass(/selected/);
  await card(page, "draft").click();
  await inspector(page).getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.getByRole("button", { name: "Delete anyway" }).click();
  await expect.poll(() => names(page)).not.toContain("draft");
  await page.keyboard.press("Control+z");
  await expect.poll(() => names(page)).toContain("draft");
  // No step uses this one, so no question comes.
  await card(page, "check").click();
  await page.keyboard.press("Delete");
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => names(page)).not.toContain("check");
});

test("who uses an agent or a model is said before it is deleted", async ({ page }) => {
  await openDocument(page, report);
  await page.keyboard.press("Escape");
  await inspector(page).getByRole("button", { name: "Remove agent editor" }).click();
  const dialog = page.getByRole("dialog", { name: "Others use this" });
  await expect(dialog.getByRole("listitem")).toHaveText([/shorten Agent/, /check Agent/]);
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await inspector(page).getByRole("button", { name: "Remove model default" }).click();
  await expect(dialog.getByRole("listitem")).toHaveText([/agents\.draft\.model/, /agents\.editor\.model/]);
  await dialog.getByRole("button", { name: "Delete anyway" }).click();
  await expect(inspector(page).getByRole("button", { name: "Remove model default" })).toHaveCount(0);
});

test("a problem with a certain end offers it in the list and at its field", async ({ page }) => {
  await openDocument(page, {
    ...report,
    steps: [
      { id: "s1", type: "agent", name: "draft", agent: "draft", inputFrom: "Write about {{ tpoic }}." },
      { id: "s2", type: "condition", name: "long", condition: "topic != ''", steps: [{ id: "s3", type: "agent", name: "more", agent: "editor", inputFrom: "{{ topic }}" }] },
      { id: "s4", type: "agent", name: "end", agent: "editor", inputFrom: "{{ more_output }}" },
    ],
  });
  await page.locator(".problems-button").click();
  const list = page.locator("ul.problems");
  await expect(list.locator(".fix")).toHaveText(["Write topic", "Ask for tpoic when running", "Add tpoic to the initial state", "Write | default('')"]);
  await picture(page, "problems-with-fixes");
  await list.getByRole("button", { name: /nothing gives “tpoic”/ }).click();
  await inspector(page).getByRole("button", { name: "Write topic" }).click();
  await expect.poll(() => written(inspector(page).getByLabel("Prompt"))).toBe("Write about {{ topic }}.");
  await list.getByRole("button", { name: "Write | default('')" }).click();
  await expect.poll(() => prompt(page, "end")).toBe("{{ more_output | default('') }}");
  await expect(page.getByText("No problems: the workflow is ready to run.")).toBeVisible();
  for (let index = 0; index < 2; index += 1) await page.keyboard.press("Control+z");
  await expect(list.locator(".fix")).toHaveCount(4);
});

test("a name in JavaScript that is nearly a key of the state is a problem with a fix, also in a tool", async ({ page }) => {
  const look = { description: "Looks up.", input: { type: "object", properties: { word: { type: "string" } }, required: ["word"] }, run: { code: "return state.wrod" } };
  await openDocument(page, {
    version: 1,
    name: "Code",
    initialState: { prices: [3, 4] },
    tools: { look },
    steps: [{ id: "s1", type: "function", name: "total", run: { code: "const [first] = state.pricess;\nreturn { first, all: state.pricess, note: state.note ?? '' };" } }],
  });
  await page.locator(".problems-button").click();
  const list = page.locator("ul.problems");
  await expect(list).toContainText("nothing gives “pricess” before this");
  await picture(page, "problems-in-code");
  await list.getByRole("button", { name: "Write prices" }).click();
  await list.getByRole("button", { name: "Write word" }).click();
  await expect(page.getByText("No problems: the workflow is ready to run.")).toBeVisible();
  const { steps, tools } = (await exported(page)) as unknown as { steps: { run: { code: string } }[]; tools: { look: { run: { code: string } } } };
  expect(steps[0]?.run.code).toBe("const [first] = state.prices;\nreturn { first, all: state.prices, note: state.note ?? '' };");
  expect(tools.look.run.code).toBe("return state.word");
});

/** A counter: its first value, and a step that gives another one each time. */
const counting = {
  version: 1,
  name: "Counting",
  initialState: { count: 0, other: 1 },
  steps: [
    { id: "s1", type: "loop", name: "again", repeat: { while: "count < 3" }, maxIterations: 5, steps: [{ id: "s2", type: "function", name: "add", run: { set: { count: "count + 1" } } }] },
    { id: "s3", type: "function", name: "end", run: { set: { all: "count ~ other" } } },
  ],
};

test("a key that several give is renamed in all of them, and a name that is in use is said", async ({ page }) => {
  await openDocument(page, counting);
  await card(page, "add").click();
  const key = inspector(page).getByLabel("Key", { exact: true });
  await key.fill("n");
  await key.press("Tab");
  await expect(page.locator(".notice")).toHaveText("“count” is now “n”: 4 uses changed with it.");
  await expect.poll(() => written(inspector(page).getByLabel("Expression"))).toBe("n + 1");
  expect(await exported(page)).toMatchObject({ initialState: { n: 0 }, steps: [{ repeat: { while: "n < 3" } }, { run: { set: { all: "n ~ other" } } }] });
  await page.keyboard.press("Control+z");
  expect(await exported(page)).toMatchObject(counting);
  await card(page, "end").click();
  await key.fill("other");
  await key.press("Tab");
  await expect(page.locator(".notice")).toHaveText("“other” was there already, and both are one now: what reads it has what was given last. Undo takes this back.");
  // What is taken back is no longer said.
  await page.keyboard.press("Control+z");
  await expect(page.locator(".notice")).toHaveCount(0);
});

test("a key may be given on both ways of a choice, and words that are meant as a text are put in quotes", async ({ page }) => {
  const set = (id: string, key: string) => ({ id, type: "function", name: id, run: { set: { [key]: "'yes'" } } });
  await openDocument(page, { version: 1, name: "Reply", steps: [{ id: "s1", type: "approval", name: "sign", steps: [set("sent", "reply")], else: [set("kept", "key")] }, set("last", "other")] });
  await card(page, "kept").click();
  const key = inspector(page).getByLabel("Key", { exact: true });
  await key.fill("reply");
  await key.press("Tab");
  const value = inspector(page).getByRole("textbox", { name: "Expression", exact: true });
  await value.fill("Sorry, it's refused.");
  await expect(inspector(page).locator(".set-row ~ .below .field-error")).toContainText("a text stands in quotes");
  await inspector(page).getByRole("button", { name: "Put it in quotes" }).click();
  await expect.poll(() => written(value)).toBe('"Sorry, it\'s refused."');
  await expect(page.locator(".card.flawed")).toHaveCount(0);
  await expect(page.locator(".notice")).toHaveCount(0);
  await card(page, "last").click();
  await key.fill("reply");
  await key.press("Tab");
  await expect(page.locator(".notice")).toContainText("“reply” was there already");
});

test("who uses a value of the state is said before it is deleted", async ({ page }) => {
  await openDocument(page, { ...counting, input: { type: "object", properties: { extra: { type: "string" } } }, steps: [...counting.steps, { id: "s4", type: "function", name: "last", run: { set: { more: "extra" } } }] });
  const dialog = page.getByRole("dialog", { name: "Others use this" });
  const values = inspector(page).locator(".state-rows");
  await values.getByRole("button", { name: /^Remove/ }).nth(1).click();
  await expect(dialog).toContainText("“other” is used by:");
  await expect(dialog.getByRole("listitem")).toHaveText([/end the value of all/]);
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await expect(values.getByLabel("Key", { exact: true })).toHaveCount(2);
  await inspector(page).getByRole("group", { name: "Input", exact: true }).getByRole("button", { name: "Remove this key" }).click();
  await expect(dialog).toContainText("“extra” is used by:");
  await dialog.getByRole("button", { name: "Delete anyway" }).click();
  // As the dialog says, the list of problems has it from now on.
  await page.locator(".problems-button").click();
  await expect(page.locator("ul.problems")).toContainText("nothing gives “extra” before this");
  // A counter that a step gives too is still there.
  await values.getByRole("button", { name: /^Remove/ }).first().click();
  await expect(dialog).toHaveCount(0);
});

test("a name that nothing gives is a problem with an end to click, without an input too", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Bare", models: { m: { provider: "demo", model: "demo" } }, agents: { a: { model: "m" } }, steps: [{ id: "s1", type: "agent", name: "ask", agent: "a", inputFrom: "About {{ topic }}" }] });
  await page.locator(".problems-button").click();
  const list = page.locator("ul.problems");
  await expect(list).toContainText("nothing gives “topic” before this");
  await list.getByRole("button", { name: "Write | default('')" }).click();
  await expect.poll(() => prompt(page, "ask")).toBe("About {{ topic | default('') }}");
  await expect(page.locator(".problems-button")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await list.getByRole("button", { name: "Add topic to the initial state" }).click();
  await expect(page.locator(".problems-button")).toHaveCount(0);
  expect(await exported(page)).toMatchObject({ initialState: { topic: "" } });
  await page.keyboard.press("Control+z");
  await list.getByRole("button", { name: "Ask for topic when running" }).click();
  await expect(page.locator(".problems-button")).toHaveCount(0);
  expect(await exported(page)).toMatchObject({ input: { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] } });
});

test("after a tool, an agent or a model is called otherwise the focus is where it went, and clicks count", async ({ page }) => {
  const agents = { models: { m: { provider: "demo", model: "demo" } }, agents: { helper: { model: "m", tools: ["price"] } }, tools: { price: { run: { code: "return {};" } } } };
  await openDocument(page, { version: 1, name: "Names", ...agents, steps: [{ id: "s1", type: "agent", name: "ask", agent: "helper", inputFrom: "Hello" }] });
  const inspector = page.locator(".inspector");
  await card(page, "ask").click();
  await inspector.getByRole("button", { name: "Edit tool price" }).click();
  const does = inspector.getByRole("textbox", { name: "What it does" });
  await inspector.getByLabel("Name of the tool").fill("price_of");
  await does.click();
  await expect(inspector.getByRole("button", { name: "Edit tool price_of" })).toBeVisible();
  await expect(does).toBeFocused();
  await page.keyboard.type("Says what it costs");
  await expect(inspector.locator(".switch-text").filter({ hasText: "price_of" })).toContainText("Says what it costs");
  await inspector.getByLabel("Name of the tool").fill("cost_of");
  await page.keyboard.press("Tab");
  await expect(inspector.getByRole("button", { name: "Edit tool cost_of" })).toBeVisible();
  await expect(does).toBeFocused();
  await inspector.getByLabel("Name of the tool").fill("cost");
  await inspector.getByRole("button", { name: "Add a tool" }).click();
  await expect(inspector.getByRole("button", { name: "Edit tool cost" })).toBeVisible();
  await expect(inspector.getByLabel("Name of the tool")).toHaveCount(1);
  await expect(inspector.getByLabel("Name of the tool")).toBeFocused();
  expect(Object.keys((await exported(page)).tools ?? {})).toHaveLength(2);

  await page.getByTitle("Open the workflow's settings").click();
  const summary = (name: string): Locator => inspector.locator("summary").getByText(name, { exact: true });
  await summary("helper").click();
  await inspector.getByLabel("This agent is called").fill("cashier");
  await expect(summary("cashier")).toBeVisible();
  // What can be no name is none there either.
  await inspector.getByLabel("This agent is called").fill("");
  await expect(summary("helper")).toBeVisible();
  await inspector.getByLabel("This agent is called").fill("clerk");
  await page.keyboard.press("Tab");
  await expect(summary("clerk")).toBeVisible();
  await expect(inspector.getByRole("textbox", { name: "Instructions" })).toBeFocused();
  await summary("m").click();
  await inspector.getByLabel("This model is called").fill("large");
  await page.keyboard.press("Tab");
  await expect(summary("large")).toBeVisible();
  await expect(inspector.getByLabel("This model is called")).toHaveValue("large");
  await expect(page.locator("body")).not.toBeFocused();
});

test("what reads a key of an answer follows its name, and whoever compares it with what it never is reads that", async ({ page }) => {
  const output = { type: "object", properties: { score: { type: "integer" }, kind: { type: "string", enum: ["good", "bad"] } }, required: ["score", "kind"] };
  await openDocument(page, {
    version: 1,
    name: "Rate",
    models: { m: { provider: "demo", model: "demo" } },
    agents: { rate: { model: "m", output } },
    steps: [
      { id: "s1", type: "agent", name: "rate", agent: "rate", inputFrom: "Rate." },
      { id: "s2", type: "condition", name: "high", condition: "rate_output.score > 3 and rate_output.kind == 'god'", steps: [{ id: "s3", type: "wait", name: "rest", wait: { ms: 1 } }] },
    ],
  });
  await expect(card(page, "high")).toHaveClass(/flawed/);
  await card(page, "high").click();
  await expect(inspector(page)).toContainText(/“rate_output.kind” is never “god”.*did you mean “good”\?/);
  await inspector(page).getByRole("button", { name: "Write 'good'" }).click();
  await expect(card(page, "high")).not.toHaveClass(/flawed/);
  await card(page, "rate").click();
  await inspector(page).locator("summary").filter({ hasText: "More of this agent" }).click();
  const key = inspector(page).getByLabel("Key", { exact: true }).first();
  await key.fill("points");
  await key.press("Tab");
  await expect(page.locator(".notice")).toHaveText("“score” is now “points”: 1 use changed with it.");
  expect(await exported(page)).toMatchObject({
    agents: { rate: { output: { properties: { points: { type: "integer" } }, required: ["points", "kind"] } } },
    steps: [{}, { condition: "rate_output.points > 3 and rate_output.kind == 'good'" }],
  });
  await page.keyboard.press("Control+z");
  expect(await exported(page)).toMatchObject({ agents: { rate: { output } }, steps: [{}, { condition: "rate_output.score > 3 and rate_output.kind == 'good'" }] });
});

test("what others use in a case, or behind an approval, is deleted only after a question", async ({ page }) => {
  const gives = (id: string, name: string): object => ({ id, type: "function", name, run: { set: { [name]: "1" } } });
  await openDocument(page, {
    version: 1,
    name: "Ways",
    steps: [
      { id: "s1", type: "switch", name: "choose", cases: [{ when: "true", steps: [gives("s2", "red")] }, { when: "true", steps: [gives("s3", "blue")] }], default: [] },
      { id: "s4", type: "approval", name: "boss", message: "?", steps: [gives("s5", "yes")] },
      { id: "s6", type: "function", name: "all", run: { set: { all: "(red | default(0)) ~ (yes | default(0))" } } },
    ],
  });
  const question = page.getByRole("dialog", { name: "Others use this" });
  const inspector = page.locator(".inspector");
  await card(page, "choose").click();
  await inspector.getByRole("button", { name: "Remove case 2" }).click();
  await expect(card(page, "blue")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(card(page, "blue")).toBeVisible();
  await card(page, "choose").click();
  await inspector.getByRole("button", { name: "Remove case 1" }).click();
  await expect(question).toContainText("“red” is used by:");
  await question.getByRole("button", { name: "Keep it" }).click();
  await expect(card(page, "red")).toBeVisible();
  await inspector.getByRole("button", { name: "Remove case 1" }).click();
  await question.getByRole("button", { name: "Delete anyway" }).click();
  await expect(card(page, "red")).toHaveCount(0);
  await card(page, "boss").click();
  const way = inspector.getByRole("checkbox", { name: /Steps when approved/ });
  await inspector.getByText("Steps when approved").click();
  await expect(question).toContainText("“yes” is used by:");
  await question.getByRole("button", { name: "Keep it" }).click();
  await expect(way).toBeChecked();
  await inspector.getByText("Steps when approved").click();
  await question.getByRole("button", { name: "Delete anyway" }).click();
  await expect(way).not.toBeChecked();
  await expect(card(page, "yes")).toHaveCount(0);
});
