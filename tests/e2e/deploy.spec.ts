// From the page to the edge: what is downloaded runs in workerd, bundled as wrangler bundles it.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, type Locator, type Page } from "@playwright/test";
import { strFromU8, unzipSync } from "fflate";
import { Miniflare, type Json } from "miniflare";
import { bundled } from "../edge/worker.mjs";
import { asking, importText, openBuilder, openDocument, picture } from "./builder.js";

const projects = fileURLToPath(new URL("../projects/", import.meta.url));

const pkg = fileURLToPath(new URL("../../pkg", import.meta.url));

/** Downloads the worker as a person does; gives an empty folder with nothing but it and the package. */
async function download(page: Page): Promise<{ folder: string; file: string; commands: string }> {
  await openDeploy(page);
  await picture(page, "deploy");
  const commands = (await page.getByLabel("Commands").textContent()) ?? "";
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download the worker" }).click();
  const got = await waiting;
  const folder = mkdtempSync(join(tmpdir(), "stepweave-deploy-"));
  const file = join(folder, got.suggestedFilename());
  await got.saveAs(file);
  mkdirSync(join(folder, "node_modules/stepweave"), { recursive: true });
  for (const part of ["package.json", "dist"]) cpSync(join(pkg, part), join(folder, "node_modules/stepweave", part), { recursive: true });
  return { folder, file, commands };
}

/** Opens what the export dialog says of deploying. */
async function openDeploy(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "File", exact: true }).click();
  await page.getByText("Export…").click();
  await page.getByText("Deploy it", { exact: true }).click();
  return page.getByRole("dialog", { name: "Export the workflow" });
}

/** An endpoint that answers each call with this status and body, and notes the keys that it is sent. */
async function endpoint(status: number, body: object): Promise<{ url: string; keys: (string | undefined)[]; close: () => void }> {
  const keys: (string | undefined)[] = [];
  const server: Server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    request.resume();
    response.writeHead(status, { "content-type": "application/json", "access-control-allow-origin": "*", "access-control-allow-headers": "authorization, content-type" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, keys, close: () => server.close() };
}

/** Serves it in workerd. */
async function serve(file: string, bindings: Record<string, Json>): Promise<Miniflare> {
  return new Miniflare({ ...(await bundled(file)), bindings, compatibilityDate: "2026-04-01", compatibilityFlags: ["enable_request_signal"] });
}

test("the example runs at the edge as it was downloaded", async ({ page }) => {
  await openBuilder(page);
  const { folder, file, commands } = await download(page);
  expect(basename(file)).toBe("research-report.js");
  await expect(page.getByRole("list", { name: "Before you deploy it" })).toContainText("makes its answers up");
  await page.getByRole("list", { name: "Before you deploy it" }).scrollIntoViewIfNeeded();
  await picture(page, "deploy-demo");
  expect(commands).toContain("npx wrangler@4 deploy research-report.js --name research-report --compatibility-date 2026-04-01");
  const worker = await serve(file, {});
  try {
    const about = await worker.dispatchFetch("http://edge.test/");
    expect(await about.json()).toMatchObject({ workflow: "Research report" });
    const answer = await worker.dispatchFetch("http://edge.test/", { method: "POST", body: JSON.stringify({ topic: "Bees" }) });
    const result = (await answer.json()) as { status: string; state: Record<string, string> };
    expect([answer.status, result.status, result.state["topic"]]).toEqual([200, "done", "Bees"]);
    expect(result.state["write_up_output"]).toContain("[simulated]");
    const broken = await worker.dispatchFetch("http://edge.test/", { method: "POST", body: "{" });
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { code: "not_json" } }]);
  } finally {
    await worker.dispose();
    rmSync(folder, { recursive: true });
  }
});

test("JavaScript of a step runs at the edge", async ({ page }) => {
  await openBuilder(page);
  const code = "return { note: state.note.toUpperCase() };";
  await importText(page, JSON.stringify({
    version: 1,
    name: "Codes",
    initialState: { note: "heather" },
    steps: [{ id: "s1", type: "function", name: "shout", run: { code } }],
  }));
  const { folder, file } = await download(page);
  const worker = await serve(file, {});
  try {
    const answer = await worker.dispatchFetch("http://edge.test/", { method: "POST" });
    expect(await answer.json()).toMatchObject({ status: "done", state: { note: "HEATHER" } });
  } finally {
    await worker.dispose();
    rmSync(folder, { recursive: true });
  }
});

const HI = { id: "1", object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", content: "Hi." }, finish_reason: "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1 } };

