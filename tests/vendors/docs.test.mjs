// The programs of the guides that use packages of others.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startEverything } from "./everything-server.mjs";
import { transform } from "esbuild";
import { installed } from "./installed.mjs";

let home;
before(async () => {
  home = await installed();
  await home.beside("@modelcontextprotocol/client", "@modelcontextprotocol/server", "ai");
});
after(() => home.remove());

/** Every program of a guide prints what stands below it. */
async function assertPrograms(name, changed = (program) => program) {
  const guide = await readFile(new URL(`../../docs/${name}`, import.meta.url), "utf8");
  const programs = [...guide.matchAll(/^```ts\n(.*?)^```\n\n```text\n(.*?)^```$/gms)];
  assert.equal(programs.length, (guide.match(/^```ts$/gm) ?? []).length, "each program has its output below it");
  for (const [, program, said] of programs) {
    const file = join(home.folder, "program.js");
    await writeFile(file, (await transform(changed(program), { loader: "ts", target: "esnext" })).code);
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    assert.equal(stdout.replace(/durationMs: \d+/g, "durationMs: 0"), said);
  }
}

test("the guide to chats prints what it says", () => assertPrograms("chat-ui.md"));

test("the guide to MCP servers of one's own prints what it says", () => assertPrograms("mcp-server.md"));

test("the guide to MCP prints what it says", async (t) => {
  const everything = await startEverything();
  t.after(everything.stop);
  await assertPrograms("mcp.md", (program) => program.replaceAll("http://localhost:3001/mcp", everything.url));
});
