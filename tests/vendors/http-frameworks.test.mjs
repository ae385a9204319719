// A served workflow inside of frameworks, each with its own server: Hono on Node, and a route handler of a built Next.js app.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { assertServed, started } from "../http/exchange.mjs";
import { installed } from "./installed.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const next = join(here, "node_modules/next/dist/bin/next");
const env = { NEXT_TELEMETRY_DISABLED: "1" };

let home;
let served;

before(async () => {
  home = await installed();
  // The program of the other runtimes, under the path of the framework's route.
  const program = await readFile(join(here, "../http/programs/served.mjs"), "utf8");
  served = program.replace("handler(order, {", 'handler(order, { path: "/api/flow",');
});
after(() => home.remove());

test("Hono serves a workflow among its own routes", async (context) => {
  await home.beside("hono", "@hono/node-server");
  await writeFile(join(home.folder, "served.mjs"), served);
  const program = join(home.folder, "hono.mjs");
  await writeFile(
    program,
    `import { serve } from "@hono/node-server";
import { Hono } from "hono";
import served from "./served.mjs";

const app = new Hono();
app.get("/", (context) => context.text("another route"));
app.all("/api/flow/*", (context) => served.fetch(context.req.raw));
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(port));
`,
  );
  const { url, stop } = await started(process.execPath, [program]);
  context.after(stop);
  await assertServed(`${url}/api/flow`);
});

test("a route handler of Next.js serves a workflow", async (context) => {
  // Below the folder that has Next.js itself: its bundler follows no links out of its root.
  const app = await mkdtemp(join(here, "next-"));
  context.after(() => rm(app, { recursive: true, force: true }));
  const route = join(app, "app/api/flow/[...rest]");
  await mkdir(route, { recursive: true });
  await mkdir(join(app, "node_modules"));
  await cp(join(home.folder, "node_modules/stepweave"), join(app, "node_modules/stepweave"), { recursive: true });
  await writeFile(join(app, "package.json"), '{ "private": true, "type": "module" }\n');
  await writeFile(join(app, "next.config.mjs"), `export default { turbopack: { root: ${JSON.stringify(here)} } };\n`);
  await writeFile(join(route, "served.mjs"), served);
  await writeFile(join(route, "route.js"), 'import served from "./served.mjs";\n\nconst { fetch } = served;\nexport { fetch as GET, fetch as POST, fetch as DELETE };\n');
  await promisify(execFile)(process.execPath, [next, "build"], { cwd: app, env: { ...process.env, ...env } });
  const { url, stop } = await started(process.execPath, [next, "start", "-p", "0", "-H", "127.0.0.1"], { cwd: app, env, port: /127\.0\.0\.1:(\d+)/ });
  context.after(stop);
  await assertServed(`${url}/api/flow`);
});
