// Requests as a person sets them up, to sites that send no CORS headers: without a relay, and through that of the server.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { expect, test, type Page } from "@playwright/test";
import { card, drag, everythingStored, exportedText, kind, names, openDocument, picture, place, written } from "./builder.js";
import { sitePort } from "./sites.js";

test.describe.configure({ mode: "serial" });

const PAGE = "<!doctype html><title>Bees</title><main><h1>Bees</h1><p>Bees dance to show the way.</p></main>";
let servers: Server[] = [];
let received: IncomingMessage[] = [];
let sites: string[] = [];

test.beforeAll(async () => {
  const { name } = test.info().project;
  const ports = [sitePort(name, "requests"), sitePort(name, "more requests")];
  servers = ports.map(() =>
    createServer((request, response) => {
      if (request.method !== "HEAD") received.push(request);
      if (request.url === "/items") return void response.writeHead(200, { "content-type": "application/json" }).end('{"items":[{"name":"bee"}],"total":1}');
      if (request.url === "/away") return void response.writeHead(302, { location: "/items" }).end();
      if (request.url?.startsWith("/items?")) return void response.writeHead(200, { "content-type": "application/json" }).end('{"items":[{"name":"bee"}],"total":1,"odd key":"odd"}');
      if (request.url === "/missing") return void response.writeHead(404, { "content-type": "text/plain" }).end("Nothing here.");
      if (request.url === "/echo") return void response.writeHead(200, { "content-type": "text/plain" }).end(`You sent: ${request.headers.authorization ?? ""}`);
      if (request.url?.startsWith("/pages")) {
        const number = Number(new URL(request.url, "http://site").searchParams.get("after") ?? 1);
        return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ items: [number], after: number < 3 ? number + 1 : null }));
      }
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
  received = [];
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
    await expect(page.locator(".run-steps .failure").first()).toHaveAttribute("data-code", code.replaceAll("`", ""));
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

test("a template that ends too early in JSON is marked in its place", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Send", initialState: { key: "a" }, steps: [{ id: "s1", type: "http", name: "send", http: { method: "POST", url: "https://a.test/", body: { json: { a: 1 } } } }] });
  await card(page, "send").click();
  const field = page.locator(".inspector").getByLabel("JSON to send");
  await field.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type('{"a": [1, "{{ key"]}');
  await expect(page.locator(".inspector .cm-lintRange-error")).toHaveText('"{{ key"');
  await expect(page.locator(".inspector .wrong .code-field")).toHaveCSS("border-color", await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "var(--error)";
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }));
});

test("through the relay of the server the same request is answered @firefox", async ({ page }) => {
  await openDocument(page, getting(`${sites[0]}/items`, { result: "body.total" }));
  await run(page);
  await expect(page.getByLabel("Requests go through the relay of this server")).toBeChecked();
  await picture(page, "request-agree");
  await page.getByRole("button", { name: "Send and run" }).click();
  await ended(page);
  await expect(card(page, "get")).toHaveAttribute("data-status", "done");
  expect(received.map(({ url, headers }) => [url, headers.origin, headers.cookie])).toEqual([["/items", undefined, undefined]]);
  // The person is not asked again.
  await run(page);
  await expect.poll(() => received.length).toBe(2);
});

test("an address that a list has is not proposed to a relay that does not reach it", async ({ page }) => {
  const origin = "http://127.0.0.1:9";
  const request = { id: "s2", type: "http", name: "get", http: { url: "{{ item }}", origins: [origin] } };
  await openDocument(page, { version: 1, name: "List", steps: [{ id: "s1", type: "foreach", name: "each", items: `['${origin}/a']`, steps: [request] }] });
  await run(page);
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText(origin);
  await expect(dialog.getByRole("button", { name: "Send and run" })).toBeVisible();
  await expect(dialog.getByLabel("Requests go through the relay of this server")).toHaveCount(0);
});

test("a key that is missing is a button away from the request that failed", async ({ page }) => {
  await openDocument(page, getting(`${sites[0]}/items`, { auth: { bearer: { secret: "SITE_KEY" } } }));
  await run(page);
  await page.getByRole("button", { name: "Send and run" }).click();
  await ended(page);
  await card(page, "get").press("Escape");
  const failure = page.locator(".run-steps .failure");
  await expect(failure).not.toContainText("pass it where the run starts");
  await failure.getByRole("button", { name: "Enter the key SITE_KEY" }).click();
  await expect(page.locator(".inspector .secret")).toBeFocused();
  await page.keyboard.type("the key");
  await run(page);
  await ended(page);
  await expect(failure).not.toContainText("SITE_KEY");
});

