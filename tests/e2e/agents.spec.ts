import { expect, test, type Locator, type Page } from "@playwright/test";
import { card, openBuilder, openDocument, picture, run } from "./builder.js";

/** A workflow of one agent on the demo model, with these tools. */
function helped(tools: object, agent: object = {}): object {
  return {
    version: 1,
    name: "Help",
    models: { default: { provider: "demo", model: "demo" } },
    tools,
    agents: { helper: { model: "default", tools: Object.keys(tools), ...agent } },
    steps: [{ id: "s1", type: "agent", name: "help", agent: "helper", inputFrom: "Pay the beekeeper." }],
  };
}

const pay = {
  description: "Pays somebody",
  input: { type: "object", required: ["to"], properties: { to: { type: "string" }, sum: { type: "integer", minimum: 5 } } },
  run: { code: "ctx.log(`paying ${state.to}`);\nreturn { paid: state.to };" },
  needsApproval: true,
};

function inspector(page: Page): Locator {
  return page.locator(".inspector");
}

test("the template of an agent with tools runs offline and answers with JSON", async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Honey orders").click();
  await expect(card(page, "answer")).toContainText("clerk · demo · 2 tools");
  await picture(page, "honey-orders");
  await page.getByRole("button", { name: "Use pinned outputs" }).click();
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(card(page, "take_order")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state pre")).toContainText(/"order": \{\s+"kind": "\[simulated\] kind",\s+"jars": 1\s+\}/);
  await expect(card(page, "answer")).toContainText("1 call");
  await card(page, "answer").click();
  const call = inspector(page).locator(".told:not(.sent)");
  await expect(call).toHaveCount(1);
  await expect(call.locator(".state")).toHaveAttribute("data-status", "done");
  await expect(call.locator("pre").first()).toBeHidden();
  await call.locator("summary").click();
  await expect(call.locator("pre").first()).toBeVisible();
  await expect(inspector(page).locator(".usage")).toContainText("tokens in");
  await picture(page, "honey-orders-done");
});

test("a tool is added where it is picked, edited, and called", async ({ page }) => {
  await openDocument(page, helped({}));
  await card(page, "help").click();
  await inspector(page).getByRole("button", { name: "Add a tool" }).click();
  // The step stays open around it.
  await expect(card(page, "help")).toHaveClass(/selected/);
  await expect(inspector(page).getByLabel("Prompt")).toBeVisible();
  const entry = inspector(page).getByRole("group", { name: "Tools that it may call" });
  await expect(page.locator(".topbar")).toBeInViewport({ ratio: 1 });
  // What stands there is an example, over which its name is typed.
  await expect(entry.getByLabel("Name of the tool")).toBeFocused();
  await page.keyboard.type("greet");
  // Its entry is called so while it is typed.
  await expect(entry.getByRole("checkbox", { name: "greet" })).toBeChecked();
  await page.keyboard.press("Tab");
  await expect(entry.getByRole("checkbox", { name: "greet" })).toBeChecked();
  await entry.getByLabel("What it does").fill("Greets somebody by name.");
  await entry.getByRole("group", { name: "Arguments", exact: true }).getByRole("button", { name: "As JSON" }).click();
  await entry.getByLabel("Arguments").fill('{ "type": "object", "properties": { "name": { "type": "str');
  await expect(entry.getByText(/^Line 1: /)).toBeVisible();
  await expect(page.getByRole("button", { name: "1 problem" })).toBeVisible();
  await entry.getByLabel("Arguments").fill('{ "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } }');
  await expect(page.getByRole("button", { name: "1 problem" })).toHaveCount(0);
  await entry.getByLabel("Code").fill("return { greeting: `Good morning, ${state.name}` };");
  await picture(page, "tool-edited");
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await card(page, "help").click();
  await expect(inspector(page).getByRole("checkbox", { name: "greet" })).toBeChecked();
  const call = inspector(page).locator(".told:not(.sent)");
  await call.locator("summary").click();
  await expect(call).toContainText('"greeting": "Good morning, Pay the beekeeper."');
  await picture(page, "tool-called");
  // The code, its input, its description, its name and the tool itself are five steps back, drafts none.
  for (let step = 0; step < 5; step += 1) await page.getByRole("button", { name: "Undo" }).click();
  await expect(inspector(page).getByRole("checkbox", { name: /greet|find_order/ })).toHaveCount(0);
});

test("a tool is renamed and removed where agents name it too", async ({ page }) => {
  const add = { description: "Adds", run: { code: "return { sum: 1 };" } };
  await openDocument(page, helped({ add, pay }, { toolChoice: { tool: "add" } }));
  await inspector(page).getByText("pay", { exact: true }).last().click();
  const name = inspector(page).getByLabel("Name of the tool");
  await name.fill("add");
  await expect(inspector(page).getByText("Another tool has this name already.")).toBeVisible();
  await name.fill("transfer");
  await name.press("Tab");
  await inspector(page).getByRole("button", { name: "Remove tool add" }).click();
  const question = page.getByRole("dialog", { name: "Others use this" });
  await expect(question).toContainText("helper");
  await question.getByRole("button", { name: "Delete anyway" }).click();
  await card(page, "help").click();
  await expect(inspector(page).getByRole("checkbox", { name: "transfer" })).toBeChecked();
  await expect(inspector(page).getByRole("checkbox", { name: "add" })).toHaveCount(0);
  await expect(page.locator(".card.flawed")).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await card(page, "help").click();
  await inspector(page).getByText("More of this agent").click();
  await expect(inspector(page).getByLabel("The agent", { exact: true })).toHaveValue("tool add");
});

