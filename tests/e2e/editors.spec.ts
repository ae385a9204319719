// Fields of code: the editor that comes with the first focus, in the built page with its policy.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { card, exported, kind, openDocument, picture, run, written } from "./builder.js";

const EDITOR = /\/assets\/editor-[^/]*\.js$/;

const bees = {
  version: 1,
  name: "Bees",
  initialState: { topic: "bees", orders: [{ jars: 3, price: 4.5 }] },
  steps: [
    { id: "s1", type: "function", name: "count", run: { set: { total: "orders[0].jars", label: "topic" } } },
    { id: "s2", type: "condition", name: "many", condition: "total > 2", steps: [], else: [] },
    { id: "s3", type: "approval", name: "ask", message: "Send {{ total }} jars?" },
    { id: "s4", type: "function", name: "code", run: { code: "return { answer: state.topic };\n" } },
  ],
};

/** The editor of a field, once it has taken the place of the plain one. */
async function editor(page: Page, name: string): Promise<Locator> {
  const field = page.locator(".inspector").getByRole("textbox", { name, exact: true });
  await field.focus();
  await expect(field).toHaveAttribute("contenteditable", "true");
  return field;
}

/** Writes over all that stands in an editor. */
async function rewrite(field: Locator, text: string): Promise<void> {
  await field.press("Control+a");
  if (text === "") await field.press("Delete");
  else await field.page().keyboard.type(text);
}

function colours(field: Locator): Promise<string[]> {
  return field.evaluate((content) => [...content.querySelectorAll("[class^=word-]")].map((piece) => `${piece.className.slice(5)} ${piece.textContent}`));
}

test.beforeEach(({ page }) => {
  // What the page's policy forbids is written to the console.
  page.on("console", (message) => {
    if (/Content Security Policy|Content-Security-Policy/.test(message.text())) throw new Error(message.text());
  });
});

test("a long text scrolls in its field and covers nothing below", { tag: "@firefox" }, async ({ page }) => {
  const lines = Array.from({ length: 60 }, (_, line) => `line ${line}`).join("\n");
  const agents = { models: { m: { provider: "demo", model: "demo" } }, agents: { a: { model: "m" } } };
  await openDocument(page, { ...bees, ...agents, steps: [...bees.steps, { id: "s5", type: "agent", name: "say", agent: "a", inputFrom: lines }] });
  await card(page, "say").click();
  const prompt = await editor(page, "Prompt");
  const [own, next] = [await prompt.locator("xpath=ancestor-or-self::*[contains(@class, 'cm-scroller')]").boundingBox(), page.locator(".inspector").getByLabel("This agent is called")];
  expect(own?.height).toBeLessThan(450);
  await next.click();
  await expect(next).toBeFocused();
  await prompt.focus();
  await page.keyboard.press("Control+End");
  await expect(prompt.getByText("line 59")).toBeInViewport();
  await expect(prompt.getByText("line 0", { exact: true })).not.toBeInViewport();
  await picture(page, "long-prompt");
  await card(page, "code").click();
  const code = await editor(page, "Code");
  await code.press("Control+a");
  await page.keyboard.insertText(lines);
  const under = await page.locator(".inspector .code-field").last().evaluate((host) => {
    const { bottom, left, width } = host.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, bottom + 30)?.closest(".code-field") === host;
  });
  expect(under).toBe(false);
});

