// The search over everything (Ctrl K), and finding and replacing in the texts of a workflow (Ctrl F).
import { expect, test, type Page } from "@playwright/test";
import { card, names, openBuilder, openDocument, picture, written } from "./builder.js";

const wait = (id: string): object => ({ id, type: "wait", name: id, wait: { ms: 1 } });

const search = (page: Page) => page.getByRole("dialog", { name: "Search" });
const panel = (page: Page) => page.getByRole("region", { name: "Find and replace" });

test("Ctrl K finds commands by a few letters and does them", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, { version: 1, name: "Flow", steps: [wait("a"), wait("b")] });
  await card(page, "a").focus();
  await page.keyboard.press("Control+k");
  await expect(search(page).getByRole("combobox")).toBeFocused();
  await picture(page, "search");
  await page.keyboard.type("wr loop");
  await expect(search(page).getByRole("option").first()).toContainText("Wrap in a loop");
  await expect(search(page).getByRole("option").first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect.poll(() => names(page)).toEqual(["loop", "a", "b"]);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("unw");
  await page.keyboard.press("Enter");
  await expect.poll(() => names(page)).toEqual(["a", "b"]);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("endpoints");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Endpoint" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  // No letters that are scattered over the words of something else.
  await page.keyboard.type("dkn");
  await expect(search(page).getByText("Nothing is called this.")).toBeVisible();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await expect(search(page)).toHaveCount(0);
});

test("the page is dark or light as a person wants it, also after it was loaded again", { tag: "@firefox" }, async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await openBuilder(page);
  const colour = () => page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
  const light = await colour();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("dark");
  await expect(search(page).getByRole("option").first()).toContainText("Look: dark");
  await page.keyboard.press("Enter");
  await expect.poll(colour).not.toBe(light);
  const dark = await colour();
  await page.reload();
  await expect.poll(colour).toBe(dark);
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page.getByRole("button", { name: /^Look/ }).click();
  await expect(page.getByText("Look: light")).toBeVisible();
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(colour).toBe(light);
});

test("a step that is gone to in a large workflow is not under the map", async ({ page }) => {
  const lane = (index: number): object => ({ id: `lane${index}`, type: "sequence", name: `lane${index}`, steps: Array.from({ length: 12 }, (_, at) => wait(`s${index}_${at}`)) });
  const parallel = Array.from({ length: 12 }, (_, index) => lane(index));
  await openDocument(page, { version: 1, name: "Wide", steps: [{ id: "all", type: "parallel", name: "all", parallel }] });
  await expect(page.locator(".minimap canvas")).toBeVisible();
  for (const name of ["s11_11", "s0_11", "s11_0"]) {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await expect(card(page, name)).toBeFocused();
    await card(page, name).click({ trial: true });
  }
});

test("Ctrl K goes to a step, adds a step where one is selected, and opens a template", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Flow", steps: [wait("first"), wait("second"), wait("third")] });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("first");
  await page.keyboard.press("Enter");
  await expect(card(page, "first")).toBeFocused();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("add cond");
  await page.keyboard.press("Enter");
  await expect.poll(() => names(page)).toEqual(["first", "condition", "second", "third"]);
  // With a field in use too; and the arrows choose among what was found.
  await page.locator(".title-input").focus();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("add ");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Home");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("honey");
  await page.keyboard.press("Enter");
  await expect(page.locator(".title-input")).toHaveValue(/honey/i);
});

test("Ctrl K finds by many words the step that keeps some items of a list", async ({ page }) => {
  await openBuilder(page);
  for (const words of ["filter", "keep only", "some items", "remove items", "where"]) {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(words);
    await expect(page.locator(".hit").first(), words).toContainText("Keep only some items of a list");
    await page.keyboard.press("Escape");
  }
});

test("what is typed before the search is there is what it searches for", { tag: "@firefox" }, async ({ page }) => {
  let isAsked = false;
  let come = (): void => {};
  const mayCome = new Promise<void>((resolve) => void (come = resolve));
  await page.route(/\/split_dialogs[^/]*\.wasm$/, async (route) => {
    isAsked = true;
    await mayCome;
    await route.continue();
  });
  await openBuilder(page);
  await page.getByLabel("Name of the workflow").focus();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("add x");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect.poll(() => isAsked).toBe(true);
  come();
  const field = search(page).getByRole("combobox");
  await expect(field).toHaveValue("add ");
  await expect(search(page).getByRole("option").nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.type("agent");
  await expect(field).toHaveValue("add agent");
  await page.keyboard.press("Escape");
  await expect(page.getByLabel("Name of the workflow")).toHaveValue("Research report");
  await expect(page.getByLabel("Name of the workflow")).toBeFocused();
});

test("Ctrl K opens a stored workflow by its name", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Mail router", steps: [wait("sort")] });
  await openDocument(page, { version: 1, name: "Bees", steps: [wait("fly")] });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("router");
  await expect(search(page).getByRole("option").first()).toContainText("Open Mail router");
  await page.keyboard.press("Enter");
  await expect(search(page)).toHaveCount(0);
  await expect(card(page, "sort")).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("open ");
  await expect(search(page).getByRole("option").filter({ hasText: "Open Bees" })).toHaveCount(1);
  await expect(search(page).getByRole("option").filter({ hasText: "Open Mail router" })).toHaveCount(0);
});