test("a relay that takes its time is offered before anything can be sent", async ({ page }) => {
  await page.route(/\/relay(?:\?|$)/, async (route) => {
    if (route.request().method() === "GET") await new Promise((done) => setTimeout(done, 800));
    await route.continue();
  });
  await openDocument(page, getting(`${sites[0]}/items`, { result: "body.total" }));
  await run(page);
  await page.getByRole("button", { name: "Send and run" }).click();
  await ended(page);
  await expect(card(page, "get")).toHaveAttribute("data-status", "done");
  expect(received.map(({ headers }) => headers.origin)).toEqual([undefined]);
});

test("a request says that nothing is chosen yet while a run offers the relay, and what was chosen afterwards", async ({ page }) => {
  await openDocument(page, getting(`${sites[0]}/items`, { result: "body.total" }));
  await card(page, "get").click();
  const through = page.getByRole("group", { name: "Requests go through" });
  await expect(through).toContainText("not chosen yet: a run offers the relay of this server");
  await through.getByRole("button", { name: "Change" }).click();
  await page.getByRole("button", { name: "Go straight to the sites" }).click();
  await expect(through).toContainText("no relay: they are sent straight from this page");
});

test("whoever has chosen that requests go straight is not offered the relay before a run, or a try", async ({ page }) => {
  await openDocument(page, getting(`${sites[0]}/items`));
  await card(page, "get").click();
  await page.getByRole("group", { name: "Requests go through" }).getByRole("button", { name: "Change" }).click();
  await page.getByRole("button", { name: "Go straight to the sites" }).click();
  const dialog = page.getByRole("dialog");
  for (const [act, send] of [["Try", "Send once"], ["Run", "Send and run"]] as const) {
    await page.getByRole("button", { name: act, exact: true }).click();
    await expect(dialog).toContainText(sites[0] ?? "");
    await expect(dialog.getByRole("button", { name: send })).toBeVisible();
    await expect(dialog.getByLabel("Requests go through the relay of this server")).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
  }
  expect(received).toEqual([]);
});

test("what a tool asks for cannot be sent to any site, and its form does not offer that", async ({ page }) => {
  const origins = ["https://api.example.com"];
  await openDocument(page, {
    version: 1,
    name: "Tool",
    initialState: { base: "https://api.example.com" },
    models: { m: { provider: "demo", model: "demo" } },
    agents: { guide: { model: "m", tools: ["look"] } },
    tools: { look: { description: "Looks.", input: { type: "object", properties: { base: { type: "string" } } }, run: { http: { url: "https://api.example.com/items", origins } } } },
    steps: [{ id: "s1", type: "http", name: "get", http: { url: "{{ base }}/items", origins } }, { id: "s2", type: "agent", name: "ask", agent: "guide", inputFrom: "Look." }],
  });
  const choice = page.getByLabel("Allowed addresses");
  await card(page, "get").click();
  await expect(choice.locator("option")).toHaveText(["where its address leads", "any site: each new one is asked about", "these sites"]);
  await card(page, "ask").click();
  await page.getByRole("button", { name: "Edit tool look" }).click();
  await expect(choice.locator("option")).toHaveText(["where its address leads", "these sites"]);
  await choice.selectOption({ label: "where its address leads" });
  await expect(choice).toHaveCount(0);
  await page.getByLabel("Address", { exact: true }).fill("{{ base }}/items");
  await expect(page.locator(".inspector")).toContainText("goes where its arguments say");
  await expect(choice).toHaveCount(0);
});

