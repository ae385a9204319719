// Requests against a real server that behaves badly: the table of docs/requests.md, and what must not reach anybody.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, mock, test } from "node:test";
import { customModel, StepweaveError, tool, Workflow } from "stepweave";
import { Workflow as FunctionsWorkflow } from "stepweave/functions";
import { memoryStore } from "stepweave/stores";
import { assertPrograms, page } from "./docs-support.js";
import { deferred, rejection, virtualClock } from "./support.js";

let server;
let other;
let origin;
let elsewhere;
const seen = [];

const answers = {
  "/json": (response) => response.setHeader("content-type", "application/json").end('{"a":1}'),
  "/not-json": (response) => response.setHeader("content-type", "application/json").end("<html>oops</html>"),
  "/html": (response) => response.setHeader("content-type", "text/html").end("<html><head><title>Bees &amp; co</title><style>p{}</style><script>alert(1)</script></head><body><nav>menu</nav><main><h1>Bees</h1><p>They <b>dance</b>.</p><ul><li>one</li></ul></main></body></html>"),
  "/latin": (response) => response.setHeader("content-type", "text/plain; charset=iso-8859-1").end(Buffer.from([0x47, 0x72, 0xf6])),
  "/latin-page": (response) => response.setHeader("content-type", "text/html").end(Buffer.from('<html><head><meta http-equiv="content-type" content="text/html; charset=ISO-8859-1"></head><body><p>Gr\xfc\xdfe</p></body></html>', "latin1")),
  "/latin-xml": (response) => response.setHeader("content-type", "application/xml").end(Buffer.from('<?xml version="1.0" encoding="windows-1252"?><a>Gr\xfc\xdfe</a>', "latin1")),
  "/marked": (response) => response.setHeader("content-type", "text/csv").end(Buffer.from("\ufeffGrüße", "utf16le")),
  "/marked-page": (response) => response.setHeader("content-type", "text/html").end('\ufeff<meta charset="iso-8859-1"><p>Grüße</p>'),
  "/wrong-word": (response) => response.setHeader("content-type", "text/html").end('<meta charset="utf-16"><p>Grüße</p>'),
  "/in-a-form": (response) => response.setHeader("content-type", "text/html").end("<html><body><form><div>All of it</div><button>Send</button></form></body></html>"),
  "/echoes-token": (response, request) => response.end(request.headers.authorization),
  "/titles": (response) => response.setHeader("content-type", "text/html").end("<html><head><title>Job titles and subtitles</title></head><body><p>Text</p></body></html>"),
  "/titles-without-end": (response) => response.setHeader("content-type", "text/html").end("<title".repeat(60_000)),
  "/lists-without-end": (response) => response.setHeader("content-type", "text/html").end("<ul><li>".repeat(80_000)),
  "/tables-without-end": (response) => response.setHeader("content-type", "text/html").end("<table><tr><td>".repeat(60_000)),
  "/tells-the-key": (response) => response.writeHead(302, { location: `ftp://x.example/${"a".repeat(175)}sk-a-key-of-the-site-9876543210` }).end(),
  "/says-the-key": (response) => response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify({ error: "e", error_description: `${"a".repeat(175)}sk-a-key-of-the-site-9876543210` })),
  "/bytes": (response) => response.setHeader("content-type", "image/png").end(Buffer.from([1, 2, 255])),
  "/cookie": (response) => response.setHeader("set-cookie", "session=1").setHeader("x-own", "2").end("ok"),
  "/large": (response) => response.end("x".repeat(5000)),
  "/endless": (response) => {
    const more = () => response.writable && response.write("x".repeat(1000), () => setImmediate(more));
    more();
  },
  "/cut-off": (response) => {
    response.setHeader("content-length", "1000");
    response.write("half");
    setTimeout(() => response.socket.destroy(), 20);
  },
  "/reset": (response) => response.socket.destroy(),
  "/here": (response) => response.writeHead(302, { location: "/json" }).end(),
  "/there": (response) => response.writeHead(302, { location: `${elsewhere}/json` }).end(),
  "/to": (response, { url }) => {
    const [status, target] = url.slice("/to?".length).split("&");
    response.writeHead(Number(status), target === undefined ? {} : { location: decodeURIComponent(target) }).end();
  },
  "/round": (response) => response.writeHead(302, { location: "/round" }).end(),
  "/file": (response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/kept": (response) => response.writeHead(307, { location: `${elsewhere}/json` }).end(),
  "/refused": (response) => response.writeHead(422, { "content-type": "application/json" }).end('{"error":{"message":"name is missing"}}'),
  "/endless-token": (response) => {
    const more = () => response.writable && response.write(" ".repeat(1000), () => setImmediate(more));
    more();
  },
  "/silent": () => {},
  "/failing": (response) => response.writeHead(500).end(),
  "/token": (response) => response.setHeader("content-type", "application/json").end('{"access_token":"token-of-1234567","expires_in":3600}'),
};

