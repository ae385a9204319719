import { expect, test } from "@playwright/test";
import { importText, openDocument } from "./builder.js";

const waiting = { version: 1, name: "Long", steps: [{ id: "s1", type: "wait", name: "pause", wait: { ms: 600_000 } }] };

test("Stop ends a run whose worker gives no sign, Import waits for no run, and the next run begins", async ({ page }) => {
  await openDocument(page, waiting);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const summary = page.locator(".run-summary");
  await expect(summary).toHaveAttribute("data-status", "running");
  await expect.poll(() => page.workers().length).toBeGreaterThan(0);
  // The first one runs; where a check fell into the run, it has one of its own.
  const [worker] = page.workers();
  // Nothing that a document holds does this any more: only what is broken in the worker itself.
  worker?.evaluate("for (;;);").catch(() => {});
  const slow = { version: 1, name: "Slow", input: { properties: { word: { pattern: "^(?=a)(a+)+$" } } }, steps: [] };
  await importText(page, JSON.stringify(slow));
  const dialog = page.getByRole("dialog");
  await expect(dialog.locator(".problem")).toHaveCount(1);
  await expect(dialog.locator(".problem")).toContainText("look-around");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(summary).toHaveAttribute("data-status", "cancelled");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(summary).toHaveAttribute("data-status", "running");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(summary).toHaveAttribute("data-status", "cancelled");
});

test("a pattern that would backtrack without end is reported in a moment", async ({ page }) => {
  const input = { properties: { word: { pattern: "^(a+)+$" } } };
  const steps = [{ id: "s1", type: "function", name: "check", run: { set: { ok: "true" } }, input }];
  await openDocument(page, { version: 1, name: "Words", initialState: { word: `${"a".repeat(40)}!` }, steps });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "error");
});