test("a key goes through the relay only after a yes of its own, and never into the document", async ({ page }) => {
  await openDocument(page, getting("https://api.example.com/"));
  await card(page, "get").click();
  await page.getByRole("button", { name: "Paste a curl command" }).click();
  await page.getByLabel("A curl command").fill(`curl '${sites[0]}/items' -H 'Authorization: Bearer the-key-itself' -H 'Accept: application/json'`);
  await expect.poll(() => written(page.getByLabel("Address", { exact: true }))).toBe(`${sites[0]}/items`);
  await expect(page.getByLabel("Name of the key")).toHaveValue(/^_?[A-Z0-9_]+_KEY$/);
  await picture(page, "request-form");
  await run(page);
  // No key goes through a relay that is only offered, so it is not proposed.
  await expect(page.getByLabel("Requests go through the relay of this server")).not.toBeChecked();
  await page.getByText("Requests go through the relay of this server").click();
  await page.getByRole("button", { name: "Send and run" }).click();
  await ended(page);
  const failure = page.locator(".run-steps .failure");
  await expect(failure).toContainText("would go through the relay");
  await expect(failure).toContainText("turn on “Keys may go through it”");
  await expect(failure).not.toContainText("secrets: true");
  expect(received).toEqual([]);
  await failure.getByRole("button", { name: "Requests go through…" }).click();
  const dialog = page.getByRole("dialog", { name: "Requests go through" });
  await dialog.getByText("Keys may go through it").click();
  await picture(page, "request-relay");
  await dialog.getByRole("button", { name: "Save" }).click();
  await run(page);
  await expect.poll(() => received.map(({ headers }) => headers.authorization)).toEqual(["Bearer the-key-itself"]);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Export…").click();
  const exported = await page.getByLabel("The workflow as JSON").inputValue();
  expect(exported).toContain('"bearer"');
  expect(exported).not.toContain("the-key-itself");
});

test("JSON to send begins empty, and what is typed is all that it is", async ({ page }) => {
  await openDocument(page, getting("https://api.example.com/"));
  await card(page, "get").click();
  await page.getByLabel("Body", { exact: true }).selectOption("json");
  const body = page.getByRole("textbox", { name: "JSON to send" });
  await expect.poll(() => written(body)).toBe("");
  await body.click();
  await page.keyboard.type('{"name": 1}');
  const exported = async (): Promise<unknown> => {
    await page.getByRole("button", { name: "File" }).click();
    await page.getByText("Export…").click();
    const text = await page.getByLabel("The workflow as JSON").inputValue();
    await page.keyboard.press("Escape");
    return (JSON.parse(text) as { steps: { http: { body: unknown } }[] }).steps[0]?.http.body;
  };
  await expect.poll(exported).toEqual({ json: { name: 1 } });
  await body.fill("");
  await expect.poll(exported).toEqual({ json: {} });
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
  const question = page.getByRole("dialog", { name: "A new address" });
  await expect(question).toContainText(sites[0] ?? "");
  await picture(page, "request-new-address");
  await question.getByRole("button", { name: "Once" }).click();
  await expect(question).toContainText(sites[1] ?? "");
  await question.getByRole("button", { name: "No" }).click();
  await expect(question).toContainText(sites[0] ?? "");
  await question.getByRole("button", { name: "Always" }).click();
  await ended(page);
  expect(received.map(({ url }) => url)).toEqual(["/a", "/c"]);
  await run(page);
  await expect(question).toContainText(sites[1] ?? "");
  await question.getByRole("button", { name: "For this run" }).click();
  await ended(page);
  expect(received.map(({ url }) => url)).toEqual(["/a", "/c", "/a", "/b", "/c"]);
  await card(page, "read").click();
  await expect(page.locator(".run-of-step .sent")).toContainText(`Its address${sites[0]}/c`);
});

test("what is always allowed is kept for one workflow and its requests, in this browser alone, and taken back at a click", async ({ page }) => {
  const document = (name: string, url: string) => ({ version: 1, name, initialState: { at: `${sites[0]}/a` }, steps: [{ id: "s1", type: "http", name: "read", http: { url, origins: "any", response: "readable" } }] });
  await openDocument(page, document("Kept", "{{ at }}"));
  const question = page.getByRole("dialog", { name: "A new address" });
  const asked = async (answer: string): Promise<void> => {
    await run(page);
    await question.getByRole("button", { name: answer }).click();
    await ended(page);
  };
  const sent = async (many: number): Promise<void> => {
    await expect.poll(() => received.length).toBe(many);
    await ended(page);
  };
  await asked("Always");
  await sent(1);
  await page.reload();
  await expect(card(page, "read")).toBeVisible();
  await run(page);
  await sent(2);
  // No document has it, and no other workflow, such as a copy with the same ids.
  expect((await exportedText(page)).split(`${sites[0]}`)).toHaveLength(2);
  await openDocument(page, document("Kept", "{{ at }}"));
  await asked("No");
  await page.goBack();
  await expect(page.getByLabel("Name of the workflow")).toHaveValue("Kept");
  const list = page.getByRole("list", { name: "Addresses that are always allowed" });
  await expect(list.getByRole("listitem")).toHaveText([sites[0] ?? ""]);
  await list.scrollIntoViewIfNeeded();
  await picture(page, "always-allowed");
  // A document that comes in its place sends something else: it is asked about.
  await page.keyboard.press("j");
  const json = page.getByRole("textbox", { name: "JSON of the workflow" });
  await expect(json).toHaveAttribute("contenteditable", "true");
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(JSON.stringify(document("Kept", "{{ at }}?stolen={{ at }}")));
  await page.keyboard.press("Escape");
  await asked("No");
  await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
  await page.keyboard.press("Control+z");
  await run(page);
  await sent(3);
  await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
  await list.getByRole("button", { name: `Remove ${sites[0]}` }).click();
  await expect(list).toHaveCount(0);
  await page.reload();
  await expect(card(page, "read")).toBeVisible();
  await asked("No");
  expect(received).toHaveLength(3);
});

