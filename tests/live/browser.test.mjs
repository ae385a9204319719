// The example workflow in Chromium on a real llama-server, which is another origin: from a plain page with the package,
// and from the builder as a person uses it.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { expect } from "@playwright/test";
import { preview } from "vite";
import { chromium } from "../browsers/browsers.mjs";
import { serve } from "../runtimes/hosts/static-server.mjs";
import { installed } from "./installed.mjs";
import { MODEL, startLlama } from "./llama-server.mjs";
import { assertReport, assertWritten, ENDLESS_ANSWERS, reportAt, reportIn, reportWith, until } from "./report.mjs";
import { assertTools, FORMATS, TOOLS, withTools } from "./tools.mjs";

const KEY = "sk-live-test";
const CARDS = ["research", "analyse", "market", "technology", "risks", "review_wanted", "review", "write_up"];
// A run of the whole report on a machine that does other things too.
const RUN = { timeout: 60_000 };

let llama;
let guarded;
let browser;
let page;

before(async () => {
  [llama, guarded, browser] = await Promise.all([
    startLlama(),
    startLlama({ apiKey: KEY }),
    chromium.launch(),
  ]);
});
after(() => Promise.all([browser.close(), llama.stop(), guarded.stop()]));
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
});
afterEach(() => page.close());

describe("a plain page with the installed package", () => {
  let home;
  let site;
  before(async () => {
    home = await installed();
    const imports = { stepweave: "/node_modules/stepweave/dist/entry-web.js" };
    const head = `<link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script>`;
    await writeFile(join(home.folder, "index.html"), `<!doctype html><title>Report</title>${head}`);
    site = await serve({ root: home.folder });
  });
  after(async () => {
    await site.close();
    await home.remove();
  });

  test("writes the report, streaming", async () => {
    await page.goto(site.origin);
    const events = await page.evaluate(async (document) => {
      const { Workflow } = await import("stepweave");
      const emitted = [];
      for await (const event of Workflow.fromDocument(document).stream()) emitted.push(event);
      return JSON.parse(JSON.stringify(emitted));
    }, reportAt(llama.url));
    assertReport(events);
  });

  /** All events of a run in the page; tools cross as the source text of their functions. */
  async function eventsOf(document, handlers = {}) {
    await page.goto(site.origin);
    const sources = Object.entries(handlers).map(([name, run]) => [name, `${run}`]);
    return page.evaluate(
      async ([document, sources]) => {
        const { Workflow } = await import("stepweave");
        const handlers = Object.fromEntries(sources.map(([name, source]) => [name, (0, eval)(source)]));
        const events = [];
        for await (const event of Workflow.fromDocument(document, { handlers }).stream()) events.push(event);
        return JSON.parse(JSON.stringify(events));
      },
      [document, sources],
    );
  }

  for (const wire of FORMATS) {
    test(`writes the report over ${wire.format}`, async () => assertWritten(await eventsOf(reportIn(wire, llama.url))));

    test(`asks an agent with two tools over ${wire.format}`, async () => {
      assertTools(await eventsOf(withTools(wire, llama.url), TOOLS));
    });
  }

  test("frees the server when it cancels, and when it is closed", async () => {
    await page.goto(site.origin);
    const status = await page.evaluate(async (document) => {
      const { Workflow } = await import("stepweave");
      const run = Workflow.fromDocument(document).start();
      let pieces = 0;
      for await (const { type } of run.events) if (type === "step.delta" && (pieces += 1) === 10) run.cancel();
      return (await run.result).status;
    }, reportAt(llama.url, { params: ENDLESS_ANSWERS }));
    assert.equal(status, "cancelled");
    await until("the slot is free", async () => (await llama.busySlots()) === 0);
    await page.evaluate(async (document) => {
      const { Workflow } = await import("stepweave");
      const run = Workflow.fromDocument(document).start();
      for await (const { type } of run.events) if (type === "step.delta") return;
    }, reportAt(llama.url, { params: ENDLESS_ANSWERS }));
    await page.close();
    await until("the slot is free", async () => (await llama.busySlots()) === 0);
  });

  test("reports why in words when the server is down or refuses the key", async () => {
    await page.goto(site.origin);
    const failure = async (document, secrets) =>
      page.evaluate(
        async ([document, secrets]) => {
          const { Workflow } = await import("stepweave");
          return (await Workflow.fromDocument(document).run({ secrets })).errors[0].toJSON();
        },
        [document, secrets],
      );
    const down = await failure(reportAt("http://127.0.0.1:9/v1"));
    assert.equal(down.code, "network");
    assert.match(down.hint, /nothing answers/);
    const refused = await failure(reportAt(guarded.url, { secret: "K" }), { K: { value: "sk-wrong", origins: [guarded.url] } });
    assert.equal(refused.code, "auth");
    assert.equal(refused.step.name, "research");
  });
});

