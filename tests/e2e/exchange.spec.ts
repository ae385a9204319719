import { expect, test } from "@playwright/test";
import { card, downloaded, importText, kind, openBuilder, picture } from "./builder.js";

test("what was made is there again after a reload, also what is no valid value yet", { tag: "@firefox" }, async ({ page }) => {
  await openBuilder(page);
  await page.getByLabel("Initial state").fill('{ "half": ');
  await kind(page, "function").click();
  await expect(card(page, "function")).toBeVisible();
  // At once: leaving must not lose what the timer has not stored yet.
  await page.reload();
  await expect(card(page, "function")).toBeVisible();
  await page.locator(".pill.start").click();
  await expect(page.getByLabel("Initial state")).toHaveValue('{ "half": ');
  await page.locator(".title-input").fill("Bees");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await expect(page.locator(".title-input")).toHaveValue("Bees");
});

test("two tabs keep a workflow each, and a closed one's can be opened again", async ({ page, context }) => {
  await openBuilder(page);
  await page.locator(".title-input").fill("First");
  await expect(page.locator(".saved")).toHaveText("Saved");
  const second = await context.newPage();
  await openBuilder(second);
  await expect(second.getByText("The builder is open in another tab too.")).toBeVisible();
  await second.locator(".title-input").fill("Second");
  await expect(second.locator(".saved")).toHaveText("Saved");
  await second.close();
  await page.reload();
  await expect(page.locator(".title-input")).toHaveValue("First");
  for (const [open, other] of [["Second", "First"], ["First", "Second"]] as const) {
    await page.getByRole("button", { name: "File", exact: true }).click();
    await page.locator(".menu-item").filter({ hasText: "Kept by a tab" }).filter({ hasText: open }).click();
    await expect(page.locator(".title-input")).toHaveValue(open);
    await page.getByRole("button", { name: "File", exact: true }).click();
    await expect(page.locator(".menu-item").filter({ hasText: "Kept by a tab" })).toContainText(other);
    await page.keyboard.press("Escape");
    await expect(page.locator("#file-menu")).toBeHidden();
  }
});

test("a broken import tells every problem and loses nothing", async ({ page }) => {
  await openBuilder(page);
  const broken = JSON.stringify({
    version: 1,
    name: "Broken",
    stps: [],
    steps: [
      { id: "s1", type: "agent", name: "a", agent: "nobody" },
      { id: "s1", type: "teleport", name: "b" },
    ],
  });
  await importText(page, broken);
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText(/This workflow has \d problems/)).toBeVisible();
  await expect(dialog).toContainText("stps");
  await expect(dialog).toContainText("teleport");
  await expect(dialog).toContainText("nobody");
  await picture(page, "import-broken");
  await page.keyboard.press("Escape");
  await expect(card(page, "research")).toBeVisible();
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Import…").click();
  await expect(dialog.getByRole("textbox")).toHaveValue(broken);
});

test("text that is no JSON, and 300 levels of nesting, are told", async ({ page }) => {
  await openBuilder(page);
  await importText(page, "{ not json");
  await expect(page.getByRole("dialog").locator(".problem")).toHaveCount(1);
  let step: object = { id: "x", type: "function", name: "x", run: { set: {} } };
  for (let level = 0; level < 300; level += 1) step = { id: `l${level}`, type: "sequence", name: `l${level}`, steps: [step] };
  await page.getByRole("dialog").getByRole("textbox").fill(JSON.stringify({ version: 1, name: "Deep", steps: [step] }));
  await page.getByRole("dialog").getByRole("button", { name: "Open", exact: true }).click();
  await expect(page.getByRole("dialog").locator(".problem").first()).toContainText("256");
});

test("a template that does not parse can be opened and mended", async ({ page }) => {
  await openBuilder(page);
  const document = {
    version: 1,
    name: "Mend me",
    models: { m: { provider: "demo", model: "demo" } },
    agents: { a: { model: "m" } },
    steps: [{ id: "s1", type: "agent", name: "ask", agent: "a", inputFrom: "Hello {{ who" }],
  };
  await importText(page, JSON.stringify(document));
  await page.getByRole("button", { name: "Open it anyway" }).click();
  await expect(card(page, "ask")).toHaveClass(/flawed/);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator("button.problem").first()).toBeFocused();
  await picture(page, "problems");
  await page.locator("button.problem").first().click();
  await expect(card(page, "ask")).toHaveClass(/selected/);
  await page.getByLabel("What it is asked").fill("Hello");
  await expect(card(page, "ask")).not.toHaveClass(/flawed/);
});

test("an exported file is the workflow, and no key is in it", { tag: "@firefox" }, async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("button", { name: "Endpoint settings" }).click();
  await page.getByRole("button", { name: "OpenAI chat completions" }).click();
  await page.getByLabel("API key").fill("sk-very-secret");
  await picture(page, "endpoint");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Export…").click();
  await picture(page, "export");
  const { name, text } = await downloaded(page, () => page.getByRole("button", { name: "Download" }).click());
  expect(name).toBe("research-report.json");
  expect(JSON.parse(text).models.default.apiKey).toEqual({ secret: "OPENAI_API_KEY" });
  expect(text).not.toContain("sk-very-secret");
  await expect(page.locator(".saved")).toHaveText("Saved");
  const kept = await page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const opening = indexedDB.open("keyval-store");
        opening.onsuccess = () => {
          const all = opening.result.transaction("keyval").objectStore("keyval").getAll();
          all.onsuccess = () => resolve(JSON.stringify([all.result, { ...localStorage }]));
        };
      }),
  );
  expect(kept).toContain("OPENAI_API_KEY");
  expect(kept).not.toContain("sk-very-secret");
});

test("a template opens, and undo brings the former workflow back", async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("button", { name: "File" }).click();
  await picture(page, "file-menu");
  await page.getByText("Support triage").click();
  await expect(card(page, "is_urgent")).toBeVisible();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card(page, "research")).toBeVisible();
  // Its steps have the ids of those that were run; their answers used to stand on its cards.
  await expect(card(page, "research")).not.toContainText("simulated");
});
