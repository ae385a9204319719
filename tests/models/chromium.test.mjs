// The browser's own model in Chromium: where there is none, and with the interface of its IDL over answers of ours.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "../browsers/browsers.mjs";
import { serve } from "../runtimes/hosts/static-server.mjs";

const programs = fileURLToPath(new URL("programs", import.meta.url));
const polyfill = join(programs, "language-model.js");
const NEEDS = /it needs Chrome 148 or newer on a desktop computer/;

let folder;
let server;
let browser;
let page;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepweave-models-"));
  await build({ absWorkingDir: programs, entryPoints: { page: "page.mjs", worker: "worker.mjs" }, outdir: folder, bundle: true, format: "esm", splitting: true, logLevel: "error" });
  await writeFile(join(folder, "index.html"), '<!doctype html><title>Models</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>\n');
  server = await serve({ root: folder });
  // A name that is no localhost is not secure without https.
  browser = await chromium.launch({ args: ["--host-resolver-rules=MAP plain.test 127.0.0.1"] });
});
after(async () => {
  await browser?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => page?.close());

async function open({ origin = server.origin, scripts = [] } = {}) {
  page = await browser.newPage();
  for (const script of scripts) await page.addInitScript(script);
  await page.goto(origin);
  await page.waitForFunction(() => globalThis.ask !== undefined);
}

const ask = (what = {}) => page.evaluate((what) => globalThis.ask(what), what);
const sessions = () => page.evaluate(() => JSON.parse(JSON.stringify(globalThis.sessions)));
/** The page with the interface and a model behind it. */
const withModel = (model = {}) => open({ scripts: [{ path: polyfill }, `Object.assign(globalThis.model, ${JSON.stringify(model)})`] });

async function failureOf(what) {
  const { status, error } = await ask(what);
  assert.equal(status, "error");
  assert.equal(error.step.name, "ask");
  return error;
}

test("a browser without the model says what it needs", async () => {
  // A Chromium without windows has the interface too, and says `downloadable` of what never comes.
  await open({ scripts: ['LanguageModel.availability = async () => "unavailable"'] });
  for (const place of ["page", "on-device"]) {
    const error = await failureOf({ in: place });
    assert.equal(error.code, "model");
    assert.equal(error.message, `the browser's own model is not available here for text with answers in ${place === "page" ? "en" : "en, de"}`);
    assert.match(error.hint, NEEDS);
    assert.match(error.hint, /chrome:\/\/on-device-internals/);
  }
});

test("a browser without the interface, and a page that is not secure, say so", async () => {
  await open({ scripts: ["delete globalThis.LanguageModel"] });
  const none = await failureOf();
  assert.equal(none.message, "there is no LanguageModel here: this browser has none");
  assert.match(none.hint, NEEDS);
  await page.close();
  await open({ origin: `http://plain.test:${new URL(server.origin).port}` });
  const plain = await failureOf();
  assert.equal(plain.message, "there is no LanguageModel here: this page is not served securely");
  assert.equal(plain.hint, "serve it over https, or from localhost");
});

test("it answers in pieces, and receives what belongs to the question", async () => {
  await withModel();
  const { status, state, usage, deltas } = await ask({ options: { languages: ["de"], inputLanguages: ["en", "de"] }, agent: { instructions: "Be brief." } });
  assert.equal(status, "done");
  assert.equal(state.ask_output, "Hello");
  assert.deepEqual(deltas, ["Hel", "lo"]);
  assert.deepEqual(usage, { inputTokens: 20, outputTokens: 2 });
  const [session, ...others] = await sessions();
  assert.equal(others.length, 0);
  assert.deepEqual(session, {
    options: { expectedInputs: [{ type: "text", languages: ["en", "de"] }], expectedOutputs: [{ type: "text", languages: ["de"] }] },
    initialPrompts: [{ role: "system", content: [{ type: "text", value: "Be brief." }] }],
    prompts: [{ input: [{ role: "user", content: [{ type: "text", value: "Hi" }] }] }],
    isDestroyed: true,
  });
});

test("a run in a worker asks the page's model", async () => {
  await withModel();
  const { status, state, usage, deltas } = await ask({ in: "on-device", agent: { instructions: "Be brief." } });
  assert.equal(status, "done");
  assert.equal(state.ask_output, "Hello");
  assert.deepEqual(deltas, ["Hel", "lo"]);
  assert.deepEqual(usage, { inputTokens: 20, outputTokens: 2 });
  const [session] = await sessions();
  assert.deepEqual(session.options.expectedOutputs, [{ type: "text", languages: ["en", "de"] }]);
  assert.ok(session.isDestroyed);
});

test("cancelling aborts the model and ends its session, also from a worker", async () => {
  await withModel({ isEndless: true });
  for (const place of ["page", "on-device"]) {
    const { status, deltas } = await ask({ in: place, cancelAtDelta: true });
    assert.equal(status, "cancelled");
    assert.equal(deltas[0], "Hel");
    await page.waitForFunction(() => globalThis.sessions.at(-1).isDestroyed);
    assert.ok((await sessions()).at(-1).isAborted);
  }
});

test("an answer by a schema is constrained to it", async () => {
  await withModel({ pieces: ['{"mood":', '"good"}'] });
  const output = { type: "object", properties: { mood: { type: "string" } }, required: ["mood"] };
  const { status, state } = await ask({ in: "on-device", agent: { output } });
  assert.equal(status, "done");
  assert.deepEqual(state.ask_output, { mood: "good" });
  assert.deepEqual((await sessions())[0].prompts[0].responseConstraint, output);
});

test("a model that is downloaded first says so, and how far it is", async () => {
  await withModel({ availability: "downloadable" });
  const { status, logs, downloaded } = await ask();
  assert.equal(status, "done");
  assert.deepEqual(downloaded, [0, 0.5, 1]);
  assert.deepEqual(logs, ["the browser downloads its model first; that takes a while"]);
});

test("parameters that pages cannot set are left out, and reported", async () => {
  await withModel();
  const { status, logs } = await ask({ agent: { params: { temperature: 0.2, top_k: 3, max_tokens: 5 } } });
  assert.equal(status, "done");
  assert.deepEqual(logs, ["the browser's own model takes no max_tokens, temperature, top_k here; left out"]);
  await page.evaluate(() => void (LanguageModel.params = async () => ({ defaultTemperature: 1 })));
  const inExtension = await ask({ agent: { params: { temperature: 0.2, top_k: 3 } } });
  assert.deepEqual(inExtension.logs, []);
  const { temperature, topK } = (await sessions()).at(-1).options;
  assert.deepEqual({ temperature, topK }, { temperature: 0.2, topK: 3 });
});

test("what the browser throws is reported in words", async () => {
  await withModel();
  for (const [how, code, retryable, message, hint] of [
    [{ onCreate: { name: "NotAllowedError", message: "Requires a user gesture" } }, "model", false, "the browser's own model may not be used: Requires a user gesture", /call await LanguageModel\.create\(\)/],
    [{ onCreate: { name: "NotSupportedError", message: "no such language" } }, "model", false, "the browser's own model cannot do this: no such language", /languages/],
    [{ onCreate: { name: "NetworkError", message: "offline" } }, "network", true, "the browser's own model could not be downloaded: offline", /try again/],
    [{ onPrompt: { name: "QuotaExceededError", message: "too long" } }, "limit", false, "the browser's own model cannot read that much (70 tokens, of 60 that fit): too long", /shorten/],
    [{ onPrompt: { name: "EncodingError", message: "no image" } }, "model", false, "the browser's own model cannot read a file: no image", /images/],
    [{ onPrompt: { name: "UnknownError", message: "it crashed" } }, "model", true, "the browser's own model failed: it crashed", /on-device-internals/],
  ]) {
    await page.evaluate((how) => Object.assign(globalThis.model, { onCreate: undefined, onPrompt: undefined }, how), how);
    for (const place of ["page", "on-device"]) {
      const error = await failureOf({ in: place });
      assert.deepEqual([error.code, error.retryable, error.message], [code, retryable, message]);
      assert.match(error.hint, hint);
    }
    if (how.onPrompt !== undefined) assert.ok((await sessions()).at(-1).isDestroyed);
  }
});
