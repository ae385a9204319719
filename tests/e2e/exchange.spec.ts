import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type Page } from "@playwright/test";
import { card, downloaded, dropOn, everythingStored, exportedText, importText, kind, openBuilder, openDocument, openLibrary, picture, written } from "./builder.js";

test("what was made is there again after a reload, also what is no valid value yet", { tag: "@firefox" }, async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("group", { name: "Initial state", exact: true }).getByRole("button", { name: "JSON", exact: true }).click();
  await page.getByLabel("Initial state").fill('{ "half": ');
  await kind(page, "function").click();
  await expect(card(page, "function")).toBeVisible();
  // At once: every change is on its way to the store as soon as it is made.
  await page.reload();
  await expect(card(page, "function")).toBeVisible();
  await page.locator(".pill.start").click();
  await expect.poll(() => written(page.getByLabel("Initial state"))).toBe('{ "half": ');
  await page.locator(".title-input").fill("Bees");
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await expect(page.locator(".title-input")).toHaveValue("Bees");
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

test("text that is no JSON, and 300 levels of nesting, are reported", async ({ page }) => {
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
  await page.getByLabel("Prompt").fill("Hello");
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
  const kept = await everythingStored(page);
  expect(kept).toContain("OPENAI_API_KEY");
  expect(kept).not.toContain("sk-very-secret");
});

test("what is imported under a name that is taken gets a number behind it, and so does a copy", async ({ page }) => {
  const bees = { version: 1, name: "Bees", steps: [] };
  await openDocument(page, bees);
  await importText(page, JSON.stringify(bees));
  await expect(page.locator(".title-input")).toHaveValue("Bees 2");
  const library = await openLibrary(page);
  for (const copies of [1, 2]) {
    await library.getByRole("button", { name: "Duplicate Bees", exact: true }).click();
    await expect(library.locator(".row-open").filter({ hasText: "Bees copy" })).toHaveCount(copies);
  }
  await expect(library.locator(".row-open").filter({ hasText: "Bees copy 2" })).toHaveCount(1);
});

test("a new workflow from the keyboard is begun from the keyboard", async ({ page }) => {
  await openBuilder(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("new workflow");
  await page.keyboard.press("Enter");
  await expect(page.locator(".title-input")).toHaveValue("Untitled");
  await expect(page.locator(".place[data-look=empty] .place-add")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menu", { name: "Kind of the new step" })).toBeVisible();
});

test("a template, an import and New make a workflow of their own, and the one before stays", async ({ page }) => {
  await openBuilder(page);
  await page.locator(".title-input").fill("Mine");
  await page.getByRole("button", { name: "File" }).click();
  await picture(page, "file-menu");
  await page.getByText("Support triage").click();
  await expect(card(page, "is_urgent")).toBeVisible();
  // There is nothing to undo in a new workflow.
  await expect(page.getByRole("button", { name: "Undo" })).toBeDisabled();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await importText(page, JSON.stringify({ version: 1, name: "Brought", steps: [{ id: "s1", type: "wait", name: "rest", wait: { ms: 1 } }] }));
  await expect(card(page, "rest")).toBeVisible();
  // Its steps have the ids of those that were run; their answers do not stand on its cards.
  await expect(page.locator(".card[data-status=done]")).toHaveCount(0);
  await page.getByRole("button", { name: "File" }).click();
  await page.locator(".menu-item").filter({ hasText: "An empty workflow" }).click();
  await expect(page.locator(".title-input")).toHaveValue("Untitled");
  const library = await openLibrary(page);
  await expect(library.locator(".row-open b")).toHaveText(["Untitled", "Brought", "Support triage", "Mine"]);
  await library.getByRole("button", { name: /^Mine/ }).click();
  await expect(page.locator(".title-input")).toHaveValue("Mine");
  await expect(card(page, "research")).toBeVisible();
});

const brought = JSON.stringify({ version: 1, name: "Brought", steps: [{ id: "s1", type: "wait", name: "rest", wait: { ms: 1 } }] });

test("a file is dropped anywhere, the canvas too, and runs nothing", async ({ page }) => {
  await openBuilder(page);
  await dropOn(page, ".stage", { files: [{ name: "bees.json", text: brought }] });
  await expect(card(page, "rest")).toBeVisible();
  await expect(page.locator(".run-summary")).toHaveCount(0);
  await dropOn(page, ".topbar", { files: [{ name: "broken.json", text: "{ no" }] });
  await expect(page.getByRole("dialog", { name: "Import a workflow" }).locator(".problem")).toHaveCount(1);
});

test("a link is dropped or pasted, and a site that does not allow it is reported", async ({ page }) => {
  const cookies: unknown[] = [];
  const site = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? request.headers.referer);
    if (request.url !== "/closed.json") response.setHeader("access-control-allow-origin", "*");
    if (request.url === "/gone.json") response.writeHead(404);
    response.end(request.url === "/large.json" ? "x".repeat(11_000_000) : brought);
  });
  await new Promise<void>((done) => site.listen(0, "127.0.0.1", done));
  try {
    const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    await openBuilder(page);
    await dropOn(page, ".stage", { link: `${address}/open.json` });
    await expect(card(page, "rest")).toBeVisible();
    const dialog = page.getByRole("dialog", { name: "Import a workflow" });
    for (const [link, said] of [
      [`${address}/closed.json`, "does not allow other pages"],
      [`${address}/gone.json`, "status 404"],
      [`${address}/large.json`, "larger than 10 MB"],
      ["http://example.com/open.json", "not encrypted"],
    ] as const) {
      await importText(page, link);
      await expect(dialog.getByRole("alert")).toContainText(said);
      await page.keyboard.press("Escape");
    }
    expect(cookies).toEqual([undefined, undefined, undefined, undefined]);
  } finally {
    site.close();
  }
});