test("the editor comes with the first focus, and takes along what was typed meanwhile", { tag: "@firefox" }, async ({ page }) => {
  let requests = 0;
  let arrive = (): void => {};
  const arrived = new Promise<void>((done) => (arrive = done));
  await page.route(EDITOR, async (route) => {
    requests += 1;
    await arrived;
    await route.continue();
  });
  await openDocument(page, bees);
  await card(page, "ask").click();
  const field = page.locator(".inspector").getByRole("textbox", { name: "Message to the person", exact: true });
  expect(requests).toBe(0);
  await field.focus();
  await field.press("End");
  await page.keyboard.type(" {{ topic");
  expect(await field.evaluate((plain) => plain.tagName)).toBe("TEXTAREA");
  arrive();
  await expect(field).toHaveAttribute("contenteditable", "true");
  await page.keyboard.type(" }} now");
  await expect(written(field)).resolves.toBe("Send {{ total }} jars? {{ topic }} now");
  expect(requests).toBe(1);
  await expect(card(page, "ask")).toContainText("Send {{ total }} jars? {{ topic }} now");
  // It is one visit, so one undo takes all of it back.
  await card(page, "ask").click();
  await page.keyboard.press("Control+z");
  await expect(card(page, "ask")).not.toContainText("topic");
  await expect(card(page, "ask")).toContainText("Send {{ total }} jars?");
});

test("what can be written is suggested also when the key came before the editor", async ({ page }) => {
  let arrive = (): void => {};
  const arrived = new Promise<void>((done) => (arrive = done));
  await page.route(EDITOR, (route) => arrived.then(() => route.continue()));
  await openDocument(page, bees);
  await card(page, "ask").click();
  const field = page.locator(".inspector").getByRole("textbox", { name: "Message to the person", exact: true });
  await field.focus();
  await field.press("End");
  await page.keyboard.type(" {{ to");
  arrive();
  await expect(page.locator(".inspector").getByRole("option", { name: /^topic/ })).toBeVisible();
});

test("a field stays plain when its editor does not come", { tag: "@firefox" }, async ({ page }) => {
  await page.route(EDITOR, (route) => route.abort());
  await openDocument(page, bees);
  await card(page, "many").click();
  const field = page.locator(".inspector").getByLabel("Condition", { exact: true });
  await field.fill("total > 3");
  await expect(field).toHaveValue("total > 3");
  await expect(card(page, "many")).toContainText("total > 3");
});

test("templates and expressions have the colours of the language, and faults are marked where they stand", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "many").click();
  const condition = await editor(page, "Condition");
  await expect.poll(() => colours(condition)).toEqual(["name total", "symbol >", "number 2"]);
  await rewrite(condition, "total > 2 and orders | lenght > 'x'");
  await expect(condition.locator(".cm-lintRange-error")).toHaveText("lenght");
  await expect(condition).toHaveAttribute("aria-invalid", "true");
  await rewrite(condition, "totl > 2");
  await expect(condition.locator(".cm-lintRange-warning")).toHaveText("totl");
  await condition.locator(".cm-lintRange-warning").hover();
  await expect(page.locator(".inspector .cm-tooltip-lint")).toContainText("nothing gives `totl` before this: did you mean `total`?");
  await card(page, "ask").click();
  const message = await editor(page, "Message to the person");
  await expect.poll(() => colours(message)).toEqual(["tag {{", "name total", "tag }}"]);
  await card(page, "code").click();
  const code = await editor(page, "Code");
  await expect.poll(() => colours(code)).toContain("keyword return");
});

test("a field that is left has no list of suggestions, however fast it was left", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "many").click();
  const field = await editor(page, "Condition");
  await field.press("Control+a");
  await page.keyboard.type("total is def");
  // Before the list has come.
  await page.locator(".title-input").focus();
  await page.waitForTimeout(400);
  await expect(page.locator(".inspector .cm-tooltip-autocomplete")).toHaveCount(0);
});

test("JavaScript that ends too early says so below its field", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "code").click();
  const field = await editor(page, "Code");
  await rewrite(field, "return ( ");
  const said = page.locator(".inspector .code-field .said", { hasText: "The code ends too early" });
  await expect(said).toBeVisible();
  await expect(field.locator(".cm-lintRange-error")).toHaveCount(1);
  await rewrite(field, "return 1;");
  await expect(said).toHaveCount(0);
});

