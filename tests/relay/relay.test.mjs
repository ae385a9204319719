// The relay, in Node beside the builder and in workerd, against real sites on real sockets.
import assert from "node:assert/strict";
import dns from "node:dns";
import { request as rawRequest } from "node:http";
import { connect } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Miniflare } from "miniflare";
import { bundled } from "../edge/worker.mjs";
import { HOSTS, workerSettings } from "./hosts.mjs";
import { startSite } from "./site.mjs";

const MEGABYTE = 2 ** 20;
const PACKED = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

/** What the sites answer, by the path. */
const answers = {
  "/plain": (request, response) => response.writeHead(203, { "content-type": "text/plain", "x-own": "ü and \"quotes\"", "set-cookie": "a=1", "proxy-authenticate": "Basic" }).end("hello"),
  "/echo": (request, response) => response.end(JSON.stringify({ method: request.method, headers: request.headers, body: request.text })),
  "/empty": (request, response) => response.writeHead(204).end(),
  "/broken": (request, response) => response.writeHead(500, { "content-type": "application/json" }).end('{"oops":true}'),
  "/cut": (request, response) => {
    response.write("one");
    setTimeout(() => response.destroy(), 20);
  },
  "/packed": (request, response) => {
    const coding = request.url.split("?")[1];
    response.writeHead(200, { "content-encoding": coding }).end(PACKED[coding]("unpacked"));
  },
  "/announced": (request, response) => response.writeHead(200, { "content-length": 33 * MEGABYTE }).write("x"),
  "/endless": (request, response) => {
    const piece = Buffer.alloc(MEGABYTE);
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  },
  "/silent": () => {},
  "/away": (request, response) => {
    const [, status, to] = /\?(\d+),(.*)/.exec(request.url);
    response.writeHead(status, { location: to }).end("moved");
  },
  "/round": (request, response) => response.writeHead(302, { location: `/round?${Number(request.url.split("?")[1] ?? 0) + 1}` }).end(),
};

/** The pieces of an answer's body, and why it broke off, if it did. What ends without saying so is neither. */
async function unframed(response) {
  const pieces = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of response.body) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4) {
      const length = rest.readUInt32BE();
      if (length === 0) return { pieces };
      if (length === 0xffffffff || rest.length < 4 + length) break;
      pieces.push(rest.subarray(4, 4 + length));
      rest = rest.subarray(4 + length);
    }
  }
  if (rest.readUInt32BE() !== 0xffffffff) throw new Error("the answer ended without an end");
  return { pieces, broken: JSON.parse(rest.subarray(4)) };
}

for (const [name, start] of Object.entries(HOSTS)) describe(`in ${name}`, () => inHost(name, start));

