// What must not be sent twice is not, whichever time limit cuts it short.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { Agent, customModel, tool, Workflow } from "../dist/entry-inline.js";
import { memoryStore } from "../dist/stores.js";
import { deferred, turn, virtualClock } from "./support.js";

let server;
let origin;
let sent;

before(async () => {
  server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume();
    sent.push(`${request.method} ${request.url}`);
    if (request.url.startsWith("/see")) return response.writeHead(Number(request.url.slice(5, 8)), { location: request.url.slice(8).replace(/^\/(?=\w+:)/, "") }).end();
    if (request.url === "/round") return response.writeHead(303, { location: "/round" }).end();
    if (request.url === "/busy") return response.writeHead(429, { "retry-after": "30" }).end();
    if (request.url === "/html") return response.writeHead(200, { "content-type": "text/html" }).end("<p>paid</p>");
    if (request.url.startsWith("/status/")) return response.writeHead(Number(request.url.slice(8))).end();
    if (request.url.startsWith("/later")) return response.writeHead(503, { "retry-after": decodeURIComponent(request.url.split("?")[1]) }).end();
    // Everything else has no answer.
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => void (sent = []));

/** A model that calls the tool again as often as it is let. */
const eager = () => {
  let turns = 0;
  return customModel("eager", () => {
    turns += 1;
    return turns > 4 ? "gave up" : [{ type: "toolCall", id: `c${turns}`, name: "pay", input: {} }];
  });
};
const pay = () => ({ url: `${origin}/pay`, body: { json: { sum: 3 } } });

/** The time of a limit passes once the request has arrived, however long that takes on a busy machine. */
function onArrival() {
  let now = 1000;
  const sleep = async (ms, signal) => {
    while (sent.length === 0 && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1));
    now += ms;
  };
  return { now: () => now, sleep };
}

/** A workflow whose agent pays by a tool of the document. */
async function paid(payTool, step = {}, journal = true) {
  const tools = { pay: { description: "Pays.", needsApproval: false, ...payTool } };
  const steps = [{ id: "s", type: "agent", name: "shop", agent: "a", inputFrom: "Pay.", ...step }];
  const document = { version: 1, name: "w", models: { m: { provider: "custom", model: "eager" } }, agents: { a: { model: "m", tools: ["pay"] } }, tools, steps };
  return Workflow.fromDocument(document, { models: { eager: eager() } }).run({ allowOrigins: [origin], journal, clock: onArrival() });
}

test("a tool's request that a time limit cuts short fails the agent's step, and is not sent again", async () => {
  const inner = { workflow: { steps: [{ id: "p", type: "http", name: "p", http: pay() }] } };
  const runs = {
    "the tool's": () => paid({ timeoutMs: 1_000, run: { http: pay() } }),
    "that of the tool's workflow": () => paid({ timeoutMs: 1_000, run: inner }),
    "the agent's step's, which may be tried again": () => paid({ run: { http: pay() } }, { timeoutMs: 1_000, retryCount: 2 }),
    "the tool's, in code": () => {
      const tools = [tool({ name: "pay", timeoutMs: 1_000, needsApproval: false, http: pay() })];
      return new Workflow({ name: "w", steps: [{ name: "shop", agent: new Agent({ name: "a", model: eager(), tools }), inputFrom: "Pay." }] }).run({ clock: onArrival() });
    },
  };
  for (const [limit, run] of Object.entries(runs)) {
    sent = [];
    const { status, error } = await run();
    assert.deepEqual([status, error.code, error.retryable], ["error", "unknown_outcome", false], limit);
    assert.match(error.message, /took longer than \d+ ms: nobody knows whether it was carried out/);
    assert.doesNotMatch(error.hint, /onUnknown/);
    assert.deepEqual(sent, ["POST /pay"], limit);
  }
});

test("a run that is taken up again behind such a limit fails alike, and sends nothing", async () => {
  const first = await paid({ timeoutMs: 1_000, run: { http: pay() } });
  sent = [];
  const { error } = await paid({ timeoutMs: 1_000, run: { http: pay() } }, {}, first.journal);
  assert.equal(error.code, "unknown_outcome");
  assert.deepEqual(sent, []);
});

