// Pages in a headless browser: some without any build step, and one that Vite has built.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "vite";
import { serve } from "./static-server.mjs";

const TIMEOUT_MS = 60_000;

/** The strictest policy that the package promises to work with; a page names the endpoints it calls. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; img-src data:; connect-src";

/** A plain page; an import map says what "stepweave" and "stepweave/reasoning" are. */
export const plainPage = (browser) => page(browser, (folder) => plain(folder, "entry-inline.js"));

/** The same with `stepweave/web`, which fetches the engine. */
export const webPage = (browser) => page(browser, (folder) => plain(folder, "entry-web.js"), ["stepweave_bg.wasm"]);

/** A page of a production build, under a Content-Security-Policy. */
export const vitePage = (browser) => page(browser, async (folder, origins) => {
  await writeFile(join(folder, "index.html"), html('<script type="module" src="/page.mjs"></script>'));
  await build({ root: folder, configFile: false, logLevel: "error", build: { outDir: "site" } });
  return { root: join(folder, "site"), path: "/", headers: { "content-security-policy": `${POLICY} ${origins.join(" ")}` } };
});

/** What a page's hint about an endpoint that cannot be reached says, in place of the general one. */
export function hintInPage(hint, origin) {
  const place = /^check that the endpoint at (.+) is up and that the address is right; a retryPolicy repeats what fails now and then$/.exec(hint)?.[1];
  if (place === undefined) return hint;
  return `browsers do not say why; either nothing answers there, or the endpoint does not allow calls from ${origin} (CORS); a relay of your own can call it in the page's place: write its address as the model's baseUrl`;
}

async function plain(folder, entry) {
  const dist = "/node_modules/stepweave/dist";
  const imports = { stepweave: `${dist}/${entry}`, "stepweave/reasoning": `${dist}/reasoning.js` };
  const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
  await writeFile(join(folder, "plain.html"), html(`${map}<script type="module" src="/page.mjs"></script>`));
  return { root: folder, path: "/plain.html" };
}

function html(head) {
  return `<!doctype html><html><head><title>Scenarios</title><link rel="icon" href="data:,">${head}</head><body></body></html>\n`;
}

/** `wanted`: files of the package that the page must have requested, beside its modules. */
function page(browser, prepare, wanted = []) {
  const run = async function* ({ folder, origins }) {
    const site = await prepare(folder, origins);
    const server = await serve(site);
    const running = await browser.launch();
    try {
      const tab = await running.newPage();
      const complaints = watch(tab, origins);
      await tab.goto(server.origin + site.path);
      const lines = await within(TIMEOUT_MS, tab.evaluate(() => globalThis.outcomes), complaints);
      if (lines === undefined) throw new Error(`the page did not start: ${complaints.join("; ")}`);
      const where = { origin: server.origin };
      for (const line of lines) yield { ...JSON.parse(line), where };
      if (complaints.length > 0) throw new Error(`the page complained: ${complaints.join("; ")}`);
      const missing = wanted.filter((name) => !server.served.some((path) => path.endsWith(name)));
      if (missing.length > 0) throw new Error(`the page did not load ${missing.join(", ")}`);
    } finally {
      await running.close();
      await server.close();
    }
  };
  return Object.assign(run, { missing: browser.missing });
}

/** What goes wrong on the page itself. That calls of the endpoints fail is part of the test. */
function watch(tab, origins) {
  const complaints = [];
  const isCall = (url) => origins.some((origin) => url.startsWith(origin));
  // Firefox tells of a call that failed as of an error of the page, and names its address in the text only.
  const isOfCall = (text) => origins.some((origin) => text.includes(origin));
  tab.on("pageerror", ({ message }) => {
    if (!isOfCall(message)) complaints.push(message);
  });
  tab.on("console", (message) => {
    if (message.type() === "error" && !isCall(message.location().url)) complaints.push(message.text());
  });
  tab.on("requestfailed", (request) => {
    if (!isCall(request.url())) complaints.push(`${request.url()} ${request.failure()?.errorText}`);
  });
  return complaints;
}

async function within(milliseconds, promise, complaints) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the page takes longer than ${milliseconds} ms; ${complaints.join("; ")}`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