test("all workflows go into one file and come back from it beside the others", async ({ page }) => {
  await openBuilder(page);
  await importText(page, brought);
  await expect(card(page, "rest")).toBeVisible();
  const library = await openLibrary(page);
  const { name, text } = await downloaded(page, () => library.getByRole("button", { name: "Export all" }).click());
  expect(name).toBe("stepweave-workflows.json");
  const file = JSON.parse(text) as { stepweave: string; version: number; workflows: { name: string }[] };
  expect([file.stepweave, file.version, file.workflows.map((workflow) => workflow.name)]).toEqual(["library", 1, ["Brought", "Research report"]]);
  await page.keyboard.press("Escape");
  await importText(page, text);
  await expect(library.locator(".row-open b")).toHaveText(["Brought 2", "Research report 2", "Brought", "Research report"]);
});

test("a file of all workflows says which of them hold what is not valid yet", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Greeting", steps: [{ id: "s1", type: "function", name: "greet", retryCount: 3, run: { set: { said: "'Hello'" } } }] });
  await card(page, "greet").click();
  const inspector = page.locator(".inspector");
  await inspector.getByText("More", { exact: true }).click();
  await inspector.getByLabel("Retries").fill("-1");
  await expect(page.locator(".saved")).toHaveText("Saved");
  const library = await openLibrary(page);
  const { text } = await downloaded(page, () => library.getByRole("button", { name: "Export all" }).click());
  expect(text).toContain('"retryCount": 3');
  await expect(library).toContainText("Not all that you wrote in “Greeting” is in the file: it has the values from before, where something is not valid yet.");
});