test("a site that came into the list later is allowed by a click, and never by itself", async ({ page }) => {
  const document = (items: string) => ({
    version: 1,
    name: "Later",
    initialState: { urls: [`${sites[0]}/a`, `${sites[1]}/b`] },
    steps: [{ id: "s1", type: "foreach", name: "each", items, as: "url", steps: [{ id: "s2", type: "http", name: "read", http: { url: "{{ url }}", origins: [sites[0]], response: "readable" } }] }],
  });
  await openDocument(page, document("urls"));
  await page.locator(".problems-button").click();
  await expect(page.locator("ul.problems")).toContainText(`a known address leads to ${sites[1]}`);
  await page.locator("ul.problems").getByRole("button", { name: `Allow ${sites[1]}` }).click();
  await expect(page.locator(".problems-button")).toHaveCount(0);
  // Where nothing says it beforehand, the run does.
  await openDocument(page, document("[urls[0], urls[1]]"));
  await run(page);
  await page.getByRole("button", { name: "Send and run" }).click();
  await ended(page);
  const failure = page.locator(".run-steps .failure").first();
  await failure.getByRole("button", { name: `Allow ${sites[1]}` }).click();
  await expect(failure.getByRole("button", { name: `Allow ${sites[1]}` })).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(failure.getByRole("button", { name: `Allow ${sites[1]}` })).toBeVisible();
});

test("requests that go to the same address at once wait for one answer, and a no is for the whole run", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "At once",
    initialState: { urls: [`${sites[0]}/a`, `${sites[0]}/b`, `${sites[1]}/no`, `${sites[0]}/c`, `${sites[1]}/neither`] },
    steps: [
      { id: "s1", type: "foreach", name: "each", items: "urls", as: "url", concurrency: 5, onItemError: "null", result: "read_output", steps: [
        { id: "s2", type: "http", name: "read", http: { url: "{{ url }}", origins: "any", response: "readable" } },
      ] },
    ],
  });
  const question = page.getByRole("dialog", { name: "A new address" });
  /** Answers the questions until the run has ended, to each site what is next for it; gives what is left of the answers. */
  const answered = async (answers: string[][]): Promise<string[][]> => {
    for (let many = answers.flat().length; many > 0; many -= 1) {
      await expect(question).toBeVisible();
      const site = sites.indexOf((await question.locator("code").textContent()) ?? "");
      await question.getByRole("button", { name: answers[site]?.shift() ?? "no more questions come" }).click();
    }
    await ended(page);
    return answers;
  };
  await run(page);
  expect(await answered([["For this run"], ["No"]])).toEqual([[], []]);
  expect(received.map(({ url }) => url).toSorted()).toEqual(["/a", "/b", "/c"]);
  // Both answers were for that run only, and once is one request, also where several wait.
  received = [];
  await run(page);
  expect(await answered([["Once", "Close"], ["For this run"]])).toEqual([[], []]);
  expect(received.map(({ url }) => url?.replace(/^\/[abc]$/, "/one of them")).toSorted()).toEqual(["/neither", "/no", "/one of them"]);
});