function listening(name) {
  return new Promise((resolve) => {
    const one = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      const chunks = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        const { pathname } = new URL(request.url, "http://x");
        seen.push({ server: name, method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
        (answers[pathname] ?? ((it) => it.writeHead(404).end()))(response, request);
      });
    });
    // A connection is used once: Node's fetch cannot clear its timer of one that is kept while timers are mocked, and throws behind its end.
    one.maxRequestsPerSocket = 1;
    one.listen(0, "127.0.0.1", () => resolve(one));
  });
}

before(async () => {
  [server, other] = await Promise.all([listening("one"), listening("other")]);
  origin = `http://127.0.0.1:${server.address().port}`;
  elsewhere = `http://127.0.0.1:${other.address().port}`;
});

after(() => {
  for (const one of [server, other]) {
    one.closeAllConnections();
    one.close();
  }
});

/** What a request of code comes to. */
async function get(http, options, more) {
  seen.length = 0;
  const { state, errors, warnings, status } = await new Workflow({ name: "w", steps: [{ name: "get", http, ...more }] }).run(options);
  return { status, output: state.get_output, error: errors[0], warnings };
}

async function fails(http, code, message, options, more) {
  const { error } = await get(http, options, more);
  assert.equal(error?.code, code, `${http.url}: ${error?.code} ${error?.message}`);
  assert.match(error.message, message);
  assert.ok(error.hint, `no hint: ${error.message}`);
  assert.equal(error.step.name, "get");
  return error;
}

test("bodies come as their content type says, or as the request wants them", async () => {
  const output = async (http) => (await get(http)).output;
  assert.deepEqual(await output({ url: `${origin}/json` }), { a: 1 });
  assert.equal(await output({ url: `${origin}/json`, response: "text" }), '{"a":1}');
  assert.equal(await output({ url: `${origin}/latin` }), "Grö");
  for (const path of ["latin-page", "marked-page", "wrong-word"]) {
    assert.equal(await output({ url: `${origin}/${path}`, response: "readable" }), "Grüße", path);
    assert.match(await output({ url: `${origin}/${path}` }), /<p>Grüße/, path);
  }
  assert.match(await output({ url: `${origin}/latin-xml` }), /<a>Grüße/);
  assert.equal(await output({ url: `${origin}/marked` }), "Grüße");
  assert.deepEqual(await output({ url: `${origin}/bytes` }), { mediaType: "image/png", data: "AQL/" });
  assert.equal(await output({ url: `${origin}/json`, method: "HEAD", result: "status" }), 200);
  const readable = await output({ url: `${origin}/html`, response: "readable" });
  assert.match(readable, /^Bees & co\n\nBees\n+They dance\.\n+ \* one$/);
  assert.equal(await output({ url: `${origin}/in-a-form`, response: "readable" }), "All of it");
  assert.equal(await output({ url: `${origin}/titles`, response: "readable" }), "Job titles and subtitles\n\nText");
  // Each takes the square of its size, or more, where it is read to its end: half a minute.
  for (const path of ["titles-without-end", "lists-without-end", "tables-without-end"]) {
    assert.equal(typeof (await output({ url: `${origin}/${path}`, response: "readable" })), "string", path);
  }
});

test("cookies stay outside, and nothing says who asks", async () => {
  const { output } = await get({ url: `${origin}/cookie`, result: "headers" });
  assert.equal(output["set-cookie"], undefined);
  assert.equal(output["x-own"], "2");
  assert.equal(seen[0].headers.referer, undefined);
  assert.equal(seen[0].headers.cookie, undefined);
});

test("what goes wrong has a code and a hint", async () => {
  const closed = await listening("closed");
  const { port } = closed.address();
  await new Promise((resolve) => closed.close(resolve));
  const down = await fails({ url: `http://127.0.0.1:${port}/` }, "network", /could not be reached/);
  assert.match(down.hint, /nothing answers/);
  assert.equal(down.retryable, true);
  await fails({ url: `https://127.0.0.1:${server.address().port}/` }, "network", /could not be reached/);
  await fails({ url: "http://nobody.invalid/" }, "network", /could not be reached/);
  await fails({ url: `${origin}/missing` }, "validation", /\/missing is not there \(status 404\)/);
  await fails({ url: `${origin}/refused` }, "validation", /status 422\): name is missing/);
  await fails({ url: `${origin}/not-json` }, "validation", /no JSON \(application\/json\): <html>oops/);
  await fails({ url: `${origin}/large`, maxBytes: 4096 }, "limit", /more than 4096 bytes/);
  await fails({ url: `${origin}/endless`, maxBytes: 100_000 }, "limit", /more than 100000 bytes/);
  const cut = await fails({ url: `${origin}/cut-off` }, "network", /broke off/);
  assert.equal(cut.retryable, true);
  await fails({ url: `${origin}/reset` }, "network", /could not be reached/);
  await fails({ url: "{{ 'ftp://x' }}", origins: "any" }, "validation", /not to an http/);
  await fails({ url: "{{ 'http://a:b@127.0.0.1/' }}", origins: "any" }, "validation", /has a user/);
});

