// What a model costs and what its requests say, limits, and hints at the fields.
import { expect, test, type Page } from "@playwright/test";
import { card, exported, openDocument, picture, run } from "./builder.js";

const ask = {
  version: 1,
  name: "Ask",
  models: { own: { provider: "openai", model: "house-model", baseUrl: "http://127.0.0.1:9/v1" } },
  agents: { helper: { model: "own" } },
  steps: [{ id: "s1", type: "agent", name: "ask", agent: "helper", inputFrom: "Hello?" }],
};

test("a model's price, headers, parameters and limits are set in the page", async ({ page }) => {
  await openDocument(page, ask);
  const inspector = page.locator(".inspector");
  await inspector.locator("summary", { hasText: "own" }).click();
  await inspector.getByLabel("Price", { exact: true }).selectOption("own");
  await inspector.getByLabel("Tokens in", { exact: true }).fill("0.25");
  await inspector.getByLabel("Tokens out").fill("2");
  await inspector.getByLabel("Tokens in, written into its cache").fill("0.3");
  await inspector.getByRole("button", { name: "Add a header" }).click();
  await inspector.getByLabel("Header", { exact: true }).fill("x-title");
  await inspector.getByLabel("Value", { exact: true }).fill("Bees");
  await inspector.getByLabel("Parameters").fill('{ "temperature": 0.2 }');
  await inspector.getByLabel("Requests at once").fill("2");
  await inspector.locator("summary", { hasText: "Limits of a run" }).click();
  await inspector.getByLabel("US$", { exact: true }).fill("1.5");
  const others = {
    stepTimeoutMs: "One attempt of a step (ms)",
    firstTokenMs: "Until a model begins (ms)",
    idleMs: "While it pauses (ms)",
    maxStateBytes: "State (bytes)",
    maxResultBytes: "One result (bytes)",
    maxEvents: "Events",
  };
  for (const label of Object.values(others)) await inspector.getByLabel(label, { exact: true }).fill("9000");
  await picture(page, "model-fields");
  const { models, limits } = await exported(page);
  expect(models).toEqual({
    own: { ...ask.models.own, price: { input: 0.25, output: 2, cacheWrite: 0.3 }, headers: { "x-title": "Bees" }, params: { temperature: 0.2 }, concurrency: 2 },
  });
  expect(limits).toEqual({ maxCost: 1.5, ...Object.fromEntries(Object.keys(others).map((name) => [name, 9000])) });

  // What is no number is reported at its field, and kept.
  await inspector.getByLabel("Tokens in", { exact: true }).fill("cheap");
  await expect(inspector.getByText("Must be a number such as 0.25, 0 or more.")).toBeVisible();
  await expect(page.getByRole("button", { name: "1 problem" })).toBeVisible();

  // A key among the headers is refused where it was typed.
  await inspector.getByLabel("Tokens in", { exact: true }).fill("1");
  await inspector.getByLabel("Header", { exact: true }).fill("authorization");
  await expect(inspector.getByText("would hold a key")).toBeVisible();
});

test("an answer of an agent may cost no more than is said", async ({ page }) => {
  await openDocument(page, ask);
  await card(page, "ask").click();
  const inspector = page.locator(".inspector");
  await inspector.locator("summary", { hasText: "More of this agent" }).click();
  await inspector.getByLabel("US$ for one answer").fill("0.05");
  await inspector.getByLabel("Tokens for one answer").fill("5000");
  expect((await exported(page)).agents).toEqual({ helper: { model: "own", limits: { maxTokens: 5000, maxCost: 0.05 } } });
});

test("JavaScript in a condition is answered with what to write instead, at the field", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Gate",
    initialState: { kind: "bee" },
    steps: [{ id: "s1", type: "condition", name: "gate", condition: "kind == 'bee'", steps: [] }],
  });
  await card(page, "gate").click();
  const inspector = page.locator(".inspector");
  const field = inspector.getByRole("textbox", { name: "Condition", exact: true });
  await field.fill("kind === 'bee' && kind");
  await expect(inspector).toContainText("expressions have words of their own: write “==” for “===”, “and” for “&&”");
  await field.fill("kind == 'bee' and kind != ''");
  await expect(inspector).not.toContainText("expressions have words of their own");
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
});

const polyfill = new URL("../models/programs/language-model.js", import.meta.url).pathname;