function inHost(name, start) {
  let site, other, hidden, relay;
  before(async () => {
    const answer = (request, response) => (answers[request.url.split("?")[0]] ?? answers["/broken"])(request, response);
    [site, other, hidden] = await Promise.all([startSite(answer), startSite(answer), startSite(answer)]);
    relay = await start([site.origin, other.origin]);
  });
  after(() => Promise.all([site, other, hidden, relay].map((one) => one?.stop())));
  beforeEach(() => [site, other, hidden].forEach(({ requests }) => requests.splice(0)));

  /** Has the relay send a request as a page does. */
  const relayed = (url, { method = "GET", headers = {}, body, said = {}, signal } = {}) =>
    fetch(relay.url, {
      method: "POST",
      headers: { origin: relay.page, "x-relay-token": relay.token, "x-relay-request": JSON.stringify({ url, method, headers }), ...said },
      body,
      signal,
    });
  /** The site's answer in a response. */
  const answerOf = async (response) => {
    assert.equal(response.status, 200);
    const { pieces, broken } = await unframed(response);
    assert.equal(broken, undefined);
    return { ...JSON.parse(response.headers.get("x-relay-response")), text: Buffer.concat(pieces).toString() };
  };
  /** The refusal in a response; a site's answer is none. */
  const refusalOf = async (response) => {
    assert.equal(response.headers.get("x-relay-response"), null);
    const { error } = await response.json();
    assert.ok(error.message && error.hint, JSON.stringify(error));
    return [response.status, error.code];
  };

  test("a site without CORS headers is read, its status and headers apart from the relay's own", async () => {
    const response = await relayed(`${site.origin}/plain`);
    assert.equal(response.headers.get("access-control-allow-origin"), relay.page);
    assert.equal(response.headers.get("access-control-expose-headers"), "x-relay-response");
    assert.deepEqual([response.headers.get("set-cookie"), response.headers.get("content-security-policy")], [null, "sandbox; default-src 'none'"]);
    const { status, url, headers, text } = await answerOf(response);
    assert.deepEqual([status, url, text], [203, `${site.origin}/plain`, "hello"]);
    assert.equal(headers["content-type"], "text/plain");
    // workerd reads headers as UTF-8, as which this one is none.
    assert.equal(headers["x-own"], `${name === "Node" ? "ü" : "\ufffd"} and "quotes"`);
    for (const dropped of ["set-cookie", "proxy-authenticate", "connection", "transfer-encoding"]) assert.equal(headers[dropped], undefined);
    const broken = await answerOf(await relayed(`${site.origin}/broken`));
    assert.deepEqual([broken.status, broken.text], [500, '{"oops":true}']);
    assert.equal((await answerOf(await relayed(`${site.origin}/empty`))).status, 204);
  });

  test("a request arrives as it was sent, without what belongs to a connection or a browser", async () => {
    const body = JSON.stringify({ text: "ü" });
    const headers = { "content-type": "application/json", "X-Api-Key": "k", authorization: "Bearer t", cookie: "a=1", host: "evil.test", connection: "x-api-key", "proxy-authorization": "p", "x-relay-token": "t", "x-forwarded-for": "1.1.1.1", referer: "https://p.test" };
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const seen = JSON.parse((await answerOf(await relayed(`${site.origin}/echo?q=1`, { method, headers, body }))).text);
      assert.deepEqual([seen.method, seen.body], [method, body]);
      assert.deepEqual([seen.headers["x-api-key"], seen.headers.authorization, seen.headers.host], ["k", "Bearer t", new URL(site.origin).host]);
      for (const dropped of ["cookie", "origin", "referer", "proxy-authorization", "x-relay-token", "x-relay-request", "x-forwarded-for"]) assert.equal(seen.headers[dropped], undefined, dropped);
    }
    const { status, text } = await answerOf(await relayed(`${site.origin}/echo`, { method: "HEAD" }));
    assert.deepEqual([status, text, site.requests.at(-1).method], [200, "", "HEAD"]);
  });

  test("a packed answer is handed on unpacked", async () => {
    for (const coding of Object.keys(PACKED)) {
      // workerd unpacks what it has requested.
      if (name === "workerd" && coding === "deflate") continue;
      const { text, headers } = await answerOf(await relayed(`${site.origin}/packed?${coding}`));
      assert.deepEqual([text, headers["content-encoding"], headers["content-length"]], ["unpacked", undefined, undefined], coding);
    }
    assert.equal((await answerOf(await relayed(`${site.origin}/packed?gzip`, { method: "HEAD" }))).text, "");
  });

  test("nobody calls it without the token", async () => {
    for (const token of ["", relay.token.slice(1), `${relay.token}x`, relay.token.toUpperCase()]) {
      assert.deepEqual(await refusalOf(await relayed(`${site.origin}/plain`, { said: { "x-relay-token": token } })), [401, "token"]);
    }
    assert.equal(site.requests.length, 0);
  });

  test("only pages of the origins that are named call it, and programs", async () => {
    for (const origin of ["https://evil.test", "null", `${relay.page}.evil.test`, relay.page.replace(/^https?/, "ftp")]) {
      const response = await relayed(`${site.origin}/plain`, { said: { origin } });
      assert.equal(response.headers.get("access-control-allow-origin"), null);
      assert.deepEqual(await refusalOf(response), [403, "origin"]);
    }
    assert.equal(site.requests.length, 0);
    const program = await fetch(relay.url, { method: "POST", headers: { "x-relay-token": relay.token, "x-relay-request": JSON.stringify({ url: `${site.origin}/plain`, method: "GET", headers: {} }) } });
    assert.equal((await answerOf(program)).text, "hello");
  });

  test("a browser's question beforehand is answered without the token, to named origins alone", async () => {
    const ask = (origin) => fetch(relay.url, { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "x-relay-request,x-relay-token" } });
    const allowed = await ask(relay.page);
    assert.deepEqual([allowed.status, allowed.headers.get("access-control-allow-origin"), allowed.headers.get("access-control-allow-headers")], [204, relay.page, "x-relay-token, x-relay-request, content-type"]);
    const refused = await ask("https://evil.test");
    assert.deepEqual([refused.status, refused.headers.get("access-control-allow-origin")], [403, null]);
  });

  test("its own network is refused in every spelling, unless its owner has named the origin", async () => {
    const { port } = new URL(hidden.origin);
    const inside = [hidden.origin, `http://127.1:${port}/`, `http://2130706433:${port}`, `http://0x7f.1:${port}`, `http://[::1]:${port}`, `http://[::ffff:127.0.0.1]:${port}`, `http://localhost:${port}`, "http://169.254.169.254/latest/meta-data", "http://10.0.0.1", "http://intranet/", "http://metadata.google.internal"];
    for (const url of inside) assert.deepEqual(await refusalOf(await relayed(url)), [403, "inside"], url);
    // The same machine by another port is another origin.
    assert.equal(hidden.requests.length, 0);
  });

  test("what is no request for a site is refused with what to write", async () => {
    const wrong = ["", "{", "null", "[]", "1", '{"url":"ftp://x.test","method":"GET","headers":{}}', '{"url":"/x","method":"GET","headers":{}}', '{"url":"https://me:secret@x.test","method":"GET","headers":{}}', '{"url":"https://x.test","method":"CONNECT","headers":{}}', '{"url":"https://x.test","method":"GET"}', '{"url":"https://x.test","method":"GET","headers":{"a":"b\\r\\nc: d"}}', '{"url":"https://x.test","method":"GET","headers":{"a b":"c"}}', '{"url":"https://x.test","method":"GET","headers":[["a","b"]]}'];
    for (const said of wrong) {
      const response = await relayed("", { said: { "x-relay-request": said } });
      const text = await response.clone().text();
      assert.deepEqual(await refusalOf(response), [400, "request"], said);
      assert.doesNotMatch(text, /secret|c: d/);
    }
    for (const method of ["PUT", "DELETE"]) {
      const response = await fetch(relay.url, { method, headers: { origin: relay.page } });
      assert.equal(response.headers.get("allow"), "POST, OPTIONS");
      assert.deepEqual(await refusalOf(response), [405, "method"]);
    }
  });

  test("a redirect is an answer, which leads the relay nowhere", async () => {
    const targets = ["/plain", `${other.origin}/plain`, `${hidden.origin}/plain`, "http://169.254.169.254/", "ftp://x.test/", "http://me:pw@x.test/"];
    for (const status of [301, 302, 303, 307, 308]) {
      for (const to of targets) {
        const { url, status: seen, headers } = await answerOf(await relayed(`${site.origin}/away?${status},${to}`));
        assert.deepEqual([url, seen, headers.location], [`${site.origin}/away?${status},${to}`, status, to]);
      }
    }
    assert.deepEqual([hidden.requests.length, other.requests.length], [0, 0]);
    const still = await answerOf(await relayed(`${site.origin}/away?304,x`));
    assert.equal(still.status, 304);
  });

  test("bytes are bounded in both directions, announced or not", async () => {
    assert.deepEqual(await refusalOf(await relayed(`${site.origin}/announced`)), [502, "too_large"]);
    const endless = await relayed(`${site.origin}/endless`);
    assert.equal(endless.status, 200);
    const { pieces, broken } = await unframed(endless);
    assert.equal(broken.code, "too_large");
    const size = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    assert.ok(size > 31 * MEGABYTE && size <= 32 * MEGABYTE, `${size} bytes`);
    await site.requests.at(-1).hungUp;
    site.requests.splice(0);
    assert.deepEqual(await refusalOf(await relayed(`${site.origin}/echo`, { method: "POST", body: new Uint8Array(32 * MEGABYTE + 1) })), [413, "too_large"]);
    assert.equal(site.requests.length, 0);
  });

  test("an answer that is cut off is cut off, and nobody there is the relay's refusal", async () => {
    const { pieces, broken } = await unframed(await relayed(`${site.origin}/cut`));
    assert.deepEqual([Buffer.concat(pieces).toString(), broken.code], ["one", "unreachable"]);
    const gone = await startSite(() => {});
    await gone.stop();
    const own = await start([gone.origin]);
    try {
      const response = await fetch(own.url, { method: "POST", headers: { origin: own.page, "x-relay-token": own.token, "x-relay-request": JSON.stringify({ url: gone.origin, method: "GET", headers: {} }) } });
      assert.deepEqual(await refusalOf(response), [502, "unreachable"]);
    } finally {
      await own.stop();
    }
  });

  // workerd on its own, unlike Cloudflare, goes on for a caller who has gone, until the relay's own limit of time.
  test("a caller who hangs up ends the request", { skip: name === "workerd" }, async () => {
    const controller = new AbortController();
    const call = relayed(`${site.origin}/silent`, { signal: controller.signal });
    while (site.requests.length === 0) await new Promise(setImmediate);
    controller.abort();
    await assert.rejects(call, { name: "AbortError" });
    await site.requests[0].hungUp;
  });
}