test("a key is set at the edge, is in no file, and goes to its endpoint only", async ({ page }) => {
  const { url, keys, close } = await endpoint(200, HI);
  await openDocument(page, asking(url, "MY_KEY"));
  const { folder, file, commands } = await download(page);
  expect(commands).toContain("npx wrangler@4 secret put MY_KEY --name ask");
  await expect(page.getByLabel("Where requests go").getByRole("listitem")).toHaveText([`MY_KEY goes to ${new URL(url).origin}`]);
  expect(readFileSync(file, "utf8")).not.toContain("sk-edge");
  const worker = await serve(file, { MY_KEY: "sk-edge\n", ACCESS_TOKEN: "open" });
  try {
    const refused = await worker.dispatchFetch("http://edge.test/", { method: "POST" });
    expect(refused.status).toBe(401);
    const answer = await worker.dispatchFetch("http://edge.test/", { method: "POST", headers: { authorization: "Bearer open" } });
    const result = (await answer.json()) as { state: Record<string, string> };
    expect(result.state).toEqual({ ask_output: "Hi." });
    expect(keys).toEqual(["Bearer sk-edge"]);
  } finally {
    await worker.dispose();
    close();
    rmSync(folder, { recursive: true });
  }
});

test("an endpoint without a key, also one in the own network, is named in the worker and reached from it", async ({ page }) => {
  const { url, keys, close } = await endpoint(200, HI);
  const { origin } = new URL(url);
  await openDocument(page, asking(url));
  const { folder, file, commands } = await download(page);
  expect(commands).not.toContain("secret put");
  await expect(page.getByLabel("Where requests go").getByRole("listitem")).toHaveText([`${origin} is called without a key`]);
  const program = readFileSync(file, "utf8");
  expect(program).toContain(`const allowOrigins = ["${origin}"];`);
  const worker = await serve(file, {});
  // What the builder did not show is not reached, whatever the document in the file says.
  const elsewhere = join(folder, "elsewhere.js");
  writeFileSync(elsewhere, program.replace(`const allowOrigins = ["${origin}"];`, 'const allowOrigins = ["https://api.openai.com"];'));
  const other = await serve(elsewhere, {});
  try {
    const answer = await worker.dispatchFetch("http://edge.test/", { method: "POST" });
    expect([answer.status, ((await answer.json()) as { state: object }).state]).toEqual([200, { ask_output: "Hi." }]);
    const refused = await other.dispatchFetch("http://edge.test/", { method: "POST" });
    expect([refused.status, await refused.json()]).toMatchObject([502, { error: { code: "network" } }]);
    expect(keys).toEqual([undefined]);
  } finally {
    await Promise.all([worker.dispose(), other.dispose()]);
    close();
    rmSync(folder, { recursive: true });
  }
});

test("a key that buys tokens goes where they are given and where they are taken, as the builder shows", async ({ page }) => {
  const api = await endpoint(200, { answer: 42 });
  const login = await endpoint(200, { access_token: "token-of-1234567", expires_in: 60 });
  const [at, from] = [new URL(api.url).origin, new URL(login.url).origin];
  const oauth2 = { tokenUrl: `${from}/token`, clientId: "me", clientSecret: { secret: "CLIENT_SECRET" } };
  const http = { url: `${at}/answer`, auth: { oauth2 }, result: "body.answer" };
  await openDocument(page, { version: 1, name: "Bought", steps: [{ id: "s1", type: "http", name: "get", http }] });
  const { folder, file } = await download(page);
  await expect(page.getByLabel("Where requests go").getByRole("listitem")).toHaveText([`CLIENT_SECRET goes to ${from} and ${at}`]);
  const worker = await serve(file, { CLIENT_SECRET: "sk-edge" });
  try {
    const answer = await worker.dispatchFetch("http://edge.test/", { method: "POST" });
    expect([answer.status, ((await answer.json()) as { state: object }).state]).toEqual([200, { get_output: 42 }]);
    expect(api.keys).toEqual(["Bearer token-of-1234567"]);
    expect(login.keys).toEqual([undefined]);
  } finally {
    await worker.dispose();
    api.close();
    login.close();
    rmSync(folder, { recursive: true });
  }
});