describe("the builder", () => {
  let site;
  before(async () => {
    const configFile = fileURLToPath(new URL("../../web/vite.config.ts", import.meta.url));
    site = await preview({ configFile, logLevel: "error", preview: { host: "127.0.0.1", port: 0 } });
  });
  after(() => site.close());

  const card = (name) => page.locator(".card").filter({ has: page.locator(".card-name", { hasText: new RegExp(`^${name}$`) }) });
  const summary = () => page.locator(".run-summary");

  async function open(document) {
    await page.goto(site.resolvedUrls.local[0]);
    await page.getByRole("button", { name: "File" }).click();
    await page.getByText("Import…").click();
    const dialog = page.getByRole("dialog", { name: "Import a workflow" });
    await dialog.getByRole("textbox").fill(JSON.stringify(document));
    await dialog.getByRole("button", { name: "Open", exact: true }).click();
    await expect(dialog).toHaveCount(0);
  }

  async function setEndpoint(url, key) {
    await page.getByRole("button", { name: "Endpoint settings" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /llama\.cpp/ }).click();
    await dialog.getByLabel("Base URL").fill(url);
    await dialog.getByLabel("Model", { exact: true }).fill(MODEL);
    if (key !== undefined) {
      await dialog.getByLabel("Name of the key").fill("LLAMA_KEY");
      await dialog.getByLabel("API key").fill(key);
    }
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toHaveCount(0);
  }

  const run = () => page.getByRole("button", { name: "Run", exact: true }).click();

  test("runs the example of the first visit on an endpoint that was typed in", async () => {
    await page.goto(site.resolvedUrls.local[0]);
    await expect(card("research")).toBeVisible();
    await setEndpoint(llama.url);
    await run();
    await expect(summary()).toHaveAttribute("data-status", "done", RUN);
    for (const name of CARDS) await expect(card(name)).toHaveAttribute("data-status", "done");
    await expect(page.locator(".badge.simulated")).toHaveCount(0);
    await expect(card("write_up").locator(".card-output")).not.toContainText("[simulated]");
    await expect(card("write_up").locator(".card-output")).toContainText(/\w+ \w+/);
    await page.screenshot({ path: "test-results/pictures/live.png" });
  });

  test("shows words on a card while the model writes them", async () => {
    const document = reportWith({ max_tokens: 8 });
    // A second or two of writing, so that there is something to watch.
    document.agents.writer.params = { max_tokens: 3000, ignore_eos: true };
    await open(document);
    await setEndpoint(llama.url);
    // What a person sees of the card, whenever anything changes.
    await page.evaluate(() => {
      globalThis.seen = [];
      new MutationObserver(() => {
        for (const card of document.querySelectorAll('.card[data-status="running"]')) {
          if (card.querySelector(".card-name")?.textContent !== "write_up") continue;
          seen.push(card.querySelector(".card-output")?.textContent ?? "");
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    await run();
    await expect(summary()).toHaveAttribute("data-status", "done", RUN);
    const seen = new Set(await page.evaluate(() => globalThis.seen));
    seen.delete("");
    assert.ok(seen.size > 2, `the card showed ${seen.size} different texts while it ran`);
    await expect(page.locator(".final-state pre")).toContainText("write_up_output");
  });

  test("frees the server when Stop is pressed, and keeps what had arrived", async () => {
    await open(reportWith(ENDLESS_ANSWERS));
    await setEndpoint(llama.url);
    await run();
    await expect(card("research").locator(".card-output")).toContainText(/\w{3}/);
    assert.equal(await llama.busySlots(), 1);
    await page.getByRole("button", { name: "Stop" }).click();
    await expect(card("research")).toHaveAttribute("data-status", "cancelled");
    await until("the slot is free", async () => (await llama.busySlots()) === 0);
    await expect(card("research").locator(".card-output")).toContainText(/\w{3}/);
  });

  test("sends the key that was typed, and says so when it is refused", async () => {
    await open(reportWith({ max_tokens: 8 }));
    await setEndpoint(guarded.url, "sk-wrong");
    await run();
    await expect(card("research")).toHaveAttribute("data-status", "error", RUN);
    await expect(page.locator(".run-steps .failure").first()).toHaveAttribute("data-code", "auth");
    await expect(page.locator("body")).not.toContainText("sk-wrong");
    await setEndpoint(guarded.url, KEY);
    await run();
    await expect(summary()).toHaveAttribute("data-status", "done", RUN);
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
    assert.doesNotMatch(stored, /sk-/);
  });

  test("says that nothing answers at an address", async () => {
    await open(reportWith({ max_tokens: 8 }));
    await setEndpoint("http://127.0.0.1:9/v1");
    await run();
    await expect(card("research")).toHaveAttribute("data-status", "error", RUN);
    await expect(page.locator(".run-steps .failure").first()).toHaveAttribute("data-code", "network");
    await expect(page.locator(".run-steps .failure-hint").first()).toContainText("nothing answers");
  });
});
