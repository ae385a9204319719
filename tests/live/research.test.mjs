// Research from a site without CORS headers with a real model: in Node and in workerd through the installed package, and in
// the builder in Chromium through the relay beside it.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { expect } from "@playwright/test";
import { chromium } from "../browsers/browsers.mjs";
import { HOSTS } from "../relay/hosts.mjs";
import { workerd } from "../runtimes/hosts/workerd.mjs";
import { installed } from "./installed.mjs";
import { startLlama } from "./llama-server.mjs";
import { assertRead, assertReport, assertResearched, researchOf, startWeb } from "./research.mjs";

let llama;
let web;
let home;

before(async () => {
  [llama, web, home] = await Promise.all([startLlama(), startWeb(), installed()]);
});
after(() => Promise.all([llama.stop(), web.stop(), home.remove()]));
afterEach(() => void web.requests.splice(0));

/** What the code that runs the document allows: the servers of this machine. */
const allowed = () => [new URL(llama.url).origin, web.origin];

test("in Node", async () => {
  const events = [];
  const workflow = home.stepweave.Workflow.fromDocument(researchOf(web.urls, llama.url));
  for await (const event of workflow.stream({ allowOrigins: allowed() })) events.push(event);
  assertResearched(events, web);
});

test("in workerd", async () => {
  await writeFile(join(home.folder, "worker.mjs"), WORKER);
  const entries = [{ name: "research", document: researchOf(web.urls, llama.url), allowOrigins: allowed() }];
  for await (const events of workerd({ folder: home.folder, entries })) assertResearched(events, web);
});

/** Runs the document that it is sent, and answers with the events. */
const WORKER = `
  import { Workflow } from "stepweave";
  export default {
    async fetch(request) {
      const { document, allowOrigins } = await request.json();
      const events = [];
      for await (const event of Workflow.fromDocument(document).stream({ allowOrigins })) events.push(event);
      return Response.json(events);
    },
  };
`;

test("in the builder, through the relay that is served with it", async (t) => {
  const relay = await HOSTS.Node([web.origin]);
  t.after(relay.stop);
  const browser = await chromium.launch();
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(relay.page);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Import…").click();
  const dialog = page.getByRole("dialog", { name: "Import a workflow" });
  await dialog.getByRole("textbox").fill(JSON.stringify(researchOf(web.urls, llama.url)));
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  // Nothing was sent yet: the person agrees to the model and the relay, and then to the site that the data names.
  assert.equal(web.requests.length, 0);
  await expect(page.getByLabel("Requests go through the relay of this server")).toBeChecked();
  await page.getByRole("button", { name: "Send and run" }).click();
  const question = page.getByRole("dialog", { name: "A new address" });
  await expect(question).toContainText(web.origin);
  await question.getByRole("button", { name: "For this run" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done", { timeout: 60_000 });
  await expect(page.locator(".badge.simulated")).toHaveCount(0);
  const state = JSON.parse(await page.locator(".final-state pre").textContent());
  assertReport(state.report, web.urls);
  assertRead(web.requests);
});