test("Ctrl Z takes typing back piece by piece, then all of it, and the document's history has it once", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "many").click();
  const field = await editor(page, "Condition");
  await field.press("End");
  await page.keyboard.type(" and label");
  // A move of the caret ends a piece.
  await page.keyboard.press("Home");
  await page.keyboard.type("not ");
  await expect.poll(() => written(field)).toBe("not total > 2 and label");
  await page.keyboard.press("Control+z");
  await expect.poll(() => written(field)).toBe("total > 2 and label");
  await page.keyboard.press("Control+Shift+z");
  await expect.poll(() => written(field)).toBe("not total > 2 and label");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await expect.poll(() => written(field)).toBe("total > 2");
  await expect(field).toBeFocused();
  await page.keyboard.press("Control+Shift+z");
  await expect.poll(() => written(field)).toBe("total > 2 and label");
  // Outside of the field it is one change.
  await page.keyboard.press("Escape");
  await expect(card(page, "many")).toBeFocused();
  await page.keyboard.press("Control+z");
  await expect(card(page, "many")).toContainText("total > 2");
  await expect.poll(() => written(page.locator(".inspector").getByRole("textbox", { name: "Condition" }))).toBe("total > 2");
});

test("names, filters, tests and statements are suggested, without a mouse", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "many").click();
  const field = await editor(page, "Condition");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await rewrite(field, "");
  await page.keyboard.press("ArrowDown");
  await expect(list.getByRole("option")).toHaveText([/^topic.*bees/, /^orders.*a list/, /^total.*3/, /^label.*bees/]);
  await page.keyboard.press("Escape");
  await expect(list).toBeHidden();
  await expect(field).toBeFocused();
  await page.keyboard.type("orders | le");
  await expect(list.getByRole("option")).toHaveText([/^length/]);
  await page.keyboard.press("ArrowDown");
  await expect(field).toHaveAttribute("aria-activedescendant", /.+/);
  await page.keyboard.press("Enter");
  await expect.poll(() => written(field)).toBe("orders | length");
  await page.keyboard.type(" is num");
  await expect(list.getByRole("option")).toHaveText([/^number/]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => written(field)).toBe("orders | length is number");
  await card(page, "ask").click();
  const message = await editor(page, "Message to the person");
  await message.press("End");
  await page.keyboard.type(" {% i");
  await expect(list.getByRole("option")).toHaveText([/^if a/]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.type(" la");
  await expect(list.getByRole("option")).toHaveText([/^label/]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.type(" %}yes{% endif %}");
  await expect.poll(() => written(message)).toBe("Send {{ total }} jars? {% if label %}yes{% endif %}");
});

test("what opens a tag closes it, and its end may be typed all the same", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "ask").click();
  const message = await editor(page, "Message to the person");
  await message.press("End");
  await page.keyboard.type(" {{ la");
  await expect.poll(() => written(message)).toBe("Send {{ total }} jars? {{ la}}");
  await expect(page.locator(".inspector").getByRole("option")).toHaveText([/^label/]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => written(message)).toBe("Send {{ total }} jars? {{ label }}");
  await page.keyboard.type(" }} {% if total %}!{% endif %} { }");
  await expect.poll(() => written(message)).toBe("Send {{ total }} jars? {{ label }} {% if total %}!{% endif %} { }");
});

test("behind a value that was taken the text goes on, of a list one reads on, and a filter asks for what it needs", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "ask").click();
  const message = await editor(page, "Message to the person");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await message.press("Control+a");
  await page.keyboard.type("Send {{ la");
  await expect(list.getByRole("option")).toHaveText([/^label/]);
  await page.keyboard.press("Enter");
  await page.keyboard.type(" and {{ or");
  await expect(list.getByRole("option")).toHaveText([/^orders/]);
  await page.keyboard.press("Enter");
  await page.keyboard.type(" | jo");
  await expect(list.getByRole("option")).toHaveText([/^join/]);
  await page.keyboard.press("Enter");
  await page.keyboard.type(", ");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.type(" }} now");
  await expect.poll(() => written(message)).toBe("Send {{ label }} and {{ orders | join(', ') }} now");
});