test("redirects are followed where they may go, and take nothing along to another origin", async () => {
  assert.deepEqual((await get({ url: `${origin}/here` })).output, { a: 1 });
  await fails({ url: `${origin}/round` }, "network", /more than 5 times/);
  assert.equal(seen.length, 6);
  await fails({ url: `${origin}/file` }, "network", /redirects to file:/);
  await fails({ url: `${origin}/there` }, "network", /nothing was sent to http/);
  assert.ok(seen.every((one) => one.server === "one"));
  const secrets = { KEY: { value: "canary-12345", origins: [origin] } };
  const http = { url: `${origin}/there`, origins: [elsewhere], headers: { "x-own": "1" }, auth: { bearer: { secret: "KEY" } } };
  assert.deepEqual((await get(http, { secrets })).output, { a: 1 });
  assert.equal(seen[0].headers.authorization, "Bearer canary-12345");
  const [, second] = seen;
  assert.equal(second.server, "other");
  assert.equal(second.headers.authorization, undefined);
  assert.equal(second.headers["x-own"], undefined);
  await fails({ url: `${origin}/kept`, origins: [elsewhere], body: { text: "secret" } }, "network", /another origin/);
  assert.ok(seen.every((one) => one.server === "one"));
});

/** What arrives behind a redirect of this status for a request with this method, by its own name. */
const REDIRECTS = {
  GET: { 301: "GET", 302: "GET", 303: "GET", 307: "GET", 308: "GET" },
  HEAD: { 301: "HEAD", 302: "HEAD", 303: "HEAD", 307: "HEAD", 308: "HEAD" },
  POST: { 301: "GET", 302: "GET", 303: "GET", 307: "POST", 308: "POST" },
  PUT: { 301: "PUT", 302: "PUT", 303: "GET", 307: "PUT", 308: "PUT" },
  PATCH: { 301: "PATCH", 302: "PATCH", 303: "GET", 307: "PATCH", 308: "PATCH" },
  DELETE: { 301: "DELETE", 302: "DELETE", 303: "GET", 307: "DELETE", 308: "DELETE" },
};

test("each redirect keeps of a request what its status and its origin let it keep", async () => {
  const secrets = { KEY: { value: "canary-12345", origins: [origin] } };
  const headers = { accept: "text/plain", "accept-language": "de", range: "bytes=0-", "user-agent": "own", "x-own": "1", "content-language": "de" };
  for (const [method, statuses] of Object.entries(REDIRECTS)) {
    const isRead = method === "GET" || method === "HEAD";
    const body = isRead ? undefined : { text: "content", type: "text/plain" };
    for (const [status, becomes] of Object.entries(statuses)) {
      for (const [where, target] of [["one", origin], ["other", elsewhere]]) {
        const what = `${method} ${status} to ${where}`;
        const http = { url: `${origin}/to?${status}&${encodeURIComponent(`${target}/json`)}`, method, headers, origins: [elsewhere], auth: { bearer: { secret: "KEY" } }, ...(body && { body }), result: "status" };
        const { output, error } = await get(http, { secrets });
        const isOther = where === "other";
        const takesBody = body !== undefined && becomes === method;
        if (isOther && takesBody) {
          // Only 307 and 308 say that nothing was done yet.
          const isPerhapsDone = method === "PATCH" && status < "307";
          assert.deepEqual([error.code, error.retryable, seen.length], [isPerhapsDone ? "unknown_outcome" : "network", false, 1], what);
          assert.match(error.message, /another origin/, what);
          continue;
        }
        assert.deepEqual([error, output, seen.length], [undefined, 200, 2], what);
        const [first, second] = seen;
        assert.deepEqual([second.server, second.method, second.body], [where, becomes, takesBody ? "content" : ""], what);
        const kept = (names, of) => names.map((name) => of.headers[name]);
        // Nothing in these says who asks.
        const harmless = ["accept", "accept-language", "range", "user-agent"];
        assert.deepEqual(kept(harmless, second), kept(harmless, first), what);
        const own = ["x-own", "authorization"];
        assert.deepEqual(kept(own, second), isOther ? [undefined, undefined] : kept(own, first), what);
        const ofBody = ["content-type", "content-language", "idempotency-key"];
        const isKept = !isOther && (isRead || takesBody);
        assert.deepEqual(kept(ofBody, second), isKept ? kept(ofBody, first) : ofBody.map(() => undefined), what);
      }
    }
  }
});

test("a small page makes no large table", async () => {
  const cells = (many, span) => `<table><tr>${`<td ${span}>x</td>`.repeat(many)}</tr></table>`;
  const tables = [cells(1, 'colspan="100000000"'), cells(1, 'rowspan="100000000"'), cells(1000, 'colspan="1000"'), `<table>${'<tr><td rowspan="1000" colspan="1000">x</td></tr>'.repeat(300)}</table>`, cells(2, 'colspan="-5" rowspan="1e9"')];
  for (const table of tables) {
    const fetch = async () => new Response(table, { headers: { "content-type": "text/html" } });
    const { output } = await get({ url: "https://page.example/", response: "readable" }, { fetch });
    assert.match(output, /^x/);
  }
  const spanned = '<table><tr><th colspan="2">Bees</th><th>Wasps</th></tr><tr><td>a</td><td>b</td><td>c</td></tr></table>';
  const { output } = await get({ url: "https://page.example/", response: "readable" }, { fetch: async () => new Response(spanned, { headers: { "content-type": "text/html" } }) });
  assert.equal(output, "Bees    Wasps\na   b   c");
});

