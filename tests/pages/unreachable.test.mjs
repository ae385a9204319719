// What real browsers tell of endpoints that a page cannot reach, and what is made of it.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { browsers, chromium } from "../browsers/browsers.mjs";
import { NOWHERE } from "../runtimes/hosts/endpoint.mjs";
import { serve } from "../runtimes/hosts/static-server.mjs";

let folder;
let site;
/** A server that sends no CORS headers, but for the path /open, and for /dead, where it hangs up on what is posted. */
let server;
let origin;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepweave-pages-"));
  await build({ entryPoints: [fileURLToPath(new URL("programs/call.mjs", import.meta.url))], outfile: join(folder, "call.js"), bundle: true, format: "esm" });
  await writeFile(join(folder, "index.html"), '<!doctype html><title>Pages</title><link rel="icon" href="data:,"><script type="module" src="/call.js"></script>\n');
  site = await serve({ root: folder });
  server = createServer((request, response) => {
    const open = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    if (request.method === "POST" && request.url === "/dead") return void request.socket.destroy();
    response.writeHead(request.method === "OPTIONS" ? 204 : 403, ["/open", "/dead"].includes(request.url) ? open : {}).end();
  });
  origin = await listen(server);
});

async function listen(open) {
  await new Promise((resolve) => open.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${open.address().port}`;
}

after(async () => {
  await site?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve() : server.close(resolve)));
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Opens the page, and lets it act. */
async function inPage(running, act, { page = site.origin, permissions = [], route } = {}) {
  const context = await running.newContext({ permissions });
  try {
    const tab = await context.newPage();
    if (route !== undefined) await tab.route(`${page}/**`, route);
    await tab.goto(page);
    await tab.waitForFunction(() => globalThis.call !== undefined);
    const doing = (name) => (...given) => tab.evaluate(([called, all]) => globalThis[called](...all), [name, given]);
    return await act({ call: doing("call"), callInWorker: doing("callInWorker"), sendOnce: doing("sendOnce"), context });
  } finally {
    await context.close();
  }
}

/** What each browser says of a call that came to nothing. */
const FAILED = {
  chromium: "could not be reached: Failed to fetch",
  firefox: "could not be reached: NetworkError when attempting to fetch resource.",
};

/** The page under a name of the wide world, in a browser that takes its address for a public one; and what the person says. */
function publicPage(browser, permission) {
  const { port } = new URL(site.origin);
  const page = `http://page.test:${port}`;
  const isGranted = permission === "granted";
  if (browser === chromium) {
    const args = ["--host-resolver-rules=MAP page.test 127.0.0.1", `--ip-address-space-overrides=127.0.0.1:${port}=public`, `--unsafely-treat-insecure-origin-as-secure=${page}`];
    return { page, options: { args }, permissions: isGranted ? ["local-network-access"] : [] };
  }
  const firefoxUserPrefs = {
    "network.dns.localDomains": "page.test",
    "network.lna.address_space.public.override": `127.0.0.1:${port}`,
    "permissions.default.loopback-network": isGranted ? 1 : 2,
  };
  return { page, options: { firefoxUserPrefs } };
}

for (const browser of browsers) {
  describe(`in ${browser.name}`, { skip: browser.missing }, () => inBrowser(browser));
}

function inBrowser(browser) {
  const failed = FAILED[browser.name];
  let running;
  before(async () => {
    running = await browser.launch();
  });
  after(() => running?.close());

  for (const where of ["call", "callInWorker"]) {
    test(`a server that takes no calls from pages is distinguished from one that does not run (${where})`, () =>
      inPage(running, async ({ [where]: call }) => {
        const page = site.origin;
        assert.deepEqual(await call("ollama", `${origin}/v1`), {
          code: "network",
          message: `${origin} ${failed}`,
          hint: `Ollama answers at ${origin}, but does not take calls from ${page} (CORS): start it with the environment variable OLLAMA_ORIGINS=${page}`,
          retryable: true,
          cause: "TypeError",
        });
        const { message, hint } = await call("lmstudio", `${NOWHERE}/v1`);
        assert.equal(message, `${NOWHERE} ${failed}`);
        assert.match(hint, /^nothing answers at http:\/\/127\.0\.0\.1:\d+, .*: if LM Studio is not running, start its server in the app/);
      }));
  }

  test("a server that hangs up is not said to take no calls from pages", () =>
    inPage(running, async ({ call }) => {
      const { message, hint } = await call("openai", `${origin}/dead`);
      assert.equal(message, `${origin} ${failed}`);
      assert.match(hint, /^the server answers at http:\/\/127\.0\.0\.1:\d+, and lets http:\S+ read that, but gave this call no answer: either it hung up, /);
    }));

  test("a request that must not be sent twice says why it has no answer, and that CORS may have kept it back where browsers ask first", () =>
    inPage(running, async ({ sendOnce }) => {
      const json = { "content-type": "application/json" };
      const look = 'look at the endpoint whether it was; then run again from this step, or set its onUnknown to "retry" or "skip" and resume';
      const allow = `have it send the header access-control-allow-origin: ${site.origin}; or let requests go through a relay, which reads it in the page's place: “Requests go through” in the builder, the option relay in code`;
      const cors = `the server answers at ${origin}, but does not take calls from ${site.origin} (CORS): ${allow}`;
      const asked = ". If it is CORS, most likely nothing was sent: browsers ask first whether such a request may be";
      const expected = { code: "unknown_outcome", message: `${origin} ${failed}; nobody knows whether POST ${origin}/pay was carried out`, retryable: false };
      assert.deepEqual(await sendOnce(`${origin}/pay`, json), { ...expected, hint: `${look}. Why there is no answer: ${cors}${asked}` });
      assert.deepEqual(await sendOnce(`${origin}/pay`, { "content-type": "text/plain" }), { ...expected, hint: `${look}. Why there is no answer: ${cors}` });
      assert.match((await sendOnce(`${origin}/dead`, json)).hint, /Why there is no answer: the server answers at \S+, and lets \S+ read that, but gave this call no answer/);
    }));

  test("an endpoint that forbids a page's call, and lets it read that, is reported with its switch", () =>
    inPage(running, async ({ call }) => {
      const forbidden = await call("ollama", `${origin}/open`);
      assert.deepEqual(forbidden, { status: 403, hint: `Ollama may not take calls from ${site.origin}: start it with the environment variable OLLAMA_ORIGINS=${site.origin}` });
      assert.deepEqual(await call("groq", `${origin}/open`), { status: 403, hint: undefined });
    }));

  test("a page of the wide world calls this machine once the person allows it", async () => {
    for (const permission of ["denied", "granted"]) {
      const { page, options, permissions } = publicPage(browser, permission);
      const own = await browser.launch(options);
      try {
        const answer = await inPage(own, ({ call }) => call("ollama", `${origin}/open`), { page, permissions });
        if (permission === "granted") {
          assert.equal(answer.status, 403);
          continue;
        }
        assert.equal(answer.message, `${origin} ${failed}`);
        assert.match(answer.hint, /^the browser (does not let|asks first whether) http:\/\/page\.test:\d+ (may )?call your own machine: allow/);
      } finally {
        await own.close();
      }
    }
  });

  test("an https page calls no http address elsewhere", () =>
    inPage(running, async ({ call }) => {
      const { message, hint } = await call("openai", "http://model.test/v1");
      assert.equal(message, `http://model.test ${failed}`);
      assert.match(hint, /^browsers let no https page call an http address: give the endpoint https/);
    }, {
      page: "https://page.test",
      route: async (route) => {
        const response = await fetch(new URL(new URL(route.request().url()).pathname, site.origin));
        await route.fulfill({ status: 200, headers: { "content-type": response.headers.get("content-type") ?? "text/html" }, body: await response.text() });
      },
    }));

  test("what is elsewhere and does not answer is reported with what it may be", () =>
    inPage(running, async ({ call, context }) => {
      const { hint } = await call("groq", "https://model.invalid/v1");
      assert.match(hint, /^browsers do not say why; either nothing answers there, or the endpoint does not allow calls from http:\/\/.* \(CORS\); a relay of your own/);
      await context.setOffline(true);
      // What knows more is in the page already.
      assert.equal((await call("groq", "https://model.invalid/v1")).hint, "this device has no network; connect it and try again");
    }));
}
