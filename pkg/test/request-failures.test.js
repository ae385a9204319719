// The table "When it fails" of docs/requests.md, row by row, against real servers. What pages alone meet is in tests/e2e.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { after, before, mock, test } from "node:test";
import { Workflow } from "stepweave";
import { page } from "./docs-support.js";
import { deferred } from "./support.js";
import { CERTIFICATE, KEY } from "./untrusted-certificate.js";

const answers = {
  "/json": (response) => response.setHeader("content-type", "application/json").end('{"a":1}'),
  "/not-json": (response) => response.setHeader("content-type", "application/json").end("<html>oops</html>"),
  "/large": (response) => response.end("x".repeat(5000)),
  "/many": (response) => response.setHeader("content-type", "application/json").end(`[${"1,".repeat(1_000_000)}1]`),
  "/endless": (response) => {
    const more = () => response.writable && response.write("x".repeat(1000), () => setImmediate(more));
    more();
  },
  "/cut-off": (response) => {
    response.setHeader("content-length", "1000");
    response.write("half");
    setImmediate(() => response.socket.destroy());
  },
  "/reset": (response) => response.socket.destroy(),
  "/silent": () => {},
  "/paused": (response) => response.write("some"),
  "/there": (response) => response.writeHead(302, { location: `${elsewhere}/json` }).end(),
  "/kept": (response) => response.writeHead(307, { location: `${elsewhere}/json` }).end(),
  "/round": (response) => response.writeHead(302, { location: "/round" }).end(),
  "/file": (response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
};

let origin;
let elsewhere;
let closed;
let overTls;
let arrived = deferred();
const seen = [];
const servers = [];

/** Starts a server; gives its origin. */
async function listening(server, scheme = "http") {
  // A connection is used once. Where one is kept, Node's fetch has a timer for it that it cannot clear while those are mocked,
  // and throws, outside of any call, when that comes behind the end of the connection.
  server.maxRequestsPerSocket = 1;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return `${scheme}://127.0.0.1:${server.address().port}`;
}

function answer(request, response) {
  seen.push(request);
  request.resume();
  request.on("end", () => {
    const { pathname, searchParams } = new URL(request.url, "http://x");
    const status = /^\/status\/(\d+)$/.exec(pathname)?.[1];
    if (status === undefined) answers[pathname](response);
    else response.writeHead(Number(status), { "content-type": "application/json", ...(searchParams.has("later") && { "retry-after": "1" }) }).end('{"error":{"message":"in its own words"}}');
    arrived.resolve();
  });
}

before(async () => {
  [origin, elsewhere, closed, overTls] = await Promise.all([
    listening(createServer(answer)),
    listening(createServer(answer)),
    listening(createServer()),
    listening(createTlsServer({ key: KEY, cert: CERTIFICATE }, answer), "https"),
  ]);
  await new Promise((done) => servers.find((server) => closed.endsWith(`:${server.address()?.port}`)).close(done));
});

after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const get = (path, more) => ({ url: `${origin}${path}`, ...more });
const post = (path, more) => get(path, { method: "POST", body: { json: {} }, ...more });
const patch = (path) => post(path, { method: "PATCH" });
const statuses = (make, ...numbers) => numbers.map((number) => make(`/status/${number}`));

/** By the first cell of a row: the requests that fail in this way. `waits` has the time pass in which nothing comes. */
const ROWS = {
  "nothing answers at the address": () => [{ url: closed }, { url: closed, method: "POST" }],
  "nobody knows the name": () => [{ url: "http://nobody.invalid/" }, { url: "http://nobody.invalid/", method: "POST" }],
  "the certificate is not trusted": () => [{ url: `${overTls}/json` }, { url: `${overTls}/json`, method: "POST" }],
  "what answers speaks no TLS": () => [{ url: `${origin.replace("http:", "https:")}/json` }, { url: `${origin.replace("http:", "https:")}/json`, method: "POST" }],
  "the connection is closed without an answer": () => [get("/reset")],
  "the connection breaks off before the answer is whole": () => [get("/cut-off")],
  "nothing comes for two minutes, or no more for one": () => [{ http: get("/silent"), waits: 120_000 }, { http: get("/paused"), waits: 60_000 }],
  "one of these three, of `POST` or `PATCH`": () => [post("/reset"), patch("/reset"), post("/cut-off"), { http: post("/silent"), waits: 120_000 }, { http: patch("/paused"), waits: 60_000 }],
  "a redirect to an origin that the request may not go to": () => [get("/there")],
  "a redirect of a body to another origin, to no http(s) address, or the sixth": () => [post("/kept", { origins: [elsewhere] }), get("/file"), get("/round")],
  "401, 403": () => statuses(get, 401, 403),
  "401, 403 with a secret": () => statuses(get, 401, 403).map((http) => ({ ...http, auth: { bearer: { secret: "KEY" } } })),
  402: () => statuses(get, 402),
  "429, 503 with `retry-after`": () => [get("/status/429"), post("/status/429"), get("/status/503?later=1"), post("/status/503?later=1")],
  "408, 425, 5xx but 501": () => statuses(get, 408, 425, 500, 502, 503, 504),
  "the same of `POST` or `PATCH`, what comes of a redirect of theirs, or an answer that cannot be read": () => [...statuses(post, 408, 500, 503), ...statuses(patch, 425, 502), post("/not-json", { response: "json" }), post("/large", { maxBytes: 4096 }), post("/file"), post("/json", { success: "body.b.c > 1" })],
  501: () => statuses(get, 501),
  "404, 410": () => statuses(get, 404, 410),
  405: () => statuses(post, 405),
  413: () => statuses(post, 413),
  "any other 4xx": () => statuses(post, 400, 409, 418, 422),
  "`success` is false": () => [get("/json", { success: "body.a > 1" })],
  "it should be JSON and is not": () => [get("/not-json"), get("/large", { response: "json" })],
  "the body is larger than `maxBytes`, or never ends": () => [get("/large", { maxBytes: 4096 }), get("/endless", { maxBytes: 100_000 })],
  "the body is JSON of more than 1,000,000 values": () => [get("/many")],
};

/** How a request fails. */
async function failure({ http = undefined, waits = 0, ...rest }) {
  const request = http ?? rest;
  arrived = deferred();
  const secrets = { KEY: { value: "canary-12345", origins: [origin] } };
  if (waits > 0) mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() });
  try {
    const running = new Workflow({ name: "w", steps: [{ name: "get", http: request }] }).run({ secrets });
    if (waits > 0) {
      await arrived.promise;
      // The first bytes have to arrive, too.
      for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      mock.timers.tick(waits);
    }
    const { errors } = await running;
    assert.equal(errors.length, 1, `${JSON.stringify(request)} does not fail`);
    return errors[0];
  } finally {
    mock.timers.reset();
  }
}