test("the key in a query takes the place of one that a link to the next page holds", async () => {
  const addresses = [];
  const pages = [{ items: [1], next: "https://api.example/l?api_key=canary-12345&page=2&q=a%20b" }, { items: [2], next: null }];
  const fetch = async (url) => (addresses.push(url), Response.json(pages[addresses.length - 1]));
  const http = { url: "https://api.example/l", auth: { query: { name: "api_key", value: { secret: "KEY" } } }, pages: { next: "body.next", items: "body.items", max: 3 } };
  const { output, error } = await get(http, { fetch, secrets: { KEY: { value: "canary-12345", origins: ["https://api.example"] } } });
  assert.deepEqual([output, error], [[1, 2], undefined]);
  assert.equal(addresses[1], "https://api.example/l?page=2&q=a%20b&api_key=canary-12345");
});

test("nothing of an answer that is no JSON stays in the cause of its error", async () => {
  const { error } = await get({ url: "https://api.example/" , response: "json" }, { fetch: async () => new Response('{"key": canary-12345-canary}'), secrets: { KEY: { value: "canary-12345-canary", origins: ["https://api.example"] } } });
  assert.equal(error.cause, undefined);
  assert.ok(!JSON.stringify(error).includes("canary-1"));
});

test("a name and a password in the address of a redirect are in no error", async () => {
  const target = encodeURIComponent(`${elsewhere.replace("//", "//ann:hunter2@")}/json?q=1`);
  const error = await fails({ url: `${origin}/to?302&${target}`, origins: [elsewhere] }, "network", /redirects to http:\/\/127\.0\.0\.1:\d+\/json, which holds a name or a password/);
  assert.ok(!JSON.stringify(error ?? {}).includes("hunter2"));
});

test("an answer with a status of redirects that leads nowhere is an answer", async () => {
  for (const status of [300, 304, 305, 302]) {
    const { output, error } = await get({ url: `${origin}/to?${status}`, success: "true", result: "status" });
    assert.deepEqual([error, output, seen.length], [undefined, status, 1]);
  }
});

test("where data says the address, private ones are refused on servers", async () => {
  await fails({ url: "{{ url }}", origins: "any" }, "network", /this machine or in its own network/, { state: { url: `${origin}/json` } });
  assert.equal(seen.length, 0);
  const allowed = await get({ url: "{{ url }}", origins: "any" }, { state: { url: `${origin}/json` }, allowOrigins: [origin] });
  assert.deepEqual(allowed.output, { a: 1 });
  const document = { version: 1, name: "d", steps: [{ id: "s", type: "http", name: "get", http: { url: `${origin}/json` } }] };
  const { errors } = await Workflow.fromDocument(document).run();
  assert.match(errors[0].message, /this machine or in its own network/);
});

test("a secret in a query is in no event, error or journal", async () => {
  const secrets = { KEY: { value: "canary-12345", origins: [origin] } };
  const events = [];
  const workflow = new Workflow({ name: "w", steps: [{ name: "get", http: { url: `${origin}/missing?a=1`, auth: { query: { name: "key", value: { secret: "KEY" } } } } }] });
  const run = workflow.start({ secrets, journal: true });
  for await (const event of run.events) events.push(event);
  const result = await run.result;
  assert.equal(seen.at(-1).url, "/missing?a=1&key=canary-12345");
  assert.ok(!JSON.stringify([events, result]).includes("canary-12345"));
});

test("forms with files and client credentials are written as servers read them", async () => {
  const secrets = { KEY: { value: "canary-12345", origins: [origin] } };
  const multipart = [{ name: "note", text: "No. {{ id }}" }, { name: "file", file: "file", filename: "a.txt", type: "text/plain" }];
  await get({ url: `${origin}/json`, body: { multipart }, auth: { oauth2: { tokenUrl: `${origin}/token`, clientId: "me", clientSecret: { secret: "KEY" }, scope: "read" } } }, { secrets, state: { id: 7, file: { mediaType: "text/plain", data: "aGk=" } } });
  const [token, sent] = seen;
  assert.equal(token.url, "/token");
  assert.deepEqual(Object.fromEntries(new URLSearchParams(token.body)), { grant_type: "client_credentials", client_id: "me", client_secret: "canary-12345", scope: "read" });
  assert.equal(sent.headers.authorization, "Bearer token-of-1234567");
  assert.match(sent.headers["content-type"], /^multipart\/form-data; ?boundary=/);
  assert.match(sent.body, /name="note"\r\n\r\nNo\. 7\r\n/);
  assert.match(sent.body, /name="file"; filename="a\.txt"\r\ncontent-type: text\/plain\r\n\r\nhi\r\n/i);
});

test("a list of values is one line of a header, and two spellings of one are a problem", async () => {
  await get({ url: `${origin}/json`, headers: { accept: "{{ wanted }}" } }, { state: { wanted: ["text/html", "text/plain"] } });
  assert.equal(seen[0].headers.accept, "text/html, text/plain");
  const { message } = await rejection(get({ url: `${origin}/json`, headers: { "X-Own": "1", "x-own": "2" } }));
  assert.match(message, /has the header `X-Own` once more as `x-own`/);
});

