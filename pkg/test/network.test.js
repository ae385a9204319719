import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createServer as connect } from "node:net";
import { test } from "node:test";
import { Agent, anthropic, openai, StepweaveError, Workflow } from "stepweave";
import { answering, END, eventsOf, piece, rejection, virtualClock } from "./support.js";

const asking = (options) => new Workflow({ name: "ask", steps: [{ name: "ask", agent: new Agent({ name: "a", model: openai("m", options) }), inputFrom: "Say {{ what | default('hi') }}" }] });
const KEY = "sk-very-secret-value";

async function served(answer, use) {
  const server = createServer({ keepAliveTimeout: 0 }, answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    return await use(`http://127.0.0.1:${server.address().port}/v1`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("an answer streams in, with its usage", async () => {
  const fetch = answering([piece("Hel"), piece("lo"), END]);
  const run = asking({ baseUrl: "http://localhost:1234/v1", params: { temperature: 0 } }).start({ fetch });
  const result = await run.result;
  assert.equal(result.status, "done");
  assert.equal(result.state.ask_output, "Hello");
  assert.deepEqual(result.usage, { inputTokens: 3, outputTokens: 2 });
  assert.equal((await eventsOf(run)).filter((event) => event.type === "step.delta").map((event) => event.text).join(""), "Hello");
  const { url, init } = fetch.calls[0];
  assert.equal(url, "http://localhost:1234/v1/chat/completions");
  assert.equal(init.redirect, "manual");
  assert.equal(init.headers.authorization, undefined);
  assert.equal(JSON.parse(init.body).temperature, 0);
});

test("a key goes into the header of its own origin, and into nothing else", async () => {
  const fetch = answering([piece("ok"), END]);
  const own = asking({ apiKey: KEY, baseUrl: "https://llm.example.com/v1" });
  assert.equal((await own.run({ fetch })).status, "done");
  assert.equal(fetch.calls[0].init.headers.authorization, `Bearer ${KEY}`);
  assert.ok(!JSON.stringify(own.toDocument()).includes(KEY));
  assert.deepEqual(own.toDocument().models.m.apiKey, { secret: "LLM_EXAMPLE_COM_API_KEY" });

  const known = asking({});
  assert.deepEqual(known.toDocument().models.m.apiKey, { secret: "OPENAI_API_KEY" });
  await known.run({ fetch, secrets: { OPENAI_API_KEY: KEY } });
  assert.equal(fetch.calls[1].init.headers.authorization, `Bearer ${KEY}`);
  assert.equal(new URL(fetch.calls[1].url).origin, "https://api.openai.com");
});

test("a missing secret says what to pass; nothing is sent", async () => {
  const fetch = answering([]);
  const { errors } = await asking({}).run({ fetch });
  assert.equal(errors[0].code, "auth");
  assert.equal(errors[0].message, "the workflow needs the secret OPENAI_API_KEY");
  assert.match(errors[0].hint, /secrets: \{ OPENAI_API_KEY/);
  const unset = await asking({ apiKey: { secret: "MINE" }, baseUrl: "https://x.example/v1" }).run({ fetch, secrets: { MINE: undefined } });
  assert.match(unset.errors[0].hint, /origins: \["https:\/\/x\.example"\]/);
  assert.equal(fetch.calls.length, 0);
});

test("a secret is refused to every other origin, before anything is sent", async () => {
  const fetch = answering([]);
  const document = (baseUrl) => ({ version: 1, name: "t", models: { m: { provider: "openai", model: "m", baseUrl, apiKey: { secret: "OPENAI_API_KEY" } } }, agents: { a: { model: "m" } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a" }] });
  for (const baseUrl of ["https://evil.example/v1", "http://api.openai.com/v1", "https://api.openai.com:8443/v1", "https://api.openai.com.evil.example/v1"]) {
    const { errors } = await Workflow.fromDocument(document(baseUrl)).run({ fetch, secrets: { OPENAI_API_KEY: KEY } });
    assert.equal(errors[0].code, "auth", baseUrl);
    assert.ok(errors[0].message.includes("https://api.openai.com"), errors[0].message);
    assert.ok(!JSON.stringify(errors[0]).includes(KEY));
  }
  await assert.rejects(Workflow.fromDocument(document("https://api.openai.com@evil.example/v1")).run({ fetch, secrets: { OPENAI_API_KEY: KEY } }), {
    code: "document",
    message: "the workflow cannot be run: models.m.baseUrl: the baseUrl of the model `m` has a user in it",
  });
  const { errors } = await Workflow.fromDocument(document("https://evil.example/v1")).run({ fetch, secrets: { OPENAI_API_KEY: KEY } });
  assert.equal(errors[0].message, "the secret OPENAI_API_KEY is bound to https://api.openai.com and was not sent to https://evil.example");
  assert.equal(fetch.calls.length, 0);
});

test("broken secrets reject the call and are not shown", async () => {
  for (const [secrets, message] of [
    [{ OPENAI_API_KEY: `${KEY}\n` }, /cannot be sent in a header/],
    [{ OPENAI_API_KEY: "" }, /has no value/],
    [{ OPENAI_API_KEY: 5 }, /has no value/],
    [{ MINE: KEY }, /not bound to an origin/],
    [{ MINE: { value: KEY, origins: [] } }, /not bound/],
    [{ MINE: { value: KEY, origins: ["example.com"] } }, /no http\(s\) address/],
    [{ MINE: { value: KEY, origins: ["https://*.example.com"] } }, /no http\(s\) address/],
    ["text", /must be an object/],
  ]) {
    const error = await rejection(asking({}).run({ secrets }));
    assert.equal(error.code, "validation");
    assert.match(error.message, message);
    assert.ok(!`${error.message}${error.hint}${error.stack}`.includes(KEY));
  }
});

test("two keys for one endpoint keep apart", async () => {
  const fetch = answering([piece("ok"), END]);
  const agent = (name, apiKey) => new Agent({ name, model: openai("m", { apiKey }) });
  const workflow = new Workflow({ name: "t", steps: [{ name: "one", agent: agent("a", "key-1") }, { name: "two", agent: agent("a", "key-2") }, { name: "three", agent: agent("b", "key-1") }] });
  assert.equal((await workflow.run({ fetch })).status, "done");
  assert.deepEqual(fetch.calls.map(({ init }) => init.headers.authorization), ["Bearer key-1", "Bearer key-2", "Bearer key-1"]);
});

test("a redirect is not followed", async () => {
  await served((request, response) => response.writeHead(307, { location: "https://evil.example/v1" }).end(), async (baseUrl) => {
    const { errors } = await asking({ baseUrl, apiKey: KEY }).run();
    assert.equal(errors[0].code, "network");
    assert.match(errors[0].message, /redirect to https:\/\/evil\.example\/v1, which is not followed/);
  });
});

test("an endpoint that is down is a network error that names it, and is tried again", async () => {
  const workflow = Workflow.fromDocument({ version: 1, name: "t", retryPolicy: { maxRetries: 1 }, models: { m: { provider: "openai", model: "m", baseUrl: "http://127.0.0.1:9/v1" } }, agents: { a: { model: "m" } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a" }] });
  const { errors, stepResults } = await workflow.run({ clock: virtualClock(), allowOrigins: ["http://127.0.0.1:9"] });
  assert.equal(errors[0].code, "network");
  assert.equal(errors[0].retryable, true);
  assert.match(errors[0].message, /^http:\/\/127\.0\.0\.1:9 could not be reached: /);
  assert.match(errors[0].hint, /127\.0\.0\.1:9/);
  assert.ok(errors[0].cause instanceof TypeError, "what fetch threw");
  assert.equal(stepResults[0].attempts, 2);
});

test("a request into a kept connection that the server was closing is sent once more", async () => {
  const answer = 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n';
  const requests = [];
  const server = connect((connection) => {
    let count = 0;
    connection.on("error", () => {}).on("data", () => {
      count += 1;
      requests.push(count);
      if (count > 1) return connection.destroy();
      connection.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const workflow = asking({ baseUrl: `http://127.0.0.1:${server.address().port}/v1` });
  assert.equal((await workflow.run()).status, "done");
  // The connection is kept when its answer has been read.
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal((await workflow.run()).status, "done");
  assert.deepEqual(requests, [1, 2, 1]);
  server.close();
});

test("an answer that breaks off is a network error, with the text so far", async () => {
  await served((request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(piece("Half of "), () => setTimeout(() => response.destroy(), 20));
  }, async (baseUrl) => {
    const { errors, stepResults } = await asking({ baseUrl }).run();
    assert.equal(errors[0].code, "network");
    assert.match(errors[0].message, /broke off/);
    assert.equal(stepResults[0].text, "Half of ");
  });
});

test("401, garbage and an empty answer are distinguished", async () => {
  for (const [status, body, code] of [
    [401, '{"error":{"message":"bad key"}}', "auth"],
    [429, '{"error":{"message":"slow down"}}', "rate_limit"],
    [500, "oops", "model"],
    [200, "<html>not a model</html>", "model"],
  ]) {
    const { errors } = await asking({ baseUrl: "http://localhost:1/v1" }).run({ fetch: answering([body], { status }) });
    assert.equal(errors[0].code, code, `${status} ${body}`);
    assert.equal(errors[0].step.name, "ask");
    assert.ok(errors[0].hint);
  }
  const { status } = await asking({ baseUrl: "http://localhost:1/v1" }).run({ fetch: async () => new Response(null, { status: 204 }) });
  assert.equal(status, "error");
});

test("a fetch of the user that throws, or gives no response, fails the step and shows no key", async () => {
  const cases = [() => { throw new Error(`cannot send Bearer ${KEY}`); }, async () => ({ nonsense: true }), async () => undefined, async () => new Response(new ReadableStream({ start: (controller) => { controller.enqueue("text, not bytes"); controller.close(); } }))];
  for (const fetch of cases) {
    const { errors } = await asking({ baseUrl: "https://x.example/v1", apiKey: KEY }).run({ fetch });
    assert.ok(errors[0] instanceof StepweaveError);
    assert.equal(errors[0].code, "network", errors[0].message);
    assert.ok(!errors[0].message.includes(KEY));
  }
});

test("a fetch of the user may refuse an address in its own words", async () => {
  const fetch = async () => { throw new StepweaveError("network", "this page may not send anything there", { hint: "ask first" }); };
  const { errors } = await asking({ baseUrl: "https://x.example/v1" }).run({ fetch });
  assert.deepEqual([errors[0].code, errors[0].message, errors[0].hint, errors[0].step.name], ["network", "this page may not send anything there", "ask first", "ask"]);
});

test("models say at once what is wrong with them", () => {
  assert.throws(() => openai(""), /name of a model/);
  assert.throws(() => openai("m", { baseUrl: "localhost:11434" }), /no http\(s\) address/);
  assert.throws(() => new Agent({ name: "a" }), /needs a model/);
  assert.throws(() => new Agent({ model: openai("m") }), /needs a name/);
  assert.ok(!JSON.stringify(openai("m", { apiKey: KEY })).includes(KEY));
});

test("an error that a replacement for fetch throws never shows a key, nor does its cause", async () => {
  const fetch = (_, { headers }) => { throw new Error(`no route for ${headers.authorization}`); };
  const run = asking({ apiKey: KEY, baseUrl: "https://llm.example/v1" }).start({ fetch });
  const result = await run.result;
  const shown = JSON.stringify([result, await eventsOf(run)]) + result.error.cause.stack;
  assert.match(result.error.message, /no route for Bearer \[secret LLM_EXAMPLE_API_KEY\]/);
  assert.ok(!shown.includes(KEY), shown);
});

test("a model with a key of its own does not take the name of a secret that another model needs", async () => {
  const sent = {};
  const answer = answering([piece("ok"), END]);
  const fetch = (url, init) => { sent[JSON.parse(init.body).model] = init.headers.authorization; return answer(url, init); };
  const own = new Agent({ name: "own", model: openai("a", { apiKey: "sk-own-key-of-a" }) });
  const shared = new Agent({ name: "shared", model: openai("b", { apiKey: { secret: "OPENAI_API_KEY" } }) });
  const workflow = new Workflow({ name: "two", steps: [{ name: "a", agent: own, inputFrom: "hi" }, { name: "b", agent: shared, inputFrom: "hi" }] });
  await workflow.run({ fetch, secrets: { OPENAI_API_KEY: "sk-shared-of-b" } });
  assert.deepEqual(sent, { a: "Bearer sk-own-key-of-a", b: "Bearer sk-shared-of-b" });
  const { error } = await workflow.run({ fetch });
  assert.equal(error.message, "the workflow needs the secret OPENAI_API_KEY");
});

test("keys are taken out of cut texts, of each other, and of causes of causes", async () => {
  const long = `${KEY}-and-more`;
  const secrets = { A: { value: KEY, origins: ["https://x.example"] }, B: { value: long, origins: ["https://x.example"] } };
  const document = { version: 1, name: "t", models: { m: { provider: "openai", model: "m", baseUrl: "https://x.example/v1", apiKey: { secret: "B" } } }, agents: { a: { model: "m" } }, steps: [{ id: "s", type: "agent", name: "s", agent: "a" }] };
  const cut = new Response(`${"x".repeat(285)} ${long} is wrong`, { status: 401 });
  const first = await Workflow.fromDocument(document).run({ secrets, fetch: async () => cut });
  assert.match(first.error.message, /\[secret [AB]\]…$/);
  const nested = async () => { throw new TypeError("fetch failed", { cause: new Error(`bad header Bearer ${long}`) }); };
  const second = await Workflow.fromDocument(document).run({ secrets, fetch: nested });
  for (let at = second.error; at; at = at.cause) assert.ok(!`${at.message}${at.stack}`.includes("sk-very"), at.stack);
});

test("only requests from pages say that they come from one", async (t) => {
  const sent = { type: "message_start", message: { content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" } };
  const fetch = answering([`data: ${JSON.stringify(sent)}\n\n`]);
  const agent = new Agent({ name: "a", model: anthropic("m", { apiKey: KEY }) });
  const ask = () => new Workflow({ name: "ask", steps: [{ name: "ask", agent, inputFrom: "hi" }] }).run({ fetch });
  assert.equal((await ask()).state.ask_output, "Hi");
  Object.assign(globalThis, { location: { protocol: "https:" }, origin: "https://page.example" });
  t.after(() => ["location", "origin"].forEach((name) => delete globalThis[name]));
  assert.equal((await ask()).state.ask_output, "Hi");
  const [elsewhere, page] = fetch.calls.map(({ init }) => init.headers);
  assert.equal(elsewhere["anthropic-dangerous-direct-browser-access"], undefined);
  assert.equal(page["anthropic-dangerous-direct-browser-access"], "true");
  for (const headers of [elsewhere, page]) {
    assert.equal(headers["anthropic-version"], "2023-06-01");
    assert.equal(headers["x-api-key"], KEY);
  }
});