test("the quotes of a filter that was taken may be typed although they are there", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "ask").click();
  const message = await editor(page, "Message to the person");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await message.press("Control+a");
  await page.keyboard.type("Send {{ orders | jo");
  await expect(list.getByRole("option")).toHaveText([/^join/]);
  await page.keyboard.press("Enter");
  await page.keyboard.type("'\\n'");
  await expect.poll(() => written(message)).toBe("Send {{ orders | join('\\n') }}");
});

test("what an expression does not understand is named", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "ask").click();
  const message = await editor(page, "Message to the person");
  await rewrite(message, "{{ label ? 1 }}");
  await expect(page.locator(".inspector")).toContainText("unexpected character “?”");
});

test("Enter or Tab takes the first suggestion, and an opening brace goes around what is selected", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "ask").click();
  const message = await editor(page, "Message to the person");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await message.press("Control+a");
  await page.keyboard.type("{{ to");
  await expect(list.getByRole("option")).toHaveText([/^topic/, /^total/]);
  await expect(list.getByRole("option").first()).toHaveAttribute("aria-selected", "true");
  const box = await list.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(1280 - 8);
  await page.keyboard.press("Enter");
  await expect.poll(() => written(message)).toBe("{{ topic }}");
  await message.press("Control+a");
  await page.keyboard.type("{{ tot");
  await expect(list.getByRole("option")).toHaveText([/^total/]);
  await page.keyboard.press("Tab");
  await expect.poll(() => written(message)).toBe("{{ total }}");
  await expect(message).toBeFocused();
  // Without suggestions it leaves the field, as everywhere.
  await page.keyboard.press("Tab");
  await expect(message).not.toBeFocused();
});

test("rows of keys keep what stands in them when one is added or removed", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Rows", steps: [{ id: "s1", type: "function", name: "count", run: { set: { one: "1", two: "2" } } }] });
  await card(page, "count").click();
  const values = page.locator(".inspector").getByRole("textbox", { name: "Expression", exact: true });
  await expect(values).toHaveCount(2);
  await values.nth(1).focus();
  await expect(values.nth(1)).toHaveAttribute("contenteditable", "true");
  await page.locator(".inspector").getByRole("button", { name: "Add a key" }).click();
  await expect(values).toHaveCount(3);
  await expect.poll(() => Promise.all([0, 1, 2].map((at) => written(values.nth(at))))).toEqual(["1", "2", "''"]);
  await values.nth(1).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" + 3");
  await page.locator(".inspector").getByRole("button", { name: "Remove this key" }).first().click();
  await expect.poll(() => Promise.all([0, 1].map((at) => written(values.nth(at))))).toEqual(["2 + 3", "''"]);
  await values.first().click();
  await page.keyboard.press("End");
  await page.keyboard.type(" + 4");
  await expect(card(page, "count")).toContainText("two = 2 + 3 + 4");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => Promise.all([0, 1, 2].map((at) => written(values.nth(at))))).toEqual(["1", "2 + 3", "''"]);
});

test("who clicks beside a field and types changes no step", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "ask").click();
  await page.locator(".inspector .field-hint").first().click();
  await page.keyboard.type("product red");
  await page.keyboard.press("Delete");
  await expect(page.locator(".card")).toHaveCount(4);
  await expect(page.locator(".card.disabled, .card.collapsed")).toHaveCount(0);
  expect((await exported(page)).steps).toMatchObject(bees.steps.map(({ id }) => ({ id })));
  expect(JSON.stringify(await exported(page))).not.toContain("enabled");
  // On the canvas the same keys mean the selected step.
  await card(page, "ask").click();
  await page.keyboard.press("Delete");
  await expect(card(page, "ask")).toHaveCount(0);
});

