// What an editor offers inside a step, by the compiler's own language server: the keys of its kind and no others.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const KINDS = {
  agent: "AgentStep",
  function: "FunctionStep",
  http: "HttpStep",
  condition: "ConditionStep",
  switch: "SwitchStep",
  parallel: "ParallelStep",
  sequence: "SequenceStep",
  foreach: "ForeachStep",
  loop: "LoopStep",
  workflow: "WorkflowStep",
  wait: "WaitStep",
  approval: "ApprovalStep",
  end: "EndStep",
};

const folder = new URL(".", import.meta.url);
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

/** The compiler's language server, in whose protocol a header says how many bytes a message has. */
class LanguageServer {
  #child = spawn(process.execPath, [tsc, "--lsp", "--stdio"], { cwd: fileURLToPath(folder), stdio: ["pipe", "pipe", "ignore"] });
  #received = Buffer.alloc(0);
  #answers = new Map();
  #requests = 0;

  constructor() {
    this.#child.stdout.on("data", (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      for (let message = this.#next(); message !== undefined; message = this.#next()) this.#take(message);
    });
  }

  #next() {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const length = Number(/Content-Length: (\d+)/i.exec(this.#received.subarray(0, end))[1]);
    const body = this.#received.subarray(end + 4, end + 4 + length);
    if (body.length < length) return undefined;
    this.#received = this.#received.subarray(end + 4 + length);
    return JSON.parse(body);
  }

  #take({ id, method, result, error, params }) {
    if (method === undefined) this.#answers.get(id)(error === undefined ? result : Promise.reject(new Error(error.message)));
    // The server's own requests need an answer: of a configuration there is none for any section.
    else if (id !== undefined) this.#send({ id, result: params?.items?.map(() => null) ?? null });
  }

  #send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  notify(method, params) {
    this.#send({ method, params });
  }

  request(method, params) {
    const id = (this.#requests += 1);
    const answer = new Promise((resolve) => this.#answers.set(id, resolve));
    this.#send({ id, method, params });
    return answer;
  }

  stop() {
    this.#child.kill();
  }
}

let server;
before(async () => {
  server = new LanguageServer();
  await server.request("initialize", { processId: process.pid, rootUri: folder.href, capabilities: {} });
  server.notify("initialized", {});
});
after(() => server.stop());

/** The keys that are offered where `|` stands in a program. */
async function offered(program) {
  const uri = new URL("offered.test-d.ts", folder).href;
  const lines = program.slice(0, program.indexOf("|")).split("\n");
  const position = { line: lines.length - 1, character: lines.at(-1).length };
  server.notify("textDocument/didOpen", { textDocument: { uri, languageId: "typescript", version: 1, text: program.replace("|", "") } });
  const { items } = await server.request("textDocument/completion", { textDocument: { uri }, position });
  server.notify("textDocument/didClose", { textDocument: { uri } });
  return items.map(({ label }) => label.replace(/\?$/, "")).sort();
}

for (const [type, kind] of Object.entries(KINDS)) {
  test(`a step of the type ${type} is offered the keys of ${kind}`, async () => {
    const step = `{ name: "a", type: "${type}", | }`;
    const expected = await offered(`import type { ${kind} } from "stepweave";\nconst step: ${kind} = ${step};`);
    assert.ok(expected.includes("onError") && !expected.includes("name"), expected.join());
    assert.deepEqual(await offered(`import { Workflow } from "stepweave";\nnew Workflow({ name: "w", steps: [${step}] });`), expected);
    assert.deepEqual(await offered(`import { Workflow } from "stepweave";\nnew Workflow({ name: "w", initialState: { n: 1 }, steps: [{ name: "if", condition: "true", steps: [${step}] }] });`), expected);
    for (const inside of [step, `{ name: "if", condition: "true", steps: [${step}] }`, `{ name: "each", items: "list", steps: [${step}] }`]) {
      assert.deepEqual(await offered(`import { Workflow } from "stepweave";\nnew Workflow<{ n: number; list: string[] }>({ name: "w", steps: [${inside}] });`), expected);
    }
    assert.deepEqual(await offered(`import type { Step } from "stepweave";\nconst step: Step = ${step};`), expected);
  });
}
