import { expect, test, type Page } from "@playwright/test";
import { card, drag, exported, importText, kind, middle, names, openBuilder, openDocument, picture, place, run, written } from "./builder.js";

/** A function step that sets nothing. */
const leaf = (id: string, name = id): object => ({ id, type: "function", name, run: { set: {} } });

/** A workflow of one switch: two cases with a step each, and a default. */
const route = {
  version: 1,
  name: "Route",
  steps: [
    {
      id: "s1",
      type: "switch",
      name: "route",
      cases: [
        { when: "kind == 'question'", steps: [leaf("s2", "answer")] },
        { when: "kind == 'complaint'", steps: [leaf("s3", "soothe")] },
      ],
      default: [leaf("s4", "file")],
    },
  ],
};

async function empty(page: Page): Promise<void> {
  await openBuilder(page);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("An empty workflow").click();
  await expect(page.locator(".card")).toHaveCount(0);
}

test("every kind is dragged in, and steps are dragged into what holds steps", async ({ page }) => {
  await empty(page);
  await drag(page, kind(page, "switch"), place(page, "/0"));
  await drag(page, kind(page, "wait"), place(page, "s1/cases[0].steps/0"));
  await drag(page, kind(page, "approval"), place(page, "s1/default/0"));
  await expect.poll(() => names(page)).toEqual(["switch", "wait", "approval"]);
  await page.getByRole("button", { name: "Show everything" }).click();
  await drag(page, kind(page, "foreach"), place(page, "/1"));
  await drag(page, kind(page, "function"), place(page, "s4/steps/0"));
  await page.getByRole("button", { name: "Show everything" }).click();
  await drag(page, kind(page, "loop"), place(page, "/2"));
  await page.getByRole("button", { name: "Show everything" }).click();
  await drag(page, kind(page, "workflow"), place(page, "s6/steps/0"));
  await expect.poll(() => names(page)).toEqual(["switch", "wait", "approval", "foreach", "function", "loop", "workflow"]);
  await expect(page.locator(".card.flawed")).toHaveCount(0);
  await picture(page, "kinds");
});

test("a card is dragged from one case into another, and back by undo", async ({ page }) => {
  await openDocument(page, route);
  await drag(page, card(page, "answer"), place(page, "s1/cases[1].steps/1"));
  await expect.poll(() => names(page)).toEqual(["route", "soothe", "answer", "file"]);
  await expect(place(page, "s1/cases[0].steps/0")).toContainText("Click, or drop a step");
  await page.keyboard.press("Control+z");
  await expect.poll(() => names(page)).toEqual(["route", "answer", "soothe", "file"]);
});

test("a card is moved and deleted inside a case with the keyboard", async ({ page }) => {
  await openDocument(page, route);
  await card(page, "answer").click();
  await page.keyboard.press("Control+d");
  await expect(card(page, "answer_2")).toBeFocused();
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => names(page)).toEqual(["route", "answer_2", "answer", "soothe", "file"]);
  await page.keyboard.press("Delete");
  await expect.poll(() => names(page)).toEqual(["route", "answer", "soothe", "file"]);
});

test("the cases of a switch are added, ordered and removed, each as one step back", async ({ page }) => {
  await openDocument(page, route);
  await card(page, "route").click();
  const inspector = page.locator(".inspector");
  const branches = page.locator(".branch");
  await expect(branches).toHaveText(["question", "complaint", "default"]);
  await inspector.getByRole("button", { name: "Add a case" }).click();
  await inspector.getByLabel("When").nth(2).fill("kind == 'praise'");
  await expect(branches).toHaveText(["question", "complaint", "praise", "default"]);
  await picture(page, "switch");
  await inspector.getByRole("button", { name: "Move case 2 up" }).click();
  await expect.poll(() => names(page)).toEqual(["route", "soothe", "answer", "file"]);
  await inspector.getByRole("button", { name: "Remove case 1" }).click();
  await expect(card(page, "soothe")).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card(page, "soothe")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => names(page)).toEqual(["route", "answer", "soothe", "file"]);
});