test("an agent answers with JSON once it has an output schema", async ({ page }) => {
  await openDocument(page, helped({}));
  await card(page, "help").click();
  await inspector(page).getByText("More of this agent").click();
  await inspector(page).getByRole("group", { name: "Answer", exact: true }).getByRole("button", { name: "As JSON" }).click();
  await inspector(page).getByLabel("Answer", { exact: true }).fill('{ "type": "object", "required": ["mood"], "properties": { "mood": { "enum": ["good", "bad"] } } }');
  await inspector(page).getByLabel("Model calls for one answer", { exact: true }).fill("3");
  await expect(inspector(page).getByText("answers with JSON · 3 turns")).toBeVisible();
  await picture(page, "agent-more");
  await run(page);
  await expect(page.locator(".final-state pre")).toContainText('"mood": "good"');
  await expect(card(page, "help").locator(".card-output")).toHaveText("mood: good");
});

test("a person allows a call, with another input, and the run goes on", async ({ page }) => {
  await openDocument(page, helped({ pay }));
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await expect(card(page, "help")).toContainText("Waits for your answer");
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  const form = page.getByRole("form", { name: "May pay be called?" });
  await expect(form).toContainText("May “pay” be called?");
  await picture(page, "tool-asks");
  await form.getByLabel("It is called with").fill('{ "to": ');
  await form.getByRole("button", { name: "Allow" }).click();
  await expect(form.getByText(/^Line 1: /)).toBeVisible();
  await form.getByLabel("It is called with").fill('{ "to": "Ada", "sum": 7 }');
  await form.getByRole("button", { name: "Allow" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".told-row")).toHaveText("help: paying Ada");
  const call = inspector(page).locator(".told:not(.sent)");
  await call.locator("summary").click();
  await expect(call).toContainText('"paid": "Ada"');
  await picture(page, "tool-allowed");
});

test("a person refuses a call, and the model learns why", async ({ page }) => {
  await openDocument(page, helped({ pay }));
  await run(page);
  await card(page, "help").click();
  const form = page.getByRole("form", { name: "May pay be called?" });
  await form.getByLabel("If not, why").fill("too much");
  await form.getByRole("button", { name: "Refuse" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  const call = inspector(page).locator(".told:not(.sent)");
  await expect(call.locator(".state")).toHaveAttribute("data-status", "error");
  await call.locator("summary").click();
  await expect(call).toContainText("a person did not allow the call of “pay”: too much");
  await expect(page.locator(".final-state pre")).toContainText("the tool `pay` failed with");
});

test("steps of an agent go on with a conversation", async ({ page }) => {
  await openDocument(page, helped({}));
  await card(page, "help").click();
  await inspector(page).getByText("More", { exact: true }).click();
  await inspector(page).getByLabel("Conversation").fill("chat");
  await inspector(page).getByLabel("Messages kept").fill("4");
  await inspector(page).getByText("Answer with details").click();
  await expect(inspector(page).getByText("conversation chat · whole answer")).toBeVisible();
  await run(page);
  await expect(page.locator(".final-state pre")).toContainText('"content": "Pay the beekeeper."');
  await expect(page.locator(".final-state pre")).toContainText('"finishReason": "stop"');
});

test("a run that has used its budget says so", async ({ page }) => {
  await openDocument(page, { ...helped({}), limits: { maxTokens: 5 } });
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "budget");
  await expect(page.locator(".run-summary")).toContainText("Stopped: the budget is used up");
  await expect(page.locator(".run-steps .failure")).toHaveAttribute("data-code", "budget");
  await expect(card(page, "help")).toHaveAttribute("data-status", "error");
});

test("tools are picked and edited on a narrow page, in the dark", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await openDocument(page, helped({ pay, add: { description: "Adds numbers", run: { handler: "add" } } }));
  await page.setViewportSize({ width: 390, height: 800 });
  await card(page, "help").click();
  await page.getByRole("button", { name: "Open the inspector" }).click();
  await inspector(page).getByRole("group", { name: "Tools that it may call" }).scrollIntoViewIfNeeded();
  await picture(page, "tools-narrow");
  await inspector(page).getByRole("button", { name: "Edit tool add" }).click();
  await expect(inspector(page).getByRole("group", { name: "Tools that it may call" }).getByLabel("Run: function")).toBeVisible();
  await picture(page, "tool-narrow");
});

test("an agent that was made with its step is renamed with it, in one undo", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Two", models: { m: { provider: "demo", model: "demo" } }, agents: { both: { model: "m" } }, steps: [{ id: "s1", type: "agent", name: "first", agent: "both" }, { id: "s2", type: "agent", name: "both", agent: "both" }] });
  await page.locator('.palette .kind[data-kind="agent"]').click();
  await expect(inspector(page).getByLabel("Answered by", { exact: true })).toHaveValue("agent");
  await inspector(page).getByLabel("Instructions").fill("Be brief.");
  const name = inspector(page).getByLabel("Name", { exact: true });
  await name.focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("both sides");
  await page.keyboard.press("Tab");
  await expect(inspector(page).getByLabel("Answered by", { exact: true })).toHaveValue("both sides");
  await expect(inspector(page).getByLabel("Instructions")).toHaveValue("Be brief.");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(name).toHaveValue("agent");
  await expect(inspector(page).getByLabel("Answered by", { exact: true })).toHaveValue("agent");
  // An agent of several steps keeps its name.
  await card(page, "both").click();
  await name.fill("second");
  await expect(inspector(page).getByLabel("Answered by", { exact: true })).toHaveValue("both");
});
