import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@playwright/test";
import { findings } from "./axe.js";
import { card, openBuilder, openDocument, picture, run } from "./builder.js";

test("a first visit runs the example with one click", { tag: "@firefox" }, async ({ page }) => {
  const outside: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("http://127.0.0.1") && !request.url().startsWith("data:")) outside.push(request.url());
  });
  await openBuilder(page);
  await picture(page, "first-visit");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  for (const name of ["research", "analyse", "market", "technology", "risks", "review_wanted", "review", "write_up"]) {
    await expect(page.locator(".step-row").filter({ hasText: name }).first()).toHaveAttribute("data-status", "done");
  }
  await expect(card(page, "write_up")).toHaveAttribute("data-status", "done");
  // What there is to read is a real text, and its card says that no model was called for it.
  await expect(card(page, "write_up").locator(".badge.pinned")).toBeVisible();
  await expect(card(page, "research").locator(".card-output")).toContainText("Electric cargo bikes carry");
  await expect(page.locator(".final-state pre")).toContainText("worth a pilot in one dense district");
  await expect(page.locator(".final-state pre")).not.toContainText("[simulated]");
  await expect(page.locator("[role=status]").filter({ hasText: "The run is done." })).toHaveCount(1);
  await picture(page, "done");
  expect(outside).toEqual([]);
});

test("without its pins the example is simulated, and no answer speaks of another's simulation", async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("button", { name: "Use pinned outputs" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator('.card[data-status="running"]').first()).toBeVisible();
  await picture(page, "running");
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(card(page, "write_up").locator(".badge.simulated")).toBeVisible();
  const text = await card(page, "review").locator(".card-output").textContent();
  expect(text?.match(/\[simulated\]/g)).toHaveLength(1);
});

test("dark mode", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await openBuilder(page);
  await run(page);
  await card(page, "write_up").click();
  await picture(page, "dark");
});

test("stopping ends the run and keeps what was there", async ({ page }) => {
  const steps = Array.from({ length: 60 }, (_, index) => ({ id: `s${index}`, type: "agent", name: `step_${index}`, agent: "a" }));
  const models = { m: { provider: "demo", model: "demo" } };
  await openDocument(page, { version: 1, name: "Long", models, agents: { a: { model: "m" } }, steps });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(card(page, "step_0").locator(".card-output")).toContainText("[simulated]");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "cancelled");
  await expect(page.locator('.card[data-status="running"]')).toHaveCount(0);
  await expect(page.locator(".step-row")).not.toHaveCount(60);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "running");
});

test("no other site may show the page inside of its own", async ({ page, request, baseURL }) => {
  expect((await request.get("/")).headers()["content-security-policy"]).toBe("frame-ancestors 'none'");
  const other = createServer((_, response) => response.setHeader("content-type", "text/html").end(`<iframe src="${baseURL}/"></iframe>`));
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  try {
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    await refused;
  } finally {
    other.close();
  }
});

test("the page's policy allows no inline style, no inline script and no eval", { tag: "@firefox" }, async ({ page }) => {
  const refused: string[] = [];
  page.on("console", (message) => {
    if (/Content[ -]Security[ -]Policy/.test(message.text())) refused.push(message.text());
  });
  await openBuilder(page);
  await run(page);
  await page.getByRole("button", { name: "Endpoint settings" }).click();
  expect(refused).toEqual([]);
  // Firefox tells a refusal as an error of the page, which openBuilder() does not forgive.
  page.removeAllListeners("pageerror");
  const evaluated = await page.evaluate(() => {
    const probe = document.createElement("div");
    probe.setAttribute("style", "color: red");
    document.body.append(probe);
    return getComputedStyle(probe).color;
  });
  expect(evaluated).not.toBe("rgb(255, 0, 0)");
});

test("SECURITY.md argues each source of the page's policy, and no other", async ({ page }) => {
  await openBuilder(page);
  const policy = (await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content")) ?? "";
  const sources = policy.split(";").flatMap((rule) => {
    const [name = "", ...allowed] = rule.trim().split(/\s+/);
    return allowed.map((source) => `${name} ${source}`);
  });
  const text = await readFile(new URL("../../SECURITY.md", import.meta.url), "utf8");
  const argued = [...text.matchAll(/^\| `([a-z]+-[a-z]+ [^`]+)` \| \S/gm)].map(([, source]) => source);
  expect(argued.sort()).toEqual(sources.sort());
});

test("three hints say where to begin, and each is gone for good once it was followed", async ({ page }) => {
  await openBuilder(page);
  const hint = page.getByRole("region", { name: "Hint" });
  await expect(hint).toContainText("Press Run");
  await expect(hint).toContainText("1 of 3");
  await picture(page, "hint");
  expect(await findings(page)).toEqual([]);
  // It stands beside the work and covers nothing of it.
  const [box, canvas] = [await hint.boundingBox(), await page.locator(".canvas").boundingBox()];
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(canvas?.x ?? 0);
  await run(page);
  await expect(hint).toContainText("Click a step");
  await hint.getByRole("button", { name: "Hide this hint" }).click();
  await expect(hint).toContainText("Ctrl K");
  await page.reload();
  await expect(hint).toContainText("Ctrl K");
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Escape");
  await expect(hint).toHaveCount(0);
  await expect(page.locator(".palette-tip")).toBeVisible();
  await page.reload();
  await expect(card(page, "write_up")).toBeVisible();
  await expect(page.locator(".palette-tip")).toBeVisible();
  await expect(hint).toHaveCount(0);
});

test("the hints stand in one place, with the button that puts each away", async ({ page }) => {
  for (const height of [800, 720]) {
    await page.setViewportSize({ width: 1280, height });
    await page.evaluate(() => localStorage.clear()).catch(() => undefined);
    await openBuilder(page);
    const hint = page.getByRole("region", { name: "Hint" });
    const places = new Set<string>();
    for (let number = 0; number < 3; number += 1) {
      const { x = 0, y = 0 } = (await hint.getByRole("button").boundingBox()) ?? {};
      places.add(`${Math.round(x)} ${Math.round(y)} ${Math.round((await hint.boundingBox())?.y ?? 0)}`);
      const text = await hint.getByRole("paragraph").textContent();
      await hint.getByRole("button").click();
      if (number < 2) await expect(hint).not.toContainText(text ?? "");
    }
    expect([...places]).toHaveLength(1);
  }
});

test("over plain http the page says at once what to do", async ({ page }) => {
  // What browsers leave out there.
  await page.addInitScript(() => {
    Object.defineProperty(window, "isSecureContext", { value: false });
    Object.defineProperty(Crypto.prototype, "randomUUID", { value: undefined });
  });
  await page.goto("/");
  await expect(page.getByRole("status")).toHaveText(/^Open this page over https \(or on localhost\)/);
});