test("the last case of a switch stays", async ({ page }) => {
  await empty(page);
  await kind(page, "switch").click();
  await expect(page.locator(".inspector").getByRole("button", { name: "Remove case 1" })).toBeDisabled();
});

test("an approval has ways for approved, refused and too late, and the answer takes one of them", async ({ page }) => {
  await empty(page);
  await kind(page, "approval").click();
  const inspector = page.locator(".inspector");
  await expect(page.locator(".branch")).toHaveText(["approved", "refused"]);
  await inspector.getByText("Steps when refused").click();
  await expect(page.locator(".branch")).toHaveText(["approved"]);
  await inspector.getByText("Steps when refused").click();
  await inspector.getByLabel("Expires after (ms)").fill("3600000");
  await inspector.getByText("Steps if nobody answers in time").click();
  await expect(page.locator(".branch")).toHaveText(["approved", "refused", "too late"]);
  await expect(card(page, "approval")).toContainText("within 1 h");
  await page.getByRole("button", { name: "Show everything" }).click();
  await drag(page, kind(page, "function"), place(page, "s1/steps/0"));
  await drag(page, kind(page, "end"), place(page, "s1/else/0"));
  await drag(page, kind(page, "wait"), place(page, "s1/expired/0"));
  await expect.poll(() => names(page)).toEqual(["approval", "function", "end", "wait"]);
  await expect(page.locator(".card.flawed")).toHaveCount(0);
  await picture(page, "approval-ways");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(card(page, "approval")).toContainText("Waits for your answer");
  await card(page, "approval").click();
  await expect(inspector.getByText("To be answered by")).toBeVisible();
  await inspector.getByRole("button", { name: "Refuse" }).click();
  await expect(card(page, "end")).toHaveAttribute("data-status", "done");
  await expect(card(page, "function")).toHaveAttribute("data-status", "idle");
});

test("an end is dragged in and edited, and a scope that is not around it is marked", async ({ page }) => {
  await empty(page);
  await kind(page, "loop").click();
  await drag(page, kind(page, "end"), place(page, "s1/steps/0"));
  await expect(card(page, "end")).toContainText("ends" + "the run");
  await card(page, "end").click();
  const inspector = page.locator(".inspector");
  await inspector.getByLabel("What ends").selectOption({ label: "this round of the loop" });
  await inspector.getByLabel("Ends", { exact: true }).selectOption({ label: "with an error" });
  await inspector.getByLabel("Message").fill("no more");
  await expect(card(page, "end")).toContainText("this round with an error");
  await expect(card(page, "end")).toContainText("no more");
  await expect(page.locator(".card.flawed")).toHaveCount(0);
  await inspector.getByLabel("What ends").selectOption({ label: "this item of the list" });
  await expect(card(page, "end")).toHaveClass(/flawed/);
  await expect(inspector.getByText("is in no foreach")).toBeVisible();
});

test("a foreach is edited, and its card says so", async ({ page }) => {
  await empty(page);
  await kind(page, "foreach").click();
  const inspector = page.locator(".inspector");
  await inspector.getByLabel("Items").fill("[1, 2]");
  await inspector.getByLabel("Each item is called").fill("topic");
  await inspector.getByLabel("How many at the same time").fill("4");
  await inspector.getByLabel("If an item fails").selectOption({ label: "it has no result" });
  await expect(card(page, "foreach")).toContainText("for each topic of");
  await expect(card(page, "foreach")).toContainText("4 at once · failures are dropped");
  await inspector.getByLabel("How many at the same time").fill("no");
  await expect(inspector.getByText("Must be a whole number, 1 or more.")).toBeVisible();
  await expect(page.getByRole("button", { name: "1 problem" })).toBeVisible();
  await expect(card(page, "foreach")).toHaveClass(/flawed/);
  await inspector.getByLabel("How many at the same time").fill("2");
  await expect(page.getByRole("button", { name: "1 problem" })).toHaveCount(0);
});