test("an answer without a body is null, and an empty text or no bytes where that is asked for", async () => {
  const fetch = async () => new Response(null, { headers: { "content-type": "text/csv" } });
  const empty = async (response) => (await get({ url: "https://api.example/x", ...(response !== undefined && { response }) }, { fetch })).output;
  assert.deepEqual([await empty(), await empty("json"), await empty("text"), await empty("readable")], [null, null, "", ""]);
  assert.deepEqual(await empty("bytes"), { mediaType: "text/csv", data: "" });
});

test("Response.error() of a fetch of one's own is a connection that failed", async () => {
  const fetch = async () => Response.error();
  const error = async (http) => {
    const { code, message, retryable } = (await get({ url: "https://api.example/x", ...http }, { fetch })).error;
    return [code, message.includes("Response.error()"), retryable];
  };
  assert.deepEqual(await error({}), ["network", true, true]);
  assert.deepEqual(await error({ body: { json: {} } }), ["unknown_outcome", true, false]);
});

test("a file that was read keeps its name in a form, and one that is a text says what to send of it", async () => {
  const sent = (file) => get({ url: `${origin}/json`, body: { multipart: [{ name: "f", file: "file" }] } }, { state: { file } });
  assert.equal((await sent({ type: "image", name: "bee.png", mediaType: "image/png", data: "iVBORw0KGgo=" })).status, "done");
  assert.match(seen[0].body, /name="f"; filename="bee\.png"\r\ncontent-type: image\/png/i);
  await sent({ mediaType: "image/png", data: "iVBORw0KGgo=" });
  assert.match(seen[0].body, /name="f"; filename="f"/);
  const { error } = await sent({ type: "text", name: "bees.md", mediaType: "text/markdown", text: "# Bees" });
  assert.deepEqual([error.message, /write `\.text` behind it/.test(error.hint)], ["the file of the field `f` is no file", true]);
});

test("a private origin that data leads to is reached where the request's own secret is bound to it, and by no other secret", async () => {
  const document = (more) => ({ version: 1, name: "d", initialState: { u: `${origin}/json` }, steps: [{ id: "q", type: "http", name: "q", http: { url: "{{ u }}", origins: [origin], ...more } }] });
  const secrets = { KEY: { value: "canary-12345", origins: [origin] } };
  const outcome = async (workflow, options) => (await workflow.run(options)).errors[0]?.code;
  const auth = { bearer: { secret: "KEY" } };
  assert.equal(await outcome(Workflow.fromDocument(document()), { secrets }), "network");
  assert.equal(await outcome(Workflow.fromDocument(document({ url: `${origin}/json` })), { secrets }), "network");
  assert.equal(await outcome(Workflow.fromDocument(document({ auth })), { secrets }), undefined);
  assert.equal(await outcome(Workflow.fromDocument(document()), { secrets, allowOrigins: [origin] }), undefined);
  assert.equal(await outcome(new Workflow({ name: "w", initialState: { u: `${origin}/json` }, steps: [{ name: "q", http: { url: "{{ u }}", origins: [origin] } }] }), {}), undefined);
});

test("a token is hidden however short the secret is that bought it", async () => {
  const secrets = { KEY: { value: "short", origins: [origin] } };
  const http = { url: `${origin}/echoes-token`, auth: { oauth2: { tokenUrl: `${origin}/token`, clientId: "me", clientSecret: { secret: "KEY" } } } };
  const { output } = await get(http, { secrets });
  assert.doesNotMatch(output, /token-of-1234567/);
});

test("requests at once share a token; who gives up takes it from nobody, and one that failed is fetched again", async () => {
  const secrets = { KEY: { value: "canary-12345", origins: [origin] } };
  const auth = { oauth2: { tokenUrl: `${origin}/token`, clientId: "me", clientSecret: { secret: "KEY" } } };
  const step = (name, more, scope) => ({ name, required: false, http: { url: `${origin}/json`, auth: { oauth2: { ...auth.oauth2, ...scope } } }, ...more });
  const parallel = (...steps) => new Workflow({ name: "w", retryPolicy: { backoffMs: 1 }, steps: [{ name: "all", parallel: steps }] });
  const calls = [];
  /** Answers for a token what the function gives for this call of it. */
  const fetch = (answer) => async (url, { signal, body }) => {
    if (!url.endsWith("/token")) return Response.json(calls.length);
    calls.push(new URLSearchParams(body).get("scope"));
    return answer(calls.length, signal);
  };
  const token = () => Response.json({ access_token: "token-of-1234567" });
  const names = [1, 2, 3, 4, 5, 6, 7, 8];
  const shared = await parallel(...names.map((name) => step(`s${name}`, {}, name === 8 ? { scope: "other" } : {}))).run({ secrets, fetch: fetch(token) });
  assert.deepEqual([shared.errors, calls.length, calls.includes("other")], [[], 2, true]);

  calls.length = 0;
  const failing = await parallel(...names.map((name) => step(`s${name}`, { retryCount: 1 }))).run({ secrets, fetch: fetch((call) => (call === 1 ? new Response("", { status: 503 }) : token())) });
  assert.deepEqual([failing.errors, calls.length], [[], 2]);

  calls.length = 0;
  const isLate = deferred();
  let signalOfToken;
  const leaving = parallel(step("late", { timeoutMs: 20 }), step("patient")).start({ secrets, fetch: fetch(async (_, signal) => ((signalOfToken = signal), await isLate.promise, token())) });
  for await (const { type, step: who } of leaving.events) if (type === "step.error" && who?.name === "late") isLate.resolve();
  const left = await leaving.result;
  assert.deepEqual([left.errors.map(({ code }) => code), left.state.patient_output, calls.length, signalOfToken.aborted], [["timeout"], 1, 1, false]);

  calls.length = 0;
  const lonely = await parallel(step("late", { timeoutMs: 20 })).run({ secrets, fetch: fetch((_, signal) => ((signalOfToken = signal), new Promise(() => {}))) });
  assert.deepEqual([lonely.errors[0].code, signalOfToken.aborted], ["timeout", true]);
});