test("an endpoint that says when to come back has done nothing, whenever that is", async () => {
  for (const when of ["0", "Wed, 21 Oct 2015 07:28:00 GMT"]) {
    sent = [];
    const steps = [{ name: "pay", http: { url: `${origin}/later?${encodeURIComponent(when)}`, body: { json: {} } }, retryCount: 1 }];
    const { error } = await new Workflow({ name: "w", retryPolicy: { backoffMs: 1 }, steps }).run();
    assert.deepEqual([error.code, error.retryable, sent.length], ["rate_limit", true, 2], when);
  }
});

test("a request that waits for its endpoint and was never sent is none of which nobody knows", async () => {
  const step = (name, path, more) => ({ name, http: { url: origin + path, body: { json: {} } }, ...more });
  const steps = [step("busy", "/busy", { required: false }), step("pay", "/pay", { timeoutMs: 100, onUnknown: "skip" })];
  const { error, journal } = await new Workflow({ name: "w", steps }).run({ journal: true });
  assert.equal(error.code, "timeout");
  assert.deepEqual(sent, ["POST /busy"]);
  assert.ok(!journal.entries.some(({ key }) => key.startsWith("pay/") && key.endsWith(".sent")));
});

/** What a request may wait for before it leaves: the options of its run, which call back when it waits, and what it has besides. */
const waits = {
  "a person's decision": (reached) => ({ options: { mayReach: (origin) => origin === "https://first.example" || (reached(), new Promise(() => {})) }, more: {} }),
  "a token": (reached) => ({
    options: { secrets: { KEY: { value: "canary-12345", origins: ["https://pay.example"] } }, fetch: (url) => (url.endsWith("/token") ? (reached(), new Promise(() => {})) : answering(url)) },
    more: { auth: { oauth2: { tokenUrl: "https://pay.example/token", clientId: "me", clientSecret: { secret: "KEY" } } } },
  }),
};

async function answering(url) {
  sent.push(url);
  return Response.json(url.endsWith("/token") ? { access_token: "token-of-1234567" } : "paid");
}

const payment = (more, step) => ({ version: 1, name: "w", steps: [{ id: "first", type: "http", name: "first", http: { url: "https://first.example/" } }, { id: "pay", type: "http", name: "pay", http: { url: "https://pay.example/pay", body: { json: {} }, ...more }, ...step }] });

test("a request that is given up before it leaves was not sent, and a run that is taken up sends it", async () => {
  for (const [what, wait] of Object.entries(waits)) {
    const store = memoryStore();
    const waiting = deferred();
    const { options, more } = wait(waiting.resolve);
    const broken = Workflow.fromDocument(payment(more)).start({ fetch: answering, ...options, store });
    await waiting.promise;
    broken.cancel();
    await broken.result.catch(() => {});
    const { entries } = await store.load(broken.id);
    assert.ok(entries.every(({ key }) => !key.endsWith(".sent")), what);
    const journal = { version: 2, id: broken.id, entries: entries.filter(({ key }) => key !== "end") };
    const { status, state } = await Workflow.fromDocument(payment(more)).run({ ...options, mayReach: () => true, fetch: answering, journal });
    assert.deepEqual([status, state.pay_output], ["done", "paid"], what);
  }
});

test("a time limit that ends before a request leaves leaves nothing unknown", async () => {
  for (const [what, wait] of Object.entries(waits)) {
    const { options, more } = wait(() => {});
    const { error } = await Workflow.fromDocument(payment(more, { timeoutMs: 50, onUnknown: "skip" })).run({ fetch: answering, ...options });
    assert.equal(error?.code, "timeout", what);
    assert.ok(!sent.includes("https://pay.example/pay"), what);
  }
});