test("a workflow that would send a key elsewhere is no worker", async ({ page }) => {
  const at = (baseUrl: string | undefined, secret: string) => ({ provider: "openai", model: "m", ...(baseUrl && { baseUrl }), apiKey: { secret } });
  const models = {
    own: at(undefined, "OPENAI_API_KEY"),
    far: at("https://evil.test/v1", "OPENAI_API_KEY"),
    one: at("https://one.example/v1", "MINE"),
    two: at("https://two.example/v1", "MINE"),
    token: at("https://evil.test/v1", "ACCESS_TOKEN"),
  };
  await openDocument(page, { version: 1, name: "Keys", models, steps: [] });
  const dialog = await openDeploy(page);
  await expect(dialog.getByRole("alert").getByRole("listitem")).toHaveText([
    /^OPENAI_API_KEY goes to https:\/\/api\.openai\.com only, and the model “far” is at https:\/\/evil\.test/,
    /^MINE would go to https:\/\/one\.example and to https:\/\/two\.example/,
    /^The model “token” calls its key ACCESS_TOKEN/,
  ]);
  await expect(dialog.getByRole("button", { name: "Download the worker" })).toHaveCount(0);
  await expect(dialog.getByLabel("Commands")).toHaveCount(0);
  await picture(page, "deploy-refused");
});

test("a worker refuses what is no call of it, and tells nobody where its models are", async ({ page }) => {
  const { url, close } = await endpoint(404, { error: { message: "no such model at db.internal" } });
  await openDocument(page, asking(url, "MY_KEY"));
  const { folder, file } = await download(page);
  const worker = await serve(file, { MY_KEY: "sk-edge" });
  const call = async (init: { method: string; body?: string }) => {
    const answer = await worker.dispatchFetch("http://edge.test/", init);
    const text = await answer.text();
    return { status: answer.status, text, error: (JSON.parse(text) as { error: Record<string, unknown> }).error, headers: answer.headers };
  };
  try {
    const other = await call({ method: "DELETE" });
    expect([other.status, other.error["code"], other.headers.get("allow")]).toEqual([405, "method_not_allowed", "GET, POST"]);
    const long = await call({ method: "POST", body: JSON.stringify({ text: "x".repeat(300_000) }) });
    expect([long.status, long.error["code"]]).toEqual([413, "too_large"]);
    const list = await call({ method: "POST", body: "[]" });
    expect([list.status, list.error["code"]]).toEqual([400, "validation"]);
    const failed = await call({ method: "POST" });
    expect([failed.status, failed.error["code"], failed.error["step"]]).toMatchObject([502, "model", { name: "ask" }]);
    close();
    const gone = await call({ method: "POST" });
    expect([gone.status, gone.error["code"]]).toEqual([502, "network"]);
    for (const { text } of [failed, gone]) expect(text).not.toMatch(/127\.0\.0\.1|internal|no such model/);
  } finally {
    await worker.dispose();
    rmSync(folder, { recursive: true });
  }
});