test("what gives no token is read no further than a token is long, and waited for no longer than a minute", async () => {
  const secrets = { KEY: { value: "canary-12345", origins: [origin] } };
  const bought = (path) => ({ url: `${origin}/json`, auth: { oauth2: { tokenUrl: origin + path, clientId: "me", clientSecret: { secret: "KEY" } } } });
  await fails(bought("/endless-token"), "limit", /gave no token: its answer has more than 65536 bytes/, { secrets });
  await fails(bought("/refused"), "auth", /gave no token \(status 422\)/, { secrets });
  // A key that stands where a quotation is cut is hidden before it is cut.
  const whole = { KEY: { value: "sk-a-key-of-the-site-9876543210", origins: [origin] } };
  for (const http of [bought("/says-the-key"), { url: `${origin}/tells-the-key` }]) {
    const { error } = await get(http, { secrets: whole });
    assert.doesNotMatch(JSON.stringify(error), /sk-a-key/, error.message);
  }
  await fails(bought("/there"), "auth", /gave no token \(status 302\)/, { secrets });
  await fails(bought("/reset"), "network", /gave no token: it could not be reached/, { secrets });
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() });
  try {
    const running = fails(bought("/silent"), "timeout", /sent nothing for 60000 ms/, { secrets });
    while (seen.every(({ url }) => url !== "/silent")) await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(60_000);
    await running;
  } finally {
    mock.timers.reset();
  }
  assert.ok(seen.every(({ url }) => url !== "/json"));
});

test("somebody may decide about each origin, and takes as long as they like", async () => {
  const origins = [];
  const yes = deferred();
  const mayReach = (one) => (origins.push(one), one === origin ? yes.promise : false);
  const reaching = { allowOrigins: [origin, elsewhere], mayReach };
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() });
  try {
    const running = get({ url: "{{ url }}", origins: "any" }, { ...reaching, state: { url: `${origin}/json` } });
    while (origins.length === 0) await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(3_600_000);
    yes.resolve(true);
    assert.deepEqual((await running).output, { a: 1 });
  } finally {
    mock.timers.reset();
  }
  const refused = await fails({ url: "{{ url }}", origins: "any" }, "network", /nothing was sent: this run may not send anything to/, { ...reaching, state: { url: `${elsewhere}/json` } });
  assert.equal(refused.retryable, false);
  assert.equal(seen.length, 0);
  // A redirect is one request more. What code itself has named is nobody's question.
  await fails({ url: "{{ url }}", origins: "any" }, "network", /nothing was sent/, { ...reaching, state: { url: `${origin}/there` } });
  assert.deepEqual([origins, seen.map(({ server }) => server)], [[origin, elsewhere, origin, elsewhere], ["one"]]);
  assert.deepEqual((await get({ url: `${origin}/json` }, { mayReach: () => assert.fail("called") })).output, { a: 1 });
  assert.match((await rejection(new Workflow({ name: "w", steps: [] }).run({ mayReach: true }))).message, /`mayReach` of a run is no function/);
});

test("an option that decides and throws is named as what threw", async () => {
  const throws = () => {
    throw new Error("boom");
  };
  const http = { url: `${origin}/json` };
  for (const [option, request, more] of [["mayReach", { url: "{{ url }}", origins: "any" }, { state: { url: http.url }, allowOrigins: [origin] }], ["relay", http, {}]]) {
    const error = await fails(request, "handler", new RegExp(`^the option \`${option}\` threw: boom$`), { ...more, [option]: throws });
    assert.match(error.hint, new RegExp(`passed as \`${option}\``));
    assert.equal(error.cause.message, "boom");
  }
  const own = await fails(http, "auth", /^ask later$/, { relay: () => Promise.reject(new StepweaveError("auth", "ask later", { hint: "later" })) });
  assert.equal(own.hint, "later");
});