test("a browser without a model of its own says so before and in a run", async ({ page }) => {
  await page.addInitScript("delete globalThis.LanguageModel");
  await openDocument(page, ask);
  await page.locator(".endpoint-button").click();
  await page.getByRole("button", { name: "On device" }).click();
  await expect(page.locator(".note.sends")).toContainText("this browser has no model of its own: it takes Chrome 148 or newer");
  await picture(page, "on-device");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.locator(".endpoint-button")).toContainText("On device");
  await run(page);
  await expect(page.locator(".failure").first()).toContainText("this browser has none");
  expect((await exported(page)).models).toEqual({ own: { provider: "custom", model: "prompt-api", handler: "on-device" } });
});

test("the browser's own model answers, over its interface", async ({ page }) => {
  await page.addInitScript({ path: polyfill });
  await openDocument(page, ask);
  await page.locator(".endpoint-button").click();
  await page.getByRole("button", { name: "On device" }).click();
  await expect(page.locator(".note.sends")).toContainText("Nothing leaves this machine. This browser has its model ready.");
  await page.getByRole("button", { name: "Save" }).click();
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
});

test("a workflow without an agent is not said to need a model", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Empty", steps: [] });
  await expect(page.locator(".endpoint-button")).toHaveText("No model" + "none is needed");
});

test("an agent gets a model of its own where it chooses one, and that asks where it is", async ({ page }) => {
  await openDocument(page, { ...ask, models: { ...ask.models, model: { provider: "demo", model: "demo" } } });
  await card(page, "ask").click();
  const inspector = page.locator(".inspector");
  await inspector.getByLabel("Model", { exact: true }).selectOption({ label: "New model…" });
  const dialog = page.getByRole("dialog", { name: "Endpoint" });
  await expect(dialog.getByLabel("Model of the workflow")).toHaveValue("model_2");
  await dialog.getByRole("button", { name: "Ollama" }).click();
  await dialog.getByLabel("Model", { exact: true }).fill("llama3.2");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(inspector.getByLabel("Model", { exact: true })).toHaveValue("model_2");
  const { agents, models } = await exported(page);
  expect(agents).toEqual({ helper: { model: "model_2" } });
  expect(models).toMatchObject({ own: ask.models.own, model_2: { provider: "ollama", model: "llama3.2" } });
});

test("a model that is added opens, and its name is what is typed next", async ({ page }) => {
  await openDocument(page, ask);
  const inspector = page.locator(".inspector");
  await inspector.getByRole("button", { name: "Add a model" }).click();
  const name = inspector.locator("[data-entry='models.model']").getByLabel("This model is called");
  await expect(name).toBeFocused();
  // Nothing of its form touches the edge, and no word of a choice is cut.
  const inside = await name.evaluate((field) => field.getBoundingClientRect().left - (field.closest(".entry")?.getBoundingClientRect().left ?? 0));
  expect(inside).toBeGreaterThan(8);
  const room = await inspector.locator("[data-entry='models.model'] select").evaluate((select: HTMLSelectElement) => {
    const context = new OffscreenCanvas(1, 1).getContext("2d")!;
    context.font = getComputedStyle(select).font;
    return select.clientWidth - Math.max(...[...select.options].map(({ text }) => context.measureText(text).width));
  });
  expect(room).toBeGreaterThan(34);
  await page.keyboard.type("writer");
  await page.keyboard.press("Tab");
  await expect(inspector.locator("[data-entry='models.writer']")).toHaveAttribute("open");
  expect(Object.keys((await exported(page)).models)).toEqual(["own", "writer"]);
});

for (const [width, height] of [[1280, 800], [390, 844]] as const) {
  test(`the providers stay where they are, and have room for their names, in a window of ${width} pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await openDocument(page, ask);
    await page.locator(".endpoint-button").click();
    const presets = page.getByRole("group", { name: "Presets" });
    const places = new Set<number>();
    for (const name of ["Demo", "OpenRouter", "On device", "Azure", "Ollama"]) {
      await presets.getByRole("button", { name }).click();
      places.add(Math.round((await presets.boundingBox())?.y ?? 0));
    }
    expect([...places]).toHaveLength(1);
    const cut = await presets.getByRole("button").evaluateAll((all) => all.filter((one) => {
      const words = document.createRange();
      words.selectNodeContents(one);
      return words.getBoundingClientRect().right > one.getBoundingClientRect().right - 2;
    }).map((one) => one.textContent));
    expect(cut).toEqual([]);
    const broken = await presets.locator("b", { hasText: /^(OpenRouter|Anthropic|DeepSeek)$/ }).evaluateAll((all) => all.filter((one) => one.getClientRects().length > 1 || one.getBoundingClientRect().height > 22).map((one) => one.textContent));
    expect(broken).toEqual([]);
  });
}
