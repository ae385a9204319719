// The program `stepweave`: what it writes, what it refuses, and the exit codes that scripts rely on.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { cli, folderWith, program, started } from "./cli-support.js";

const greet = {
  version: 1,
  name: "greet",
  initialState: { who: "Ada" },
  steps: [{ id: "hello", type: "function", name: "hello", run: { set: { greeting: "'Hello ' ~ who" } } }],
};
const asks = {
  version: 1,
  name: "pay",
  initialState: { sum: 12 },
  steps: [
    { id: "boss", type: "approval", name: "boss", message: "Pay {{ sum }}?" },
    { id: "pay", type: "function", name: "pay", run: { set: { paid: "boss_output" } } },
  ],
};
const withModel = (baseUrl) => ({
  version: 1,
  name: "ask",
  models: { m: { provider: "openai", model: "gpt-5-mini", baseUrl, apiKey: { secret: "OPENAI_API_KEY" } } },
  agents: { a: { model: "m" } },
  steps: [{ id: "ask", type: "agent", name: "ask", agent: "a", inputFrom: "Hi" }],
});

/** An endpoint that says hello, and keeps the headers that it was sent. */
async function endpoint(t) {
  const headers = [];
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    headers.push(incoming.headers);
    incoming.resume();
    outgoing.writeHead(200, { "content-type": "application/json" });
    outgoing.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "hello" }, finish_reason: "stop" }], usage: { prompt_tokens: 5, completion_tokens: 2 } }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => { server.close(); server.closeAllConnections(); });
  return { headers, origin: `http://127.0.0.1:${server.address().port}` };
}

test("run shows its steps on standard error, and writes the state to standard output", async (t) => {
  const folder = folderWith(t, { "greet.json": greet });
  const { code, stdout, stderr } = await cli(folder, ["run", "greet.json", "--state", "who=Grace", "--state", '{"n": 1}']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { who: "Grace", n: 1, greeting: "Hello Grace" });
  assert.match(stderr, /^✓ hello {2}\d+ ms\ndone · \d+ ms\n$/);
});

test("a state comes from pairs, from JSON, from a file and from standard input, the last one of each key counting", async (t) => {
  const folder = folderWith(t, { "greet.json": greet, "state.json": { who: "Alan", tags: ["a"] } });
  const state = async (...args) => JSON.parse((await cli(folder, ["run", "-q", "greet.json", ...args])).stdout);
  assert.deepEqual(await state("-s", "@state.json", "-s", "tags=[1,2]", "-s", "flag=true", "-s", "text=a=b", "-s", "who=12 bees"), { who: "12 bees", tags: [1, 2], flag: true, text: "a=b", greeting: "Hello 12 bees" });
  assert.deepEqual(await state("-s", "whole=@state.json"), { who: "Ada", whole: { who: "Alan", tags: ["a"] }, greeting: "Hello Ada" });
  assert.equal(JSON.parse((await cli(folder, ["run", "-q", "-"], { input: JSON.stringify(greet) })).stdout).greeting, "Hello Ada");
  for (const wrong of ["who", "=x", "{", "@missing.json", '@greet.json/..', '["a"]']) {
    const { code, stderr } = await cli(folder, ["run", "greet.json", "--state", wrong]);
    assert.equal(code, 2, wrong);
    assert.match(stderr, /^error: .+\n {2}hint: .+\n$/, wrong);
  }
  assert.equal(({}).polluted, undefined);
  const evil = await cli(folder, ["run", "-q", "greet.json", "-s", `{"__proto__": {"polluted": 1}}`]);
  assert.deepEqual([evil.code, evil.stderr.includes("state.__proto__ cannot be a key of the state")], [2, true], evil.stderr);
});