test("a field of one line stays one, Tab leaves it, and a large one fills the window until Escape", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "count").click();
  const inspector = page.locator(".inspector");
  const first = inspector.getByRole("textbox", { name: "Expression" }).first();
  await first.focus();
  await expect(first).toHaveAttribute("contenteditable", "true");
  await page.keyboard.press("Enter");
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text/plain", "orders[0].jars\n + 1");
    const host = document.activeElement?.shadowRoot?.activeElement;
    host?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, composed: true, cancelable: true }));
  });
  await expect.poll(() => written(first)).toMatch(/^\S.*orders\[0\]\.jars \+ 1/);
  await page.keyboard.press("Tab");
  await expect(first).not.toBeFocused();
  await card(page, "code").click();
  const code = await editor(page, "Code");
  await inspector.getByRole("button", { name: "Enlarge" }).click();
  const height = (await code.boundingBox())?.height ?? 0;
  const large = inspector.locator(".code-field:popover-open");
  expect((await large.boundingBox())?.height).toBeGreaterThan(600);
  await expect(large.locator(".title")).toHaveText("Code");
  await expect(large.locator(".title")).toBeVisible();
  await rewrite(code, "return {");
  await expect(large.locator(".said")).toBeVisible();
  await picture(page, "enlarged");
  expect(height).toBeGreaterThan(20);
  await expect(code).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(inspector.locator(".code-field:popover-open")).toHaveCount(0);
  await expect(code).toBeFocused();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`what stands in a field of one line is seen, however long it is (${colorScheme})`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await openDocument(page, bees);
    await card(page, "count").click();
    const field = page.locator(".inspector").getByRole("textbox", { name: "Expression" }).first();
    await field.focus();
    await expect(field).toHaveAttribute("contenteditable", "true");
    await rewrite(field, "orders[0].jars * orders[0].price + orders[0].jars * orders[0].price");
    await page.locator(".inspector").getByLabel("Name", { exact: true }).focus();
    await picture(page, `one-line-${colorScheme}`);
    const host = page.locator(".set-value .code-field").first();
    const found = await host.evaluate((host) => {
      const find = (selector: string): HTMLElement => host.shadowRoot?.querySelector(selector) as HTMLElement;
      const [scroller, line, own] = [find(".cm-scroller"), find(".cm-line").getBoundingClientRect(), host.getBoundingClientRect()];
      return {
        bars: [scroller.offsetHeight - scroller.clientHeight, scroller.offsetWidth - scroller.clientWidth],
        inside: line.top >= own.top && line.bottom <= own.bottom,
        begins: line.left >= own.left,
        off: Math.abs((line.top + line.bottom - own.top - own.bottom) / 2),
        width: scroller.clientWidth,
      };
    });
    expect(found).toMatchObject({ bars: [0, 0], inside: true, begins: true });
    expect(found.off).toBeLessThan(1.5);
    expect(found.width).toBeGreaterThan(80);
  });
}

test("while a person writes nothing comes up beside it, and what is mended goes", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Ask", initialState: { topic: "bees" }, steps: [{ id: "s1", type: "approval", name: "ask", message: "" }] });
  await card(page, "ask").click();
  const field = await editor(page, "Message to the person");
  const inspector = page.locator(".inspector");
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const look = (): void => seen.push(...[...document.querySelectorAll(".inspector .field-error")].map(({ textContent }) => textContent));
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  // Longer than the pause after which the document is checked: each name on the way is checked by itself.
  await field.pressSequentially("{{ topic", { delay: 450 });
  await expect(inspector.getByRole("group", { name: "Preview", exact: true })).toContainText("bees");
  expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual([]);
  await page.keyboard.press("Backspace");
  await expect(inspector.locator(".field-error")).toContainText("topi");
  await page.keyboard.type("c");
  await expect(inspector.locator(".field-error")).toHaveCount(0);
});

