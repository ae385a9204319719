// What axe-core finds on the page, in its states and both colour schemes.
import { expect, test } from "@playwright/test";
import { findings } from "./axe.js";
import { card, openBuilder, openDocument, picture, run } from "./builder.js";

for (const colorScheme of ["light", "dark"] as const) {
  test(`nothing is found on the page in ${colorScheme} colours`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await openBuilder(page);
    expect.soft(await findings(page)).toEqual([]);
    await page.locator(".palette").getByRole("button", { name: "Outline" }).click();
    await run(page);
    await page.getByRole("button", { name: "Show everything" }).click();
    await card(page, "write_up").click();
    expect.soft(await findings(page)).toEqual([]);
    await page.keyboard.press("Shift+F10");
    await expect(page.getByRole("menu")).toBeVisible();
    expect.soft(await findings(page), "menu").toEqual([]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await expect(page.locator(".hit").first()).toBeVisible();
    expect.soft(await findings(page), "search").toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.locator(".hit")).toHaveCount(0);
    await page.keyboard.press("Control+f");
    await page.keyboard.type("re");
    await expect(page.locator(".find-row").first()).toBeVisible();
    expect.soft(await findings(page), "find").toEqual([]);
  });

  test(`nothing is found in dialogs and problems in ${colorScheme} colours`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await openDocument(page, {
      version: 1,
      name: "Wrong",
      initialState: { topics: ["bees"] },
      steps: [{ id: "s1", type: "function", name: "set", run: { set: { x: "topics.length" } } }],
    });
    await page.getByRole("button", { name: "1 warning" }).click();
    await card(page, "set").click();
    expect.soft(await findings(page)).toEqual([]);
    for (const [button, dialog] of [["Export…", "Export the workflow"], ["Import…", "Import a workflow"], ["Keyboard…", "Keyboard"]]) {
      await page.getByRole("button", { name: "File", exact: true }).click();
      await page.getByRole("button", { name: button }).click();
      await expect(page.getByRole("dialog", { name: dialog })).toBeVisible();
      expect.soft(await findings(page), dialog).toEqual([]);
      await page.keyboard.press("Escape");
    }
    await page.locator(".endpoint-button").click();
    await page.getByRole("button", { name: "OpenRouter" }).click();
    expect.soft(await findings(page)).toEqual([]);
  });

  test(`nothing is found in an editor of code in ${colorScheme} colours`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await openDocument(page, { version: 1, name: "Code", initialState: { topic: "bees" }, steps: [{ id: "s1", type: "approval", name: "ask", message: "On {{ topic }}, {{ topc }}" }] });
    await card(page, "ask").click();
    const field = page.locator(".inspector").getByRole("textbox", { name: "Message to the person", exact: true });
    await field.focus();
    await expect(field).toHaveAttribute("contenteditable", "true");
    await expect(field.locator(".cm-lintRange")).toHaveText("topc");
    await field.press("End");
    await page.keyboard.type(" {# all #}{% if topic is string and 1 < 2.5 %}{{ topic | up");
    await expect(page.getByRole("listbox", { name: "Suggestions" }).getByRole("option")).toHaveText([/^upper/]);
    await picture(page, `editor-${colorScheme}`);
    await expect(page.getByRole("listbox", { name: "Suggestions" }).getByRole("option", { selected: true })).toHaveText(/^upper/);
    expect.soft(await findings(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.keyboard.type(" }}{% else %}{{ none }}{% endif %}");
    await expect(page.getByRole("listbox", { name: "Suggestions" })).toHaveCount(0);
    expect.soft(await findings(page)).toEqual([]);
  });
}

test("nothing is found on a phone's page, nor is anything cut off", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await openBuilder(page);
  await run(page);
  await page.getByRole("button", { name: "Show everything" }).click();
  expect.soft(await findings(page)).toEqual([]);
  // The rows of the run and its state are as wide as the page, not wider.
  for (const part of [".last-answer", ".step-row", ".final-state pre"]) {
    const box = await page.locator(part).first().boundingBox();
    expect(box?.width).toBeGreaterThan(300);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  }
  await card(page, "write_up").click();
  await page.getByRole("button", { name: "Open the inspector" }).click();
  expect.soft(await findings(page)).toEqual([]);
  // What is edited stays in view above the inspector.
  const room = async (): Promise<number> => {
    const [own, inspector] = [await card(page, "write_up").boundingBox(), await page.locator(".inspector").boundingBox()];
    return (inspector?.y ?? 0) - (own?.y ?? 0) - (own?.height ?? 0);
  };
  await expect.poll(room).toBeGreaterThanOrEqual(0);
  expect((await page.locator(".canvas").boundingBox())?.height).toBeGreaterThan(250);
});

test("a double click opens a step's form where there is no room beside the canvas", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openBuilder(page);
  await page.getByRole("button", { name: "Show everything" }).click();
  await card(page, "write_up").click();
  await expect(page.locator(".inspector")).toBeHidden();
  await card(page, "write_up").dblclick();
  await expect(page.locator(".inspector").getByLabel("Name", { exact: true })).toHaveValue("write_up");
  await expect(page.locator(".inspector")).toBeVisible();
});

test("who wants less motion gets none", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openBuilder(page);
  // What is pinned is there at once: nothing would ever spin.
  await page.getByRole("button", { name: "Use pinned outputs" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".spin").first()).toBeVisible();
  const moving = await page.evaluate(() => document.getAnimations().filter((animation) => (animation.effect?.getComputedTiming().duration ?? 0) > 1).length);
  expect(moving).toBe(0);
});

test("the file menu is led by arrows, and the keyboard is somewhere once a dialog of it is closed", async ({ page }) => {
  await openBuilder(page);
  const file = page.getByRole("button", { name: "File", exact: true });
  await file.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  const menu = page.locator("#file-menu");
  await expect(menu.getByRole("button", { name: /^Workflows…/ })).toBeFocused();
  expect((await menu.boundingBox())?.x).toBeCloseTo((await file.boundingBox())?.x ?? 0, 0);
  await page.keyboard.press("ArrowDown");
  await expect(menu.getByRole("button", { name: /^New/ })).toBeFocused();
  await page.keyboard.type("exp");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Export the workflow" });
  await expect(dialog).toBeVisible();
  await expect(page.locator(".card.selected")).toHaveCount(0);
  for (const close of ["Escape", "button"] as const) {
    if (close === "Escape") await page.keyboard.press("Escape");
    else await dialog.getByRole("button", { name: "Close" }).click();
    await expect(dialog).toHaveCount(0);
    await expect(file).toBeFocused();
    if (close === "Escape") {
      await file.click();
      await page.getByRole("button", { name: /^Export…/ }).click();
    }
  }
});