for (const way of ["through the relay", "straight"] as const) {
  test(`the first address that data leads to is one question, which says how requests go: ${way}`, async ({ page }) => {
    let offers = 0;
    page.on("request", (request) => void (offers += Number(request.method() === "GET" && new URL(request.url()).pathname.endsWith("/relay"))));
    await openDocument(page, {
      version: 1,
      name: "First",
      initialState: { urls: [`${sites[0]}/no`, `${sites[1]}/items`, `${sites[1]}/items?more`] },
      steps: [{ id: "s1", type: "foreach", name: "each", items: "urls", as: "url", onItemError: "null", result: "read_output", steps: [{ id: "s2", type: "http", name: "read", http: { url: "{{ url }}", origins: "any", result: "body.total" } }] }],
    });
    await run(page);
    const question = page.getByRole("dialog", { name: "A new address" });
    const through = question.getByLabel("Requests go through the relay of this server");
    await expect(question).toContainText(sites[0] ?? "");
    await expect(through).toBeChecked();
    expect(offers).toBe(1);
    await question.getByRole("button", { name: "No" }).click();
    // No is about that address, and says nothing of the relay.
    await expect(question).toContainText(sites[1] ?? "");
    await expect(through).toBeChecked();
    expect(received).toEqual([]);
    if (way === "straight") await question.getByText("Requests go through the relay of this server").click();
    await question.getByRole("button", { name: "Once" }).click();
    // What was said holds from then on: the next question is about the address alone.
    await expect(question).toContainText(sites[1] ?? "");
    await expect(question.getByRole("button", { name: "Once" })).toBeVisible();
    await expect(through).toHaveCount(0);
    await question.getByRole("button", { name: "Always" }).click();
    await ended(page);
    const origin = way === "straight" ? new URL(page.url()).origin : undefined;
    expect(received.map(({ url, headers }) => [url, headers.origin])).toEqual([["/items", origin], ["/items?more", origin]]);
    await expect(page.locator(".final-state pre")).toContainText(way === "straight" ? /null,\s+null,\s+null/ : /null,\s+1,\s+1/);
    expect(offers).toBe(2);
    await run(page);
    await expect(question).toContainText(sites[0] ?? "");
    await expect(through).toHaveCount(0);
    await question.getByRole("button", { name: "No" }).click();
    await ended(page);
    await expect.poll(() => received.slice(2).map(({ headers }) => headers.origin)).toEqual([origin, origin]);
    // The form of a request says what was chosen.
    await card(page, "read").click();
    await expect(page.getByRole("group", { name: "Requests go through" })).toContainText(way === "straight" ? "straight" : "the relay at");
  });
}

test("where there is no relay to choose, the address that data leads to is the only question", async ({ page }) => {
  let asked = 0;
  await page.route(/\/relay(?:\?|$)/, (route) => {
    asked += 1;
    return route.fulfill({ status: 404 });
  });
  await openDocument(page, {
    version: 1,
    name: "Once",
    initialState: { urls: [`${sites[0]}/a`, `${sites[0]}/b`] },
    steps: [{ id: "s1", type: "foreach", name: "each", items: "urls", as: "url", onItemError: "null", steps: [{ id: "s2", type: "http", name: "read", http: { url: "{{ url }}", origins: "any", response: "readable" } }] }],
  });
  await run(page);
  await expect(page.getByRole("dialog", { name: "A new address" })).toContainText(sites[0] ?? "");
  expect(received).toEqual([]);
  await page.getByRole("button", { name: "For this run" }).click();
  await ended(page);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(new Set(received.map(({ url }) => url))).toEqual(new Set(["/a", "/b"]));
  // What the question took is no work of the step around the request that it was about.
  const time = page.locator(".step-row").filter({ has: page.locator('b:text-is("each")') }).locator(".card-time");
  await expect(time).toContainText("waited");
  // The server that has said so is not asked again.
  await run(page);
  await page.getByRole("dialog", { name: "A new address" }).getByRole("button", { name: "No" }).click();
  await ended(page);
  expect(asked).toBe(1);
});