test("a preview says what the text gives with the values that are known, and why it gives nothing", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "many").click();
  const field = await editor(page, "Condition");
  const preview = page.locator(".inspector").getByRole("group", { name: "Preview", exact: true });
  await rewrite(field, "topic | upper ~ '!'");
  await expect(preview).toContainText("BEES!");
  await expect(preview).toContainText("with the initial state, pinned outputs and samples");
  await rewrite(field, "orders[0]");
  await expect(preview).toContainText('"jars": 3');
  await rewrite(field, "topic.name");
  await expect(preview.locator(".preview-error")).not.toBeEmpty();
  await rewrite(field, "'Order: ' + orders[0]");
  await expect(preview.locator(".preview-error")).toHaveText("tried to use + operator on unsupported types string and map: ~ joins texts with other values");
  await rewrite(field, "wasps ~ topic");
  await expect(preview).toContainText("There is no value of wasps yet");
  await rewrite(field, "total > 2");
  await expect(preview).toContainText("true");
  await card(page, "ask").click();
  await expect(preview).toHaveCount(0);
  const message = await editor(page, "Message to the person");
  await message.press("End");
  await page.keyboard.type(" {% for order in orders %}[{{ order.price }}]{% endfor %}");
  await expect(preview).toContainText("Send 3 jars? [4.5]");
});

test("a preview that is too long to be seen at once is reached and read by keys", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Long", initialState: { lines: Array.from({ length: 60 }, (_, line) => `line ${line}`) }, steps: [
    { id: "s1", type: "condition", name: "look", condition: "true", steps: [], else: [] },
  ] });
  await card(page, "look").click();
  const field = await editor(page, "Condition");
  await rewrite(field, "lines[0]");
  const preview = page.locator(".inspector").getByRole("group", { name: "Preview", exact: true });
  await expect(preview).toContainText("line 0");
  const value = preview.getByRole("group", { name: "Value of the preview" });
  await expect(value).toHaveCount(0);
  await rewrite(field, "lines | join('\\n')");
  await expect(preview).toContainText("line 59");
  await expect(value).toBeVisible();
  expect(await findings(page)).toEqual([]);
  // The button that enlarges the field is in between.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(value).toBeFocused();
  await page.keyboard.press("End");
  await expect.poll(() => value.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
  await page.keyboard.press("Tab");
  await expect(preview).toHaveCount(0);
});

test("after a run the preview and the suggestions have its values", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Runs", initialState: { n: 1 }, steps: [
    { id: "s1", type: "function", name: "twice", run: { set: { n: "n * 2", made: "n + 40" } } },
    { id: "s2", type: "condition", name: "look", condition: "made > 2", steps: [], else: [] },
  ] });
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await card(page, "look").click();
  const field = await editor(page, "Condition");
  await rewrite(field, "made ~ ' of ' ~ n");
  const preview = page.locator(".inspector").getByRole("group", { name: "Preview", exact: true });
  await expect(preview).toContainText("41 of 2");
  await expect(preview).toContainText(/with the values of run \d/);
  await rewrite(field, "");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("listbox", { name: "Suggestions" }).getByRole("option")).toHaveText([/^n.*2/, /^made.*41/]);
});

test("the name under the caret lights the card that gives it, and says where it comes from", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "many").click();
  const field = await editor(page, "Condition");
  await rewrite(field, "total > 2 and topic != ''");
  await field.press("Home");
  await expect(card(page, "count")).toHaveClass(/lit/);
  await field.press("End");
  await expect(card(page, "count")).not.toHaveClass(/lit/);
  await field.locator(".word-name", { hasText: "total" }).hover();
  await expect(page.locator(".inspector .cm-tooltip-hover")).toContainText("from count");
  await expect(page.locator(".inspector .cm-tooltip-hover")).toContainText("3");
  await field.press("Home");
  await page.keyboard.press("Escape");
  await expect(card(page, "count")).not.toHaveClass(/lit/);
});

