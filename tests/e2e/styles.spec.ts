// What the browser does for a change: a selector that looks at what stands within an element around the canvas, such as
// `body:has(…) .kind`, has it compute the styles of all cards anew with each element that comes anywhere.
import { expect, test } from "@playwright/test";
import type { Page } from "@playwright/test";
import { card, openDocument } from "./builder.js";

const steps = Array.from({ length: 30 }, (_, index) => ({ id: `s${index + 1}`, type: "wait", name: `pause ${index + 1}`, wait: { ms: index } }));

/** For how many elements the browser computes styles while something is done. */
async function restyled(page: Page, act: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const ended = new Promise<void>((done) => session.once("Tracing.tracingComplete", () => done()));
  let elements = 0;
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const { name, args } of value as unknown as { name: string; args?: { elementCount?: number } }[]) {
      if (name === "UpdateLayoutTree") elements += args?.elementCount ?? 0;
    }
  });
  await session.send("Tracing.start", { traceConfig: { includedCategories: ["devtools.timeline"] }, transferMode: "ReportEvents" });
  await act();
  await page.waitForTimeout(300);
  await session.send("Tracing.end");
  await ended;
  await session.detach();
  return elements;
}

test("no card has its style computed anew where elements come elsewhere in the page", async ({ page, browserName }) => {
  test.skip(browserName !== "chromium", "only Chromium says what it computes");
  await openDocument(page, { version: 1, name: "Pauses", steps });
  await card(page, "pause 1").click();
  await expect(page.locator(".inspector").getByLabel("Name", { exact: true })).toHaveValue("pause 1");
  await page.waitForTimeout(700);
  const shown = await page.locator(".canvas *").count();
  const computed = await restyled(page, () =>
    page.evaluate(() => {
      const row = document.createElement("div");
      row.innerHTML = "<p>one</p><p>two</p>";
      document.querySelector(".inspector-body")?.append(row);
    }),
  );
  expect(shown).toBeGreaterThan(150);
  expect(computed).toBeGreaterThan(2);
  expect(computed).toBeLessThan(20);
});