test("--json writes every event as a line, and errors as data", async (t) => {
  const failing = { ...greet, steps: [{ id: "end", type: "end", name: "stop", end: { status: "error", message: "no \u001b[31mbees" } }] };
  const folder = folderWith(t, { "greet.json": greet, "failing.json": failing });
  const events = (await cli(folder, ["run", "greet.json", "--json", "--journal", "runs"])).stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(events.map(({ type }) => type), ["run.start", "step.start", "step.done", "run.done"]);
  assert.equal("journal" in events.at(-1).result, false);
  const failed = await cli(folder, ["run", "failing.json", "--json"]);
  assert.equal(failed.code, 1);
  assert.equal(JSON.parse(failed.stdout.trimEnd().split("\n").at(-1)).result.error.message, "no \u001b[31mbees");
  const shown = await cli(folder, ["run", "failing.json"]);
  assert.equal(shown.code, 1);
  assert.ok(!shown.stderr.includes("\u001b"), "what a document says cannot steer a terminal");
  assert.match(shown.stderr, /error: no \[31mbees\n {2}step: stop \(steps\[0\]\)/);
});

test("a run that waits for a person has an exit code of its own, and resume goes on with it", async (t) => {
  const folder = folderWith(t, { "pay.json": asks });
  const first = await cli(folder, ["run", "pay.json", "--journal", "runs", "--id", "order 17"]);
  assert.equal(first.code, 3);
  assert.match(first.stderr, /\? boss: Pay 12\?\n/);
  assert.match(first.stderr, /hint: stepweave resume pay\.json order 17 --journal runs --answer key=value/);
  const again = await cli(folder, ["run", "pay.json", "--journal", "runs", "--id", "order 17"]);
  assert.deepEqual([again.code, /there is a run `order 17`/.test(again.stderr)], [2, true]);
  assert.match((await cli(folder, ["inspect", "--journal", "runs"])).stdout, /^order 17 {2}suspended {2}pay {2}\d{4}-/);
  assert.match((await cli(folder, ["inspect", "order 17", "--journal", "runs"])).stdout, /\? boss: Pay 12\?/);
  const done = await cli(folder, ["resume", "pay.json", "order 17", "--journal", "runs", "--answer", 'boss={"ok": true}']);
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(JSON.parse(done.stdout).paid, { ok: true });
  const late = await cli(folder, ["resume", "pay.json", "order 17", "--journal", "runs", "--answer", 'boss={"ok": false}']);
  assert.deepEqual([late.code, late.stdout, late.stderr.split("\n")[0]], [2, "", "error: the run `order 17` is done and waits for no answer"]);
  assert.equal((await cli(folder, ["resume", "pay.json", "order 17", "--journal", "runs"])).code, 0, "without an answer it is read once more");
  const unknown = await cli(folder, ["resume", "pay.json", "order 18", "--journal", "runs"]);
  assert.deepEqual([unknown.code, unknown.stderr.split("\n")[0]], [2, "error: there is no run `order 18` in runs"]);
  assert.equal((await cli(folder, ["run", "pay.json", "--answer", "boss=yes"])).code, 0, "an answer that is known may be given at once");
});

test("the answer that the help and the doc give as an example is a yes to every approval", async (t) => {
  const pay = { id: "pay", type: "function", name: "pay", run: { set: { paid: "sum" } } };
  const ofTool = { models: { m: { provider: "custom", model: "m" } }, tools: { pay: { run: { handler: "pay" }, needsApproval: true } }, agents: { a: { model: "m", tools: ["pay"] } }, steps: [{ id: "a", type: "agent", name: "a", agent: "a", inputFrom: "Pay" }] };
  const code = 'export const handlers = { pay: () => "paid" }; export const models = { m: ({ messages }) => messages.at(-1).role === "tool" ? "It is paid." : [{ type: "toolCall", id: "c", name: "pay", input: {} }] };';
  const folder = folderWith(t, { "plain.json": asks, "guarding.json": { ...asks, steps: [{ ...asks.steps[0], steps: [pay] }] }, "tool.json": { version: 1, name: "t", ...ofTool }, "code.mjs": code });
  const help = (await cli(folder, ["resume", "--help"])).stdout;
  const doc = readFileSync(fileURLToPath(new URL("../../docs/cli.md", import.meta.url)), "utf8");
  const written = [...`${help}\n${doc}`.matchAll(/--answer boss=('[^']*'|[^\s@]+)/g)].map(([, value]) => value);
  assert.equal(written.length, 4);
  assert.equal(new Set(written).size, 1, `${written}`);
  const answer = written[0].slice(1, -1);
  for (const file of ["plain.json", "guarding.json", "tool.json"]) {
    const run = [file, "--journal", "runs", ...(file === "tool.json" ? ["--code", "code.mjs"] : [])];
    const asked = await cli(folder, ["run", "--id", file, ...run]);
    assert.equal(asked.code, 3, asked.stderr);
    const key = /^\? ([^:\n]+): /m.exec(asked.stderr)[1];
    const done = await cli(folder, ["resume", file, file, ...run.slice(1), "--answer", `${key}=${answer}`]);
    assert.equal(done.code, 0, done.stderr);
    assert.ok(/paid/.test(done.stdout), done.stdout);
  }
});

test("a key is read by its name, and goes only where it is bound; the rest of the environment is not read", async (t) => {
  const { headers, origin } = await endpoint(t);
  const folder = folderWith(t, { "ask.json": withModel(`${origin}/v1`) });
  const env = { OPENAI_API_KEY: "sk-0123456789abcdef" };
  const call = (...args) => cli(folder, ["run", "ask.json", "--allow-origin", origin, ...args], { env });
  const without = await call();
  assert.equal(without.code, 1);
  assert.match(without.stderr, /the workflow needs the secret OPENAI_API_KEY/);
  const elsewhere = await call("--secret", "OPENAI_API_KEY");
  assert.match(elsewhere.stderr, /OPENAI_API_KEY is bound to https:\/\/api\.openai\.com/);
  assert.equal(headers.length, 0, "nothing was sent");
  const sent = await call("--secret", `OPENAI_API_KEY@${origin}`);
  assert.equal(sent.code, 0, sent.stderr);
  assert.equal(headers[0].authorization, "Bearer sk-0123456789abcdef");
  assert.match(sent.stderr, /7 tokens/);
  for (const [given, said] of [["OPENAI_API_KEY=sk-1", "a key's value does not belong on a command line"], ["MISSING", "the environment has no variable MISSING"], ["OPENAI_API_KEY@nowhere", "which is no origin"]]) {
    const { code, stderr } = await call("--secret", given);
    assert.deepEqual([code, stderr.includes(said)], [2, true], stderr);
    assert.ok(!stderr.includes("sk-"), "no key is shown");
  }
  const own = await cli(folder, ["run", "ask.json", "--secret", "MY_KEY"], { env: { MY_KEY: "a-key-of-mine" } });
  assert.match(own.stderr, /bound to no origin\n {2}hint: write where it may go: --secret MY_KEY@https:/);
});

test("an origin that is not allowed is not reached, and this machine only if it is", async (t) => {
  const { headers, origin } = await endpoint(t);
  const document = withModel(`${origin}/v1`);
  delete document.models.m.apiKey;
  const folder = folderWith(t, { "ask.json": document });
  const call = (...args) => cli(folder, ["run", "ask.json", ...args]);
  const [alone, other] = [await call(), await call("--allow-origin", "https://api.openai.com")];
  assert.equal(alone.code, 1);
  assert.match(alone.stderr, /nothing was sent/);
  assert.equal(other.code, 1);
  assert.match(other.stderr, /is none of the origins that this run may reach/);
  assert.equal(headers.length, 0);
  assert.equal((await call("--allow-origin", origin)).code, 0);
});

test("validate lists every problem with its line, and stops a script by its exit code", async (t) => {
  const broken = `{\n  "version": 1,\n  "name": "b",\n  "agents": {\n    "a b": { "model": "q" }\n  },\n  "steps": [\n    { "id": "s1", "type": "agent", "name": "d", "agnt": "w", "agent": "a b" }\n  ]\n}\n`;
  const folder = folderWith(t, { "broken.json": broken, "greet.json": greet, "text.json": '{\n "version": }' });
  const { code, stdout } = await cli(folder, ["validate", "broken.json"]);
  assert.equal(code, 1);
  assert.match(stdout, /^broken\.json:8:49 error steps\[0\]\.agnt: an agent step has no key `agnt` \[unknown_key\]\n {2}hint: did you mean `agent`\?/m);
  assert.match(stdout, /^broken\.json:5:14 error agents\["a b"\]\.model: there is no model `q` \[unknown_reference\]$/m);
  assert.match(stdout, /^1 document, 2 errors, 0 warnings$/m);
  assert.deepEqual(await cli(folder, ["validate", "greet.json"]), { code: 0, stdout: "1 document, 0 errors, 0 warnings\n", stderr: "" });
  assert.match((await cli(folder, ["validate", "text.json"])).stdout, /^text\.json:2:13 error this is not JSON/);
  const found = JSON.parse((await cli(folder, ["validate", "greet.json", "broken.json", "--json"])).stdout);
  assert.deepEqual(found.map(({ file, line }) => `${file}:${line}`), ["broken.json:8", "broken.json:5"]);
  const run = await cli(folder, ["run", "broken.json"]);
  assert.equal(run.code, 2);
  assert.match(run.stderr, /broken\.json:8:49 steps\[0\]\.agnt: an agent step has no key/);
});

test("a document that is nested too deep is a problem of it, as in the API", async (t) => {
  const folder = folderWith(t, { "deep.json": "[".repeat(100_000) + "]".repeat(100_000) });
  const { code, stdout } = await cli(folder, ["validate", "deep.json"]);
  assert.equal(code, 1);
  assert.match(stdout, /^deep\.json:1:1 error the JSON is nested more than \d+ levels deep \[limit\]\n/);
  for (const args of [["run", "deep.json"], ["types", "deep.json"]]) {
    const { code, stderr } = await cli(folder, args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /deep\.json:1:1: the JSON is nested more than/);
  }
});

test("a file is written into folders that are not there yet, and what cannot be written is no fault of stepweave", async (t) => {
  const folder = folderWith(t, { "greet.json": greet });
  assert.equal((await cli(folder, ["types", "greet.json", "--out", "src/made/greet.ts"])).code, 0);
  assert.match(readFileSync(join(folder, "src/made/greet.ts"), "utf8"), /export type GreetInput/);
  const { code, stderr } = await cli(folder, ["types", "greet.json", "--out", "greet.json/greet.ts"]);
  assert.equal(code, 2);
  assert.match(stderr, /^error: greet\.json\/greet\.ts cannot be written: .+\n {2}hint: check the folder\n$/);
});

test("what is misspelt is refused with what was probably meant, before anything is done", async (t) => {
  const folder = folderWith(t, { "greet.json": greet });
  for (const [args, said] of [
    [["rum", "greet.json"], "did you mean `stepweave run`?"],
    [["run", "greet.json", "--jornal", "x"], "did you mean --journal?"],
    [["run", "greet.json", "--journal"], "write --journal folder"],
    [["run", "greet.json", "--journal", "--json"], "write --journal folder"],
    [["run", "greet.json", "--json=1"], "write --json alone"],
    [["run", "greet.json", "--max-cost", "much"], "write a number above 0"],
    [["run", "greet.json", "--seed", "-1"], "write a whole number below 4294967296"],
    [["run", "greet.json", "--id", "x"], "write --journal ./journals"],
    [["run"], "its usage is: stepweave run <file.json>"],
    [["run", "a.json", "b.json"], "its usage is: stepweave run <file.json>"],
    [["run", "missing.json"], "check the path"],
    [["constructor"], "stepweave --help lists the commands"],
  ]) {
    const { code, stdout, stderr } = await cli(folder, args);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.ok(stderr.includes(`  hint: ${said}`), stderr);
  }
  assert.deepEqual(readdirSync(folder), ["greet.json"]);
  const help = await cli(folder, ["run", "--help", "--nonsense"]);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /--allow-origin origin/);
  assert.match((await cli(folder, ["--version"])).stdout, /^\d+\.\d+\.\d+\n$/);
});

test("code that a document names comes from a module", async (t) => {
  const document = { ...greet, steps: [{ id: "h", type: "function", name: "h", run: { handler: "shout" } }] };
  const folder = folderWith(t, { "d.json": document, "code.mjs": "export const handlers = { shout: (state) => ({ loud: state.who.toUpperCase() }) };", "empty.mjs": "export const other = 1;" });
  assert.equal(JSON.parse((await cli(folder, ["run", "d.json", "--code", "code.mjs"])).stdout).loud, "ADA");
  assert.match((await cli(folder, ["run", "d.json", "--code", "empty.mjs"])).stderr, /exports none of handlers, tools, models, agents/);
  assert.match((await cli(folder, ["run", "d.json", "--code", "none.mjs"])).stderr, /the module none\.mjs cannot be loaded/);
  assert.equal((await cli(folder, ["run", "d.json"])).code, 2);
});

test("an interrupted run is cancelled, its journal kept, and resume goes on", async (t) => {
  const waiting = { ...greet, steps: [...greet.steps, { id: "w", type: "wait", name: "w", wait: { ms: 600_000 } }] };
  const folder = folderWith(t, { "waiting.json": waiting });
  const { child, written, ended } = started(folder, ["run", "waiting.json", "--journal", "runs", "--id", "long"], { t });
  while (!written.stderr.includes("✓ hello")) await once(child.stderr, "data");
  child.kill("SIGINT");
  assert.equal((await ended).code, 130);
  assert.match((await cli(folder, ["inspect", "long", "--journal", "runs"])).stdout, /cancelled: it was interrupted/);
});

test("a run whose output nobody reads any more is cancelled without a trace, and its journal kept", async (t) => {
  const waiting = { ...greet, steps: [...greet.steps, { id: "w", type: "wait", name: "w", wait: { ms: 300 } }, { ...greet.steps[0], id: "then", name: "then" }, { id: "w2", type: "wait", name: "w2", wait: { ms: 600_000 } }] };
  const folder = folderWith(t, { "waiting.json": waiting });
  for (const [closed, open, flags] of [["stdout", "stderr", ["--json"]], ["stderr", "stdout", []]]) {
    const { child, written, ended } = started(folder, ["run", "waiting.json", "--journal", "runs", "--id", closed, ...flags], { t });
    await once(child[closed], "data");
    child[closed].destroy();
    assert.equal((await ended).code, 130);
    assert.ok(!written[open].includes("EPIPE"), written[open]);
    assert.match((await cli(folder, ["inspect", closed, "--journal", "runs"])).stdout, /cancelled: nobody reads its output any more/);
  }
});

test("inspect shows rounds, usage and errors, and names with the document; replay says what has changed", async (t) => {
  const each = {
    version: 1,
    name: "each",
    initialState: { list: ["a", "b"] },
    models: { m: { provider: "demo", model: "demo" } },
    agents: { a: { model: "m" } },
    steps: [{ id: "each", type: "foreach", name: "all of them", items: "list", steps: [{ id: "say", type: "agent", name: "say it", agent: "a", inputFrom: "Say {{ item }}" }] }],
  };
  const folder = folderWith(t, { "each.json": each });
  assert.equal((await cli(folder, ["run", "each.json", "--journal", "runs", "--id", "r"])).code, 0);
  const { stdout } = await cli(folder, ["inspect", "r", "--journal", "runs", "--document", "each.json"]);
  assert.match(stdout, /^ {2}all of them #0\n {2}✓ say it {2}at .* · \d+ tokens\n {2}all of them #1\n {2}✓ say it/m);
  const known = JSON.parse((await cli(folder, ["inspect", "r", "--journal", "runs", "--json"])).stdout);
  assert.deepEqual(known.steps.map(({ key, usage }) => [key, usage.inputTokens > 0]), [["each#0/say", true], ["each#1/say", true]]);
  const same = await cli(folder, ["replay", "each.json", "r", "--journal", "runs"]);
  assert.equal(same.code, 0, same.stderr);
  assert.match(same.stderr, /nothing has changed: the run ends as it did, done/);
  writeFileSync(join(folder, "other.json"), JSON.stringify({ ...each, agents: { a: { model: "m", instructions: "Whisper." } } }));
  const other = await cli(folder, ["replay", "other.json", "r", "--journal", "runs"]);
  assert.equal(other.code, 1);
  assert.match(other.stderr, /steps\[0\]\.steps\[0\]: `say it` \(each#0\/say\) asks its model something else/);
  assert.equal((await cli(folder, ["inspect", "none", "--journal", "runs"])).code, 2);
});

test("types are those of the document, and compile", async (t) => {
  const typed = {
    ...asks,
    name: "2 pay",
    input: { type: "object", properties: { sum: { type: "number", description: "In */ euros." }, how: { enum: ["card", "cash"] }, "a-b": { type: ["string", "null"] }, deep: { $ref: "#/$defs/node" } }, required: ["sum"], $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } } },
    steps: [{ ...asks.steps[0], schema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] } }, asks.steps[1]],
  };
  const folder = folderWith(t, { "pay.json": typed });
  assert.equal((await cli(folder, ["types", "pay.json", "--out", "pay.ts"])).code, 0);
  const use = `import type { Workflow2PayInput, Workflow2PayResult } from "./pay.js";
const input: Workflow2PayInput = { sum: 1, how: "card", "a-b": null };
// @ts-expect-error the sum is missing
const missing: Workflow2PayInput = {};
// @ts-expect-error there is no such way to pay
const wrong: Workflow2PayInput = { sum: 1, how: "gold" };
export const ok = (result: Workflow2PayResult): boolean | undefined => result.boss_output?.ok;
export { input, missing, wrong };
`;
  writeFileSync(join(folder, "use.ts"), use);
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "use.ts"], { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, `${stdout}\n${readFileSync(join(folder, "pay.ts"), "utf8")}`);
});

