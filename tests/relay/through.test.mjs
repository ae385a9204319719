// Workflows whose requests go through a relay: the package, a real relay in Node and in workerd, and real sites.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { Workflow } from "stepweave";
import { mcpToolDocuments } from "stepweave/mcp";
import { serving } from "../vendors/serving.mjs";
import { HOSTS } from "./hosts.mjs";
import { startSite } from "./site.mjs";

const answers = {
  "/items": (request, response) => response.writeHead(200, { "content-type": "application/json" }).end('{"items":["ü"]}'),
  "/named": (request, response) => response.writeHead(200, { "x-name": Buffer.from("蜂.pdf").toString("latin1") }).end("{}"),
  "/forbidden": (request, response) => response.writeHead(401).end("no"),
  "/cut": (request, response) => {
    response.write("one");
    setTimeout(() => response.destroy(), 20);
  },
  "/away": (request, response) => response.writeHead(302, { location: "/items" }).end(),
  "/to": (request, response) => response.writeHead(302, { location: decodeURIComponent(request.url.split("?")[1]) }).end(),
};

for (const [name, start] of Object.entries(HOSTS)) describe(`through a relay in ${name}`, () => through(start));

function through(start) {
  let site, other, relay;
  before(async () => {
    const answer = (request, response) => (answers[request.url.split("?")[0]] ?? answers["/forbidden"])(request, response);
    [site, other] = await Promise.all([startSite(answer), startSite(answer)]);
    relay = await start([site.origin, other.origin]);
  });
  after(() => Promise.all([site?.stop(), other?.stop(), relay?.stop()]));
  beforeEach(() => [site, other].forEach(({ requests }) => requests.splice(0)));

  const runWith = (http, { document = {}, ...options } = {}) =>
    Workflow.fromDocument({ version: 1, name: "w", steps: [{ id: "s", type: "http", name: "s", http }], ...document }).run({
      allowOrigins: [site.origin],
      relay: { url: relay.url, token: relay.token },
      ...options,
    });
  const failure = async (...given) => {
    const { status, errors } = await runWith(...given);
    assert.equal(status, "error");
    return errors[0];
  };

  test("a site's answer arrives as if it had been called directly, and redirects are followed", async () => {
    for (const path of ["/items", "/away"]) {
      const { status, state } = await runWith({ url: `${site.origin}${path}`, result: "body.items[0]" });
      assert.deepEqual([status, state.s_output], ["done", "ü"]);
    }
    assert.deepEqual(site.requests.map(({ headers }) => headers["x-relay-token"]), [undefined, undefined, undefined]);
    await runWith({ url: `${site.origin}/items`, body: { json: { a: "ü" } } });
    assert.deepEqual([site.requests.at(-1).method, site.requests.at(-1).text], ["POST", '{"a":"ü"}']);
  });

  test("a header in UTF-8 arrives as fetch has it, byte for byte", async () => {
    const { status, state, error } = await runWith({ url: `${site.origin}/named`, result: "headers['x-name']" });
    assert.deepEqual([error?.message, status], [undefined, "done"]);
    assert.equal(Buffer.from(state.s_output, "latin1").toString(), "蜂.pdf");
  });

  test("a redirect leads a run no further than the run may go", async () => {
    const there = `${site.origin}/to?${encodeURIComponent(`${other.origin}/items`)}`;
    const { code, message } = await failure({ url: there });
    assert.equal(code, "network");
    assert.match(message, /^nothing was sent/);
    assert.ok(message.includes(other.origin));
    const narrow = await failure({ url: "{{ url }}", origins: [site.origin] }, { document: { initialState: { url: there } }, allowOrigins: [site.origin, other.origin] });
    assert.match(narrow.message, /^nothing was sent to .*: the request may go to /);
    assert.equal(other.requests.length, 0);
    const origins = [];
    const headers = { "x-own": "o" };
    const { status, errors } = await runWith({ url: there, headers, origins: [site.origin, other.origin] }, { allowOrigins: [site.origin, other.origin], mayReach: (origin) => origins.push(origin) > 0 });
    assert.deepEqual([errors[0]?.message, status, origins], [undefined, "done", [site.origin, other.origin]]);
    assert.deepEqual([site.requests.at(-1).headers["x-own"], other.requests.at(-1).headers["x-own"]], ["o", undefined]);
  });

  test("what the site refuses and what the relay refuses are distinguished", async () => {
    const ofSite = await failure({ url: `${site.origin}/forbidden` });
    assert.equal(ofSite.code, "auth");
    assert.doesNotMatch(ofSite.message, /relay/);
    const ofRelay = await failure({ url: `${site.origin}/items` }, { relay: { url: relay.url, token: "another one" } });
    assert.deepEqual([ofRelay.code, ofRelay.retryable], ["auth", false]);
    assert.match(ofRelay.message, /^the relay at http:\/\/127\.0\.0\.1:\d+ did not give the site's answer: .*token/);
    assert.match(ofRelay.hint, /token/);
    assert.equal(site.requests.length, 1);
  });

  test("a relay's own network stays closed, whatever the run allows", async () => {
    const { code, message } = await failure({ url: "http://127.0.0.1:9/" }, { allowOrigins: ["http://127.0.0.1:9"] });
    assert.equal(code, "network");
    assert.match(message, /the relay's own machine or in its own network/);
  });

  test("a run reaches no more through a relay than without", async () => {
    const { code, message } = await failure({ url: `${site.origin}/items` }, { allowOrigins: [] });
    assert.equal(code, "network");
    assert.match(message, /^nothing was sent/);
    const inside = await failure({ url: `${site.origin}/items` }, { allowOrigins: undefined });
    assert.match(inside.message, /^nothing was sent: http:\/\/127\.0\.0\.1:\d+ is this machine or in its own network/);
    assert.equal(site.requests.length, 0);
  });

  test("keys go through it only if that is said", async () => {
    const http = { url: `${site.origin}/items`, auth: { bearer: { secret: "MY_KEY" } } };
    const secrets = { MY_KEY: { value: "a-key-of-the-site", origins: [site.origin] } };
    const { code, message, hint } = await failure(http, { secrets });
    assert.deepEqual([code, site.requests.length], ["auth", 0]);
    assert.match(message, /the secret MY_KEY would go through the relay/);
    assert.match(hint, /secrets: true/);
    const { status } = await runWith(http, { secrets, relay: { url: relay.url, token: relay.token, secrets: true } });
    assert.deepEqual([status, site.requests[0].headers.authorization], ["done", "Bearer a-key-of-the-site"]);
  });

  test("an answer that is cut off is no whole one; a POST then has an unknown outcome", async () => {
    assert.equal((await failure({ url: `${site.origin}/cut` })).code, "network");
    assert.equal((await failure({ url: `${site.origin}/cut`, body: { text: "x" } })).code, "unknown_outcome");
  });

  test("whoever is asked about an address can choose the relay with the answer, and keys stay where they were", async () => {
    let chosen;
    const origins = [];
    const mayReach = (origin) => {
      origins.push(origin);
      if (origins.length > 1) chosen = { url: relay.url, token: relay.token };
      return true;
    };
    const through = [];
    const fetch = (url, init) => {
      through.push(new URL(url).origin);
      return globalThis.fetch(url, init);
    };
    const secrets = { MY_KEY: { value: "the-key", origins: [site.origin] } };
    const http = { url: `${site.origin}/items` };
    const steps = [http, http, { ...http, auth: { bearer: { secret: "MY_KEY" } } }].map((http, index) => ({ id: `s${index}`, type: "http", name: `read ${index}`, http }));
    const { errors } = await runWith(http, { document: { steps }, secrets, mayReach, fetch, relay: async () => chosen });
    assert.match(errors[0].message, /the secret MY_KEY would go through the relay/);
    assert.deepEqual([origins.length, through], [3, [site.origin, new URL(relay.url).origin]]);
  });

  test("a function that gives no relay fails the step whose request called it, and nothing is sent", async () => {
    const before = site.requests.length;
    for (const [chosen, code, message] of [
      [() => { throw new Error("no relay today"); }, "handler", "the option `relay` threw: no relay today"],
      [async () => ({ url: "relay.test", token: "t" }), "validation", 'the `url` of the relay is no http(s) address: "relay.test"'],
      [() => null, "validation", "the options of the relay must be an object"],
    ]) {
      const failed = await failure({ url: `${site.origin}/items` }, { relay: chosen });
      assert.deepEqual([failed.code, failed.message], [code, message]);
    }
    assert.equal(site.requests.length, before);
  });

  test("a relay that is none, or that is down, is said to be what failed", async () => {
    const none = await failure({ url: `${site.origin}/items` }, { relay: { url: `${site.origin}/items`, token: "t" } });
    assert.deepEqual([none.code, none.message], ["network", `the relay at ${site.origin} refused without saying why`]);
    const down = await failure({ url: `${site.origin}/items` }, { relay: { url: "http://127.0.0.1:1/", token: "t" } });
    assert.equal(down.code, "network");
    assert.match(down.message, /^the relay at http:\/\/127\.0\.0\.1:1 could not be reached/);
  });

  test("the tools of an MCP server are listed through it, and no key goes there unless it may", async () => {
    const seen = [];
    const shop = createMcpHandler(
      () => {
        const server = new McpServer({ name: "shop", version: "1" }, { capabilities: { tools: {} } });
        server.registerTool("look", { description: "Looks." }, () => ({ content: [{ type: "text", text: "here" }] }));
        return server;
      },
      { legacy: "reject" },
    );
    const answer = (request, _, { authorization }) => {
      seen.push(authorization);
      return shop.fetch(request);
    };
    await serving(answer, async (origin) => {
      const own = await start([origin]);
      try {
        const reached = new Set();
        const fetch = (url, init) => {
          reached.add(new URL(url).origin);
          return globalThis.fetch(url, init);
        };
        const given = { url: own.url, token: own.token };
        const { look } = await mcpToolDocuments(`${origin}/mcp`, { relay: given, fetch });
        assert.deepEqual([look.description, look.run.mcp.url], ["Looks.", `${origin}/mcp`]);
        assert.deepEqual([...reached], [new URL(own.url).origin]);
        seen.splice(0);
        const headers = { authorization: "Bearer a-key-of-some-length" };
        const message = `nothing was sent to ${origin}: the secret of mcpToolDocuments() would go through the relay at ${new URL(own.url).origin}, and keys do not`;
        await assert.rejects(mcpToolDocuments(`${origin}/mcp`, { relay: given, headers }), { code: "auth", message });
        assert.deepEqual(seen, []);
        await mcpToolDocuments(`${origin}/mcp`, { relay: { ...given, secrets: true }, headers });
        assert.ok(seen.length > 0 && seen.every((key) => key === headers.authorization));
        await assert.rejects(mcpToolDocuments(`${origin}/mcp`, { relay: { url: "x", token: "t" } }), { code: "validation", message: 'the `url` of the relay is no http(s) address: "x"' });
      } finally {
        await own.stop();
      }
    });
  });
}

test("a relay that cannot be used is refused before anything runs", async () => {
  const workflow = Workflow.fromDocument({ version: 1, name: "w", steps: [] });
  for (const [relay, message] of [
    ["https://relay.test", "the options of the relay must be an object"],
    [{ url: "relay.test", token: "t" }, 'the `url` of the relay is no http(s) address: "relay.test"'],
    [{ url: "https://relay.test" }, "the `token` of the relay is no text that a header can hold"],
    [{ url: "https://relay.test", token: "a secret\n" }, "the `token` of the relay is no text that a header can hold"],
    [{ url: "https://relay.test", token: "t", secrets: "yes" }, '`secrets` of the relay is "yes"'],
    [{ url: "https://relay.test", token: "t", key: "k" }, "the relay has no option `key`"],
  ]) {
    await assert.rejects(workflow.run({ relay }), ({ code, message: said }) => {
      assert.deepEqual([code, said], ["validation", message]);
      return true;
    });
  }
});