test("a newcomer has each address of a list read and summarised", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Read", initialState: { urls: [`${sites[0]}/a`, `${sites[0]}/b`] }, models: { m: { provider: "demo", model: "demo" } }, agents: { reader: { model: "m", instructions: "Summarise." } }, steps: [] });
  await drag(page, kind(page, "foreach"), place(page, "/0"));
  await page.getByLabel("Items").fill("urls");
  await drag(page, kind(page, "http"), place(page, "s1/steps/0"));
  await page.getByLabel("Address", { exact: true }).fill("{{ item }}");
  await page.getByLabel("Allowed addresses").selectOption("any");
  await page.getByLabel("Read the answer as").selectOption("readable");
  await drag(page, kind(page, "agent"), place(page, "s1/steps/1"));
  await page.getByLabel("Prompt").fill("Summarise: {{ request_output }}");
  await picture(page, "request-newcomer");
  await run(page);
  await page.getByRole("dialog", { name: "A new address" }).getByRole("button", { name: "Always" }).click();
  await ended(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  expect(received.map(({ url }) => url)).toEqual(["/a", "/b"]);
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

/** Puts a text on the clipboard as a person does: out of a field. */
async function cut(page: Page, text: string): Promise<void> {
  await page.evaluate((text) => {
    const field = document.createElement("textarea");
    field.id = "to-cut";
    field.value = text;
    document.body.append(field);
    field.select();
  }, text);
  await page.keyboard.press("ControlOrMeta+x");
  await page.evaluate(() => document.getElementById("to-cut")?.remove());
}

test("a request that is tried is no run: none is listed, and the next form has what the last run got", async ({ page }) => {
  const input = { type: "object", required: ["city"], properties: { city: { type: "string" } } };
  await openDocument(page, { ...getting(`${sites[0]}/items?q={{ city }}`), input });
  await run(page);
  const form = page.getByRole("dialog", { name: "Run with" });
  await form.getByLabel("city").fill("Oslo");
  await form.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send and run" }).click();
  await ended(page);
  const status = await page.locator(".run-summary").getAttribute("data-status");
  await card(page, "get").click();
  const before = received.length;
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await expect.poll(() => received.length).toBeGreaterThan(before);
  await expect(page.getByRole("group", { name: "Sample answer" })).toBeVisible();
  expect(await everythingStored(page)).not.toContain("read_answer");
  await page.reload();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", status ?? "");
  await expect(page.getByLabel("Runs of this workflow")).toHaveCount(0);
  await run(page);
  await expect(form.getByLabel("city")).toHaveValue("Oslo");
});

test("a long notice is read as a whole", async ({ page }) => {
  await openDocument(page, getting(`${sites[0]}/items`));
  await cut(page, `curl '${sites[0]}/v1/items' -L --max-time 7 --retry 2 --compressed -k -H 'Authorization: Bearer the-key-itself' -H 'X-Api-Key: another-key-1234' --json '{"api_key": "k1", "password": "hunter2"}'`);
  for (const width of [1280, 900, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("ControlOrMeta+v");
    const notice = page.locator(".notice");
    await expect(notice).toContainText("was left out");
    const [own, window] = await notice.evaluate((one) => {
      const { top, bottom, left, right } = one.getBoundingClientRect();
      return [{ cut: one.scrollHeight - one.clientHeight, inside: top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth }, innerWidth];
    });
    expect(own, `${window} px`).toEqual({ cut: 0, inside: true });
  }
});

test("a curl command that is pasted on the page becomes a step behind the selected one, without its key", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, { ...getting(`${sites[0]}/items`), name: "Two" });
  await cut(page, `curl '${sites[0]}/v1/user-items?x=1' -H 'Authorization: Bearer the-key-itself'`);
  await card(page, "get").click();
  await page.keyboard.press("ControlOrMeta+v");
  await expect.poll(() => names(page)).toEqual(["get", "user_items"]);
  await expect.poll(() => written(page.getByLabel("Address", { exact: true }))).toBe(`${sites[0]}/v1/user-items?x=1`);
  await expect(page.getByLabel("Key", { exact: true }).last()).toHaveValue("the-key-itself");
  // In a field it is text.
  await page.getByRole("textbox", { name: "Result", exact: true }).focus();
  await page.keyboard.press("ControlOrMeta+v");
  await expect.poll(() => names(page)).toEqual(["get", "user_items"]);
  await card(page, "user_items").click();
  await page.keyboard.press("ControlOrMeta+z");
  await page.keyboard.press("ControlOrMeta+z");
  await expect.poll(() => names(page)).toEqual(["get"]);
  await cut(page, "curl -d @file.json https://api.example.com/");
  await page.locator(".canvas").click({ position: { x: 5, y: 5 } });
  await page.keyboard.press("ControlOrMeta+v");
  await expect(page.locator(".notice")).toContainText("sends the file file.json, which is not read");
  await cut(page, "something else");
  await page.keyboard.press("ControlOrMeta+v");
  await expect.poll(() => names(page)).toEqual(["get"]);
});

test("a curl command becomes a tool where tools are picked", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Tools", models: { m: { provider: "demo", model: "demo" } }, agents: { a: { model: "m" } }, steps: [{ id: "s1", type: "agent", name: "ask", agent: "a" }] });
  await card(page, "ask").click();
  await page.getByRole("button", { name: "New tool from curl" }).click();
  await page.getByLabel("A curl command").fill(`curl -X DELETE ${sites[0]}/users/42`);
  const entry = page.locator(".inspector").getByRole("group", { name: "Tools that it may call" });
  await expect(entry.getByLabel("Name of the tool")).toHaveValue("users");
  await expect(entry.getByLabel("A call runs")).toHaveValue("http");
  await expect(entry.getByLabel("Method")).toHaveValue("DELETE");
  // It does more than read, so a person is asked.
  await expect(entry.getByLabel("Ask a person")).toBeChecked();
  await card(page, "ask").click();
  await expect(page.getByRole("checkbox", { name: "users" })).toBeChecked();
});

