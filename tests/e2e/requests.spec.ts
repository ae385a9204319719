// Requests as a person sets them up, to sites that send no CORS headers: without a relay, and through that of the server.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { expect, test, type Page } from "@playwright/test";
import { card, drag, kind, openDocument, picture, place } from "./builder.js";
import { sitePorts } from "./sites.js";

test.describe.configure({ mode: "serial" });

const PAGE = "<!doctype html><title>Bees</title><main><h1>Bees</h1><p>Bees dance to show the way.</p></main>";
let servers: Server[] = [];
let asked: IncomingMessage[] = [];
let sites: string[] = [];

test.beforeAll(async () => {
  const ports = sitePorts(test.info().project.name);
  servers = ports.map(() =>
    createServer((request, response) => {
      if (request.method !== "HEAD") asked.push(request);
      if (request.url === "/items") return void response.writeHead(200, { "content-type": "application/json" }).end('{"items":[{"name":"bee"}],"total":1}');
      if (request.url === "/away") return void response.writeHead(302, { location: "/items" }).end();
      response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    }),
  );
  await Promise.all(servers.map((server, index) => new Promise<void>((listening) => server.listen(ports[index], "127.0.0.1", listening))));
  sites = ports.map((port) => `http://127.0.0.1:${port}`);
});
test.afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
});
test.beforeEach(() => {
  asked = [];
});

const getting = (url: string, more: object = {}): object => ({
  version: 1,
  name: "Get",
  steps: [{ id: "s1", type: "http", name: "get", http: { url, ...more } }],
});

async function run(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).click();
}
const ended = (page: Page): Promise<void> => expect(page.locator(".run-summary")).not.toHaveAttribute("data-status", /idle|running/);

test("without a relay the failure says that the site sends no CORS headers, and that a relay helps", async ({ page }) => {
  await openDocument(page, getting(`${sites[0]}/items`));
  await run(page);
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText(sites[0] ?? "");
  await dialog.getByText("Requests go through the relay of this server").click();
  await dialog.getByRole("button", { name: "Send and run" }).click();
  await ended(page);
  await expect(card(page, "get")).toHaveAttribute("data-status", "error");
  const failure = page.locator(".run-steps .failure");
  await expect(failure).toContainText("CORS");
  await expect(failure).toContainText("Requests go through");
  await picture(page, "request-cors");
});