test("a tool's request that may have been carried out ends the step: no model may send it again", async () => {
  let turns = 0;
  const model = customModel("eager", () => ((turns += 1), [{ type: "toolCall", id: "c1", name: "pay", input: {} }]));
  const document = (needsApproval) => ({
    version: 1, name: "w", retryPolicy: { maxRetries: 3, backoffMs: 1 },
    models: { m: { provider: "custom", model: "eager" }, other: { provider: "custom", model: "eager" } },
    agents: { a: { model: "m", fallbacks: ["other"], tools: ["pay"] } },
    tools: { pay: { description: "Pays.", ...needsApproval, run: { http: { url: `${origin}/reset`, body: { json: { sum: 3 } } } } } },
    steps: [{ id: "s", type: "agent", name: "shop", agent: "a", inputFrom: "Pay." }],
  });
  seen.length = 0;
  const workflow = Workflow.fromDocument(document({ needsApproval: false }), { models: { eager: model } });
  const options = { allowOrigins: [origin] };
  const broken = await workflow.run({ ...options, journal: true });
  assert.deepEqual([broken.status, broken.errors[0].code, broken.errors[0].retryable, broken.errors[0].step.name], ["error", "unknown_outcome", false, "shop"]);
  assert.match(broken.errors[0].hint, /look at the endpoint/);
  assert.deepEqual([turns, seen.length], [1, 1]);
  const again = await workflow.run({ ...options, journal: JSON.parse(JSON.stringify(broken.journal)) });
  assert.deepEqual([again.errors[0].code, turns, seen.length], ["unknown_outcome", 1, 1]);
  // Its key is the call's own.
  assert.match(seen[0].headers["idempotency-key"], /\/s\/c1$/);
  const asking = Workflow.fromDocument(document(), { models: { eager: model } });
  const { status, pending, journal } = await asking.run({ ...options, journal: true });
  assert.deepEqual([status, seen.length], ["suspended", 1]);
  const approved = await asking.run({ ...options, journal, answers: { [pending[0].key]: true } });
  assert.deepEqual([approved.errors[0].code, seen.length], ["unknown_outcome", 2]);
});

test("a request that may have been carried out is not sent again by itself", async () => {
  const post = { url: `${origin}/reset`, body: { json: {} } };
  const error = await fails(post, "unknown_outcome", /nobody knows whether POST/, {}, { retryCount: 3 });
  assert.equal(error.retryable, false);
  assert.equal(seen.length, 1);
  const key = seen[0].headers["idempotency-key"];
  assert.ok(key);
  const skipped = await get(post, {}, { onUnknown: "skip" });
  assert.deepEqual([skipped.status, skipped.output, skipped.warnings[0].code, seen.length], ["done", null, "unknown_outcome", 1]);
  for (const [retries, attempts] of [[undefined, 2], [0, 2], [1, 2], [2, 3]]) {
    const { error: last } = await get(post, { clock: virtualClock() }, { onUnknown: "retry", retryCount: retries });
    assert.deepEqual([seen.length, last.code], [attempts, "unknown_outcome"]);
    assert.equal(seen[0].headers["idempotency-key"], seen[1].headers["idempotency-key"]);
    assert.doesNotMatch(last.hint, /set its onUnknown/);
  }
  // An endpoint that fails does not say how far it came.
  const failing = await get({ url: `${origin}/failing`, body: { json: {} } }, { clock: virtualClock() }, { onUnknown: "retry" });
  assert.deepEqual([failing.error.code, seen.length], ["unknown_outcome", 2]);
  // What a time limit cuts short is lost too.
  const late = await get({ url: `${origin}/silent`, body: { json: {} } }, {}, { onUnknown: "retry", timeoutMs: 1000 });
  assert.deepEqual([late.error.code, seen.length], ["unknown_outcome", 2]);
});

test("an endpoint that says to come back in years is not called again at once, and holds nobody for longer than a retry waits", async () => {
  const clock = virtualClock();
  const sent = [];
  const fetch = async () => (sent.push(clock.now()), new Response("", { status: 429, headers: { "retry-after": "99999999999" } }));
  const step = (name) => ({ name, http: { url: "https://busy.example/" }, retryCount: 2, required: false });
  const { errors } = await new Workflow({ name: "w", steps: [step("first"), step("second")] }).run({ fetch, clock });
  assert.deepEqual(sent, [1000, 1000 + 60_000]);
  assert.deepEqual(errors.map(({ code }) => code), ["rate_limit", "rate_limit"]);
  assert.match(errors[0].hint, /come back in 1000000000 s, and a retryPolicy waits for 60 s at most: resume the run then, or raise maxBackoffMs/);
});