test("where an expression is evaluated after the steps inside, what they leave is suggested", async ({ page }) => {
  const page_ = { id: "s2", type: "http", name: "page", http: { url: "https://a.test/{{ url }}" } };
  await openDocument(page, {
    version: 1,
    name: "Inside",
    initialState: { urls: ["x"] },
    steps: [
      { id: "s1", type: "foreach", name: "each", items: "urls", as: "url", result: "url", steps: [page_] },
      { id: "s3", type: "loop", name: "again", repeat: { until: "true" }, maxIterations: 2, steps: [{ ...page_, id: "s4", name: "poll" }] },
    ],
  });
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await card(page, "each").click();
  await rewrite(await editor(page, "Result of each item"), "pa");
  await expect(list.getByRole("option")).toHaveText([/^page_output/]);
  await page.keyboard.press("Escape");
  await card(page, "again").click();
  await rewrite(await editor(page, "Condition"), "po");
  await expect(list.getByRole("option")).toHaveText([/^poll_output/]);
});

test("a click into a text, or on what it is called, writes nothing into it", async ({ page }) => {
  const prompt = "Say {{ mail }} and {{ other }}";
  await openDocument(page, {
    version: 1,
    name: "Say",
    models: { m: { provider: "demo", model: "demo" } },
    agents: { a: { model: "m" } },
    steps: [{ id: "s1", type: "agent", name: "say", agent: "a", inputFrom: prompt }],
  });
  await card(page, "say").click();
  const field = await editor(page, "Prompt");
  const inspector = page.locator(".inspector");
  const fix = inspector.getByRole("button", { name: "Write | default('')", exact: true });
  await expect(fix).toBeVisible();
  await field.click({ position: { x: 40, y: 8 } });
  await field.click({ position: { x: 90, y: 8 } });
  await inspector.getByText("Prompt", { exact: true }).click();
  await expect(field).toBeFocused();
  expect(await written(field)).toBe(prompt);
  await fix.click();
  await expect.poll(() => written(field)).toContain("default('')");
});

test("what is added behind lanes takes the answer of whichever came, and completion knows it and the input", async ({ page }) => {
  const agent = (id: string, name: string, inputFrom: string): object => ({ id, type: "agent", name, agent: name, inputFrom });
  const writer = { model: "demo" };
  await openDocument(page, {
    version: 1,
    name: "Router",
    input: { type: "object", properties: { mail: { type: "string" } }, required: ["mail"] },
    models: { demo: { provider: "demo", model: "demo" } },
    agents: { sort: { model: "demo", output: { type: "string", enum: ["billing", "other"] } }, billing: writer, other: writer },
    steps: [
      agent("s1", "sort", "Sort {{ mail }}"),
      { id: "s2", type: "switch", name: "way", cases: [{ when: "sort_output == 'billing'", steps: [agent("s3", "billing", "{{ mail }}")] }], default: [agent("s4", "other", "{{ mail }}")] },
    ],
  });
  const chain = "billing_output | default(other_output) | default('')";
  await kind(page, "function").click();
  await expect.poll(async () => (await exported(page)).steps).toMatchObject([{}, {}, { run: { set: { key: chain } } }]);
  await kind(page, "agent").click();
  const prompt = await editor(page, "Prompt");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await expect(page.locator(".inspector .cm-placeholder")).toHaveText("Answer this: {{ mail }}");
  await expect.poll(() => written(prompt)).toBe("");
  await page.keyboard.type("{{ ma");
  await expect(list.getByRole("option")).toHaveText([/^mail/]);
  await expect(page.locator(".inspector .fix")).toHaveText(["Write mail", "Ask for ma when running", "Add ma to the initial state"]);
  await rewrite(prompt, "");
  await page.keyboard.type("{{ bill");
  await expect(list.getByRole("option")).toHaveText([/^billing_output/, /^whichever way came/]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => written(prompt)).toBe(`{{ ${chain} }}`);
  await expect(page.locator(".card.flawed")).toHaveCount(0);
});