test("the import's dialog closes when the workflow is there, so that Run runs no other one", async ({ page }) => {
  await openBuilder(page);
  await page.evaluate(() => {
    const seen = globalThis as { shownAtClose?: string };
    const name = () => document.querySelector<HTMLInputElement>(".title-input")?.value;
    // What is there in the first frame without the dialog: nobody clicks before that.
    new MutationObserver(() => {
      if (document.querySelector("dialog") === null) requestAnimationFrame(() => (seen.shownAtClose ??= name()));
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Import…").click();
  const dialog = page.getByRole("dialog", { name: "Import a workflow" });
  await dialog.getByRole("textbox").fill(JSON.stringify({ version: 1, name: "Bees", steps: [] }));
  await page.evaluate(() => delete (globalThis as { shownAtClose?: string }).shownAtClose);
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => page.evaluate(() => (globalThis as { shownAtClose?: string }).shownAtClose)).toBe("Bees");
});

test("several files are taken at once, and which of them are none is said", async ({ page }) => {
  await openBuilder(page);
  const n8n = JSON.stringify({ name: "Flow", nodes: [{ name: "Start", type: "n8n-nodes-base.manualTrigger", parameters: {}, position: [0, 0], typeVersion: 1 }], connections: {} });
  await dropOn(page, ".stage", { files: [{ name: "bees.json", text: brought }, { name: "flow.json", text: n8n }, { name: "shopping.txt", text: "milk" }] });
  const library = page.getByRole("dialog", { name: "Workflows" });
  await expect(library.locator(".row-open b")).toHaveText(["Brought", "Flow", "Research report"]);
  await expect(page.locator(".notice")).toHaveText("2 workflows are added. “shopping.txt” cannot be read as a workflow: drop it by itself to see why.");
});

test("what is broken in one of several files is said too", async ({ page }) => {
  await openBuilder(page);
  const all = JSON.stringify({ stepweave: "library", version: 1, workflows: [JSON.parse(brought), { name: 7 }] });
  await dropOn(page, ".stage", { files: [{ name: "all.json", text: all }, { name: "bees.json", text: brought }] });
  await expect(page.locator(".notice")).toHaveText("2 workflows are added. 1 of “all.json” cannot be read as a workflow: drop it by itself to see why.");
});

test("what is broken in a file of all workflows is named with its reason, and a newer file is said to be one", async ({ page }) => {
  await openBuilder(page);
  await importText(page, JSON.stringify({ stepweave: "library", version: 2, workflows: [JSON.parse(brought), { version: 1, name: "Wasps" }, 7] }));
  const notice = page.locator(".notice");
  await expect(notice).toContainText(/^1 workflow is added\. 2 of the file cannot be read: “Wasps” \(.+\), number 3 \(.+\)\. This file is of a newer version of the builder/);
});

test("what is no text is said to be none", async ({ page }) => {
  await openBuilder(page);
  await dropOn(page, ".stage", { files: [{ name: "bee.png", text: "\u0089PNG\0\0" }] });
  await expect(page.locator(".notice")).toHaveText("“bee.png” is no text, and so no workflow.");
  await importText(page, "ftp://example.com/w.json");
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("Only links that begin with https://");
});

test("a file that is no text is said to be none in the dialog, in place of the fault of the file before", async ({ page }) => {
  await openBuilder(page);
  await importText(page, '{ "version": 1');
  const dialog = page.getByRole("dialog", { name: "Import a workflow" });
  await expect(dialog.getByRole("alert")).toContainText("it ends too early");
  await dialog.locator("input[type=file]").setInputFiles({ name: "bee.png", mimeType: "image/png", buffer: Buffer.from("\u0089PNG\0\0") });
  await expect(dialog.getByRole("alert")).toHaveText("“bee.png” is no text, and so no workflow.");
  await expect(page.locator(".notice")).toHaveCount(0);
  // What is typed next has faults of its own.
  await dialog.getByRole("textbox").fill("{");
  await expect(dialog.getByRole("alert")).toHaveCount(0);
});

test("a workflow with steps that have no name, or too long a one, comes back from its file", async ({ page }) => {
  await openDocument(page, JSON.parse(brought) as object);
  await card(page, "rest").click();
  await page.locator(".inspector").getByLabel("Name", { exact: true }).fill("");
  const text = await exportedText(page);
  await importText(page, text);
  await expect(page.getByRole("dialog").locator(".problem")).toHaveCount(1);
  await page.getByRole("button", { name: "Open it anyway" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.locator(".card.flawed")).toHaveCount(1);
});

test("an empty file is said to be empty", async ({ page }) => {
  await openBuilder(page);
  await dropOn(page, ".canvas", { files: [{ name: "empty.json", text: "" }] });
  await expect(page.getByRole("dialog", { name: "Import a workflow" }).getByRole("alert")).toHaveText("This is empty: there is no workflow in it.");
});
