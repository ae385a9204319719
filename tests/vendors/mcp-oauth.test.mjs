// Signing in to MCP servers, with an authorization server of a library: a program with its own credentials, and a person in
// a page, in a window, with a callback page from a plain static folder.
import assert from "node:assert/strict";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { chromium } from "../browsers/browsers.mjs";
import { serve } from "../runtimes/hosts/static-server.mjs";
import { installed } from "./installed.mjs";
import { SECRET, servers } from "./mcp-oauth.mjs";

let home;
let mcp;
let site;
let place;
before(async () => {
  home = await installed();
  await home.beside("@modelcontextprotocol/client");
  mcp = await home.load("stepweave/mcp");
  for (const name of ["mcp-callback.html", "mcp-callback.js"]) await copyFile(join(home.folder, "node_modules/stepweave/dist", name), join(home.folder, name));
  site = await serve({ root: home.folder });
  place = await servers(site.origin);
});
after(async () => {
  await place?.close();
  await site?.close();
  await home.remove();
});

const rejection = (promise) => promise.then(() => assert.fail("it did not reject"), (error) => error);
const program = (more = {}) => mcp.clientCredentials(place.url, { clientId: "program", clientSecret: SECRET, issuer: place.issuer, scope: "mcp", ...more });
const context = () => ({ signal: new AbortController().signal, callId: "c1", tool: "t" });

test("a program gets in with its own credentials, and its token is renewed once it is refused", async () => {
  const auth = program();
  const { tools, close } = await mcp.mcpTools(place.url, { auth });
  assert.equal(await tools[0].execute({}, context()), "program");
  const first = place.seen.tokens.at(-1);
  await (await place.provider.ClientCredentials.find(first)).destroy();
  assert.equal(await tools[0].execute({}, context()), "program");
  assert.notEqual(place.seen.tokens.at(-1), first);
  assert.ok(!JSON.stringify(auth).includes(first) && !JSON.stringify(auth).includes(SECRET), JSON.stringify(auth));
  await close();
});

test("a run has a token renewed when its server refuses it, once for each, here and in a worker", async () => {
  const { scriptedModel } = await home.load("stepweave/testing");
  const { connect, serve: serveWorker } = await home.load("stepweave/worker");
  const auth = program();
  const revoke = async (token) => (await place.provider.ClientCredentials.find(token))?.destroy();
  const [[name, tool]] = Object.entries(await mcp.mcpToolDocuments(place.url, { auth, secret: "TRACKER" }));
  const document = {
    version: 1,
    name: "t",
    models: { main: { provider: "custom", model: "main" } },
    agents: { a: { model: "main", tools: [name] } },
    tools: { [name]: { ...tool, needsApproval: false } },
    steps: [{ id: "s1", type: "agent", name: "ask", agent: "a", inputFrom: "Go" }],
  };
  const model = () => scriptedModel([{ type: "toolCall", name, input: {} }, { type: "toolCall", name, input: {} }, "Done."]);
  const allowOrigins = [new URL(place.url).origin];
  const ended = async (run) => {
    const events = [];
    for await (const event of run.events) events.push(event);
    return { ...(await run.result), events };
  };
  const here = (secret) => ended(home.stepweave.Workflow.fromDocument(document, { models: { main: model() } }).start({ allowOrigins, secrets: { TRACKER: secret } }));
  const there = async (secret) => {
    const { port1, port2 } = new MessageChannel();
    const stop = serveWorker({ endpoint: port2, models: { main: model() } });
    const worker = connect(port1);
    const result = await ended(worker.start(document, { allowOrigins, secrets: { TRACKER: secret } }));
    worker.close();
    stop();
    for (const port of [port1, port2]) port.close();
    return result;
  };
  const { resource } = place.handlers;
  for (const run of [here, there]) {
    // It is over before the run connects, and again before the first call.
    const secret = await auth.secret();
    await revoke(secret.value);
    let second;
    place.handlers.resource = async (request, response) => {
      if (second === undefined && request.headers["mcp-method"] === "tools/call") await revoke((second = request.headers.authorization.slice("Bearer ".length)));
      return resource(request, response);
    };
    const result = await run(secret);
    place.handlers.resource = resource;
    const third = place.seen.tokens.at(-1);
    assert.deepEqual([result.status, result.error?.message, new Set([secret.value, second, third]).size], ["done", undefined, 3]);
    assert.equal((await auth.secret()).value, third);
    assert.ok(![secret.value, second, third].some((token) => JSON.stringify(result).includes(token)));
    // Where nothing renews it, it is over; what renews it may have nothing new, or what is no value.
    const before = place.seen.tokens.length;
    for (const renew of [undefined, () => Promise.reject(new Error("signed out")), async () => "", async () => second]) {
      const { events } = await run({ value: second, origins: secret.origins, renew });
      assert.deepEqual(events.filter(({ type }) => type === "tool.error").map(({ error }) => error.code), ["auth", "auth"]);
    }
    assert.equal(place.seen.tokens.length, before);
  }
});

