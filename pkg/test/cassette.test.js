import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { Agent, openai, Workflow } from "stepweave";
import { cassette, demo } from "stepweave/testing";
import { END, eventsOf, piece, rejection } from "./support.js";

const KEY = "sk-very-secret-value";

let folder;
let server;
let baseUrl;
/** The requests that reached the server. */
let received;
/** What the server answers, unless a test says something else. */
let answer;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepweave-cassette-"));
  server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    received.push({ method: request.method, url: request.url, body });
    await answer(response, body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  baseUrl = `http://127.0.0.1:${server.address().port}/v1`;
});
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  received = [];
  answer = (response, body) => streamed(response, [piece("Said: "), piece(JSON.parse(body).messages.at(-1).content), END]);
  delete process.env.CI;
});

/** Answers with these pieces, each in a packet of its own. */
async function streamed(response, pieces, headers = {}) {
  response.writeHead(200, { "content-type": "text/event-stream", "set-cookie": "session=1234", ...headers });
  for (const piece of pieces) {
    response.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  response.end();
}

const asking = (names = ["ask"], options = {}) => {
  const agent = new Agent({ name: "a", model: openai("m", { baseUrl, apiKey: KEY, ...options }) });
  return new Workflow({ name: "ask", steps: [{ name: "all", parallel: names.map((name) => ({ name, agent, inputFrom: `${name}?` })) }] });
};

const path = (name) => join(folder, name, "answers.json");
const fileOf = (name) => JSON.parse(readFileSync(path(name), "utf8"));

test("answers are recorded once, and the same events come without a network afterwards", async () => {
  const tell = async (mode) => {
    const tape = cassette(path("once"), mode);
    const run = asking(["one", "two", "three"]).start({ fetch: tape.fetch });
    const events = await eventsOf(run);
    await tape.done();
    return { ...(await run.result), texts: events.filter(({ type }) => type === "step.delta").map(({ step, text }) => `${step.name}: ${text}`).sort() };
  };
  const recorded = await tell({});
  assert.equal(recorded.status, "done");
  assert.equal(received.length, 3);
  answer = (response) => response.writeHead(500).end();
  for (const mode of [{}, { mode: "replay" }]) {
    const replayed = await tell(mode);
    assert.deepEqual(replayed.texts, recorded.texts);
    assert.deepEqual(replayed.state, recorded.state);
    assert.deepEqual(replayed.usage, recorded.usage);
  }
  assert.equal(received.length, 3, "nothing was sent");
});

test("the file can be read by people, and has each piece as it came", async () => {
  const hello = Buffer.from(piece("Grüße"));
  const cut = hello.indexOf(0xc3) + 1;
  // Not over a socket, which may join packets that nobody read in between.
  const pieces = [hello.subarray(0, cut), hello.subarray(cut), Buffer.from(END)];
  const fetch = async () => new Response(ReadableStream.from(pieces), { headers: { "content-type": "text/event-stream" } });
  const tape = cassette(path("pieces"), { fetch });
  const { state } = await asking().run({ fetch: tape.fetch });
  await tape.save();
  assert.equal(state.ask_output, "Grüße");
  const { stepweave, version, exchanges } = fileOf("pieces");
  assert.deepEqual([stepweave, version, exchanges.length], ["cassette", 1, 1]);
  const [{ request, answer: kept }] = exchanges;
  assert.deepEqual(Object.keys(request), ["method", "url", "json"]);
  assert.equal(request.url, `${baseUrl}/chat/completions`);
  assert.equal(request.json.model, "m");
  assert.deepEqual(kept.headers, { "content-type": "text/event-stream" });
  assert.equal(kept.pieces.length, 3);
  assert.equal(typeof kept.pieces[0].base64, "string", "it ends within a letter");
  assert.equal(kept.pieces[2], END);
  const again = await asking().run({ fetch: cassette(path("pieces")).fetch });
  assert.equal(again.state.ask_output, "Grüße");
});

test("a key is in no file, also when the endpoint repeats it", async () => {
  answer = async (response) => {
    response.writeHead(401, { "content-type": "application/json", "x-request-id": `r-${KEY}` });
    response.write(`{"error":{"message":"bad key ${KEY.slice(0, 9)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
    response.end(`${KEY.slice(9)}"}}`);
  };
  const tape = cassette(path("keys"));
  await asking().run({ fetch: tape.fetch });
  await tape.fetch(`${baseUrl}/models?alt=sse&key=${KEY}`, { headers: { "x-goog-api-key": KEY } }).then((response) => response.text());
  await tape.fetch(new Request(`${baseUrl}/echo`, { method: "POST", body: `not JSON ${KEY}`, headers: { "x-api-key": KEY } })).then((response) => response.text());
  await tape.save();
  const text = readFileSync(path("keys"), "utf8");
  assert.ok(!text.includes(KEY) && !text.includes(KEY.slice(0, 9)) && !text.includes(KEY.slice(9)), text);
  assert.ok(text.includes('"x-request-id": "r-********************"'));
  assert.ok(text.includes(`${baseUrl}/models?alt=sse"`));

  // Another key finds the same answers.
  const replayed = cassette(path("keys"), { mode: "replay" });
  const { errors } = await asking(["ask"], { apiKey: "sk-of-somebody-else" }).run({ fetch: replayed.fetch });
  assert.equal(errors[0].code, "auth");
  await replayed.fetch(`${baseUrl}/models?alt=sse`);
  const short = await rejection(replayed.done());
  assert.match(short.message, /has 1 answer that nobody asked for:\n {2}POST .*\/echo$/);
  await replayed.fetch(`${baseUrl}/echo`, { method: "POST", body: "not JSON other-secret", headers: { "x-api-key": "other-secret" } });
  await replayed.done();
});

test("a run's secrets are in no file, whatever they are called where they stand, and others find the same answers", async () => {
  const secret = "fn-verysecret/1234567890";
  const from = (auth, more) => ({ url: "https://api.example.com/orders?tag=new", auth, ...more });
  const steps = [
    from({ query: { name: "code", value: { secret: "CODE" } } }),
    from({ header: { name: "x-caller", value: { secret: "CODE" } } }, { method: "POST", body: { json: { on: "paper" } } }),
  ].map((http, at) => ({ id: `s${at}`, type: "http", name: `s${at}`, http }));
  const workflow = Workflow.fromDocument({ version: 1, name: "w", steps });
  const run = (value, { fetch }) => workflow.run({ fetch, secrets: { CODE: { value, origins: ["https://api.example.com"] } } });
  let text;
  const place = { read: () => text, write: (written) => void (text = written) };
  const echo = async (url) => Response.json({ url, twice: JSON.stringify(secret), encoded: btoa(secret) }, { headers: { "x-request-id": secret } });
  const tape = cassette(place, { fetch: echo });
  assert.equal((await run(secret, tape)).status, "done");
  await tape.done();
  for (const form of [secret, encodeURIComponent(secret), secret.replace("/", "\\/"), btoa(secret)]) assert.ok(!text.includes(form), text);
  const { exchanges } = JSON.parse(text);
  assert.deepEqual(exchanges.map(({ request }) => request.url), ["https://api.example.com/orders?tag=new&code=***", "https://api.example.com/orders?tag=new"]);
  assert.deepEqual(exchanges[1].answer.headers["x-request-id"], "*".repeat(secret.length));

  for (const value of ["another, much longer secret value", "none"]) {
    const replayed = cassette(place, { mode: "replay" });
    const { status, error } = await run(value, replayed);
    assert.equal(status, "done", error?.message);
    await replayed.done();
  }
});

test("a key that one request is sent with is in no other one's answer, nor in its own address, nor among bytes", async () => {
  const [key, session, token] = ["k-verysecret-1234567890", "s-verysecret-0987654321", "t-verysecret-0123456789"];
  let text;
  const place = { read: () => text, write: (written) => void (text = written) };
  const tape = cassette(place, { fetch: async (url) => (url.endsWith("/login") ? Response.json({ session, access_token: token }) : Response.json({ ok: true })) });
  const program = async (fetch, key) => {
    const { session, access_token } = await (await fetch("https://api.example.com/login", { method: "POST", body: "{}" })).json();
    const headers = { "x-session-token": session };
    await fetch(`https://api.example.com/bot${key}/send?by=${key}&for=me`, { headers: { authorization: `Bearer ${key}` } });
    await fetch(`https://api.example.com/mine?t=${access_token}`, { headers });
    await fetch("https://api.example.com/bytes", { method: "POST", headers, body: Uint8Array.of(0xff, ...new TextEncoder().encode(session), 0xff) });
  };
  await program(tape.fetch, key);
  await tape.done();
  const bytes = JSON.parse(text).exchanges.map(({ request: { body } }) => atob(body?.base64 ?? "")).join();
  for (const secret of [key, session, token]) assert.ok(!`${text}${bytes}`.includes(secret), text);
  assert.ok(text.includes('"https://api.example.com/bot***/send?by=***&for=me"') && bytes.includes("*"), text);

  const replayed = cassette(place, { mode: "replay" });
  await program(replayed.fetch, "key-of-somebody-else");
  await replayed.done();
});

test("keys in addresses, in the forms that ask for tokens and in what these give are in no file, and others find the same answers", async () => {
  const [secret, token] = ["cs-verysecret-1234567890", "at-verysecret-0987654321"];
  const document = { version: 1, name: "w", steps: [{ id: "a", type: "http", name: "a", http: { url: "https://api.example.com/x", auth: { oauth2: { tokenUrl: "https://api.example.com/token", clientId: "shop", clientSecret: { secret: "CS" } } } } }] };
  const run = (value, { fetch }) => Workflow.fromDocument(document).run({ fetch, secrets: { CS: { value, origins: ["https://api.example.com"] } } });
  let text;
  const place = { read: () => text, write: (written) => void (text = written) };
  const tape = cassette(place, { fetch: async (url) => Response.json(url.endsWith("/token") ? { access_token: token, refresh_token: `r-${token}`, token_type: "Bearer" } : { ok: true }) });
  assert.equal((await run(secret, tape)).status, "done");
  const body = JSON.stringify({ client_secret: secret, key: "order-17" });
  await tape.fetch("https://api.example.com/json", { method: "POST", body });
  for (const name of ["subscription-key", "client_secret", "refresh_token", "X-Amz-Signature", "X-Amz-Security-Token", "appid", "password", "xi-api-key"]) await tape.fetch(`https://api.example.com/y?page_token=p&${name}=${secret}`);
  await tape.fetch("https://api.example.com/z", { headers: { authorization: `Basic ${btoa(`shop:${secret}`)}` } });
  await tape.save();
  assert.ok(!text.includes(secret) && !text.includes(token), text);
  assert.equal(text.split("/y?page_token=p").length, 9);

  const replayed = cassette(place, { mode: "replay" });
  assert.equal((await run("the secret of somebody else", replayed)).status, "done");
  await replayed.fetch("https://api.example.com/json", { method: "POST", body: body.replace(secret, "another one") });
  await assert.rejects(replayed.fetch("https://api.example.com/json", { method: "POST", body: body.replace("order-17", "order-18") }), /body\.key: recorded "order-17"/);
});

test("a form with files is known by what is in it, and not by what separates its parts", async () => {
  const filled = (text) => {
    const form = new FormData();
    form.append("topic", text);
    form.append("photo", new File([Uint8Array.of(0xff, 0xd8, 0xff)], "bee.jpg"));
    return { method: "POST", body: form };
  };
  let text;
  const place = { read: () => text, write: (written) => void (text = written) };
  const tape = cassette(place, { fetch: async () => new Response("ok") });
  await (await tape.fetch("https://api.example.com/form", filled("bees"))).text();
  await tape.done();
  const replayed = cassette(place, { mode: "replay" });
  await assert.rejects(replayed.fetch("https://api.example.com/form", filled("ants")), { code: "network" });
  assert.equal(await (await replayed.fetch("https://api.example.com/form", filled("bees"))).text(), "ok");
});

test("a request that was not recorded fails its step, and says what differs from the nearest", async () => {
  const tape = cassette(path("unknown"));
  await asking(["one", "another"]).run({ fetch: tape.fetch });
  await tape.save();
  received = [];
  const replayed = cassette(path("unknown"), { mode: "replay" });
  const { status, errors } = await asking(["one", "another", "stranger"]).run({ fetch: replayed.fetch });
  assert.equal(status, "error");
  assert.equal(errors.length, 1);
  assert.equal(errors[0].code, "network");
  assert.equal(errors[0].step.name, "stranger");
  assert.equal(errors[0].retryable, false);
  assert.ok(errors[0].message.includes(`the cassette ${path("unknown")} has no answer for POST ${baseUrl}/chat/completions; the nearest request that it has differs in\n  body.messages[0].content: recorded "one?", asked "stranger?"`), errors[0].message);
  assert.equal(errors[0].hint, 'nothing was sent; if this is what should be asked now, record again with mode: "record"');
  const twice = await asking(["one"]).run({ fetch: replayed.fetch });
  assert.ok(twice.errors[0].message.includes("has 1 answer for this request, and it was asked once more"), twice.errors[0].message);
  assert.equal(received.length, 0, "nothing was sent");
});

test("bodies are compared as JSON values, and equal requests are answered in the recorded order", async () => {
  let count = 0;
  answer = (response) => response.end(`answer ${(count += 1)}`);
  const kept = [];
  const place = { read: () => kept.at(-1), write: (text) => kept.push(text) };
  const post = async (tape, body) => (await tape.fetch(`${baseUrl}/x`, { method: "POST", body })).text();
  const tape = cassette(place, { mode: "record" });
  assert.deepEqual([await post(tape, '{"a":1,"b":[2]}'), await post(tape, '{"a":1,"b":[2]}'), await post(tape, "[3]")], ["answer 1", "answer 2", "answer 3"]);
  await tape.save();
  const replayed = cassette(place);
  assert.equal(await post(replayed, "[3]"), "answer 3");
  assert.deepEqual(await Promise.all([post(replayed, '{ "b": [2], "a": 1 }'), post(replayed, '{"a":1,"b":[2]}')]), ["answer 1", "answer 2"]);
  await replayed.done();
  const other = await rejection(post(replayed, '{"a":1,"b":[2,4]}'));
  assert.match(other.message, /the cassette has no answer .* differs in\n {2}body\.b\[1\]: recorded nothing, asked 4$/s);
});

test("a server that is down, and an answer that breaks off, are recorded as such", async () => {
  answer = (response) => response.write(piece("Half of "), () => setTimeout(() => response.destroy(), 20));
  const failures = async (tape) => {
    const broken = await asking(["ask"]).run({ fetch: tape.fetch });
    const down = await asking(["down"], { baseUrl: "http://127.0.0.1:9/v1" }).run({ fetch: tape.fetch });
    await tape.done();
    return [broken, down].map(({ errors: [{ code, message, retryable }], stepResults }) => ({ code, message, retryable, text: stepResults[1].text }));
  };
  const recorded = await failures(cassette(path("broken")));
  assert.equal(recorded[0].text, "Half of ");
  assert.match(recorded[0].message, /broke off/);
  assert.match(recorded[1].message, /could not be reached/);
  assert.deepEqual(await failures(cassette(path("broken"))), recorded);
});

test("a run that was cancelled while it was recorded can be cancelled there again, and goes no further", async () => {
  answer = async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(piece("Once upon a time"));
  };
  const cancelled = async (tape) => {
    const run = asking().start({ fetch: tape.fetch });
    for await (const { type } of run.events) if (type === "step.delta") run.cancel();
    const { status, stepResults } = await run.result;
    await tape.done();
    return [status, stepResults[1].text];
  };
  assert.deepEqual(await cancelled(cassette(path("cancelled"))), ["cancelled", "Once upon a time"]);
  assert.deepEqual(await cancelled(cassette(path("cancelled"))), ["cancelled", "Once upon a time"]);
  const { errors } = await asking().run({ fetch: cassette(path("cancelled")).fetch });
  assert.match(errors[0].message, /has only the beginning of the answer/);

  const silent = deferredAnswer();
  const early = async (tape) => {
    const controller = new AbortController();
    const answered = tape.fetch(`${baseUrl}/silent`, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    assert.equal((await rejection(answered)).name, "AbortError");
    await tape.done();
  };
  await early(cassette(path("early")));
  await early(cassette(path("early")));
  silent();
});

/** The server does not answer until it is released. */
function deferredAnswer() {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  answer = async (response) => {
    await released;
    response.destroy();
  };
  return release;
}

test("nothing is recorded where CI is set, and nothing is replayed that is not there", async () => {
  process.env.CI = "true";
  const { errors } = await asking().run({ fetch: cassette(path("ci")).fetch });
  assert.equal(errors[0].code, "validation");
  assert.equal(errors[0].message, `the cassette ${path("ci")} is not there, and where CI is set nothing is recorded`);
  assert.match(errors[0].hint, /add the file to version control/);
  process.env.CI = "false";
  const replayed = cassette(path("ci"), { mode: "replay" });
  assert.match((await rejection(replayed.fetch(baseUrl))).message, /^there is nothing to replay: the cassette .* is not there$/);
  assert.equal(received.length, 0);
  assert.ok(!existsSync(path("ci")));
});

test("an answer that is still on its way cannot be saved; an old file stays as it is", async () => {
  const release = deferredAnswer();
  const tape = cassette(path("late"));
  const late = tape.fetch(`${baseUrl}/late`).catch(() => "failed");
  while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const error = await rejection(tape.save());
  assert.equal(error.message, `the cassette cannot be saved yet: GET ${baseUrl}/late has no answer so far`);
  assert.ok(!existsSync(path("late")));
  release();
  assert.equal(await late, "failed");
  await tape.save();
  assert.ok(existsSync(path("late")));
});

test("a file that is no cassette is refused with what is wrong", async () => {
  const request = { method: "GET", url: "http://x.example/" };
  for (const [text, fault] of [
    ["{", /is no cassette: .*JSON/],
    ["[]", /it holds something else/],
    ['{"stepweave":"cassette","version":2,"exchanges":[]}', /it has the version 2, and this one of stepweave reads version 1/],
    [JSON.stringify({ stepweave: "cassette", version: 1, exchanges: [{ request, answer: { status: 99, headers: {}, pieces: [] } }] }), /its exchanges\[0\] is broken/],
    [JSON.stringify({ stepweave: "cassette", version: 1, exchanges: [{ request, answer: { status: 200, headers: {}, pieces: [{ base64: "?" }] } }] }), /its exchanges\[0\] is broken/],
  ]) {
    const file = join(folder, "damaged.json");
    writeFileSync(file, text);
    const error = await rejection(cassette(file).fetch(baseUrl));
    assert.match(error.message, fault);
    assert.match(error.hint, /record it again/);
  }
  assert.throws(() => cassette(""), /needs a place/);
  assert.throws(() => cassette("x.json", { mode: "rewind" }), /no mode "rewind"/);
  assert.throws(() => cassette("x.json", { Mode: "auto" }), /did you mean|has no option/);
});

test("the demo model is among the aids", async () => {
  const { state } = await new Workflow({ name: "t", steps: [{ name: "say", agent: new Agent({ name: "a", model: demo() }), inputFrom: "Hello" }] }).run();
  assert.match(state.say_output, /simulated/);
});

test("an idempotency key that an endpoint repeats is recorded as it is: it is no secret", async () => {
  let sent;
  const echo = async (_, { headers }) => {
    sent = new Headers(headers).get("idempotency-key");
    return Response.json({ sent });
  };
  const workflow = new Workflow({ name: "paying", steps: [{ name: "pay", http: { url: "https://pay.example/refunds", method: "POST", body: { json: {} } } }] });
  const recording = cassette(path("idempotency"), { fetch: echo });
  const { state } = await workflow.run({ fetch: recording.fetch });
  await recording.done();
  assert.equal(state.pay_output.sent, sent);
  const text = readFileSync(path("idempotency"), "utf8");
  assert.ok(text.includes(sent));
  const replaying = cassette(path("idempotency"), { mode: "replay" });
  assert.equal((await workflow.run({ fetch: replaying.fetch })).state.pay_output.sent, sent);
  await replaying.done();
});

test("what was sent once more, since the server was closing the kept connection, replays, also where it was recorded by an earlier version", async () => {
  const said = 'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n';
  const closing = connect((connection) => {
    let count = 0;
    connection.on("error", () => {}).on("data", () => {
      count += 1;
      if (count > 1) return connection.destroy();
      connection.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${said.length}\r\n\r\n${said}`);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => closing.once("listening", resolve));
  const agent = new Agent({ name: "a", model: openai("m", { baseUrl: `http://127.0.0.1:${closing.address().port}/v1`, apiKey: KEY }) });
  const twice = new Workflow({ name: "twice", steps: [{ name: "one", agent, inputFrom: "Hi" }, { name: "pause", wait: { ms: 50 } }, { name: "two", agent, inputFrom: "Hi" }] });
  const tape = cassette(path("closing"), { mode: "record" });
  const { status, state } = await twice.run({ fetch: tape.fetch });
  assert.equal(status, "done");
  await tape.done();
  closing.close();
  const recorded = fileOf("closing");
  assert.deepEqual(recorded.exchanges.map(({ answer }) => answer.status ?? answer.connection), [200, "kept", 200]);
  const replayed = async () => {
    const replay = cassette(path("closing"), { mode: "replay" });
    const result = await twice.run({ fetch: replay.fetch });
    assert.deepEqual([result.status, result.state], ["done", state], result.error?.message);
    await replay.done();
  };
  await replayed();
  delete recorded.exchanges[1].answer.connection;
  delete recorded.exchanges[1].answer.code;
  writeFileSync(path("closing"), JSON.stringify(recorded));
  await replayed();
});

test("a new connection that a server closes fails in the replay as it did, and is tried again as often", async () => {
  const closing = connect((connection) => void connection.on("error", () => {}).on("data", () => connection.end())).listen(0, "127.0.0.1");
  await new Promise((resolve) => closing.once("listening", resolve));
  const agent = new Agent({ name: "a", model: openai("m", { baseUrl: `http://127.0.0.1:${closing.address().port}/v1`, apiKey: KEY }) });
  const workflow = new Workflow({ name: "w", retryPolicy: { maxRetries: 1, backoffMs: 0 }, steps: [{ name: "one", agent, inputFrom: "Hi" }] });
  const ended = ({ status, error, stepResults }) => [status, error.message, stepResults[0].attempts];
  const tape = cassette(path("closed"), { mode: "record" });
  const first = ended(await workflow.run({ fetch: tape.fetch }));
  await tape.done();
  closing.close();
  assert.deepEqual(fileOf("closed").exchanges.map(({ answer }) => [answer.code, answer.connection]), Array(2).fill(["UND_ERR_SOCKET", undefined]));
  const replay = cassette(path("closed"), { mode: "replay" });
  assert.deepEqual(ended(await workflow.run({ fetch: replay.fetch })), first);
  await replay.done();
});

test("a payment that found nobody at its address fails in the replay as it did: nothing was sent", async () => {
  const nobody = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => nobody.once("listening", resolve));
  const url = `http://127.0.0.1:${nobody.address().port}/pay`;
  await new Promise((resolve) => nobody.close(resolve));
  const workflow = Workflow.fromDocument({ version: 1, name: "w", steps: [{ id: "pay", type: "http", name: "pay", http: { url, method: "POST" } }] });
  const ended = async (mode) => {
    const tape = cassette(path("nobody"), { mode });
    const { error } = await workflow.run({ fetch: tape.fetch, allowOrigins: [new URL(url).origin] });
    await tape.done();
    return [error.code, error.message, error.hint];
  };
  const first = await ended("record");
  assert.equal(first[0], "network");
  assert.deepEqual(await ended("replay"), first);
});