test("a run that was broken off between a request and its answer does not send it again", async () => {
  const store = memoryStore();
  let reached;
  const arrived = new Promise((resolve) => (reached = resolve));
  let sent = 0;
  const hanging = (_, { signal }) => new Promise((_, fail) => {
    sent += 1;
    reached();
    signal.addEventListener("abort", () => fail(signal.reason));
  });
  const steps = (more) => [{ name: "pay", http: { url: "https://pay.example/pay", body: { json: { sum: "{{ sum }}" } } }, ...more }, { name: "after", run: { set: { after: "1" } } }];
  const make = (more) => new Workflow({ name: "w", initialState: { sum: 3 }, steps: steps(more) });
  const broken = new Workflow({ name: "w", initialState: { sum: 3 }, steps: steps() }).start({ store, fetch: hanging });
  await arrived;
  broken.cancel();
  await broken.result.catch(() => {});
  const recorded = await store.load(broken.id);
  const answering = async () => ((sent += 1), Response.json("paid"));
  const taken = () => ({ journal: { version: 2, id: broken.id, entries: recorded.entries.filter(({ key }) => key !== "end") }, fetch: answering });
  const resumed = await make().run(taken());
  assert.equal(resumed.errors[0].code, "unknown_outcome");
  assert.equal(sent, 1);
  const skipped = await make({ onUnknown: "skip" }).run(taken());
  assert.deepEqual([skipped.status, skipped.state.pay_output, skipped.state.after, sent], ["done", null, 1, 1]);
  const retried = await make({ onUnknown: "retry" }).run(taken());
  assert.deepEqual([retried.status, retried.state.pay_output, sent], ["done", "paid", 2]);
});

test("a tool in TypeScript may be a request, and the engine of functions sends none", async () => {
  const user = tool({ name: "user", input: { type: "object", properties: { id: { type: "string" } } }, http: { url: "https://api.example/{{ id }}" } });
  assert.equal(user.needsApproval, undefined);
  assert.throws(() => tool({ name: "both", execute: () => 1, http: { url: "https://a.example" } }), ({ code, message }) => code === "validation" && /a request and a function/.test(message));
  assert.throws(() => new FunctionsWorkflow({ name: "f", steps: [{ name: "get", http: { url: "https://a.example" } }] }), (error) => error instanceof StepweaveError && error.code === "document" && /from "stepweave"/.test(error.hint));
});

test("the page of requests shows what its program prints", () => assertPrograms(page("docs/requests.md")));

test("a token endpoint that is busy is waited for as it says, and one that fails is tried again", async () => {
  const auth = { oauth2: { tokenUrl: "https://login.example/token", clientId: "c", clientSecret: { secret: "KEY" } } };
  const secrets = { KEY: { value: "canary-12345", origins: ["https://api.example", "https://login.example"] } };
  const waits = [];
  const clock = { now: () => 0, sleep: async (ms) => void waits.push(ms) };
  const run = (response, maxRetries = 1) => {
    let tokens = 0;
    const fetch = async (url) => (url.endsWith("/token") ? ((tokens += 1) === 1 ? response() : Response.json({ access_token: "token-of-1234567" })) : Response.json("there"));
    return new Workflow({ name: "w", retryPolicy: { maxRetries, backoffMs: 7 }, steps: [{ name: "s", http: { url: "https://api.example/x", auth } }] }).run({ secrets, fetch, clock });
  };
  const cases = [
    [429, { "retry-after": "3" }, "rate_limit", [3000]],
    [503, { "retry-after": "2" }, "rate_limit", [2000]],
    [429, {}, "rate_limit", [7]],
    [429, { "retry-after": "soon" }, "rate_limit", [7]],
    [500, {}, "network", [7]],
    [503, {}, "network", [7]],
  ];
  for (const [status, headers, code, expected] of cases) {
    waits.length = 0;
    const response = () => new Response("", { status, headers });
    assert.equal((await run(response)).state.s_output, "there", `${status}`);
    assert.deepEqual(waits, expected, `${status} ${JSON.stringify(headers)}`);
    const { error } = await run(response, 0);
    assert.deepEqual([error.code, error.retryable, error.message], [code, true, `https://login.example gave no token (status ${status})`]);
  }
  const { error } = await run(() => new Response("", { status: 400 }));
  assert.deepEqual([error.code, error.retryable], ["auth", false]);
  // Following the hint of a secret that is missing is enough.
  const missing = await new Workflow({ name: "w", steps: [{ name: "s", http: { url: "https://api.example/x", auth } }] }).run();
  assert.equal(missing.error.hint, 'pass it where the run starts: secrets: { KEY: { value: "…", origins: ["https://api.example","https://login.example"] } }');
});

test("a GET whose answer could not be used is sent again by a run that is taken up; a POST is not", async () => {
  for (const [what, step] of [["success", { success: "body.v | default(0) == 1" }], ["result", { result: "body.v" }], ["output", {}]]) {
    for (const method of ["GET", "POST"]) {
      let body = {};
      const sent = [];
      const output = what === "output" ? { output: { type: "object", required: ["v"] } } : {};
      const make = () => new Workflow({ name: "w", steps: [{ name: "g", http: { url: "https://api.example/x", method, ...step }, ...output }] });
      const options = { fetch: async () => (sent.push(1), Response.json(body)) };
      const first = await make().run({ ...options, journal: true });
      assert.equal(first.status, "error");
      body = { v: 1 };
      const second = await make().run({ ...options, journal: first.journal });
      // What `success` refuses was not done.
      const expected = method === "GET" || what === "success" ? ["done", 2] : ["error", 1];
      assert.deepEqual([second.status, sent.length], expected, `${method}, ${what}`);
      const third = await make().run({ ...options, journal: second.journal, replay: "strict" });
      assert.equal(third.status, second.status, `${what}, replayed`);
    }
  }
});