test("a loop, a wait and an inner workflow are edited", async ({ page }) => {
  await empty(page);
  await kind(page, "loop").click();
  const inspector = page.locator(".inspector");
  await inspector.getByLabel("Repeat").selectOption("while");
  await inspector.getByLabel("Condition").fill("score < 8");
  await inspector.getByLabel("Most rounds").fill("3");
  await expect(card(page, "loop")).toContainText("while");
  await expect(card(page, "loop")).toContainText("score < 8");
  await expect(card(page, "loop")).toContainText("at most 3 times");
  await kind(page, "wait").click();
  await inspector.getByLabel("Milliseconds").fill("90000");
  await expect(card(page, "wait")).toContainText("waits1 min 30 s");
  await kind(page, "workflow").click();
  await inspector.getByLabel("Sees from outside").selectOption("keys");
  await inspector.getByRole("button", { name: "Add a key" }).click();
  await inspector.getByLabel("Key", { exact: true }).fill("draft");
  await expect(card(page, "workflow")).toContainText("is given draft, gives all its state");
});

test("a new wait and a new approval begin with their first field", async ({ page }) => {
  await empty(page);
  await kind(page, "wait").click();
  const inspector = page.locator(".inspector");
  await expect(inspector.getByLabel("Milliseconds")).toBeFocused();
  await page.keyboard.type("2 min");
  await expect(card(page, "wait")).toContainText("waits2 min");
  await kind(page, "approval").click();
  await expect(inspector.getByLabel("Message to the person")).toBeFocused();
  await page.keyboard.type("Go on?");
  await expect(card(page, "approval")).toContainText("Go on?");
});

test("a function computes with code or a function of the program", async ({ page }) => {
  await empty(page);
  await kind(page, "function").click();
  const inspector = page.locator(".inspector");
  await inspector.getByLabel("Compute with").selectOption("code");
  await inspector.getByLabel("Code").fill("return { words: state.text.split(' ') };");
  await expect(card(page, "function")).toContainText("return { words");
  await inspector.getByLabel("Compute with").selectOption("handler");
  await inspector.getByLabel("Run: function").fill("count_words");
  await inspector.getByLabel("Version").fill("2");
  await expect(card(page, "function")).toContainText("function count_words v2");
});

test("expressions and code of a function come back when another way was only looked at", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Sum", steps: [{ id: "s1", type: "function", name: "add", run: { set: { sum: "1 + 2" } } }] });
  await card(page, "add").click();
  const way = page.locator(".inspector").getByLabel("Compute with");
  await way.selectOption("code");
  await page.locator(".inspector").getByLabel("Code").fill("return { sum: 4 };");
  await way.selectOption("set");
  await expect.poll(async () => (await exported(page)).steps).toMatchObject([{ run: { set: { sum: "1 + 2" } } }]);
  await way.selectOption("code");
  await expect.poll(async () => (await exported(page)).steps).toMatchObject([{ run: { code: "return { sum: 4 };" } }]);
});

test("what is seldom set is under More, and says what it is", async ({ page }) => {
  await empty(page);
  await kind(page, "function").click();
  const inspector = page.locator(".inspector");
  await expect(inspector.getByLabel("Retries")).toBeHidden();
  await inspector.getByText("More", { exact: true }).click();
  await inspector.getByLabel("Retries").fill("2");
  await inspector.getByText("Enabled").click();
  await inspector.getByRole("group", { name: "Output", exact: true }).getByRole("button", { name: "As JSON" }).click();
  // The editor is there, and stays while what is typed is no JSON.
  await inspector.getByLabel("Output", { exact: true }).click();
  await expect(inspector.getByLabel("Output", { exact: true })).toHaveAttribute("contenteditable", "true");
  await page.keyboard.type('{ "type": ');
  await expect(inspector.getByText(/^Line 1: /)).toBeVisible();
  await expect(inspector.getByLabel("Output", { exact: true })).toBeFocused();
  await inspector.getByLabel("Output", { exact: true }).fill('{ "type": "object" }');
  await expect(inspector.getByText("left out · 2 retries · output")).toBeVisible();
  await expect(card(page, "function")).toHaveClass(/off/);
});

