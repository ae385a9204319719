// What the program `stepweave` says to do is something that can be done on its command line.
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { cli, folderWith, started } from "./cli-support.js";

const document = (steps, more) => ({ version: 1, name: "d", ...more, steps });
const boss = { id: "boss", type: "approval", name: "boss", message: "Pay?" };
const says = (text) => ({ id: "s", type: "agent", name: "s", agent: "a", inputFrom: text });
const talks = (text, model = { provider: "demo", model: "m" }, agent = {}) => document([says(text), boss], { models: { m: model }, agents: { a: { model: "m", ...agent } } });
/** Words that are of a program, and of no command line. */
const PROGRAM = /fromDocument|allowOrigins|onMismatch|result\.pending|journal: true|secrets: \{|replay: "edit"|the option `/;

test("hints name flags where they are about one", async (t) => {
  const folder = folderWith(t, {
    "handler.json": document([{ id: "h", type: "function", name: "h", run: { handler: "h" } }]),
    "model.json": talks("Hi", { provider: "custom", model: "mine" }),
    "tool.json": { ...talks("Hi", undefined, { tools: ["t"] }), tools: { t: { run: { handler: "t" }, description: "T." } } },
    "boss.json": document([boss]),
    "home.json": document([{ id: "p", type: "http", name: "p", http: { url: "http://localhost:9/x" } }]),
    "key.json": talks("Hi", { provider: "openai", model: "m", apiKey: { secret: "OPENAI_API_KEY" } }),
    "own.json": talks("Hi", { provider: "openai", model: "m", baseUrl: "https://llm.test/v1", apiKey: { secret: "MY_KEY" } }),
    "long.json": document([{ id: "w", type: "wait", name: "w", wait: { ms: 60_000 } }]),
    "talks.json": talks("Hi"),
  });
  const told = [
    [["handler.json"], '--code module.js, a module with export const handlers = { "h": (state) => … }'],
    [["model.json"], "--code module.js, a module with export const models = "],
    [["tool.json"], "--code module.js, a module with export const tools = "],
    [["boss.json"], "--journal FOLDER"],
    [["boss.json", "--answer", "bos=true"], "nobody waits for the answer `bos`; the keys that a run waits for are shown behind a `?`"],
    [["boss.json", "--allow-origin", "foo"], "write --allow-origin https://api.openai.com"],
    [["boss.json", "--allow-origin", "https://a.test/x"], 'an --allow-origin says more than an origin\n  hint: write "https://a.test"'],
    [["home.json"], "--allow-origin http://localhost:9"],
    [["key.json"], "--secret OPENAI_API_KEY"],
    [["own.json"], "--secret MY_KEY@https://llm.test"],
    [["long.json", "--timeout", "0.01"], "--timeout"],
  ];
  for (const [args, said] of told) {
    const { stderr } = await cli(folder, ["run", ...args]);
    assert.ok(stderr.includes(said), `${args.join(" ")}: ${stderr}`);
    assert.doesNotMatch(stderr, PROGRAM, args.join(" "));
  }
  assert.equal((await cli(folder, ["run", "talks.json", "--journal", "runs", "--id", "r"])).code, 3);
  writeFileSync(join(folder, "talks.json"), JSON.stringify(talks("Ho")));
  const { stderr } = await cli(folder, ["resume", "talks.json", "r", "--journal", "runs"]);
  assert.match(stderr, /or write --anew to have these steps, /);
  assert.doesNotMatch(stderr, PROGRAM);
});

test("a request whose outcome nobody knows can be made again from its step, as the hint says", async (t) => {
  let calls = 0;
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    calls += 1;
    if (calls === 1) return response.socket.destroy();
    response.writeHead(200, { "content-type": "application/json" }).end('{"paid":true}');
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const origin = `http://127.0.0.1:${server.address().port}`;
  const folder = folderWith(t, { "pay.json": document([{ id: "p1", type: "http", name: "pay", http: { url: `${origin}/pay`, method: "POST" } }]) });
  const flags = ["--journal", "runs", "--allow-origin", origin];
  const failed = await cli(folder, ["run", "pay.json", "--id", "r", ...flags]);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /then run again from this step \(stepweave resume with --from STEP\)/);
  assert.match((await cli(folder, ["inspect", "r", "--journal", "runs"])).stdout, /hint: .*--from STEP/);
  const wrong = await cli(folder, ["resume", "pay.json", "r", "--from", "pays", ...flags]);
  assert.deepEqual([wrong.code, /there is no step `pays`\n {2}hint: did you mean `pay`\?/.test(wrong.stderr)], [2, true], wrong.stderr);
  assert.equal((await cli(folder, ["resume", "pay.json", "r", "--from", "pay", "--anew", ...flags])).code, 2);
  assert.equal(calls, 1);
  const { code, stdout, stderr } = await cli(folder, ["resume", "pay.json", "r", "--from", "pay", ...flags]);
  assert.deepEqual([code, JSON.parse(stdout).pay_output, calls], [0, { paid: true }, 2], stderr);
  assert.match(stderr, /^done · (?!r )\S+ /m, "it is a run of its own");
});

test("a host that is not served is told which flag adds it", async (t) => {
  const folder = folderWith(t, { "boss.json": document([boss]) });
  const { child, written } = started(folder, ["serve", "boss.json", "--port", "0"], { t });
  while (!written.stdout.includes("is served at")) await once(child.stdout, "data");
  const port = Number(/:(\d+);/.exec(written.stdout)[1]);
  const asked = async (headers) => {
    const [response] = await once(request({ port, host: "127.0.0.1", path: "/runs", method: "POST", headers }).end("{}"), "response");
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
    return [response.statusCode, text];
  };
  for (const [headers, status, said] of [[{ host: `evil.test:${port}` }, 421, "--name HOST adds one"], [{ origin: "https://evil.test" }, 403, "those of this server alone may"]]) {
    const [found, text] = await asked(headers);
    assert.equal(found, status);
    assert.ok(JSON.stringify(JSON.parse(text)).includes(said), text);
    assert.doesNotMatch(text, PROGRAM);
  }
});