/** The rows of the table, as the page has them. */
function rowsOf(text) {
  const section = text.slice(text.indexOf("## When it fails"));
  const lines = section.split("\n").filter((line) => line.startsWith("| ")).slice(2);
  return lines.map((line) => {
    const [what, code, isRetried, hint] = line.slice(2, -2).split(" | ");
    return { what, code: code.replaceAll("`", ""), isRetried: isRetried === "yes", hint };
  });
}

const rows = rowsOf(page("docs/requests.md"));

for (const { what, code, isRetried, hint } of rows.filter(({ what }) => !what.startsWith("in a page:"))) {
  test(`${what}: ${code}`, async () => {
    assert.ok(Object.hasOwn(ROWS, what), "no request shows this row");
    for (const request of ROWS[what]()) {
      const error = await failure(request);
      const shown = `${JSON.stringify(request)}: ${error.code}: ${error.message}; ${error.hint}`;
      assert.deepEqual([error.code, error.retryable === true], [code, isRetried], shown);
      assert.ok(error.hint?.includes(hint), shown);
      assert.equal(error.step.name, "get");
      assert.doesNotMatch(shown, /canary/);
    }
  });
}

test("every kind of failure that is tried here is a row of the table", () => {
  assert.deepEqual(Object.keys(ROWS).filter((what) => !rows.some((row) => row.what === what)), []);
});

test("the endpoint's own words are in the message", async () => {
  for (const request of statuses(get, 400, 401, 402, 413, 429, 500)) assert.match((await failure(request)).message, /: in its own words$/);
});