test("credentials that are none, servers that are others and addresses without https get nothing", async () => {
  const error = await rejection(mcp.mcpTools(place.url, { auth: program({ clientSecret: "another-secret-that-is-wrong" }) }));
  assert.equal(error.code, "auth");
  assert.ok(!`${error.message}${error.hint}`.includes("another-secret"));
  const { message } = await rejection(mcp.mcpTools(`${place.url}/other`, { auth: program() }));
  assert.equal(message, "the option `auth` of mcpTools() belongs to another MCP server");
  assert.match((await rejection(mcp.mcpTools(place.url, { auth: { server: place.url } }))).message, /`auth` of mcpTools\(\) is none/);
  for (const [server, issuer] of [["http://mcp.example/mcp", place.issuer], [place.url, "http://login.example"], ["ftp://mcp.example", place.issuer]]) {
    assert.throws(() => mcp.clientCredentials(server, { clientId: "a", clientSecret: SECRET, issuer }), /clientCredentials\(\) needs addresses with https/);
  }
  assert.throws(() => mcp.clientCredentials(place.url, { clientId: "a", issuer: place.issuer }), /the option `clientSecret` of clientCredentials\(\) is missing/);
  // A server that names another authorization server than the one that the secret belongs to.
  place.handlers.issuer = "http://127.0.0.1:9";
  const elsewhere = await rejection(mcp.mcpTools(place.url, { auth: program() })).finally(() => (place.handlers.issuer = undefined));
  assert.deepEqual([elsewhere.code, elsewhere.message], ["auth", "an authorization server is said to be at http://127.0.0.1:9, which is not the one of `issuer`; nothing was sent there"]);
});

test("a person signs in on a click, in a window, and the page calls the server", async (t) => {
  const text = `
    import { mcpTools, signIn } from "stepweave/mcp";
    const output = document.querySelector("output");
    const callback = new URL("mcp-callback.html", location.href);
    let controller;
    const go = async (more) => {
      output.textContent = "…";
      controller = new AbortController();
      try {
        const auth = await signIn(${JSON.stringify(place.url)}, { callback, clientId: "page", scope: "mcp", signal: controller.signal, ...more });
        const { tools, close } = await mcpTools(${JSON.stringify(place.url)}, { auth });
        output.textContent = await tools[0].execute({}, { signal: new AbortController().signal }) + " " + JSON.stringify(auth);
        await close();
      } catch ({ code, message }) { output.textContent = code + ": " + message; }
    };
    document.querySelector("#in").onclick = () => go();
    document.querySelector("#far").onclick = () => go({ callback: "https://other.example/mcp-callback.html" });
    document.querySelector("#stop").onclick = () => controller.abort(Object.assign(new Error("the person stopped"), { code: "cancelled" }));
    globalThis.later = () => setTimeout(go, 8000);
  `;
  await writeFile(join(home.folder, "sign-in.mjs"), text);
  await build({ absWorkingDir: home.folder, entryPoints: ["sign-in.mjs"], bundle: true, format: "esm", outfile: join(home.folder, "out/sign-in.js"), logLevel: "silent", platform: "browser" });
  await writeFile(join(home.folder, "sign-in.html"), `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; connect-src http://127.0.0.1:*"><link rel="icon" href="data:,"><button id="in">Sign in</button><button id="far">Far</button><button id="stop">Stop</button><output></output><script type="module" src="/out/sign-in.js"></script>`);
  const browser = await chromium.launch();
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${site.origin}/sign-in.html`);
  const output = page.locator("output");
  const said = async (pattern) => {
    await page.waitForFunction((source) => new RegExp(source).test(document.querySelector("output").textContent), pattern.source);
    return output.textContent();
  };
  const opened = async () => {
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("#in")]);
    await popup.waitForURL(/\/interaction\//);
    return popup;
  };

  await page.click("#far");
  await said(/another origin than this page/);

  // Somebody else's answer, of the same origin, changes nothing: it has another state.
  const popup = await opened();
  await page.evaluate(() => new BroadcastChannel("stepweave.mcp.callback").postMessage("?code=stolen&state=another"));
  const parameters = place.seen.authorizations.at(-1);
  assert.deepEqual([parameters.get("code_challenge_method"), parameters.get("resource"), parameters.get("response_type")], ["S256", place.url, "code"]);
  assert.ok(parameters.get("state").length >= 32);
  await popup.fill("[name=login]", "ann");
  await popup.fill("[name=password]", "x");
  await popup.click("button[type=submit]");
  await popup.waitForURL(/\/interaction\//);
  await Promise.all([popup.waitForEvent("close"), popup.click("button[type=submit]")]);
  assert.equal(await said(/^page/), `page {"server":"${place.url}"}`);

  // An answer with the right state that says it is another issuer's word is not believed.
  const second = await opened();
  const state = place.seen.authorizations.at(-1).get("state");
  await page.evaluate((state) => new BroadcastChannel("stepweave.mcp.callback").postMessage(`?error=access_denied&error_description=evil&state=${state}&iss=https://evil.example`), state);
  const mixedUp = await said(/^auth/);
  assert.match(mixedUp, /iss/i);
  assert.ok(!mixedUp.includes("access_denied"));
  assert.ok(second.isClosed() || (await second.waitForEvent("close"), true));

  // A no is shown, and giving up closes the window.
  await opened();
  const third = place.seen.authorizations.at(-1).get("state");
  await page.evaluate(([state, iss]) => new BroadcastChannel("stepweave.mcp.callback").postMessage(`?error=access_denied&state=${state}&iss=${encodeURIComponent(iss)}`), [third, place.issuer]);
  await said(/^auth: the person was not signed in: access_denied$/);
  await opened();
  await page.click("#stop");
  await said(/^cancelled: the sign-in to the MCP server was given up$/);
});

test("where there is no page nobody signs in", async () => {
  const error = await rejection(mcp.signIn(place.url, { callback: "http://localhost:1/mcp-callback.html" }));
  assert.deepEqual([error.code, error.message], ["validation", "signIn() needs a page, in which a window can be opened"]);
  assert.match((await rejection(mcp.signIn("http://mcp.example/", { callback: "http://localhost:1/" }))).message, /signIn\(\) needs addresses with https/);
});