test("types say of a key what all that may write it make of it, and nothing of what cannot be known", async (t) => {
  const agent = (id, name, agent, more) => ({ id, type: "agent", name, agent, inputFrom: "Hi", ...more });
  const set = (id, set) => ({ id, type: "function", name: id, run: { set } });
  const form = (type) => ({ type: "object", properties: { ok: { type } }, required: ["ok"] });
  const document = (steps, more) => ({ version: 1, name: "d", initialState: { status: 0, kept: "a" }, models: { m: { provider: "demo", model: "demo" } }, agents: { text: { model: "m" }, data: { model: "m", output: form("integer") } }, steps, ...more });
  const approval = { id: "boss", type: "approval", name: "boss", message: "?", schema: form("boolean"), expiresMs: 1 };
  const folder = folderWith(t, {});
  const result = async (...given) => {
    writeFileSync(join(folder, "d.json"), JSON.stringify(document(...given)));
    const { stdout, stderr } = await cli(folder, ["types", "d.json"]);
    assert.equal(stderr, "");
    return /DResult = \{\n([\s\S]*)\n\} & /.exec(stdout)[1].replace(/\s+/g, " ").trim();
  };
  assert.equal(await result([set("pay", { status: "'paid'" })]), "status: unknown; kept: string;");
  assert.equal(await result([{ ...agent("a", "a", "text"), name: "status" }, agent("b", "same", "text"), agent("c", "same", "data")]), "status: number; kept: string; status_output?: string; same_output?: string | { ok: number; };");
  assert.equal(await result([agent("d", "d", "text"), set("later", { d_output: "5" })]), "status: number; kept: string; d_output?: unknown;");
  assert.equal(await result([{ ...approval, expired: [] }]), "status: number; kept: string; boss_output?: { ok: boolean; } | null;");
  assert.equal(await result([approval]), "status: number; kept: string; boss_output?: { ok: boolean; };");
  assert.equal(await result([{ id: "h", type: "function", name: "h", run: { handler: "h" } }, agent("d", "d", "text")]), "status: unknown; kept: unknown; d_output?: string;");
  assert.equal(await result([{ id: "w", type: "workflow", name: "w", steps: [], set: { status: "'x'" } }]), "status: unknown; kept: string;");
  assert.equal(await result([agent("d", "d", "text", { history: { key: "talk" } })], { initialState: { talk: [{ role: "user", content: "Hi" }] } }), "talk: { role: string; content: string; }[] | unknown[]; d_output?: string;");
  assert.equal(await result([], { input: { type: "object", properties: { status: { type: "string" } } } }), "status: number | string; kept: string;");
  const input = { type: "object", properties: { sum: { $ref: "#/$defs/sum" }, note: { type: "string" } }, required: ["sum", "who"], $defs: { sum: { type: "number" } } };
  assert.equal(await result([], { input }), "status: number; kept: string; sum: number; note?: string; who: unknown;");
  assert.equal(await result([set("s", { note: "1" })], { initialState: {}, input }), "sum: number; note?: unknown; who: unknown;");
  assert.equal(await result([{ id: "h", type: "function", name: "h", run: { handler: "h" } }], { initialState: {}, input }), "sum: unknown; note?: unknown; who: unknown;");
});