test("a problem is shown at its field", async ({ page }) => {
  await empty(page);
  await kind(page, "switch").click();
  const inspector = page.locator(".inspector");
  await inspector.getByLabel("When").fill("1 ==");
  await expect(inspector.locator(".case .field-error")).toBeVisible();
  await expect(inspector.getByLabel("When")).toHaveAttribute("aria-invalid", "true");
  await inspector.getByLabel("When").fill("1 == 2");
  await expect(inspector.locator(".case .field-error")).toHaveCount(0);
});

test("an initial state that is no JSON keeps the run waiting", async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("group", { name: "Initial state", exact: true }).getByRole("button", { name: "JSON", exact: true }).click();
  await page.getByLabel("Initial state").fill("{ half");
  await expect(page.getByRole("button", { name: "1 problem" })).toBeVisible();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator("button.problem")).toHaveText(/^\s*Initial state\s*what stands in “Initial state” is not valid yet/);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "idle");
});

test("a foreach counts its items, and each execution can be looked at", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Each",
    initialState: { numbers: [4, 2, "none", 5] },
    steps: [
      {
        id: "s1",
        type: "foreach",
        name: "each",
        items: "numbers",
        onItemError: "null",
        steps: [{ id: "s2", type: "function", name: "divide", run: { set: { part: "20 / item" } } }],
      },
    ],
  });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(card(page, "divide")).toContainText("3 of 4 done");
  await expect(card(page, "divide")).toContainText("1 failed");
  await page.getByRole("button", { name: "Show divide #3" }).click();
  const inspector = page.locator(".inspector");
  await expect(inspector.getByLabel("Execution", { exact: true })).toHaveValue("#3");
  await inspector.getByRole("button", { name: "Latest" }).click();
  await expect(inspector.getByLabel("Execution", { exact: true })).toHaveValue("#4");
  await inspector.getByRole("button", { name: "Next failure" }).click();
  await expect(inspector.getByLabel("Execution", { exact: true })).toHaveValue("#3");
  await expect(inspector.locator(".run-of-step .failure")).toBeVisible();
  // Typed: Enter confirms what a person has changed, not what a script has.
  await inspector.getByLabel("Execution", { exact: true }).press("ControlOrMeta+a");
  await inspector.getByLabel("Execution", { exact: true }).pressSequentially("1");
  await inspector.getByLabel("Execution", { exact: true }).press("Enter");
  await expect(inspector.locator(".output")).toContainText("5");
  await picture(page, "foreach-done");
  // A step that is deleted after its run is nowhere to be shown.
  await card(page, "divide").click();
  await page.keyboard.press("Delete");
  await expect(page.locator(".panel")).toContainText("divide #3 is no longer in the workflow.");
  await page.keyboard.press("ControlOrMeta+z");
  await page.getByRole("button", { name: "Show divide #3" }).click();
  await expect(card(page, "divide")).toHaveClass(/selected/);
});

test("a run that was begun from a field shows what it asks, unless something is written meanwhile", async ({ page }) => {
  const steps = [
    { id: "s1", type: "function", name: "note", run: { set: { note: "'so'" } } },
    { id: "s2", type: "wait", name: "rest", wait: { ms: 1500 } },
    { id: "s3", type: "approval", name: "sign_off", message: "Publish?" },
  ];
  await openDocument(page, { version: 1, name: "Ask", steps });
  const form = page.getByRole("form", { name: "Answer" });
  await card(page, "note").click();
  const expression = page.locator(".inspector").getByLabel("Expression");
  await expression.fill("'well'");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(form).toContainText("Publish?");
  await card(page, "note").click();
  await expression.click();
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "running");
  await page.keyboard.type("x");
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await expect(card(page, "sign_off")).toContainText("Waits for your answer");
  await expect(form).toHaveCount(0);
});