test("a worker lets nobody in with a token that is no text, and says which binding is wrong", async ({ page }) => {
  await openDocument(page, asking("http://127.0.0.1:9/v1", "MY_KEY"));
  const { folder, file } = await download(page);
  try {
    for (const [bindings, name] of [
      [{ ACCESS_TOKEN: { get: "open" }, MY_KEY: "sk" }, "ACCESS_TOKEN"],
      [{ ACCESS_TOKEN: "", MY_KEY: "sk" }, "ACCESS_TOKEN"],
      [{ MY_KEY: { get: "sk" } }, "MY_KEY"],
    ] as const) {
      const worker = await serve(file, bindings);
      try {
        const answer = await worker.dispatchFetch("http://edge.test/", { method: "POST", headers: { authorization: "Bearer [object Object]" } });
        expect([answer.status, await answer.json()]).toMatchObject([500, { error: { code: "configuration", message: expect.stringContaining(name) as string } }]);
      } finally {
        await worker.dispose();
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a document is data in its worker, whatever its texts and keys are", async ({ page }) => {
  const name = "`${globalThis.broken = 1}` \\ /* keys */ */";
  const workflow = { version: 1, name, initialState: { box: { a: 1 } }, steps: [] };
  const text = JSON.stringify(workflow).replace('"a":1', '"__proto__":{"a":1},"b":"\\u2028"');
  await openBuilder(page);
  await importText(page, text);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  const { folder, file } = await download(page);
  const worker = await serve(file, {});
  try {
    expect(await (await worker.dispatchFetch("http://edge.test/")).json()).toMatchObject({ workflow: name });
    const result = await (await worker.dispatchFetch("http://edge.test/", { method: "POST" })).text();
    expect(result).toContain('"box":{"__proto__":{"a":1},"b":"\u2028"}');
  } finally {
    await worker.dispose();
    rmSync(folder, { recursive: true });
  }
});

/** Downloads the project for what is chosen as a person does; gives its files by their paths, and the name of the zip. */
async function downloadProject(page: Page, dialog: Locator, where: string): Promise<{ name: string; files: Record<string, string> }> {
  await dialog.getByLabel("Where it runs").selectOption({ label: where });
  const waiting = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download the project" }).click();
  const got = await waiting;
  const files = Object.entries(unzipSync(readFileSync(await got.path()))).map(([path, text]) => [path, strFromU8(text)] as const);
  return { name: got.suggestedFilename(), files: Object.fromEntries(files) };
}

/** The files of a project that the suite `durable` installs and runs. */
function kept(name: string): Record<string, string> {
  const files = readdirSync(join(projects, name), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(files.map(({ parentPath, name: file }) => {
    const path = join(parentPath, file);
    return [path.slice(join(projects, name).length + 1), readFileSync(path, "utf8")];
  }));
}

const WHERE = {
  "durable-object": "Cloudflare Worker that keeps runs (Durable Object)",
  workflows: "Cloudflare Workflows, for jobs in the background",
  node: "Server of your own, in Node",
  deno: "Server of your own, in Deno",
  restate: "Services of your own on several machines, in Node with Restate",
};

test("each project that is downloaded is the one that is tested, and no key is in it", async ({ page }) => {
  await openBuilder(page);
  await importText(page, readFileSync(join(projects, "orders.json"), "utf8"));
  await expect(page.getByRole("dialog")).toHaveCount(0);
  const dialog = await openDeploy(page);
  // It asks people: what keeps no runs is not what comes first.
  await expect(dialog.getByLabel("Where it runs").getByRole("option", { selected: true })).toHaveText(WHERE["durable-object"]);
  await picture(page, "deploy-project");
  for (const [name, where] of Object.entries(WHERE)) {
    const { name: file, files } = await downloadProject(page, dialog, where);
    const folder = `gr-e-co-orders-x-name-${name.replace("durable-", "")}`;
    expect(file).toBe(`${folder}.zip`);
    const expected = Object.entries(kept(name)).map(([path, text]) => [`${folder}/${path}`, text]);
    expect(files).toEqual(Object.fromEntries(expected));
  }
  await expect(dialog.getByLabel("Commands")).toContainText("unzip gr-e-co-orders-x-name-restate.zip && cd gr-e-co-orders-x-name-restate\nnpm install && npm test");
  await expect(dialog.getByLabel("Where requests go").getByRole("listitem")).toHaveText(["ANTHROPIC_API_KEY goes to https://api.anthropic.com", "BANK_KEY goes to https://bank.example:8443"]);
});

test("functions that the document names are listed before the download, and a long name is cut", async ({ page }) => {
  const document = JSON.parse(readFileSync(join(projects, "calling.json"), "utf8")) as object;
  await openDocument(page, { ...document, name: "A very long name ".repeat(11) });
  const dialog = await openDeploy(page);
  await dialog.getByLabel("Where it runs").selectOption({ label: WHERE["durable-object"] });
  await expect(dialog.getByRole("note")).toContainText("look_up, parrot");
  const { name, files } = await downloadProject(page, dialog, WHERE["durable-object"]);
  const folder = name.replace(/\.zip$/, "");
  expect(folder).toMatch(/^a-very-long-name-[a-z-]+-object$/);
  const worker = folder.replace(/-object$/, "");
  expect(worker.length).toBeLessThanOrEqual(63);
  expect(files[`${folder}/src/code.js`]).toBe(readFileSync(join(projects, "calling/src/code.js"), "utf8"));
  expect(files[`${folder}/wrangler.jsonc`]).toContain(`"name": "${worker}"`);
});

test("a key in an address is named before the download", async ({ page }) => {
  const url = "https://api.example.com/x?q=1&api_key=sk-proj-abcdefghijklmnopqrstuvwxyz";
  await openDocument(page, { version: 1, name: "W", steps: [{ id: "s1", type: "http", name: "prices", http: { url } }] });
  const dialog = await openDeploy(page);
  await expect(dialog.getByRole("alert")).toContainText("looks like a key stands in a text of prices, and so in what you download");
});

test("a key that somebody has typed and used is in no project", async ({ page }) => {
  const { url, keys, close } = await endpoint(200, HI);
  try {
    await openDocument(page, asking(url, "MY_KEY"));
    await page.getByRole("button", { name: "Endpoint settings" }).first().click();
    await page.getByLabel("API key").fill("sk-typed-by-somebody");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect.poll(() => keys).toContain("Bearer sk-typed-by-somebody");
    const dialog = await openDeploy(page);
    for (const where of Object.values(WHERE)) {
      const { name, files } = await downloadProject(page, dialog, where);
      expect(JSON.stringify(files)).not.toContain("sk-typed");
      expect(files[`${name.replace(/\.zip$/, "")}/src/settings.js`]).toContain(`[["MY_KEY",["${new URL(url).origin}"]]]`);
    }
  } finally {
    close();
  }
});