test("serve answers on this machine alone, under its own name", async (t) => {
  const folder = folderWith(t, { "greet.json": { ...greet, input: { type: "object", properties: { who: { type: "string" } } } } });
  const { child, written, ended } = started(folder, ["serve", "greet.json", "--port", "0"], { t });
  while (!written.stdout.includes("is served at")) await once(child.stdout, "data");
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(written.stdout)[0];
  const answer = await fetch(`${address}/runs`, { method: "POST", body: JSON.stringify({ who: "Grace" }) });
  assert.deepEqual([answer.status, (await answer.json()).state.greeting], [200, "Hello Grace"]);
  assert.equal((await fetch(`${address}/runs`, { method: "POST", body: "{}", headers: { origin: "https://evil.example" } })).status, 403);
  const port = Number(new URL(address).port);
  const under = (host) => new Promise((resolve, reject) => request({ port, host: "127.0.0.1", path: "/health", headers: { host } }, (response) => { response.resume(); resolve(response.statusCode); }).once("error", reject).end());
  assert.deepEqual([await under(`localhost:${port}`), await under(`evil.example:${port}`), await under("a b")], [200, 421, 400]);
  child.kill("SIGTERM");
  assert.equal((await ended).code, 0);
});

test("serve opens to other machines only with a token", async (t) => {
  const folder = folderWith(t, { "greet.json": greet });
  const open = await cli(folder, ["serve", "greet.json", "--host", "0.0.0.0", "--port", "0"]);
  assert.deepEqual([open.code, /nothing says who may/.test(open.stderr)], [2, true]);
  assert.match((await cli(folder, ["serve", "greet.json", "--token", "TOKEN"], { env: { TOKEN: "short" } })).stderr, /the variable "TOKEN" has a token that is shorter than 16 characters/);
  const { child, written, ended } = started(folder, ["serve", "greet.json", "--host", "0.0.0.0", "--port", "0", "--name", "flows.example", "--token", "TOKEN"], { t, env: { TOKEN: "a-long-random-token-1" } });
  while (!written.stdout.includes("is served at")) await once(child.stdout, "data");
  const port = Number(/:(\d+);/.exec(written.stdout)[1]);
  const call = (host, authorization) => new Promise((resolve, reject) => request({ port, host: "127.0.0.1", path: "/runs", headers: { host, ...(authorization && { authorization }) } }, (response) => { response.resume(); resolve(response.statusCode); }).once("error", reject).end());
  const token = "Bearer a-long-random-token-1";
  assert.deepEqual([await call("flows.example"), await call("flows.example", "Bearer another-long-token-2"), await call("flows.example", token), await call("evil.example", token)], [401, 401, 200, 421]);
  child.kill("SIGINT");
  await ended;
});