describe("beside the served builder", () => {
  let site, relay;
  before(async () => {
    site = await startSite(answers["/plain"]);
    relay = await HOSTS.Node([]);
  });
  after(() => Promise.all([site.stop(), relay.stop()]));

  /** Asks as a browser does that was led here by another name. */
  const raw = (options) =>
    new Promise((resolve, reject) => {
      const { port } = new URL(relay.url);
      const sent = rawRequest({ host: "127.0.0.1", port, path: "/relay", ...options }, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode, headers: response.headers, text });
      });
      sent.on("error", reject).end();
    });

  test("it listens on this machine alone", async () => {
    const { port } = new URL(relay.url);
    const socket = connect({ host: "127.0.0.2", port });
    await assert.rejects(new Promise((resolve, reject) => socket.on("connect", resolve).on("error", reject)));
  });

  test("a page whose name was led to this machine gets neither the token nor an answer", async () => {
    const { port } = new URL(relay.url);
    for (const host of [`evil.test:${port}`, "evil.test", `127.0.0.1.evil.test:${port}`, `127.0.0.1:${port}/x?`]) {
      const offered = await raw({ headers: { host } });
      assert.notEqual(offered.status, 200, host);
      assert.ok(!offered.text.includes(relay.token));
      const called = await raw({ method: "POST", headers: { host, origin: `http://${host}`, "x-relay-token": relay.token, "x-relay-request": "{}" } });
      assert.ok([403, 421].includes(called.status), `${called.status}`);
    }
  });

  test("pages of other origins do not read the token, not even those of this machine", async () => {
    for (const site of ["cross-site", "same-site"]) assert.equal((await raw({ headers: { "sec-fetch-site": site } })).status, 403);
    const { headers } = await raw({ headers: { origin: "http://localhost:9", "sec-fetch-site": "same-origin" } });
    assert.equal(headers["access-control-allow-origin"], undefined);
  });

  test("each start has another token", async () => {
    const second = await HOSTS.Node([]);
    await second.stop();
    assert.notEqual(second.token, relay.token);
    assert.ok(Buffer.from(relay.token, "base64url").length >= 32);
  });

  test("a public name that leads to this machine is refused in the moment of connecting", async (t) => {
    const { port } = new URL(site.origin);
    t.mock.method(dns, "lookup", (name, options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]));
    const response = await fetch(relay.url, { method: "POST", headers: { origin: relay.page, "x-relay-token": relay.token, "x-relay-request": JSON.stringify({ url: `http://rebinding.test:${port}/plain`, method: "GET", headers: {} }) } });
    const { error } = await response.json();
    assert.deepEqual([response.status, error.code], [403, "inside"]);
    assert.match(error.message, /rebinding\.test leads to this machine/);
    assert.equal(site.requests.length, 0);
  });
});