test("what fails behind a redirect does not have the first request sent again", async () => {
  // A port that is given to nobody, so that nothing ever listens there.
  const down = "http://127.0.0.1:2/x";
  const origins = [origin, new URL(down).origin, "http://nobody.invalid"];
  const targets = ["/busy", "/later?1", "/status/404", "/status/500", "/status/401", "/see/303/round", down, "http://nobody.invalid/x", "http://elsewhere.invalid/x", "ftp://elsewhere.invalid/x", `/see/302${down}`];
  for (const status of [303, 302, 307]) {
    for (const target of targets) {
      // To another origin no body goes along.
      if (status === 307 && target.includes("//")) continue;
      sent = [];
      const steps = [{ name: "pay", http: { url: `${origin}/see/${status}${target.startsWith("/") ? "" : "/"}${target}`, origins, body: { json: {} } }, retryCount: 1 }];
      const { error } = await new Workflow({ name: "w", retryPolicy: { backoffMs: 1 }, steps }).run({ clock: virtualClock() });
      const which = `${status} ${target}: ${error.message}`;
      assert.deepEqual([error.code, error.retryable], ["unknown_outcome", false], which);
      assert.equal(sent.filter((one) => one.startsWith(`POST /see/${status}/`)).length, 1, which);
      assert.match(error.message, /nobody knows whether POST http:\/\/127\.0\.0\.1:\d+\/see/);
      assert.match(error.hint, /look at the endpoint whether it was/);
    }
  }
});

/** Answers after which a run that is taken up sends nothing, and those after which it sends again. */
const ANSWERS = { open: ["/status/500", "/status/502", "/status/504", "/status/524", "/status/408", "/html", "/see/303/status/404", "/see/303/busy", "/see/303ftp://x.example/"], refused: ["/status/400", "/status/404", "/status/409", "/status/501", "/busy"] };

test("a run that is taken up sends again what was refused, and nothing whose answer leaves it open", async () => {
  for (const [kind, paths] of Object.entries(ANSWERS)) {
    for (const path of paths) {
      const steps = [{ name: "pay", http: { url: origin + path, body: { json: {} }, response: "json" } }];
      const run = (options) => new Workflow({ name: "w", steps }).run({ clock: virtualClock(), ...options });
      sent = [];
      const { error, journal } = await run({ journal: true });
      const first = sent.length;
      const { error: again } = await run({ journal });
      assert.equal(error.code === "unknown_outcome", kind === "open", `${path}: ${error.message}`);
      assert.deepEqual([again.code, sent.length], [error.code, kind === "open" ? first : 2 * first], path);
    }
  }
});

test("an answer that cannot be read says what was wrong with it, and can be skipped", async () => {
  // Under another name: under the first one the endpoint has asked to come back later.
  const http = { url: `${origin.replace("127.0.0.1", "localhost")}/html`, body: { json: {} }, response: "json" };
  const { error } = await new Workflow({ name: "w", steps: [{ name: "pay", http }] }).run();
  assert.match(error.message, /answered with what is no JSON \(text\/html\): <p>paid<\/p>; nobody knows whether POST http:\/\/localhost:\d+\/html was carried out/);
  assert.match(error.hint, /look at the endpoint whether it was.*response: "text"/);
  const { status, warnings } = await new Workflow({ name: "w", steps: [{ name: "pay", http, onUnknown: "skip" }] }).run();
  assert.deepEqual([status, warnings.map(({ code }) => code)], ["done", ["unknown_outcome"]]);
});

test("a request whose token was taken back is sent once more, with a new one", async () => {
  const secrets = { KEY: { value: "canary-12345", origins: ["https://pay.example"] } };
  const auth = { oauth2: { tokenUrl: "https://pay.example/token", clientId: "me", clientSecret: { secret: "KEY" } } };
  const step = (name) => ({ name, http: { url: `https://pay.example/${name}`, body: { json: {} }, auth }, required: false });
  const steps = ["one", "two", "three"].map(step);
  for (const [valid, expected] of [
    // The second request finds its token taken back.
    [(token, path) => path !== "/two" || token !== "token-number-1", ["/token", "/one", "/two", "/token", "/two", "/three"]],
    // A token that was fetched for the request is as good as any other.
    [() => false, ["/token", "/one", "/token", "/two", "/token", "/three"]],
  ]) {
    const calls = [];
    let tokens = 0;
    const fetch = async (url, { headers }) => {
      const { pathname } = new URL(url);
      calls.push(pathname);
      if (pathname === "/token") return Response.json({ access_token: `token-number-${(tokens += 1)}`, token_type: "Bearer" });
      return valid(headers.authorization.slice(7), pathname) ? Response.json("paid") : new Response("", { status: 401 });
    };
    const { errors } = await new Workflow({ name: "w", steps }).run({ fetch, secrets });
    assert.deepEqual(calls, expected);
    assert.ok(errors.every(({ code }) => code === "auth"));
  }
  const { error } = await new Workflow({ name: "w", steps: [{ ...step("one"), required: true }] }).run({ secrets, fetch: async () => Response.json({ access_token: "token-number-1", token_type: "mac" }) });
  assert.match(error.message, /gave a token of another type than bearer/);
});