test("further pages are found at an address that a page says, or by a parameter of the query", async ({ page }) => {
  await openDocument(page, getting(`${sites[0]}/pages`, { pages: { next: "body.next", items: "body.items", max: 7 } }));
  await card(page, "get").click();
  await page.getByText("Query, headers, pages").click();
  const way = page.getByLabel("Further pages");
  await expect(way).toHaveValue("next");
  await expect.poll(() => written(page.getByLabel("Next page", { exact: true }))).toBe("body.next");
  await way.selectOption("cursor");
  await page.getByLabel("Parameter of the query").fill("after");
  await page.getByLabel("Its value for the next page").fill("body.after");
  await expect(page.getByLabel("Pages at most")).toHaveValue("7");
  await picture(page, "request-pages");
  await run(page);
  await page.getByRole("button", { name: "Send and run" }).click();
  await ended(page);
  expect(received.map(({ url }) => url)).toEqual(["/pages", "/pages?after=2", "/pages?after=3"]);
  await expect(page.locator(".final-state pre")).toContainText(/"get_output": \[\s+1,\s+2,\s+3\s+\]/);
  await way.selectOption("");
  await expect(page.getByLabel("Pages at most")).toHaveCount(0);
  // What is missing is said, and no word of how an expression begins.
  await way.selectOption("next");
  await expect(page.locator(".inspector").getByText("say where the address of the next page stands")).toBeVisible();
  await expect(page.locator(".inspector").getByText("unexpected end of input")).toHaveCount(0);
});

test("a request is tried once, and the fields of its answer are suggested where they can be read", { tag: "@firefox" }, async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Try",
    initialState: { word: "bees" },
    steps: [
      { id: "s1", type: "http", name: "find", http: { url: `${sites[0]}/items?q={{ word }}` } },
      { id: "s2", type: "condition", name: "any", condition: "true", steps: [], else: [] },
    ],
  });
  await card(page, "find").click();
  await page.getByRole("button", { name: "Try", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Try this request" });
  await expect(dialog).toContainText(sites[0] ?? "");
  await expect(dialog.getByLabel("word")).toHaveValue("bees");
  await expect(dialog.getByLabel("Requests go through the relay of this server")).toBeChecked();
  await picture(page, "try-ask");
  await dialog.getByRole("button", { name: "Send once" }).click();
  const sample = page.getByRole("group", { name: "Sample answer" });
  await expect(sample).toContainText("200");
  await expect(sample.getByLabel("Its body")).toContainText('"name": "bee"');
  expect(received.map(({ url }) => url)).toEqual(["/items?q=bees"]);
  // In an expression over the answer.
  const result = page.getByRole("textbox", { name: "Result", exact: true });
  await result.focus();
  await expect(result).toHaveAttribute("contenteditable", "true");
  await page.keyboard.type("body.");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await expect(list.getByRole("option")).toHaveText([/^items/, /^total/, /^odd key/]);
  await picture(page, "try-suggestions");
  await expect(result).toHaveAttribute("aria-activedescendant", /.+/);
  await page.keyboard.press("Enter");
  await expect.poll(() => written(result)).toBe("body.items");
  await page.keyboard.type("[0].");
  await list.getByRole("option", { name: /^name/ }).click();
  await expect.poll(() => written(result)).toBe("body.items[0].name");
  await expect(result).toBeFocused();
  await page.keyboard.type(" ~ body.odd");
  await expect(list.getByRole("option")).toHaveText([/^odd key/]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => written(result)).toBe("body.items[0].name ~ body['odd key']");
  await page.keyboard.type(" ~ body.");
  await expect(list).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(list).toBeHidden();
  await expect(result).toBeFocused();
  await result.fill("body.items");
  // Later steps know what the step gives, also after a reload: the sample is kept, and no file has it.
  await expect(page.locator(".saved")).toHaveText("Saved");
  await page.reload();
  await card(page, "any").click();
  const condition = page.locator(".inspector").getByRole("textbox", { name: "Condition" });
  await condition.fill("");
  await condition.focus();
  await expect(condition).toHaveAttribute("contenteditable", "true");
  await page.keyboard.press("ArrowDown");
  await expect(list.getByRole("option")).toHaveText([/^word/, /^find_output/]);
  await page.keyboard.type("find_output[0].");
  await expect(list.getByRole("option")).toHaveText([/^name/]);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("Export…").click();
  await expect(page.getByLabel("The workflow as JSON")).toHaveValue(/find_output/);
  await expect(page.getByLabel("The workflow as JSON")).not.toHaveValue(/"bee"/);
});

