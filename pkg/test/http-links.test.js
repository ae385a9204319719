// Answers that are given by links in mails: who opens one answers nothing, who presses its button answers once, and nobody makes one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { approvalLinks, bearer, handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { assertPrograms, page } from "./docs-support.js";

const ANN = "ann-has-a-token-of-32-characters";
const SECRET = "a-secret-of-32-characters-or-more";
const authorize = bearer({ ann: ANN });
const URL_ = "https://flow.example/api";

/** A workflow that asks, behind links; `mails` has what its people are sent. */
function asking({ store = memoryStore(), calls = [], mails = [], links, name = "pay", approval = {}, onError = (error) => { throw error; }, ...options } = {}) {
  const workflow = new Workflow({
    name,
    steps: [{ name: "boss", type: "approval", message: "Pay?", ...approval }, { name: "pay", run: ({ boss_output }) => (calls.push(boss_output), { paid: boss_output.approved }) }],
  });
  const serve = handler(workflow, {
    authorize,
    store,
    path: "/api",
    onError,
    links: links ?? approvalLinks({ secrets: [SECRET], url: URL_ }),
    onSuspended: async ({ runId, pending: [{ key }] }, principal, link) => void mails.push({ runId, principal, yes: await link(key, { approved: true }), no: await link(key, { approved: false }), link, key }),
    ...options,
  });
  const open = (url, method = "GET", headers = {}) => serve(new Request(url, { method, headers }));
  const start = async () => {
    const kept = [];
    const response = await serve(new Request(`${URL_}/runs`, { method: "POST", headers: { authorization: `Bearer ${ANN}` } }), {}, { waitUntil: (promise) => kept.push(promise) });
    assert.equal(response.status, 202, await response.clone().text());
    // The mails are written behind the response, for which a Worker is kept alive.
    await Promise.all(kept);
    const { runId } = await response.json();
    return mails.find((one) => one.runId === runId);
  };
  const statusOf = async (runId) => (await (await serve(new Request(`${URL_}/runs/${runId}`, { headers: { authorization: `Bearer ${ANN}` } }))).json()).status;
  return { calls, open, serve, start, statusOf, store };
}

const ANSWERED = /This has been answered already, or nobody waits for it any more\./;

test("opening a link shows a page and answers nothing; its button answers, once", async () => {
  const { calls, open, start, statusOf } = asking();
  const { runId, yes, no, principal } = await start();
  assert.equal(principal, "ann");
  assert.match(yes, /^https:\/\/flow\.example\/api\/links\/[\w-]+\.[\w-]{43}$/);
  for (let time = 0; time < 3; time += 1) {
    const page = await open(yes);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<h1>pay<\/h1><p>Pay\?<\/p><form method="post"><button>Approve<\/button><\/form>/);
  }
  assert.match(await (await open(no)).text(), /<button>Deny<\/button>/);
  assert.equal((await open(yes, "HEAD")).status, 200);
  assert.equal((await open(yes, "PUT")).status, 405);
  assert.equal(await statusOf(runId), "suspended");
  assert.deepEqual(calls, []);

  const done = await open(yes, "POST", { origin: "null" });
  assert.equal(done.status, 200);
  assert.match(await done.text(), /Thank you: your answer has arrived\./);
  while ((await statusOf(runId)) === "running") await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(calls, [{ approved: true }]);
  for (const [url, method] of [[yes, "POST"], [no, "POST"], [yes, "GET"]]) {
    const late = await open(url, method);
    assert.deepEqual([late.status, ANSWERED.test(await late.text())], [409, true]);
  }
  assert.deepEqual(calls, [{ approved: true }]);
});