/** A server's answers, one after the other, and what it has received. */
function endpoint(...answers) {
  const received = [];
  const fetch = async (url, { headers, signal }) => {
    received.push(headers["idempotency-key"]);
    const answer = answers[Math.min(received.length, answers.length) - 1];
    if (answer === undefined) return new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
    return answer();
  };
  return { fetch, received };
}

const broken = () => new Response("", { status: 500 });
const passed = (ms, clock) => clock.sleep(ms, new AbortController().signal);
const payStep = (more) => ({ name: "pay", http: { url: "https://pay.example/pay", body: { json: {} } }, ...more });

test("a limit that ends while a request waits to be sent again leaves it unknown", async () => {
  for (const inner of [{}, { timeoutMs: 40 }]) {
    const first = Object.keys(inner).length === 0 ? broken : undefined;
    const limited = {
      "the tool's": (steps) => ({ tool: tool({ name: "pay", timeoutMs: 150, needsApproval: false, workflow: new Workflow({ name: "t", steps }) }), step: {} }),
      "the agent's step's": (steps) => ({ tool: tool({ name: "pay", needsApproval: false, workflow: new Workflow({ name: "t", steps }) }), step: { timeoutMs: 150, retryCount: 1 } }),
    };
    for (const [which, make] of Object.entries(limited)) {
      const { fetch, received } = endpoint(first, () => Response.json("paid"));
      const made = make([payStep({ onUnknown: "retry", ...inner })]);
      const agent = new Agent({ name: "a", model: eager(), tools: [made.tool] });
      const { error } = await new Workflow({ name: "w", retryPolicy: { backoffMs: 1000 }, steps: [{ name: "shop", agent, inputFrom: "Pay.", ...made.step }] }).run({ fetch, clock: virtualClock() });
      assert.deepEqual([error?.code, received.length], ["unknown_outcome", 1], `${which}, ${JSON.stringify(inner)}: ${error?.message}`);
    }
  }
});