test("an approval waits for an answer, and the run goes on with it", { tag: "@firefox" }, async ({ page }) => {
  const schema = {
    type: "object",
    required: ["approved"],
    properties: { approved: { type: "boolean" }, stars: { type: "integer" }, tone: { enum: ["warm", "dry"] } },
  };
  await openDocument(page, {
    version: 1,
    name: "Ask",
    initialState: { draft: "Bees dance." },
    steps: [
      { id: "s1", type: "approval", name: "sign_off", message: "Publish “{{ draft }}”?\n\nhttps://press.example/rules?id=1", schema },
      { id: "s2", type: "function", name: "publish", run: { set: { published: "sign_off_output.approved" } } },
    ],
  });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await expect(card(page, "sign_off")).toContainText("Waits for your answer");
  // Nobody has to look for what is asked.
  const form = page.getByRole("form", { name: "Answer" });
  await expect(form).toContainText("Publish “Bees dance.”?");
  const rules = form.getByRole("link", { name: "Open press.example" });
  await expect(rules).toHaveAttribute("href", "https://press.example/rules?id=1");
  await expect(rules).toHaveAttribute("rel", "noopener noreferrer");
  await picture(page, "approval");
  await form.getByLabel("stars (optional)").fill("many");
  // Enter in a field is no decision.
  await page.keyboard.press("Enter");
  await expect(form.getByText("Must be a whole number, such as 2.")).toHaveCount(0);
  await form.getByRole("button", { name: "Approve" }).click();
  await expect(form.getByText("Must be a whole number, such as 2.")).toBeVisible();
  await form.getByLabel("stars (optional)").fill("4");
  await form.getByLabel("tone (optional)").selectOption({ label: "dry" });
  await form.getByRole("button", { name: "Approve" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state pre")).toContainText('"published": true');
  await expect(page.locator(".final-state pre")).toContainText('"tone": "dry"');
});

test("what is optional in an answer and left empty is absent", async ({ page }) => {
  const properties = { sure: { type: "boolean" }, note: { type: "string" }, stars: { type: "integer" }, tone: { enum: ["warm", "dry"] }, tags: { type: "array" } };
  await openDocument(page, {
    version: 1,
    name: "Ask",
    steps: [
      { id: "s1", type: "approval", name: "sign_off", schema: { type: "object", properties } },
      { id: "s2", type: "function", name: "read", run: { set: { keys: "sign_off_output | length", note: "sign_off_output.note | default('none')" } } },
    ],
  });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await card(page, "sign_off").click();
  const form = page.getByRole("form", { name: "Answer" });
  await form.getByLabel("sure (optional)").selectOption({ label: "yes" });
  await form.getByLabel("sure (optional)").selectOption({ label: "no answer" });
  await form.getByLabel("note (optional)").fill("x");
  await form.getByLabel("note (optional)").fill("");
  await form.getByRole("button", { name: "Send and go on" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  const state = JSON.parse((await page.locator(".final-state pre").textContent()) ?? "") as object;
  expect(state).toEqual({ sign_off_output: {}, keys: 0, note: "none" });
});

test("a question stays open when its answer does not fit", async ({ page }) => {
  const schema = { type: "integer", minimum: 1, multipleOf: 3 };
  await openDocument(page, { version: 1, name: "Ask", steps: [{ id: "s1", type: "approval", name: "stars", message: "How many?", schema }] });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await card(page, "stars").click();
  const form = page.getByRole("form", { name: "Answer" });
  await form.getByLabel("Answer").fill("0");
  await form.getByRole("button", { name: "Send and go on" }).click();
  // The form knows the bounds, the run knows all of the schema.
  await expect(page.getByRole("alert")).toContainText("Must be at least 1.");
  await form.getByLabel("Answer").fill("2");
  await form.getByRole("button", { name: "Send and go on" }).click();
  await expect(page.getByRole("alert")).toContainText("does not fit its schema");
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  await picture(page, "answer-refused");
  await form.getByLabel("Answer").fill("3");
  await form.getByRole("button", { name: "Send and go on" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state pre")).toContainText('"stars_output": 3');
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("code runs in the page, tells its lines and says where it failed", { tag: "@firefox" }, async ({ page }) => {
  const scripts: string[] = [];
  page.on("request", (request) => scripts.push(new URL(request.url()).pathname));
  const words = "ctx.log(`counting ${state.text.length} letters`);\nreturn { words: state.text.split(' ').length };";
  await openDocument(page, {
    version: 1,
    name: "Count",
    initialState: { text: "Bees dance to tell the way" },
    steps: [{ id: "s1", type: "function", name: "count", run: { code: words } }],
  });
  expect(scripts.filter((path) => path.includes("sandbox"))).toEqual([]);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state pre")).toContainText('"words": 6');
  expect(scripts.filter((path) => path.includes("sandbox"))).toHaveLength(1);
  await expect(page.locator(".told-row")).toHaveText("count: counting 26 letters");
  await card(page, "count").click();
  await picture(page, "code-done");
  await page.locator(".inspector").getByLabel("Code").fill("return { words: state.text.nothing.length };");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "error");
  await expect(page.locator(".panel .failure")).toContainText("line 1");
  await picture(page, "code-failed");
});

test("a loop counts its rounds, and one that never ends well says so", async ({ page }) => {
  const loop = (most: number): object => ({
    version: 1,
    name: "Try",
    initialState: { score: 0 },
    steps: [
      {
        id: "s1",
        type: "loop",
        name: "improve",
        repeat: { until: "score >= 3" },
        maxIterations: most,
        onMax: "error",
        steps: [{ id: "s2", type: "function", name: "raise", run: { set: { score: "score + 1" } } }],
      },
    ],
  });
  await openDocument(page, loop(5));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(card(page, "raise")).toContainText("3 of 3 done");
  await importText(page, JSON.stringify(loop(2)));
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "error");
  await expect(page.locator(".panel .failure")).toContainText("“improve” has run 2 times");
  await expect(card(page, "improve")).toHaveAttribute("data-status", "error");
  await card(page, "improve").click();
  await picture(page, "loop-failed");
});

test("the template of a review runs to its question, and is published when a person agrees", async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Review until good").click();
  await expect(card(page, "until_good")).toBeVisible();
  await picture(page, "review-until-good");
  await page.getByRole("button", { name: "Use pinned outputs" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended", { timeout: 20_000 });
  await expect(card(page, "notes")).toContainText("5 of 5 done");
  await expect(card(page, "write")).toContainText("2 of 2 done");
  await expect(page.locator(".told-row:not(.warning)").last()).toHaveText("review #2: Every topic is there.");
  await expect(page.locator(".told-row.warning")).toHaveCount(1);
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await expect(card(page, "publish")).toBeInViewport();
  await picture(page, "review-asks");
  const form = page.getByRole("form", { name: "Answer" });
  await expect(form).toContainText("Publish this text of");
  await form.getByRole("button", { name: "Publish it" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state pre")).toContainText('"published": "[simulated]');
  await expect(card(page, "published")).toHaveAttribute("data-status", "done");
  await picture(page, "review-done");
});

test("a half-written answer is there after a look at another step, and after a reload, and reads as it is", async ({ page }) => {
  const schema = { type: "object", required: ["approved"], properties: { approved: { type: "boolean", title: "Refuse and stop", description: "\u202Esey" }, comment: { type: "string" } } };
  await openDocument(page, {
    version: 1,
    name: "Ask",
    steps: [
      { id: "s1", type: "approval", name: "sign_off", message: "Pay \u202E00001 euro?", schema },
      { id: "s2", type: "wait", name: "rest", wait: { ms: 1 } },
    ],
  });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await card(page, "sign_off").click();
  const form = page.getByRole("form", { name: "Answer" });
  // What is agreed to reads as it is.
  await expect(form).toContainText("Pay [U+202E]00001 euro?");
  await expect(form).toContainText("[U+202E]sey");
  await expect(form.getByRole("button")).toHaveText(["Approve: Refuse and stop", "Refuse"]);
  await form.getByLabel("comment (optional)").fill("As agreed on Monday");
  await card(page, "rest").click();
  await card(page, "sign_off").click();
  await expect(form.getByLabel("comment (optional)")).toHaveValue("As agreed on Monday");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await page.getByRole("button", { name: "Show it" }).click();
  await card(page, "sign_off").click();
  await expect(form.getByLabel("comment (optional)")).toHaveValue("As agreed on Monday");
  await form.getByRole("button", { name: "Approve" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state pre")).toContainText("As agreed on Monday");
});

test("what answers a long question is in view from its first line on", async ({ page }) => {
  const message = Array.from({ length: 80 }, (_, line) => `Line ${line} of what is to be paid.`).join("\n");
  await openDocument(page, { version: 1, name: "Ask", steps: [{ id: "s1", type: "approval", name: "sign_off", message, schema: { type: "object", required: ["approved"], properties: { approved: { type: "boolean" }, comment: { type: "string" } } } }] });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await card(page, "sign_off").click();
  const form = page.locator(".inspector").getByRole("form", { name: "Answer" });
  await expect(form.getByText("Line 0 of what is to be paid.")).toBeInViewport();
  await expect(form.getByRole("button", { name: "Approve" })).toBeInViewport({ ratio: 1 });
  await picture(page, "long-question");
  await form.getByRole("button", { name: "Refuse" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
});

test("a for each keeps only some of its items by a step before it, which a search finds too", async ({ page }) => {
  const each = { id: "s1", type: "foreach", name: "each", items: "orders", result: "item.name", steps: [{ id: "s2", type: "function", name: "note", run: { set: { seen: "item.name" } } }] };
  await openDocument(page, { version: 1, name: "Keep", initialState: { orders: [{ name: "tea", price: 4 }, { name: "ink", price: 25 }] }, steps: [each] });
  await card(page, "each").click();
  const inspector = page.locator(".inspector");
  await inspector.getByRole("button", { name: "Keep only some of these items" }).click();
  await expect(page.locator(".card .card-name")).toHaveText(["keep", "each", "note"]);
  const code = inspector.getByLabel("Code");
  await expect.poll(() => written(code)).toContain("return { kept: state.orders.filter(isKept) };");
  const [keep, after] = (await exported(page)).steps as unknown as [{ run: { code: string } }, { items: string }];
  expect(after.items).toBe("kept");
  await code.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(keep.run.code.replace("item !== null", "item.price > 10"));
  await run(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state pre")).toContainText(/"each_output": \[\s*"ink"\s*\]/);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("filter a list");
  await page.keyboard.press("Enter");
  await expect(card(page, "keep_2")).toBeVisible();
  // Where a list is no plain name, no code can read it.
  await card(page, "each").click();
  await inspector.getByLabel("Items").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("kept | default([])");
  await page.locator(".canvas").press("Escape");
  await card(page, "each").click();
  await expect(inspector.getByRole("button", { name: "Keep only some of these items" })).toHaveCount(0);
});

test("what is typed after a step was added goes into its first field", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Get", steps: [] });
  await kind(page, "http").click();
  await expect(page.getByLabel("Address", { exact: true })).toBeFocused();
  await page.keyboard.type("https://dummy.example/");
  await expect.poll(() => written(page.getByLabel("Address", { exact: true }))).toBe("https://dummy.example/");
  await expect(page.locator(".card.off")).toHaveCount(0);
});

test("the key of a new function is named at once, and one that nobody writes is no problem", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Say", steps: [] });
  await kind(page, "function").click();
  const key = page.locator(".inspector").getByLabel("Key", { exact: true });
  await expect(key).toBeFocused();
  await page.keyboard.type("reply_and");
  await expect(key).toHaveValue("reply_and");
  await kind(page, "function").click();
  await expect(key).toBeFocused();
  await expect(key).toHaveValue("key");
  expect((await exported(page)).steps).toMatchObject([{ run: { set: { reply_and: "''" } } }, { run: { set: { key: "''" } } }]);
  await expect(page.locator(".card.flawed")).toHaveCount(0);
});

test("what is typed after a step was added takes the place of what stands in its first field as an example", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Get", steps: [] });
  const inspector = page.locator(".inspector");
  await kind(page, "http").click();
  await expect(inspector.getByLabel("Address", { exact: true })).toBeFocused();
  await card(page, "request").click();
  await kind(page, "foreach").click();
  await expect(inspector.getByLabel("Items")).toBeFocused();
  await expect.poll(() => written(inspector.getByLabel("Items"))).toBe("request_output");
  await page.keyboard.type("request_output.list");
  await expect.poll(() => written(inspector.getByLabel("Items"))).toBe("request_output.list");
  for (const [word, label] of [["condition", "Condition"], ["condition", "Condition"], ["loop", "Condition"], ["switch", "When"]] as const) {
    // At the end, and not inside of the one before.
    await page.locator(".canvas").press("Escape");
    await kind(page, word).click();
    const field = inspector.getByLabel(label, { exact: true });
    await expect(field).toBeFocused();
    await page.keyboard.type("1 < 2");
    await expect.poll(() => written(field), word).toBe("1 < 2");
  }
});

test("every kind can be chosen at a slot near the lower edge, and the menu goes once a kind comes from elsewhere", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Low", steps: [{ id: "s1", type: "wait", name: "rest", wait: { ms: 1 } }] });
  const canvas = await page.locator(".canvas").boundingBox();
  const bottom = (canvas?.y ?? 0) + (canvas?.height ?? 0);
  await page.locator(".canvas").hover();
  await page.mouse.wheel(0, (await middle(place(page, "/1"))).y - (bottom - 120));
  await expect.poll(async () => (await middle(place(page, "/1"))).y).toBeGreaterThan(bottom - 160);
  const { x, y } = await middle(place(page, "/1"));
  await page.mouse.move(x, y);
  await page.mouse.click(x, y);
  const menu = page.getByRole("menu", { name: "Kind of the new step" });
  const last = await menu.getByRole("menuitem").last().boundingBox();
  expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(bottom);
  await kind(page, "wait").click();
  await expect(menu).toHaveCount(0);
});

test("a card with a mere warning does not look like one with an error", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Warn",
    models: { m: { provider: "demo", model: "demo" } },
    agents: { a: { model: "m" } },
    steps: [{ id: "s1", type: "agent", name: "say", agent: "a", inputFrom: "Say {{ mail | default('') }} {{ gone }}" }],
  });
  await expect(card(page, "say")).toHaveClass(/flawed/);
  await expect(card(page, "say")).toHaveClass(/warned/);
});

test("what is typed after an end was added is its message", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Stop", steps: [] });
  await kind(page, "end").click();
  const message = page.locator(".inspector").getByLabel("Message", { exact: true });
  await expect(message).toBeFocused();
  await page.keyboard.type("Nothing new");
  await expect.poll(() => written(message)).toBe("Nothing new");
  await expect(card(page, "end")).toContainText("Nothing new");
});

test("cases of one name are told apart on the canvas and in what a run has taken", async ({ page }) => {
  const set = (id: string): object => ({ id, type: "function", name: id, run: { set: { taken: "1" } } });
  const cases = [{ name: "late", when: "n > 3", steps: [set("a")] }, { name: "late", when: "n > 1", steps: [set("b")] }];
  await openDocument(page, { version: 1, name: "Late", initialState: { n: 2 }, steps: [{ id: "s1", type: "switch", name: "way", cases, default: [] }] });
  await expect(page.locator(".canvas").getByText("late", { exact: true })).toBeVisible();
  await expect(page.locator(".canvas").getByText("late (2)", { exact: true })).toBeVisible();
  await run(page);
  await expect(page.locator(".step-row").filter({ hasText: "way" }).locator(".step-text")).toHaveText("late (2)");
});
