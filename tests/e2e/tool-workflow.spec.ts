import { expect, test, type Locator, type Page } from "@playwright/test";
import { card, exported, openDocument, run, written } from "./builder.js";

/** A workflow of one agent on the demo model, with this tool. */
function helped(tool: object): object {
  return {
    version: 1,
    name: "Help",
    models: { default: { provider: "demo", model: "demo" } },
    tools: { look: { description: "Looks something up", ...tool } },
    agents: { helper: { model: "default", tools: ["look"] } },
    steps: [{ id: "s1", type: "agent", name: "help", agent: "helper", inputFrom: "Look it up." }],
  };
}

function inspector(page: Page): Locator {
  return page.locator(".inspector");
}

test("a tool becomes a workflow, whose steps are written as JSON, checked, and seen in the run", async ({ page }) => {
  await openDocument(page, helped({ run: { code: "return { found: 1 };" } }));
  await card(page, "help").click();
  await inspector(page).getByRole("button", { name: "Edit tool look" }).click();
  const entry = inspector(page).getByRole("group", { name: "Tools that it may call" });
  await entry.getByLabel("A call runs").selectOption({ label: "a workflow" });
  await entry.locator("summary").filter({ hasText: "As JSON" }).click();
  const steps = entry.getByLabel("Steps", { exact: true });
  await expect.poll(() => written(steps)).toMatch(/"id": "look.answer"/);
  await steps.fill('{ "steps": [{ "id": "t1", "name": "found" }] }');
  await expect(entry).toContainText("These are no steps of a workflow: steps[0].type (the step “found”): ");
  await steps.fill('{ "steps": [{ "id": "t1", "type": "agent", "name": "found", "agent": "helper" }] }');
  await expect(entry).toContainText("may call that tool again");
  await steps.fill('{ "steps": [{ "id": "t1", "type": "function", "name": "found", "run": { "set": { "n": "6 * 7" } } }], "set": { "n": "n" } }');
  await expect(entry).not.toContainText("may call that tool again");
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  const row = page.locator(".step-row", { has: page.locator("b", { hasText: /^found$/ }) });
  await expect(row).toHaveAttribute("data-status", "done");
  await row.click();
  await expect(inspector(page).getByRole("heading", { name: "found" })).toBeVisible();
  await expect(inspector(page).getByRole("button", { name: "Delete" })).toHaveCount(0);
  await card(page, "help").click();
  await inspector(page).locator(".told:not(.sent) summary").first().click();
  await expect(inspector(page).locator(".told:not(.sent) pre").last()).toContainText('"n": 42');
});

test("a person is asked inside a call of a tool, and the run goes on there", async ({ page }) => {
  await openDocument(page, helped({ run: { workflow: { steps: [{ id: "t1", type: "approval", name: "sure", message: "Really look?" }] } } }));
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  const question = page.locator(".told-row.asks");
  await expect(question).toContainText("sure call 1.1");
  await question.getByRole("button", { name: "Answer" }).click();
  const form = inspector(page).getByRole("form", { name: "Answer" });
  await expect(form).toContainText("Really look?");
  await form.getByLabel("Answer").fill('"yes"');
  await form.getByRole("button", { name: "Send and go on" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".step-row", { has: page.locator("b", { hasText: /^sure$/ }) })).toHaveAttribute("data-status", "done");
});

test("a tool that the provider runs has its bounds in the form, and says which models have it", async ({ page }) => {
  const models = { fast: { provider: "openai", model: "tiny", apiKey: { secret: "K" } }, claude: { provider: "anthropic", model: "claude-sonnet-4-5", apiKey: { secret: "C" } } };
  await openDocument(page, { ...helped({ needsApproval: true, run: { code: "return {};" } }), models, agents: { helper: { model: "fast", tools: ["look"] } } });
  await card(page, "help").click();
  await inspector(page).getByRole("button", { name: "Edit tool look" }).click();
  const entry = inspector(page).getByRole("group", { name: "Tools that it may call" });
  await entry.getByLabel("A call runs").selectOption({ label: "Web search by the provider" });
  // What only makes sense of calls that come here first went with the code.
  expect(((await exported(page)) as { tools: object }).tools).toEqual({ look: { description: "Looks something up", run: { provider: "web_search" } } });
  await entry.getByLabel("Only these domains").fill("example.com\nexample.org");
  await entry.getByLabel("Searches for one answer").fill("3");
  await page.getByRole("button", { name: /problem/ }).first().click();
  await expect(page.locator(".problems")).toContainText("which its model “fast” (openai) does not have");
  await entry.getByLabel("Not these domains").fill("example.net");
  await expect(entry).toContainText("allows some domains, and blocks others");
  await entry.getByLabel("Not these domains").fill("");
  await card(page, "help").click();
  await inspector(page).getByLabel("Model", { exact: true }).selectOption("claude");
  await expect(page.locator(".problems"), "nothing is wrong any more").toHaveCount(0);
  expect(((await exported(page)) as { tools: object }).tools).toEqual({ look: { description: "Looks something up", run: { provider: "web_search", allowedDomains: ["example.com", "example.org"], maxUses: 3 } } });
});
