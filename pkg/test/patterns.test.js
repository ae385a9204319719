// The patterns of examples/patterns against real servers: what each sends, and what comes of it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterEach, test } from "node:test";
import { customModel, validate, Workflow } from "stepweave";
import { virtualClock } from "./support.js";

const folder = new URL("../../examples/patterns/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
const servers = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a server that answers with what the function gives, `[status, body, headers]`, and keeps what it was sent. */
async function site(answer) {
  const requests = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = { method: request.method, url: request.url, headers: request.headers, text: Buffer.concat(chunks).toString() };
    requests.push(one);
    const [status, body, headers] = answer(one, requests.length);
    response.writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return { origin: `http://127.0.0.1:${server.address().port}`, requests };
}

/** A pattern, with servers of this machine in the place of its own. */
function pattern(name, sites) {
  let text = readFileSync(new URL(`${name}.json`, folder), "utf8");
  for (const [host, { origin }] of Object.entries(sites)) {
    assert.ok(text.includes(`https://${host}`), `${name} calls ${host}`);
    text = text.replaceAll(`https://${host}`, origin);
  }
  return { document: JSON.parse(text), options: { allowOrigins: Object.values(sites).map(({ origin }) => origin), clock: virtualClock(), seed: 1 } };
}

for (const file of files) {
  test(`${file} has neither a problem nor a warning, and its pins stand for all that it would send`, async () => {
    const document = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
    assert.deepEqual(await validate(document), []);
    const options = { pins: true, journal: true, fetch: () => Promise.reject(new Error("a trial sends nothing")) };
    let result = await Workflow.fromDocument(document).run(options);
    if (result.status === "suspended") {
      const answers = Object.fromEntries(result.pending.map(({ key }) => [key, { approved: true }]));
      result = await Workflow.fromDocument(document).run({ ...options, journal: result.journal, answers });
    }
    assert.deepEqual([result.status, result.errors, result.warnings], ["done", [], []]);
  });

  test(`the README says what ${file} is`, () => {
    assert.ok(readFileSync(new URL("README.md", folder), "utf8").includes(`[${file}](${file})`));
  });
}

test("a webhook's message becomes a ticket or a lead, or nothing at all", async () => {
  const tickets = await site(() => [201, { id: 7 }]);
  const crm = await site(() => [204, ""]);
  const { document, options } = pattern("webhook-classify", { "tickets.example": tickets, "crm.example": crm });
  const requests = [];
  const sorting = (kind) => customModel("sorter", ({ messages, output }) => (requests.push([messages, output]), JSON.stringify({ kind, urgent: true, summary: "Sum" })));
  const run = (kind, state) => Workflow.fromDocument(document, { models: { default: sorting(kind) } }).run({ ...options, state });
  const ticket = await run("support", { from: "a@b.example", subject: "S", text: 'Line\n"quoted"' });
  assert.deepEqual([ticket.status, ticket.state.ticket_output], ["done", 7]);
  assert.deepEqual(tickets.requests.map(({ method, url, text }) => [method, url, JSON.parse(text)]), [
    ["POST", "/api/tickets", { from: "a@b.example", title: "Sum", text: 'Line\n"quoted"', priority: "high" }],
  ]);
  assert.match(JSON.stringify(requests[0][0]), /Subject: S/);
  const lead = await run("sales", { from: "a+b@c.example" });
  assert.equal(lead.state.lead_output, 204);
  assert.deepEqual(crm.requests.map(({ text }) => text), ["email=a%2Bb%40c.example&about=Sum"]);
  const none = await run("other", { subject: "Spam" });
  assert.deepEqual([none.status, none.stepResults.at(-1).output], ["done", "nobody needs to know of “Spam”"]);
  // What is none of the three words is no answer.
  assert.equal((await run("https://evil.example", {})).status, "error");
  assert.deepEqual([tickets.requests.length, crm.requests.length], [1, 1]);
  // The demo model fits the schema too.
  assert.equal((await Workflow.fromDocument(document).run(options)).status, "done");
});

test("the pages of a list are read, summed up and posted once", async () => {
  const news = await site(({ url }) => (url === "/gone" ? [410, "gone"] : [200, `<html><head><title>${url}</title></head><body><nav>menu</nav><main><p>All of ${url}.</p></main></body></html>`]));
  const chat = await site(() => [200, {}]);
  const { document, options } = pattern("list-summarise", { "news.example": news, "chat.example": chat });
  const seen = [];
  const reader = customModel("reader", ({ messages: [{ content }] }) => (seen.push(content[0].text), `Short ${content[0].text.match(/All of (\S+)\./)[1]}`));
  const { status, errors, state } = await Workflow.fromDocument(document, { models: { default: reader } }).run(options);
  assert.deepEqual([status, errors.map(({ code }) => code)], ["done", ["validation"]]);
  assert.equal(state.post_output, 200);
  assert.ok(seen.every((text) => !text.includes("<") && !text.includes("menu")), seen);
  const [{ method, url, text }, ...more] = chat.requests;
  assert.deepEqual([method, url, more], ["POST", "/hooks/morning", []]);
  assert.equal(JSON.parse(text).text, `2 of 3 pages:\n• Short /bees (${news.origin}/bees)\n• Short /trains (${news.origin}/trains)`);
});

test("a form is checked, decided by a person and answered", async () => {
  const mail = await site(() => [202, {}]);
  const { document, options } = pattern("form-approve", { "mail.example": mail });
  const workflow = Workflow.fromDocument(document);
  const wrong = await workflow.run({ ...options, state: { email: "nobody", days: 40 } });
  assert.equal(wrong.errors[0].code, "validation");
  assert.match(wrong.errors[0].message, /`email`.*`days`/);
  const suspended = await workflow.run({ ...options, journal: true });
  assert.deepEqual([suspended.status, suspended.pending[0].message], ["suspended", "Ada asks for 3 days off: A wedding"]);
  assert.equal(mail.requests.length, 0);
  for (const [approved, said] of [[true, "Ada: Your days off are granted."], [false, "Ada: Your days off are not granted."]]) {
    const journal = JSON.parse(JSON.stringify(suspended.journal));
    const { status, state } = await workflow.run({ ...options, journal, answers: { [suspended.pending[0].key]: { approved } } });
    assert.deepEqual([status, state.notify_output], ["done", 202]);
    assert.deepEqual(JSON.parse(mail.requests.at(-1).text), { to: "ada@staff.example", text: said });
    assert.ok(mail.requests.at(-1).headers["idempotency-key"]);
  }
  const { clock } = options;
  clock.advance(604_800_000);
  await workflow.run({ ...options, journal: suspended.journal });
  assert.match(JSON.parse(mail.requests.at(-1).text).text, /Nobody has decided/);
  assert.equal(mail.requests.length, 3);
});

test("all pages of an API are read with the key, and added up", async () => {
  const list = [{ country: "FR", cents: 5 }, { country: "DE", cents: 7 }, { country: "FR", cents: 11 }];
  const shop = await site(({ url, headers }) => {
    if (headers.authorization !== "Bearer key-of-shop") return [401, {}];
    const at = Number(new URL(url, "http://x").searchParams.get("cursor") ?? 0);
    return [200, { orders: list.slice(at, at + 1), ...(at < 2 && { next: at + 1 }) }];
  });
  const { document, options } = pattern("paginate-aggregate", { "shop.example": shop });
  const secrets = { SHOP_KEY: { value: "key-of-shop", origins: [shop.origin] } };
  const { status, state, warnings } = await Workflow.fromDocument(document).run({ ...options, secrets });
  assert.deepEqual([status, warnings], ["done", []]);
  assert.deepEqual([state.count, state.total, state.byCountry], [3, 23, { FR: 16, DE: 7 }]);
  assert.deepEqual(shop.requests.map(({ url }) => url), ["", "&cursor=1", "&cursor=2"].map((cursor) => `/orders?since=2026-01-01&limit=100${cursor}`));
});

test("a busy service is called again, later each time, and then another one", async () => {
  let busy = 2;
  const rates = await site(() => ((busy -= 1) >= 0 ? [503, { error: "busy" }] : [200, { rate: 0.95 }]));
  const other = await site(() => [200, { rates: { CHF: 0.9 } }]);
  const { document, options } = pattern("retry-fallback", { "rates.example": rates, "other-rates.example": other });
  const workflow = Workflow.fromDocument(document);
  const waits = [];
  const run = async () => {
    for await (const event of workflow.stream(options)) {
      if (event.type === "step.error") waits.push(event.retryInMs);
      if (event.result !== undefined) return event.result;
    }
  };
  const second = await run();
  assert.deepEqual([second.status, second.state.rate, second.state.source], ["done", 0.95, "first"]);
  assert.deepEqual(waits, [500, 1000]);
  assert.deepEqual([rates.requests.map(({ url }) => url), other.requests], [Array(3).fill("/v1/EUR/CHF"), []]);
  busy = Infinity;
  waits.length = 0;
  const away = await run();
  assert.deepEqual([away.status, away.state.rate, away.state.source], ["done", 0.9, "second"]);
  assert.deepEqual(waits, [500, 1000, 2000, undefined]);
  assert.deepEqual([rates.requests.length, other.requests.map(({ url }) => url)], [7, ["/latest?base=EUR"]]);
});