test("the page runs nothing, loads nothing, and shows what it is given as text", async () => {
  const { open, start } = asking({ name: '<script>alert("name")</script>', approval: { message: `</p><img src=x onerror="alert('message')">&amp;` } });
  const { yes, link, key } = await start();
  const page = await open(yes);
  const text = await page.text();
  assert.doesNotMatch(text, /<script|<img|onerror="/);
  assert.match(text, /<p>&#60;\/p&#62;&#60;img src=x onerror=&#34;alert\(&#39;message&#39;\)&#34;&#62;&#38;amp;<\/p>/);
  assert.match(page.headers.get("content-security-policy"), /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/);
  const style = /<style>(.*)<\/style>/.exec(text)[1];
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style))).toString("base64");
  assert.ok(page.headers.get("content-security-policy").includes(hash), "its style is the one that the policy allows");
  for (const [header, value] of [["cache-control", "no-store"], ["referrer-policy", "no-referrer"], ["x-content-type-options", "nosniff"], ["x-frame-options", "DENY"]]) assert.equal(page.headers.get(header), value);
  const other = await (await open(await link(key, { note: "<b>now</b>" }))).text();
  assert.match(other, /<pre>\{\n {2}&#34;note&#34;: &#34;&#60;b&#62;now&#60;\/b&#62;&#34;\n\}<\/pre>.*<button>Send this answer<\/button>/s);
});

test("a link with a changed bit, another's signature, or made of nothing is none", async () => {
  const { calls, open, start, statusOf } = asking();
  const { runId, yes, no } = await start();
  const base = `${URL_}/links/`;
  const [token, other] = [yes.slice(base.length), no.slice(base.length)];
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const changed = [...token].flatMap((character, at) => {
    const value = alphabet.indexOf(character);
    const flipped = value < 0 ? ["A", "-"] : [1, 2, 4, 8, 16, 32].map((bit) => alphabet[value ^ bit]);
    return flipped.map((one) => token.slice(0, at) + one + token.slice(at + 1));
  });
  const [[claim, mark], [otherClaim, otherMark]] = [token.split("."), other.split(".")];
  const unsigned = Buffer.from(JSON.stringify([runId, "boss", { approved: true }, 9e15])).toString("base64url");
  const none = [`${claim}.${otherMark}`, `${otherClaim}.${mark}`, claim, `${claim}.`, `.${mark}`, `${unsigned}.${mark}`, `${unsigned}.${"A".repeat(43)}`, `${token}=`, `${token}A`, `A${token}`, "x", `${"A".repeat(9000)}.${mark}`, "%00", `${token}%20`];
  for (const forged of [...changed, ...none]) {
    const response = await open(base + forged, "POST");
    assert.equal(response.status, 403, forged);
  }
  assert.match(await (await open(`${base}x`)).text(), /This link is not valid\./);
  assert.deepEqual([calls, await statusOf(runId)], [[], "suspended"]);
});

test("links expire by themselves, with their approval, and with the run", async () => {
  const soon = asking({ links: approvalLinks({ secrets: [SECRET], url: URL_, validMs: 1 }) });
  const mail = await soon.start();
  await new Promise((resolve) => setTimeout(resolve, 3));
  const late = await soon.open(mail.yes, "POST");
  assert.deepEqual([late.status, /This link has expired\./.test(await late.text())], [410, true]);

  const { start } = asking({ approval: { expiresMs: 60_000 } });
  const [, expiry] = /links\/([\w-]+)\./.exec((await start()).yes);
  assert.ok(JSON.parse(Buffer.from(expiry, "base64url"))[3] <= Date.now() + 60_000);

  const cancelled = asking();
  const { runId, yes } = await cancelled.start();
  assert.equal((await cancelled.serve(new Request(`${URL_}/runs/${runId}`, { method: "DELETE", headers: { authorization: `Bearer ${ANN}` } }))).status, 204);
  assert.equal((await cancelled.open(yes, "POST")).status, 409);
  await cancelled.store.delete(runId);
  assert.equal((await cancelled.open(yes, "POST")).status, 404);
  assert.deepEqual([...soon.calls, ...cancelled.calls], []);
});

test("secrets are changed without breaking links that are on their way", async () => {
  const [store, calls] = [memoryStore(), []];
  const [old, next] = [SECRET, "the-next-secret-of-32-characters-"];
  const served = (secrets, url = URL_) => asking({ store, calls, links: approvalLinks({ secrets, url }) });
  const { yes } = await served([old]).start();
  assert.equal((await served([next]).open(yes)).status, 403);
  assert.equal((await served([old], "https://other.example/api").open(yes)).status, 403, "a link of one handler is none of another");
  const both = served([next, old]);
  assert.equal((await both.open(yes, "POST")).status, 200);
  const { yes: later } = await both.start();
  assert.equal((await served([next]).open(later)).status, 200, "new links are signed by the first");
  assert.equal((await served([old]).open(later)).status, 403);
});

test("whoever answers while another branch goes on is asked to try again, and then taken", async () => {
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const branch = (name, run) => ({ name, type: "approval", message: `${name}?`, steps: [{ name: `after_${name}`, run }] });
  const workflow = new Workflow({ name: "two", steps: [{ name: "both", parallel: [branch("left", () => gate.then(() => ({ left: true }))), branch("right", () => ({ right: true }))] }] });
  const [store, links] = [memoryStore(), {}];
  const serve = handler(workflow, { authorize, store, path: "/api", links: approvalLinks({ secrets: [SECRET], url: URL_ }), onSuspended: async ({ pending }, _, link) => { for (const { key } of pending) links[key] = await link(key, { approved: true }); } });
  const call = (method, url, body) => serve(new Request(url, { method, headers: { authorization: `Bearer ${ANN}` }, ...(body && { body: JSON.stringify(body) }) }));
  const { runId } = await (await call("POST", `${URL_}/runs`)).json();
  while (links["both.right"] === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  const left = call("POST", links["both.left"]);
  while ((await store.list({ status: "running" })).runs.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  for (const method of ["GET", "POST"]) {
    const busy = await call(method, links["both.right"]);
    assert.deepEqual([busy.status, /The run is busy at the moment: try again in a few seconds\./.test(await busy.text())], [409, true]);
    const answered = await call(method, links["both.left"]);
    assert.deepEqual([answered.status, ANSWERED.test(await answered.text())], [409, true]);
  }
  const busy = await call("POST", `${URL_}/runs/${runId}/answers`, { "both.right": true });
  assert.deepEqual([busy.status, busy.headers.get("retry-after"), (await busy.json()).detail], [409, "3", "the run is busy at the moment: try again in a few seconds"]);
  release();
  assert.equal((await left).status, 200);
  while ((await store.list({ status: "running" })).runs.length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal((await call("POST", links["both.right"])).status, 200);
});

test("of answers to two approvals at the same time the second is asked to try again", async () => {
  const workflow = new Workflow({ name: "two", steps: [{ name: "both", parallel: [{ name: "left", type: "approval", message: "?" }, { name: "right", type: "approval", message: "?" }] }] });
  const [kept, links] = [memoryStore(), {}];
  const store = { ...kept, append: async (...batch) => { await new Promise((resolve) => setTimeout(resolve, 10)); return kept.append(...batch); } };
  const serve = handler(workflow, { authorize, store, path: "/api", links: approvalLinks({ secrets: [SECRET], url: URL_ }), onSuspended: async ({ pending }, _, link) => { for (const { key } of pending) links[key] = await link(key, { approved: true }); } });
  await serve(new Request(`${URL_}/runs`, { method: "POST", headers: { authorization: `Bearer ${ANN}` } }));
  while (links["both.right"] === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  const press = async (url) => { const response = await serve(new Request(url, { method: "POST" })); return { status: response.status, text: await response.text(), url }; };
  const [taken, refused] = (await Promise.all(Object.values(links).map(press))).sort((one, other) => one.status - other.status);
  assert.deepEqual([taken.status, refused.status], [200, 409]);
  assert.match(refused.text, /The run is busy at the moment/);
  while ((await store.list({ status: "running" })).runs.length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal((await press(refused.url)).status, 200);
});

test("of two instances that are answered at once, one takes the answer", async () => {
  const [store, calls, mails] = [memoryStore(), [], []];
  const [one, two] = [1, 2].map(() => asking({ store, calls, mails, onError: () => {} }));
  const { runId, yes, no } = await one.start();
  const answers = await Promise.all([one.open(yes, "POST"), two.open(no, "POST"), one.open(no, "POST")]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  while ((await one.statusOf(runId)) === "running") await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(calls.length, 1);
});

test("a link needs no token, gives one answer alone, and says nothing internal when that does not fit", async () => {
  const errors = [];
  const { open, serve, start } = asking({ approval: { schema: { type: "object", required: ["sum"] } }, hosts: ["flow.example"], onError: (error) => errors.push(error.code) });
  const { runId, yes } = await start();
  const response = await open(yes, "POST");
  assert.deepEqual([response.status, /<p>This answer could not be taken\.<\/p>/.test(await response.text())], [400, true]);
  assert.equal((await serve(new Request(`${URL_}/runs/${runId}`))).status, 401, "the link opens nothing else");
  assert.equal((await open(yes.replace("flow.example", "evil.example"))).status, 421);
  const without = handler(new Workflow({ name: "w", steps: [] }), { authorize, store: memoryStore(), path: "/api" });
  assert.equal((await without(new Request(yes, { headers: { authorization: `Bearer ${ANN}` } }))).status, 404);
});

test("a run that wakes by itself asks by links too", async () => {
  const [mails, clock] = [[], { daysAgo: 7, now: () => Date.now() - clock.daysAgo * 86_400_000, sleep: (ms) => new Promise((resolve) => ms > 0 || resolve()) }];
  const serve = handler(new Workflow({ name: "later", steps: [{ name: "week", wait: { ms: 6 * 86_400_000 } }, { name: "boss", type: "approval", message: "Now?" }] }), {
    authorize,
    store: memoryStore(),
    run: { clock, longWaitMs: 1_000 },
    links: approvalLinks({ secrets: [SECRET], url: "https://flow.example" }),
    onSuspended: async ({ pending: [{ key }] }, principal, link) => void mails.push([principal, await link(key, true)]),
  });
  const { status } = await (await serve(new Request("https://flow.example/runs", { method: "POST", headers: { authorization: `Bearer ${ANN}` } }))).json();
  assert.deepEqual([status, mails], ["suspended", []]);
  clock.daysAgo = 0;
  assert.equal((await serve.wake()).runs[0].status, "suspended");
  const [[principal, yes]] = mails;
  assert.deepEqual([principal, (await serve(new Request(yes, { method: "POST" }))).status], ["ann", 200]);
});

test("links and their options are checked", async () => {
  const cases = [
    [{ secrets: [], url: URL_ }, "approvalLinks() has no secrets"],
    [{ secrets: [SECRET, "short"], url: URL_ }, "secrets[1] of approvalLinks() is shorter than 32 characters"],
    [{ secrets: [undefined], url: URL_ }, "secrets[0] of approvalLinks() is missing"],
    [{ secrets: [SECRET], url: "http://flow.example" }, 'the option `url` of approvalLinks() is "http://flow.example"'],
    [{ secrets: [SECRET], url: "/api" }, 'the option `url` of approvalLinks() is "/api"'],
    [{ secrets: [SECRET], url: URL_, validMs: 0 }, "the option `validMs` of approvalLinks() is 0"],
    [{ secrets: [SECRET], url: URL_, validFor: 1 }, "approvalLinks() has no option `validFor`"],
  ];
  for (const [options, message] of cases) assert.throws(() => approvalLinks(options), { code: "validation", message });
  assert.doesNotThrow(() => approvalLinks({ secrets: [SECRET], url: "http://localhost:8787/" }));
  assert.throws(() => asking({ links: {} }), { code: "validation", message: "the option `links` of handler() is {}" });
  assert.throws(() => handler(new Workflow({ name: "w", steps: [] }), { authorize, links: approvalLinks({ secrets: [SECRET], url: URL_ }) }), { code: "validation", message: "handler() has `links` and no `store`" });
  const { link, key } = await asking().start();
  await assert.rejects(link("chef", true), { code: "validation", message: "the run does not wait for `chef`" });
  await assert.rejects(link(key, "x".repeat(2000)), { code: "validation", message: "the answer of a link is longer than 1000 characters" });
  await assert.rejects(link(key, undefined), { code: "validation", message: "the answer of a link is no JSON" });
});

test("the page about public addresses shows what its programs print", () => assertPrograms(page("docs/public-endpoints.md")));