test("letters choose among the kinds where a step is added", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Flow", steps: [wait("a")] });
  await card(page, "a").focus();
  await page.keyboard.press("a");
  await page.keyboard.type("loo");
  await page.keyboard.press("Enter");
  await expect.poll(() => names(page)).toEqual(["a", "loop"]);
});

const texts = {
  version: 1,
  name: "Texts",
  models: { m: { provider: "demo", model: "demo" } },
  agents: { writer: { model: "m", instructions: "Write about Bees.\nBe brief." } },
  steps: [
    { id: "s1", type: "agent", name: "write", agent: "writer", inputFrom: "bees and more bees" },
    { id: "s2", type: "loop", name: "again", repeat: { until: "bees == 1" }, maxIterations: 2, steps: [
      { id: "s3", type: "function", name: "code", run: { code: "return { bees: 1 };" } }] },
    ...Array.from({ length: 12 }, (_, index) => wait(`w${index}`)),
    { id: "s9", type: "approval", name: "last", message: "Are the bees well?" },
  ],
};

test("what is found is called what its form calls it", async ({ page }) => {
  const answer = { enum: ["wax", "bees"] };
  const set = { id: "s2", type: "function", name: "set", run: { set: { many: "bees" } } };
  await openDocument(page, {
    ...texts,
    agents: { writer: { model: "m", output: answer } },
    steps: [{ id: "s1", type: "agent", name: "write", agent: "writer", inputFrom: "Hi" }, { id: "s3", type: "switch", name: "sort", cases: [{ when: "false", steps: [] }, { when: "bees", steps: [set] }], default: [] }],
  });
  await page.keyboard.press("Control+f");
  await page.keyboard.type("bees");
  await expect(panel(page).getByRole("listitem")).toHaveText([/Agent writer\s*Answer, choice 2\s*bees/, /sort\s*Case 2, when\s*bees/, /set\s*Set, many\s*bees/]);
  await picture(page, "find-words");
});

test("Ctrl F lists what it finds, and stepping through it shows each step", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, texts);
  await page.keyboard.press("Control+f");
  await expect(panel(page).getByLabel("Find", { exact: true })).toBeFocused();
  await page.keyboard.type("bees");
  await expect(panel(page).getByRole("status")).toContainText("1 of 6");
  await expect(panel(page).getByRole("listitem")).toHaveText([
    /Agent writer\s*Instructions\s*Write about Bees\. Be brief/,
    /write\s*Prompt\s*bees and more/,
    /write\s*Prompt.*more bees/,
    /again\s*Condition\s*bees == 1/,
    /code\s*Code\s*return/,
    /last\s*Message to the person\s*Are the bees well/,
  ]);
  await picture(page, "find");
  await page.keyboard.press("Enter");
  await expect(card(page, "write")).toHaveClass(/selected/);
  for (let more = 0; more < 4; more += 1) await page.keyboard.press("Enter");
  await expect(card(page, "last")).toHaveClass(/selected/);
  await expect(card(page, "last")).toBeInViewport({ ratio: 0.9 });
  await expect(panel(page).getByLabel("Find", { exact: true })).toBeFocused();
  await page.keyboard.press("Shift+Enter");
  await expect(card(page, "code")).toHaveClass(/selected/);
  await panel(page).getByRole("button", { name: "Match case" }).click();
  await expect(panel(page).getByRole("status")).toContainText("of 5");
  await page.keyboard.press("Escape");
  await expect(panel(page)).toHaveCount(0);
  await expect(card(page, "code")).toBeFocused();
});

test("one is replaced, then all, each as one undo, and a reload keeps it", async ({ page }) => {
  await openDocument(page, texts);
  await page.keyboard.press("Control+f");
  await page.keyboard.type("bees");
  await panel(page).getByLabel("Replace with").fill("bees and wasps");
  await panel(page).getByRole("button", { name: "Replace", exact: true }).click();
  // What was written holds what is searched for, and is passed by.
  await expect(panel(page).getByRole("status")).toContainText("1 replaced. 2 of 6");
  await panel(page).getByLabel("Replace with").fill("ants");
  await panel(page).getByRole("button", { name: "All" }).click();
  await expect(panel(page).getByRole("status")).toHaveText("6 replaced. ");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+f");
  await page.keyboard.type("bees and wasps");
  await expect(panel(page).getByRole("status")).toContainText("1 of 1");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+Control+z");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await expect(card(page, "write")).toContainText("ants and more ants");
});

