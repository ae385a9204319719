// Pinned outputs: taken from a run or written by hand, used where the person wants it, and in no export.
import { expect, test } from "@playwright/test";
import { card, importText, openDocument, picture, run } from "./builder.js";

const flow = {
  version: 1,
  name: "Report",
  models: { m: { provider: "demo", model: "demo" } },
  agents: { a: { model: "m" } },
  steps: [
    { id: "s1", type: "agent", name: "ask", agent: "a", inputFrom: "Hello?" },
    { id: "s2", type: "function", name: "mark", run: { set: { told: "ask_output ~ '!'" } } },
    { id: "s3", type: "approval", name: "boss" },
  ],
};

test("an output is pinned by hand or from a run, and used until the person wants every step run", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, flow);
  const toggle = page.getByRole("button", { name: "Use pinned outputs" });
  await expect(toggle).toHaveCount(0);
  await run(page);
  await card(page, "mark").click();
  const again = page.getByRole("button", { name: "Run again from here" });
  const before = await again.boundingBox();
  await page.getByRole("button", { name: "Pin this output" }).click();
  // A second click takes it back, and hits nothing that has come to its place.
  await page.getByRole("button", { name: "Unpin" }).click();
  await expect(card(page, "mark").locator(".card-pin")).toHaveCount(0);
  await page.getByRole("button", { name: "Pin this output" }).click();
  await expect(page.getByRole("button", { name: "Unpin" })).toBeVisible();
  expect(await again.boundingBox()).toEqual(before);
  await expect(card(page, "mark").locator(".card-pin")).toBeVisible();
  await expect(page.getByRole("button", { name: "Pin this output" })).toHaveCount(0);
  await card(page, "ask").click();
  await page.getByText("More", { exact: true }).click();
  await page.getByRole("textbox", { name: "Pinned output" }).fill('"Bees dance."');
  await expect(toggle).toHaveText("2 pinned");
  await expect(toggle).toHaveAttribute("aria-pressed", "true");

  await run(page);
  await expect(card(page, "ask").locator(".card-output")).toHaveText("Bees dance.");
  await expect(card(page, "ask").locator(".badge.pinned")).toBeVisible();
  // What was pinned from the run before is what that run gave.
  await expect(card(page, "mark").locator(".card-output")).toContainText("[simulated]");
  await picture(page, "pinned");
  // The pin is a click away from what it gave.
  await card(page, "mark").click();
  await page.getByText("More", { exact: true }).click();
  await expect(page.getByRole("textbox", { name: "Pinned output" })).toBeHidden();
  await page.getByRole("button", { name: "Edit the pin" }).click();
  await expect(page.getByRole("textbox", { name: "Pinned output" })).toBeFocused();

  await toggle.click();
  await expect(toggle).toHaveAttribute("aria-pressed", "false");
  await expect(toggle).toHaveText("pins off");
  await run(page);
  await expect(card(page, "ask").locator(".card-output")).toContainText("[simulated]");
  await expect(card(page, "ask").locator(".badge.pinned")).toHaveCount(0);

  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Export…").click();
  const text = page.getByLabel("The workflow as JSON");
  await expect(text).toHaveValue(/"steps"/);
  await expect(text).not.toHaveValue(/"pins"|Bees dance/);
});

test("what a person decides has no field for a pin, and no button", async ({ page }) => {
  await openDocument(page, flow);
  await card(page, "boss").click();
  await page.getByText("More", { exact: true }).click();
  await expect(page.getByLabel("Notes")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Pinned output" })).toHaveCount(0);
});

test("pins are not used by themselves once a real model is called", async ({ page }) => {
  const models = { m: { provider: "openai", model: "tiny", baseUrl: "http://127.0.0.1:1/v1" } };
  await openDocument(page, { ...flow, models, pins: { s1: "Bees dance." } });
  await expect(page.getByRole("button", { name: "Use pinned outputs" })).toHaveAttribute("aria-pressed", "false");
});

test("the choice belongs to the workflow that it was made for", async ({ page }) => {
  const pinned = { ...flow, pins: { s1: "Bees dance." } };
  await openDocument(page, pinned);
  const toggle = page.getByRole("button", { name: "Use pinned outputs" });
  await toggle.click();
  await expect(toggle).toHaveAttribute("aria-pressed", "false");
  await importText(page, JSON.stringify({ ...pinned, name: "Another" }));
  await expect(page.getByLabel("Name of the workflow")).toHaveValue("Another");
  await expect(toggle).toHaveAttribute("aria-pressed", "true");
  await page.goBack();
  await expect(page.getByLabel("Name of the workflow")).toHaveValue("Report");
  await expect(toggle).toHaveAttribute("aria-pressed", "false");
});