test("a body that does not come ends with the time of the request", async () => {
  const { modules } = await bundled(new URL("../../examples/relay/relay.ts", import.meta.url).pathname);
  const { relay } = await import(`data:text/javascript;base64,${Buffer.from(modules[0].contents).toString("base64")}`);
  const handle = relay({ token: "t".repeat(32), hosts: ["relay.test"], origins: ["https://page.test"] });
  const controller = new AbortController();
  const headers = { origin: "https://page.test", "x-relay-token": "t".repeat(32), "x-relay-request": JSON.stringify({ url: "https://site.test/", method: "POST", headers: {} }) };
  const answer = handle(new Request("https://relay.test/", { method: "POST", headers, body: new ReadableStream(), duplex: "half", signal: controller.signal }));
  controller.abort();
  const response = await answer;
  assert.deepEqual([response.status, (await response.json()).error.code], [408, "timeout"]);
});

test("a Worker without a token, or with a short one, serves nobody", async () => {
  const { compatibility_date } = await workerSettings();
  const worker = await bundled(new URL("../../examples/relay/relay.ts", import.meta.url).pathname);
  for (const bindings of [{}, { RELAY_TOKEN: "" }, { RELAY_TOKEN: "short" }]) {
    const miniflare = new Miniflare({ ...worker, compatibilityDate: compatibility_date, bindings });
    try {
      const response = await miniflare.dispatchFetch("https://relay.test/", { method: "POST", headers: { "x-relay-token": bindings.RELAY_TOKEN ?? "" } });
      assert.deepEqual([response.status, (await response.json()).error.code], [500, "configuration"]);
    } finally {
      await miniflare.dispose();
    }
  }
});

test("beside the builder no relay is offered for origins that it does not reach", async () => {
  const named = "http://127.0.0.1:8080";
  const { page, stop } = await HOSTS.Node([named]);
  try {
    const offered = async (...origins) => {
      const query = new URLSearchParams(origins.map((origin) => ["for", origin]));
      return (await (await fetch(`${page}/relay?${query}`)).json()).relay !== undefined;
    };
    for (const origins of [[], [named], ["https://site.example"], ["https://site.example", named]]) assert.equal(await offered(...origins), true, origins.join());
    for (const origin of [page, "http://127.0.0.1:8081", "http://localhost:8080", "http://[::1]", "http://192.168.1.2", "https://printer", "no origin"]) assert.equal(await offered("https://site.example", origin), false, origin);
  } finally {
    await stop();
  }
});