test("a key is found as a name, and what reads it follows as one undo", async ({ page }) => {
  const input = { type: "object", properties: { mail: { type: "string" } }, required: ["mail"] };
  await openDocument(page, { version: 1, name: "Keys", input, initialState: { mail: "Hello" }, steps: [
    { id: "s1", type: "function", name: "kind", run: { set: { mail_kind: "mail | upper" } } },
    { id: "s2", type: "approval", name: "last", message: "{{ mail }} is {{ mail_kind }}" },
  ] });
  await page.keyboard.press("Control+f");
  await page.keyboard.type("mail");
  await expect(panel(page).getByRole("listitem")).toHaveText([
    /Workflow\s*Key of the input\s*mail/,
    /Workflow\s*Key of the initial state\s*mail/,
    /kind\s*Key\s*mail_kind/,
    /kind\s*Set, mail_kind\s*mail \| upper/,
    /last\s*Message to the person/,
    /last\s*Message to the person/,
  ]);
  await panel(page).getByLabel("Replace with").fill("message");
  await panel(page).getByRole("button", { name: "All" }).click();
  await expect(panel(page).getByRole("status")).toHaveText("6 replaced, and 1 use changed with it. ");
  await expect(page.locator(".problems-button")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await card(page, "last").click();
  const message = page.locator(".inspector").getByRole("textbox", { name: "Message to the person", exact: true });
  await expect.poll(() => written(message)).toBe("{{ message }} is {{ message_kind }}");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+f");
  await page.keyboard.type("message");
  await expect(panel(page).getByRole("status")).toContainText("Not found");
});

test("an agent and a choice of its answer are found, and what uses a name is counted", async ({ page }) => {
  const output = { type: "object", properties: { kind: { type: "string", enum: ["billing", "other"] } } };
  const ask = (id: string): object => ({ id, type: "agent", name: id, agent: "agent_2", inputFrom: "{{ mail }}" });
  await openDocument(page, { version: 1, name: "Names", initialState: { mail: "Hello" }, models: { m: { provider: "demo", model: "demo" } }, agents: { agent_2: { model: "m", output } }, steps: [ask("one"), ask("two")] });
  const find = panel(page).getByLabel("Find", { exact: true });
  await page.keyboard.press("Control+f");
  await find.fill("billing");
  await expect(panel(page).getByRole("listitem")).toHaveText([/Agent agent_2.*billing/]);
  await find.fill("agent_2");
  await expect(panel(page).getByRole("listitem")).toHaveText([/Agent agent_2\s*Name\s*agent_2/]);
  await panel(page).getByLabel("Replace with").fill("triage");
  await panel(page).getByRole("button", { name: "Replace", exact: true }).click();
  await expect(panel(page).getByRole("status")).toHaveText("1 replaced, and 2 uses changed with it. ");
  await expect(card(page, "two")).toContainText("triage");
});

test("a text that is nowhere, or anything a person may type, changes nothing", async ({ page }) => {
  await openBuilder(page);
  const before = await names(page);
  await page.keyboard.press("Control+f");
  for (const text of [".*", "\\", "{{", "<b>", "İ", "no such text 🐝"]) await panel(page).getByLabel("Find", { exact: true }).fill(text);
  await expect(panel(page).getByRole("status")).toContainText("Not found");
  await expect(panel(page).getByRole("button", { name: "All" })).toBeDisabled();
  await expect.poll(() => names(page)).toEqual(before);
});

test("Escape closes the panel behind the last replacement too", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Flow", steps: [wait("apple"), wait("pear")] });
  await page.keyboard.press("Control+f");
  await panel(page).getByLabel("Find", { exact: true }).fill("apple");
  await panel(page).getByLabel("Replace with").fill("plum");
  await panel(page).getByRole("button", { name: "All" }).click();
  await expect(card(page, "plum")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(panel(page)).toHaveCount(0);
});

test("a tool is found by its name, and its fields are shown", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Shop", tools: { find_order: { description: "Looks in the shop" } }, steps: [wait("a")] });
  await page.keyboard.press("Control+f");
  await page.keyboard.type("find_order");
  await expect(panel(page).locator(".find-row")).toContainText("Tool find_order");
  await page.keyboard.press("Enter");
  await expect(page.locator(".inspector").getByLabel("Name of the tool")).toHaveValue("find_order");
});