test("before any run the keys of an answer to come are suggested, by its schema", async ({ page }) => {
  const output = { type: "object", properties: { score: { type: "integer" }, verdict: { enum: ["good", "bad"] } }, required: ["score"] };
  await openDocument(page, {
    version: 1,
    name: "Rounds",
    models: { demo: { provider: "demo", model: "demo" } },
    agents: { critic: { model: "demo", output } },
    steps: [
      { id: "s1", type: "loop", name: "rounds", maxIterations: 3, repeat: { until: "true" }, steps: [{ id: "s2", type: "agent", name: "judge", agent: "critic", inputFrom: "Judge." }] },
    ],
  });
  await card(page, "rounds").click();
  const condition = await editor(page, "Condition");
  await rewrite(condition, "judge_output.");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await expect(list.getByRole("option")).toHaveText([/score.*a number/, /verdict.*"good", "bad"/]);
  await rewrite(condition, "judge_output.verdct == 'good'");
  await expect(page.locator(".inspector .fix")).toHaveText(["Write verdict"]);
});

test("Tab to an expression that was filled in selects it, and what is typed takes its place", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Draft",
    models: { demo: { provider: "demo", model: "demo" } },
    agents: { a: { model: "demo" } },
    steps: [{ id: "s1", type: "agent", name: "draft", agent: "a", inputFrom: "Write." }],
  });
  await kind(page, "function").click();
  await expect(page.locator(".inspector").getByLabel("Key", { exact: true })).toBeFocused();
  await page.keyboard.type("text");
  await page.keyboard.press("Tab");
  await page.keyboard.type("'x'");
  await expect.poll(async () => (await exported(page)).steps).toMatchObject([{}, { run: { set: { text: "'x'" } } }]);
});

test("the key that is added has the focus before anything is drawn, so that nothing typed goes elsewhere", async ({ page }) => {
  await openDocument(page, bees);
  await page.locator(".pill.start").click();
  const focused = await page.locator(".inspector").getByRole("button", { name: "Add a key" }).last().evaluate(async (button) => {
    const draws = globalThis.requestAnimationFrame;
    globalThis.requestAnimationFrame = () => 0;
    (button as HTMLButtonElement).click();
    await new Promise((done) => setTimeout(done, 50));
    globalThis.requestAnimationFrame = draws;
    return document.activeElement?.getAttribute("aria-label");
  });
  expect(focused).toBe("Key");
});

test("Tab leads from the key of a new row to its value, which is written over", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, { version: 1, name: "Sum", steps: [{ id: "s1", type: "function", name: "add", run: { set: {} } }] });
  await card(page, "add").click();
  const inspector = page.locator(".inspector");
  for (const [at, key] of ["sum", "more"].entries()) {
    await inspector.getByRole("button", { name: "Add a key" }).click();
    await expect(inspector.getByLabel("Key", { exact: true }).nth(at)).toBeFocused();
    await page.keyboard.type(key);
    const value = inspector.getByRole("textbox", { name: "Expression", exact: true }).nth(at);
    // Of the second one the editor is there before the keyboard comes to it.
    if (at > 0) await expect(value).toHaveAttribute("contenteditable", "true");
    await page.keyboard.press("Tab");
    await page.keyboard.type("1 + 1");
    await expect.poll(() => written(value)).toBe("1 + 1");
  }
  await expect.poll(async () => (await exported(page)).steps).toMatchObject([{ run: { set: { sum: "1 + 1", more: "1 + 1" } } }]);
});

test("a brace that closes a block stands below its beginning, and rows of suggestions have their words in the middle", async ({ page }) => {
  await openDocument(page, bees);
  await card(page, "code").click();
  const code = await editor(page, "Code");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("if (state.topic) {\nreturn {};\n}\n");
  await expect.poll(() => written(code)).toBe("if (state.topic) {\n  return {};\n}\n");
  await page.keyboard.type("state.");
  const row = page.locator(".cm-tooltip-autocomplete li").first();
  await expect(row).toBeVisible();
  const aside = await row.evaluate((one) => {
    const words = one.querySelector(".cm-completionLabel")!.getBoundingClientRect();
    const own = one.getBoundingClientRect();
    return words.top - own.top - (own.bottom - words.bottom);
  });
  expect(Math.abs(aside)).toBeLessThan(3);
});