test("a form asks for what is not known, a request that does more than read is confirmed, and its failure says what to do", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Post",
    tools: { order: { description: "Orders.", input: { type: "object", required: ["jars"], properties: { jars: { type: "integer" } } }, run: { http: { method: "POST", url: `${sites[0]}/orders`, body: { json: { jars: "{{ jars }}" } } } } } },
    models: { m: { provider: "demo", model: "demo" } },
    agents: { a: { model: "m", tools: ["order"] } },
    steps: [],
  });
  await page.locator(".inspector summary", { hasText: "order" }).click();
  const tool = page.getByRole("group", { name: "Try this request" });
  await tool.getByRole("button", { name: "Try", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Try this request" });
  await expect(dialog).toContainText("POST");
  await expect(dialog).toContainText("It is really sent");
  await dialog.getByRole("button", { name: "Send once" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("It needs a value.");
  expect(received).toEqual([]);
  await dialog.getByLabel("jars").fill("3");
  await picture(page, "try-post");
  await dialog.getByRole("button", { name: "Send once" }).click();
  await expect(tool.getByLabel("Its body")).toContainText("Bees");
  expect(received.map(({ method, url }) => [method, url])).toEqual([["POST", "/orders"]]);
  // The form opens each time, with the value from before.
  await tool.getByRole("button", { name: "Try", exact: true }).click();
  await expect(dialog.getByLabel("jars")).toHaveValue("3");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByLabel("Method").selectOption("GET");
  await page.getByLabel("Body", { exact: true }).selectOption("");
  await page.getByLabel("Address", { exact: true }).fill(`${sites[0]}/missing`);
  await tool.getByRole("button", { name: "Try", exact: true }).click();
  await expect(tool.getByRole("group", { name: "Sample answer" })).toContainText("404");
  await expect(tool).toContainText("a run fails with this status");
  await page.getByLabel("Address", { exact: true }).fill("http://127.0.0.1:9/");
  await tool.getByRole("button", { name: "Try", exact: true }).click();
  await dialog.getByRole("button", { name: "Send once" }).click();
  await expect(tool.locator(".failure")).not.toBeEmpty();
  await picture(page, "try-failure");
  await tool.getByRole("button", { name: "Forget" }).click();
  await expect(tool.getByRole("group", { name: "Sample answer" })).toHaveCount(0);
});

test("of each address of a list the first is tried, and the key that an answer repeats is in no sample", async ({ page }) => {
  await openDocument(page, {
    version: 1,
    name: "Each",
    initialState: { urls: [`${sites[0]}/a`] },
    steps: [{ id: "s1", type: "foreach", name: "each", items: "urls", as: "url", steps: [{ id: "s2", type: "http", name: "read", http: { url: "{{ url }}", origins: "any", response: "readable" } }] }],
  });
  await card(page, "read").click();
  await page.getByRole("button", { name: "Try", exact: true }).click();
  const question = page.getByRole("dialog", { name: "A new address" });
  await expect(question).toContainText(sites[0] ?? "");
  await question.getByText("Requests go through the relay of this server").click();
  await question.getByRole("button", { name: "For this run" }).click();
  // Without a relay the site does not let a page read it.
  await expect(page.locator(".trying .failure")).toContainText("CORS");
  await page.getByRole("group", { name: "Requests go through" }).getByRole("button", { name: "Change" }).click();
  const relay = page.getByRole("dialog", { name: "Requests go through" });
  await relay.getByRole("button", { name: "Use the relay of this server" }).click();
  await relay.getByText("Keys may go through it").click();
  await relay.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await question.getByRole("button", { name: "For this run" }).click();
  await expect(page.getByLabel("Its body")).toContainText("Bees dance to show the way.");
  await page.getByRole("button", { name: "Paste a curl command" }).click();
  await page.getByLabel("A curl command").fill(`curl ${sites[0]}/echo -H 'Authorization: Bearer the-key-itself'`);
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await page.getByRole("dialog", { name: "Try this request" }).getByRole("button", { name: "Send once" }).click();
  await expect(page.getByLabel("Its body")).toContainText("Bearer");
  expect(received.at(-1)?.headers.authorization).toBe("Bearer the-key-itself");
  await expect(page.locator(".saved")).toHaveText("Saved");
  expect(await everythingStored(page)).not.toContain("the-key-itself");
});