/** The rows of the documentation's table of failures that pages alone meet: their code, and what their hint says. */
const ROWS = readFileSync(new URL("../../docs/requests.md", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| in a page: "))
  .map((line) => line.slice(2, -2).split(" | "));

for (const [what, path] of [["in a page: a redirect", "/away"], ["in a page: an endpoint without CORS headers", "/items"]] as const) {
  test(`${what} has the code and the hint that the documentation says`, async ({ page }) => {
    expect(ROWS).toHaveLength(2);
    const [, code = "", , hint = ""] = ROWS.find(([row]) => row === what) ?? [];
    await openDocument(page, getting(`${sites[0]}${path}`));
    await run(page);
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Requests go through the relay of this server").click();
    await dialog.getByRole("button", { name: "Send and run" }).click();
    await ended(page);
    await expect(page.locator(".run-steps .failure .code-word").first()).toHaveText(code.replaceAll("`", ""));
    await expect(page.locator(".run-steps .failure-hint").first()).toContainText(hint);
  });
}

for (const name of ["webhook-classify", "list-summarise", "form-approve", "paginate-aggregate", "retry-fallback"]) {
  test(`the pattern ${name} is imported, and its first run shows what comes out`, async ({ page }) => {
    const document = JSON.parse(readFileSync(new URL(`../../examples/patterns/${name}.json`, import.meta.url), "utf8")) as { steps: { name: string }[] };
    await openDocument(page, document);
    await expect(page.getByRole("button", { name: "Use pinned outputs" })).toHaveAttribute("aria-pressed", "true");
    await run(page);
    // The question names where the rest would go; what is pinned is not sent.
    await page.getByRole("button", { name: "Send and run" }).click();
    const first = card(page, document.steps[0]?.name ?? "");
    await expect(first).toHaveAttribute("data-status", "done");
    await expect(page.locator(".run-summary")).not.toHaveAttribute("data-status", /idle|running|error/);
    await expect(page.locator(".card.flawed")).toHaveCount(0);
    await expect(page.locator(".run-steps .failure")).toHaveCount(0);
  });
}

test("through the relay of the server the same request is answered @firefox", async ({ page }) => {
  await openDocument(page, getting(`${sites[0]}/items`, { result: "body.total" }));
  await run(page);
  await expect(page.getByLabel("Requests go through the relay of this server")).toBeChecked();
  await picture(page, "request-agree");
  await page.getByRole("button", { name: "Send and run" }).click();
  await ended(page);
  await expect(card(page, "get")).toHaveAttribute("data-status", "done");
  expect(asked.map(({ url, headers }) => [url, headers.origin, headers.cookie])).toEqual([["/items", undefined, undefined]]);
  // It is not asked again.
  await run(page);
  await expect.poll(() => asked.length).toBe(2);
});

test("a key goes through the relay only after a yes of its own, and never into the document", async ({ page }) => {
  await openDocument(page, getting("https://api.example.com/"));
  await card(page, "get").click();
  await page.getByRole("button", { name: "Paste a curl command" }).click();
  await page.getByLabel("A curl command").fill(`curl '${sites[0]}/items' -H 'Authorization: Bearer the-key-itself' -H 'Accept: application/json'`);
  await expect(page.getByLabel("Address", { exact: true })).toHaveValue(`${sites[0]}/items`);
  await expect(page.getByLabel("Name of the key")).toHaveValue(/^_?[A-Z0-9_]+_KEY$/);
  await picture(page, "request-form");
  await run(page);
  await page.getByRole("button", { name: "Send and run" }).click();
  await ended(page);
  await expect(page.locator(".run-steps .failure")).toContainText("would go through the relay");
  expect(asked).toEqual([]);
  await card(page, "get").click();
  await page.getByRole("group", { name: "Requests go through" }).getByRole("button", { name: "Change" }).click();
  const dialog = page.getByRole("dialog", { name: "Requests go through" });
  await dialog.getByText("Keys may go through it").click();
  await picture(page, "request-relay");
  await dialog.getByRole("button", { name: "Save" }).click();
  await run(page);
  await expect.poll(() => asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer the-key-itself"]);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Export…").click();
  const exported = await page.getByLabel("The workflow as JSON").inputValue();
  expect(exported).toContain('"bearer"');
  expect(exported).not.toContain("the-key-itself");
});

test("each address that data leads to is asked about: once, for the run, always, or not at all", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Each",
    initialState: { urls: [`${sites[0]}/a`, `${sites[1]}/b`, `${sites[0]}/c`] },
    steps: [
      { id: "s1", type: "foreach", name: "each", items: "urls", as: "url", onItemError: "null", result: "read_output", steps: [
        { id: "s2", type: "http", name: "read", http: { url: "{{ url }}", origins: "any", response: "readable" } },
      ] },
    ],
  });
  await run(page);
  await page.getByRole("button", { name: "Send and run" }).click();
  const question = page.getByRole("dialog", { name: "A new address" });
  await expect(question).toContainText(sites[0] ?? "");
  await picture(page, "request-new-address");
  await question.getByRole("button", { name: "Once" }).click();
  await expect(question).toContainText(sites[1] ?? "");
  await question.getByRole("button", { name: "No" }).click();
  await expect(question).toContainText(sites[0] ?? "");
  await question.getByRole("button", { name: "Always" }).click();
  await ended(page);
  expect(asked.map(({ url }) => url)).toEqual(["/a", "/c"]);
  await run(page);
  await expect(question).toContainText(sites[1] ?? "");
  await question.getByRole("button", { name: "For this run" }).click();
  await ended(page);
  expect(asked.map(({ url }) => url)).toEqual(["/a", "/c", "/a", "/b", "/c"]);
});

test("a newcomer has each address of a list read and summarised", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Read", initialState: { urls: [`${sites[0]}/a`, `${sites[0]}/b`] }, models: { m: { provider: "demo", model: "demo" } }, agents: { reader: { model: "m", instructions: "Summarise." } }, steps: [] });
  await drag(page, kind(page, "foreach"), place(page, "/0"));
  await page.getByLabel("Items").fill("urls");
  await drag(page, kind(page, "http"), place(page, "s1/steps/0"));
  await page.getByLabel("Address", { exact: true }).fill("{{ item }}");
  await page.getByLabel("It may go to").selectOption("any");
  await page.getByLabel("Its answer is").selectOption("readable");
  await drag(page, kind(page, "agent"), place(page, "s1/steps/1"));
  await page.getByLabel("What it is asked").fill("Summarise: {{ http_output }}");
  await picture(page, "request-newcomer");
  await run(page);
  await page.getByRole("button", { name: "Send and run" }).click();
  await page.getByRole("dialog", { name: "A new address" }).getByRole("button", { name: "Always" }).click();
  await ended(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  expect(asked.map(({ url }) => url)).toEqual(["/a", "/b"]);
});

test("a tool of an agent can be a request", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Tools", tools: { find: { description: "Finds.", run: { http: { url: `${sites[0]}/items?q={{ q }}` } } } }, models: { m: { provider: "demo", model: "demo" } }, agents: { a: { model: "m", tools: ["find"] } }, steps: [] });
  await page.locator(".inspector summary", { hasText: "find" }).click();
  await page.getByLabel("Address", { exact: true }).fill(`${sites[0]}/items?name={{ q }}`);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Export…").click();
  await expect(page.getByLabel("The workflow as JSON")).toHaveValue(/\/items\?name=\{\{ q \}\}/);
  // The exported Worker may reach it.
  await expect(page.getByRole("dialog")).toContainText(`${sites[0]} is called without a key`);
});