test("the builder is served where its package is installed, and to this machine alone", async (t) => {
  const folder = folderWith(t, { "greet.json": greet });
  const away = await cli(folder, ["serve", "greet.json", "--builder", "--host", "0.0.0.0", "--token", "TOKEN"], { env: { TOKEN: "a-long-random-token-1" } });
  assert.deepEqual([away.code, /--builder and --host 0\.0\.0\.0 do not go together/.test(away.stderr)], [2, true]);
  // The program alone, as it lies in a folder without the other package.
  const alone = join(folder, "node_modules", "stepweave");
  cpSync(fileURLToPath(new URL("../dist", import.meta.url)), join(alone, "dist"), { recursive: true });
  cpSync(fileURLToPath(new URL("../package.json", import.meta.url)), join(alone, "package.json"));
  const { status, stderr } = spawnSync(process.execPath, [join(alone, "dist", "cli.js"), "serve", "greet.json", "--builder"], { cwd: folder, encoding: "utf8" });
  assert.equal(status, 2);
  assert.equal(stderr, "error: the builder is in the package stepweave-builder, which is not installed\n  hint: npm install --save-dev stepweave-builder, and call it again\n");
});

test("new writes what runs and what passes, and nothing over what is there", async (t) => {
  const folder = folderWith(t, {});
  assert.equal((await cli(folder, ["new", "triage"])).code, 0);
  assert.deepEqual(readdirSync(folder).sort(), ["triage.json", "triage.test.json"]);
  assert.equal((await cli(folder, ["validate", "triage.json"])).code, 0);
  assert.equal((await cli(folder, ["run", "triage.json", "-q"])).code, 0);
  const again = await cli(folder, ["new", "triage"]);
  assert.deepEqual([again.code, /triage\.json is there already/.test(again.stderr)], [2, true]);
  assert.equal((await cli(folder, ["new", "../x y"])).code, 2);
  assert.equal((await cli(folder, ["new", "shop", "--project"])).code, 0);
  assert.deepEqual(readdirSync(join(folder, "shop")).sort(), ["README.md", "package.json", "workflow.json", "workflow.test.json"]);
  assert.equal((await cli(join(folder, "shop"), ["validate", "workflow.json"])).code, 0);
});

test("on a terminal the tree is drawn over itself, and stands there whole at the end", { skip: existsSync("/usr/bin/script") ? false : "no `script` here, which gives a terminal" }, (t) => {
  const folder = folderWith(t, { "greet.json": { ...greet, steps: [...greet.steps, { id: "w", type: "wait", name: "wait \u001b[2J", wait: { ms: 250 } }] } });
  const written = execFileSync("/usr/bin/script", ["-qec", `${process.execPath} ${program} run greet.json`, "/dev/null"], { cwd: folder, encoding: "utf8" });
  assert.match(written, /\u001b\[\d+A\r\u001b\[J✓ hello/);
  assert.match(written, /✓ wait \[2J {2}2\d\d ms\r\n/);
  assert.ok(!written.includes("\u001b[2J"));
});