test("a success that cannot be kept, or that its check refuses, is not sent again by a run that is taken up", async () => {
  const deep = `${"[".repeat(600)}1${"]".repeat(600)}`;
  const refusing = { "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [{ message: "no id" }] }) } };
  const cases = {
    "larger than the limit": [() => Response.json("x".repeat(5000)), {}, { limits: { maxResultBytes: 1000 } }],
    "too deep": [() => new Response(deep, { headers: { "content-type": "application/json" } }), {}, {}],
    "refused by a check in code": [() => Response.json("paid"), { output: refusing }, {}],
    "refused by a schema": [() => Response.json("paid"), { output: { type: "object", properties: { pay_output: { type: "number" } } } }, {}],
    "of another status": [() => new Response("", { status: 303 }), {}, {}],
    "not modified": [() => new Response(null, { status: 304 }), {}, {}],
  };
  for (const [which, [answer, more, options]] of Object.entries(cases)) {
    const { fetch, received } = endpoint(answer);
    const run = (rest) => new Workflow({ name: "w", steps: [payStep(more)] }).run({ fetch, ...options, ...rest });
    let { error, journal } = await run({ journal: true });
    assert.equal(error?.code, which.startsWith("refused") ? "validation" : "unknown_outcome", which);
    for (let times = 0; times < 2; times += 1) ({ error, journal } = await run({ journal }));
    assert.equal(error?.code, which.startsWith("refused") ? "validation" : "unknown_outcome", which);
    assert.equal(received.length, 1, which);
  }
});

test("an answer that a check in code has refused is checked anew when the run is taken up", async () => {
  const { fetch, received } = endpoint(() => Response.json("paid"));
  const run = (validate, options) => new Workflow({ name: "w", steps: [payStep({ output: { "~standard": { version: 1, vendor: "test", validate } } })] }).run({ fetch, ...options });
  const { journal } = await run(() => ({ issues: [{ message: "no id" }] }), { journal: true });
  const mended = await run((value) => ({ value }), { journal });
  assert.deepEqual([mended.status, mended.state.pay_output, received.length], ["done", "paid", 1]);
  const again = await run((value) => ({ value }), { journal: mended.journal, replay: "strict" });
  assert.deepEqual([again.status, received.length], ["done", 1]);
});

test("a model does not call again what was answered and could not be read", async () => {
  const { fetch, received } = endpoint(() => Response.json({ ok: 1 }));
  const tools = [tool({ name: "pay", needsApproval: false, http: { url: "https://pay.example/pay", body: { json: {} }, result: "body.id.x" } })];
  const { error } = await new Workflow({ name: "w", steps: [{ name: "shop", agent: new Agent({ name: "a", model: eager(), tools }), inputFrom: "Pay." }] }).run({ fetch });
  assert.deepEqual([error.code, received.length], ["unknown_outcome", 1]);
  assert.match(error.message, /`result`.*; nobody knows whether POST https:\/\/pay\.example\/pay was carried out/);
});

test("what refuses a request is tried again or not by its status, whatever else it says", async () => {
  const refusals = { "another form": () => Response.json({ error: "x" }, { status: 429 }), "too much": () => new Response("x".repeat(5000), { status: 429 }) };
  for (const [which, refusal] of Object.entries(refusals)) {
    const { fetch, received } = endpoint(refusal, () => Response.json({ ok: true }));
    const http = { url: "https://pay.example/pay", body: { json: {} }, maxBytes: 2000, success: "body.ok" };
    const { status } = await new Workflow({ name: "w", retryPolicy: { backoffMs: 1 }, steps: [{ name: "pay", http, retryCount: 1 }] }).run({ fetch });
    assert.deepEqual([status, received.length], ["done", 2], which);
  }
});

test("a payment that was sent again and went through stays one for every run that is taken up", async () => {
  const { fetch, received } = endpoint(undefined, () => Response.json("paid"));
  const steps = (tell) => [payStep({ timeoutMs: 60, onUnknown: "retry" }), { name: "tell", run: tell }];
  const failing = () => {
    throw new Error("no");
  };
  const { journal } = await new Workflow({ name: "w", steps: steps(failing) }).run({ fetch, journal: true, clock: virtualClock() });
  const { status, state, error, journal: whole } = await new Workflow({ name: "w", steps: steps(() => ({ told: true })) }).run({ fetch, journal });
  assert.deepEqual([status, state?.pay_output, state?.told, received.length], ["done", "paid", true, 2], error?.message);
  const strict = await new Workflow({ name: "w", steps: steps(() => assert.fail("called")) }).run({ journal: whole, replay: "strict" });
  assert.deepEqual([strict.status, strict.state.pay_output], ["done", "paid"], strict.error?.message);
});

test("a request that was cut off by a cancel or by the time of the run is replayed as it was", async () => {
  for (const [options, code] of [[{ limits: { timeoutMs: 60 } }, "timeout"], [{}, "cancelled"]]) {
    for (const onUnknown of ["fail", "skip", "retry"]) {
      const { fetch } = endpoint(undefined);
      const workflow = new Workflow({ name: "w", steps: [payStep({ onUnknown })] });
      const run = workflow.start({ fetch, journal: true, clock: virtualClock(), ...options });
      if (code === "cancelled") turn().then(() => run.cancel());
      const first = await run.result;
      const strict = await workflow.run({ journal: first.journal, replay: "strict", ...options });
      assert.deepEqual([strict.status, strict.error?.code], [first.status, first.error?.code], `${code} ${onUnknown}: ${strict.error?.message}`);
    }
  }
});

test("a refusal that says too much is one by its status, also behind a redirect, and shows no key", async () => {
  const secrets = { KEY: { value: "canary-12345-canary", origins: ["https://pay.example"] } };
  const refusal = () => new Response("x".repeat(5000), { status: 429, headers: { "x-echo": secrets.KEY.value } });
  const redirect = () => new Response("", { status: 303, headers: { location: "/next" } });
  for (const [first, code] of [[refusal, "rate_limit"], [redirect, "unknown_outcome"]]) {
    const run = async (more) => {
      const { fetch } = endpoint(first, refusal);
      const http = { url: "https://pay.example/pay", body: { json: {} }, maxBytes: 2000, auth: { bearer: { secret: "KEY" } }, ...more };
      return new Workflow({ name: "w", steps: [{ name: "pay", http }] }).run({ fetch, secrets, journal: true });
    };
    assert.equal((await run({})).error.code, code);
    const { state, journal } = await run({ success: "true", result: "headers" });
    assert.equal(state.pay_output["x-echo"], "[secret KEY]");
    assert.ok(!JSON.stringify(journal).includes(secrets.KEY.value));
  }
});

/** A model that makes these calls once, however often it is asked before they have results. */
const once = (...names) => customModel("once", ({ messages }) => (messages.some(({ role }) => role === "tool") ? "done" : names.map((name) => ({ type: "toolCall", name, input: {} }))));

test("an attempt that is cut short leaves the calls of its turn to the next one: what has an answer is not done again", async () => {
  const post = { url: "https://pay.example/pay", body: { json: {} } };
  const paying = { "a request": { http: post }, "a workflow": { workflow: { steps: [{ name: "post", http: post }] } }, "a workflow that goes on": { workflow: { steps: [{ name: "post", http: post }, { name: "rest", wait: { ms: 100 } }] } } };
  for (const [what, way] of Object.entries(paying)) {
    for (const journal of [false, true]) {
      const { fetch, received } = endpoint(() => Response.json("paid"));
      const keys = [];
      const clock = virtualClock();
      const slow = tool({ name: "slow", execute: async (_, { idempotencyKey }) => (keys.push(idempotencyKey), keys.length === 1 && (await passed(200, clock)), "slow") });
      const tools = [tool({ name: "pay", needsApproval: false, ...way }), slow];
      const steps = [{ name: "ask", agent: new Agent({ name: "a", model: once("pay", "slow"), tools }), inputFrom: "x", timeoutMs: 150, retryCount: 1 }];
      const { status, events, runId } = await collected(new Workflow({ name: "w", retryPolicy: { backoffMs: 1 }, steps }).start({ fetch, clock, ...(journal && { journal }) }));
      assert.deepEqual([status, received.length], ["done", 1], `${what}, journal: ${journal}`);
      assert.deepEqual(keys, [`${runId}/ask/call_1`, `${runId}/ask/call_1`], "what is called again is the same call");
      const ended = events.filter(({ type, tool: name }) => type === "tool.done" && name === "pay");
      assert.equal(ended.length, 1, what);
    }
  }
});

test("a call that is made again takes what its workflow was answered, also in a run that is taken up", async () => {
  for (const journal of [true, false]) {
    for (const onUnknown of ["fail", "retry"]) {
      const { fetch, received } = endpoint(() => Response.json("paid"));
      const keys = [];
      let isOpen = false;
      const clock = virtualClock();
      const way = { workflow: { steps: [{ name: "post", onUnknown, http: { url: "https://pay.example/pay", body: { json: {} } } }, { name: "rest", run: async (_, { idempotencyKey }) => (keys.push(idempotencyKey), isOpen || (await passed(300, clock)), {}) }] } };
      const make = (retryCount) => new Workflow({ name: "w", retryPolicy: { backoffMs: 1 }, steps: [{ name: "ask", agent: new Agent({ name: "a", model: once("pay"), tools: [tool({ name: "pay", needsApproval: false, ...way })] }), inputFrom: "x", timeoutMs: 100, retryCount }] });
      const first = await make(journal ? 0 : 2).run({ fetch, clock, ...(journal && { journal }) });
      assert.deepEqual([first.error.code, received.length], ["timeout", 1]);
      assert.equal(new Set(keys).size, 1, "the same step of the same call");
      if (!journal) continue;
      isOpen = true;
      const second = await make(0).run({ fetch, clock, journal: first.journal });
      assert.deepEqual([second.status, second.state.ask_output, received.length], ["done", "done", 1]);
      assert.deepEqual((await make(0).run({ fetch, journal: second.journal, replay: "strict" })).status, "done");
      assert.equal(received.length, 1);
    }
  }
});

test("what an agent in a call has sent is not sent again by the attempt that makes the call again, nor what was too large to keep", async () => {
  const post = { url: "https://pay.example/pay", body: { json: {} }, maxBytes: 32 * 1024 * 1024 };
  const slow = (clock) => {
    let calls = 0;
    return { name: "rest", run: async () => ((calls += 1) === 1 && (await passed(1500, clock)), {}) };
  };
  const cases = {
    "a tool of the agent": [(clock) => [{ name: "inner", agent: new Agent({ name: "i", model: once("pay"), tools: [tool({ name: "pay", needsApproval: false, http: post })] }), inputFrom: "x" }, slow(clock)], 1, 1, "done"],
    "two answers of which one has room": [(clock) => [{ name: "one", http: post }, { name: "two", http: { ...post, url: "https://pay.example/two" } }, slow(clock)], 20_000_000, 2, "error"],
  };
  for (const [what, [steps, length, sent, expected]] of Object.entries(cases)) {
    for (const journal of [false, true]) {
      const text = "x".repeat(length);
      const clock = virtualClock();
      const { fetch, received } = endpoint(() => Response.json(text));
      const flow = tool({ name: "flow", needsApproval: false, workflow: { steps: steps(clock), set: { said: "1" } } });
      const ask = { name: "ask", agent: new Agent({ name: "a", model: once("flow"), tools: [flow] }), inputFrom: "x", timeoutMs: 1000, retryCount: 1 };
      const { status, error } = await new Workflow({ name: "w", retryPolicy: { backoffMs: 1 }, steps: [ask] }).run({ fetch, clock, ...(journal && { journal }) });
      assert.deepEqual([status, received.length], [expected, sent], `${what}, journal: ${journal}: ${error?.message}`);
      if (expected === "error") {
        assert.equal(error.code, "unknown_outcome");
        assert.match(error.message, /POST https:\/\/pay\.example\/two was sent by an earlier attempt: nobody knows .*too large to be kept/);
      }
    }
  }
});

test("nothing is sent once the time is over, however late a store says that `sent` is kept", async () => {
  const { fetch, received } = endpoint(() => Response.json("paid"));
  const memory = memoryStore();
  const store = { load: (id) => memory.load(id), list: (filter) => memory.list(filter), delete: (id) => memory.delete(id), append: async (...all) => {
    if (all[1].some(({ key }) => key.endsWith("sent"))) await new Promise((go) => setTimeout(go, 150));
    await memory.append(...all);
  } };
  for (const [name, step, options] of [["step", { timeoutMs: 50 }, () => ({})], ["run", {}, () => ({ limits: { timeoutMs: 50 } })], ["signal", {}, () => ({ signal: AbortSignal.timeout(50) })]]) {
    const make = () => new Workflow({ name: "w", steps: [{ name: "pay", http: { url: "https://pay.example/", method: "POST" }, ...step }] });
    const { status, error } = await make().run({ fetch, store, journal: name, ...options() });
    await new Promise((go) => setTimeout(go, 200));
    assert.deepEqual([status, error?.code, received.length], { step: ["error", "unknown_outcome", 0], run: ["error", "timeout", 0], signal: ["cancelled", undefined, 0] }[name], name);
    const { error: again } = await make().run({ fetch, store: memory, journal: name });
    assert.deepEqual([again?.code, received.length], ["unknown_outcome", 0], `${name}, taken up`);
  }
});

test("a run that its limit or its caller ends says which requests may have been carried out", async () => {
  const { fetch, received } = endpoint(undefined);
  const steps = [{ name: "both", parallel: [{ name: "pay", http: { url: "https://pay.example/pay?key=1", method: "POST" } }, { name: "look", http: { url: "https://pay.example/look" } }] }];
  const ways = { limit: [() => ({ limits: { timeoutMs: 50 } }), "error"], signal: [() => ({ signal: AbortSignal.timeout(50) }), "cancelled"] };
  for (const [how, [options, expected]] of Object.entries(ways)) {
    for (const journal of [false, true]) {
      received.length = 0;
      const run = new Workflow({ name: "w", steps }).start({ fetch, ...(journal && { journal }), ...options() });
      const { status, warnings, events } = await collected(run);
      assert.deepEqual([status, received.length], [expected, 2], how);
      const said = warnings.map(({ code, message, step }) => [code, message, step?.name]);
      assert.deepEqual(said, [["unknown_outcome", "POST https://pay.example/pay was sent and has no answer: nobody knows whether it was carried out", "pay"]], how);
      assert.equal(events.at(-2).type, "run.warning", "before the last event");
    }
  }
});

/** The result of a run, with its events. */
async function collected(run) {
  const events = [];
  for await (const event of run.events) events.push(event);
  return { ...(await run.result), events };
}
