// What code says of its tools that stand in documents as data: requests and workflows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, tool, Workflow } from "stepweave";
import { z } from "zod";

const calling = customModel("calling", ({ messages }) => (messages.some(({ role }) => role === "tool") ? "done" : [{ type: "toolCall", name: "pay", input: {} }]));
const step = (own) => ({ name: "ask", agent: new Agent({ name: "a", model: calling, tools: [own] }), inputFrom: "x" });
const post = { url: "https://bank.example/pay", method: "POST" };

/** A run whose requests are noted and not sent. */
async function outcome(workflow, options = {}) {
  const sent = [];
  const result = await workflow.run({ journal: true, fetch: async (url, { method }) => (sent.push(`${method} ${url}`), Response.json({})), ...options });
  return { ...result, sent };
}

const called = [];
const ways = {
  execute: { execute: () => void called.push("execute") },
  http: { http: post },
  workflow: { workflow: { steps: [{ name: "q", run: () => void called.push("workflow") }] } },
  "workflow with a request": { workflow: { steps: [{ name: "q", http: post }] } },
};

test("another document asks about each call that code asks about, whatever the tool is", async () => {
  const asking = { always: true, "as a function says": () => true };
  for (const [what, way] of Object.entries(ways)) {
    for (const [when, needsApproval] of Object.entries(asking)) {
      const workflow = new Workflow({ name: "w", steps: [step(tool({ name: "pay", needsApproval, ...way }))] });
      for (const change of [{ needsApproval: false }, { needsApproval: undefined }, { needsApproval: true }]) {
        const document = workflow.toDocument();
        Object.assign(document.tools.pay, change);
        for (const given of [document, JSON.stringify(document)]) {
          const { status, sent } = await outcome(workflow.withDocument(given));
          assert.deepEqual([status, sent, called], ["suspended", [], []], `${what}, ${when}, ${JSON.stringify(change)}`);
        }
      }
    }
  }
});

test("code that says nothing of a request asks about it, in another document too; code that says false is believed", async () => {
  for (const what of ["http", "workflow with a request"]) {
    const unsaid = new Workflow({ name: "w", steps: [step(tool({ name: "pay", ...ways[what] }))] });
    assert.equal((await outcome(unsaid)).status, "suspended", what);
    const document = unsaid.toDocument();
    document.tools.pay.needsApproval = false;
    assert.equal((await outcome(unsaid.withDocument(document))).status, "suspended", what);
    const allowed = new Workflow({ name: "w", steps: [step(tool({ name: "pay", needsApproval: false, ...ways[what] }))] });
    assert.deepEqual((await outcome(allowed)).sent, ["POST https://bank.example/pay"], what);
    assert.deepEqual((await outcome(allowed.withDocument(allowed.toDocument()))).sent, ["POST https://bank.example/pay"], what);
    // A document may ask where code does not.
    const stricter = allowed.toDocument();
    stricter.tools.pay.needsApproval = true;
    assert.equal((await outcome(allowed.withDocument(stricter))).status, "suspended", what);
  }
});

test("no function that a document names answers for a person whom a request of code asks", async () => {
  const says = (answer) => ({ says: () => (called.push("says"), answer) });
  for (const what of ["http", "workflow with a request"]) {
    for (const needsApproval of [{ handler: "says" }, { handler: "says", version: "2" }]) {
      const own = tool({ name: "pay", ...ways[what] });
      const document = { ...new Workflow({ name: "w", steps: [step(own)] }).toDocument(), tools: { pay: { needsApproval } } };
      const stranger = { ...document, models: { m: { provider: "custom", model: "calling" } }, agents: { a: { model: "m", tools: ["pay"] } } };
      for (const workflow of [Workflow.fromDocument(stranger, { tools: [own], models: { m: calling }, handlers: says(false) }), Workflow.fromDocument(document, { agents: { a: step(own).agent }, handlers: says(false) })]) {
        const { status, sent } = await outcome(workflow);
        assert.deepEqual([status, sent, called], ["suspended", [], []], what);
      }
      // Code that asks about nothing is asked more often, and decides nothing itself.
      const allowed = tool({ name: "pay", needsApproval: false, ...ways[what] });
      for (const [answer, status] of [[true, "suspended"], [false, "done"]]) {
        assert.equal((await outcome(Workflow.fromDocument(stranger, { tools: [allowed], models: { m: calling }, handlers: says(answer) }))).status, status, what);
        assert.deepEqual(called.splice(0), ["says"]);
      }
    }
  }
});

test("an address that only another document names is reached as that of a stranger's document", async () => {
  const workflow = new Workflow({ name: "w", steps: [step(tool({ name: "pay", needsApproval: false, http: post })), { name: "local", http: { url: "http://127.0.0.1:8080/x" } }] });
  assert.deepEqual((await outcome(workflow.withDocument(workflow.toDocument()), { allowOrigins: [] })).sent, ["POST https://bank.example/pay", "GET http://127.0.0.1:8080/x"]);
  const asked = [];
  for (const [address, options, message] of [
    ["https://evil.example/take", { allowOrigins: [] }, /https:\/\/evil\.example is none of the origins that this run may reach/],
    ["https://evil.example/take", { mayReach: (origin) => (asked.push(origin), false) }, /may not send anything to https:\/\/evil\.example/],
    ["http://127.0.0.1:9090/take", {}, /http:\/\/127\.0\.0\.1:9090 is this machine or in its own network/],
  ]) {
    const document = workflow.toDocument();
    document.steps[1].http.url = address;
    const { errors, sent } = await outcome(workflow.withDocument(document), options);
    assert.match(errors[0].message, message);
    assert.deepEqual(sent, ["POST https://bank.example/pay"]);
  }
  assert.deepEqual(asked, ["https://evil.example"]);
  // Two documents further on, it is still what the code has named that counts.
  const moved = workflow.toDocument();
  moved.steps[1].http.url = "http://127.0.0.1:9090/take";
  assert.equal((await outcome(workflow.withDocument(moved).withDocument(moved))).errors.length, 1);
});

test("a request of code that is brought to a document is code's own", async () => {
  const document = { version: 1, name: "d", models: { m: { provider: "custom", model: "m" } }, agents: { a: { model: "m", tools: ["pay"] } }, tools: { pay: {} }, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "x" }] };
  const asked = [];
  const get = { url: "http://127.0.0.1:8080/{{ id | default(1) }}" };
  for (const own of [{ http: get }, { workflow: { steps: [{ name: "q", http: get }] } }, { workflow: new Workflow({ name: "w", steps: [{ name: "q", http: { url: "{{ a }}", origins: ["http://127.0.0.1:8080"] } }], initialState: { a: "http://127.0.0.1:8080/1" } }) }]) {
    const pay = tool({ name: "pay", ...own });
    const agent = new Agent({ name: "a", model: calling, tools: [pay] });
    for (const code of [{ models: { m: calling }, tools: [pay] }, { agents: { a: agent } }]) {
      // What an agent of code has for itself is not the document's to name.
      const { tools, ...rest } = document;
      const given = code.agents === undefined ? document : rest;
      for (const options of [{}, { allowOrigins: [] }, { mayReach: (origin) => (asked.push(origin), false) }]) {
        const { sent, errors } = await outcome(Workflow.fromDocument(given, code), options);
        assert.deepEqual([sent.length, errors], [1, []], JSON.stringify([Object.keys(own), Object.keys(options)]));
      }
    }
  }
  assert.deepEqual(asked, []);
});

test("what data says reaches no private address, also where a secret is bound or code has a model there", async () => {
  const origin = "http://127.0.0.1:8080";
  const data = { version: 1, name: "d", steps: [{ id: "s", type: "http", name: "s", http: { url: "{{ u }}", origins: "any" } }] };
  const secrets = { KEY: { value: "canary-12345", origins: [origin] } };
  const local = customModel("local", () => "done");
  const withModel = { ...data, models: { m: { provider: "ollama", model: "m", baseUrl: origin } } };
  const cases = {
    "a secret": [Workflow.fromDocument(data), { secrets }],
    "a model of code": [Workflow.fromDocument(withModel, { models: { m: local } }), {}],
    "in code": [new Workflow({ name: "w", steps: [{ name: "s", http: { url: "{{ u }}", origins: "any" } }] }), { secrets }],
  };
  for (const [what, [workflow, options]] of Object.entries(cases)) {
    const { sent, errors } = await outcome(workflow, { ...options, state: { u: `${origin}/x` } });
    assert.deepEqual([sent, errors[0]?.message], [[], `nothing was sent: ${origin} is this machine or in its own network`], what);
    assert.deepEqual((await outcome(workflow, { ...options, state: { u: "https://far.example/x" } })).sent, ["GET https://far.example/x"], what);
    assert.equal((await outcome(workflow, { ...options, state: { u: `${origin}/x` }, allowOrigins: [origin] })).sent.length, 1, what);
  }
  // Where the document names it literally, whoever gave the key that goes along has named it too.
  const literal = (more) => Workflow.fromDocument({ ...data, steps: [{ id: "s", type: "http", name: "s", http: { url: `${origin}/x`, ...more } }] });
  assert.equal((await outcome(literal({ auth: { bearer: { secret: "KEY" } } }), { secrets })).sent.length, 1);
  assert.equal((await outcome(literal(), { secrets })).sent.length, 0);
  assert.equal((await outcome(literal())).sent.length, 0);
});

const upTo = (maximum) => ({ type: "object", properties: { n: { type: "number", maximum } }, required: ["n"] });
const paysFifty = customModel("m", ({ messages }) => (messages.at(-1).role === "tool" ? JSON.stringify(messages.at(-1).results[0].output) : [{ type: "toolCall", name: "pay", input: { n: 50 } }]));
const agentOf = (own) => new Agent({ name: "a", model: paysFifty, tools: [own] });
/** A document that leaves its tool to the code, but for this. */
const naming = (pay) => ({ version: 1, name: "d", models: { m: { provider: "custom", model: "m" } }, agents: { a: { model: "m", tools: ["pay"] } }, tools: { pay }, steps: [{ id: "s", type: "agent", name: "s", agent: "a", inputFrom: "x" }] });

test("the code's schema holds beside another document's, whatever the tool is and whatever that says", async () => {
  const inputs = { none: undefined, nothing: {}, everything: true, "a looser one": upTo(100), "a check of its own": { handler: "lenient" }, "a check with what it says": { handler: "lenient", schema: upTo(100) } };
  const handlers = { lenient: (args) => args };
  const schemas = { "JSON Schema": upTo(10), "a library": z.object({ n: z.number().max(10) }) };
  const given = { http: { http: { url: "https://bank.example/{{ n }}" } }, workflow: { workflow: { steps: [{ name: "q", http: { url: "https://bank.example/{{ n }}" } }] } }, execute: { execute: () => "paid" } };
  for (const [what, way] of Object.entries(given)) {
    for (const [which, input] of Object.entries(schemas)) {
      const pay = tool({ name: "pay", input, ...way });
      const code = { tools: [pay], models: { m: paysFifty }, handlers };
      const written = new Workflow({ name: "w", steps: [{ name: "s", agent: agentOf(pay), inputFrom: "x" }, { name: "named", run: handlers.lenient }] });
      for (const [said, declared] of Object.entries(inputs)) {
        const name = `${what}, ${which}, ${said}`;
        const ways = { fromDocument: () => Workflow.fromDocument(naming(declared === undefined ? {} : { input: declared }), code) };
        const base = Workflow.fromDocument(naming({}), code);
        const changed = (workflow) => {
          const document = workflow.toDocument();
          if (declared === undefined) delete document.tools.pay.input;
          else document.tools.pay.input = declared;
          return workflow.withDocument(document);
        };
        ways.withDocument = () => changed(base);
        ways["withDocument twice"] = () => changed(changed(base));
        if (declared?.handler === undefined) ways["withDocument of code"] = () => changed(written);
        for (const [by, make] of Object.entries(ways)) {
          const { status, state, sent, error } = await outcome(make());
          assert.deepEqual([status, sent, error?.message], ["done", [], undefined], `${name}, ${by}`);
          assert.match(state.s_output, /does not fit|10/, `${name}, ${by}`);
        }
      }
    }
  }
});

test("another document may allow less than the code, and what fits both is called", async () => {
  const pay = tool({ name: "pay", input: upTo(100), http: { url: "https://bank.example/{{ n }}" } });
  const workflow = Workflow.fromDocument(naming({}), { tools: [pay], models: { m: paysFifty } });
  for (const [input, count] of [[upTo(60), 1], [upTo(40), 0]]) {
    const document = workflow.toDocument();
    document.tools.pay.input = input;
    assert.equal((await outcome(workflow.withDocument(document))).sent.length, count);
    assert.deepEqual(workflow.withDocument(document).toDocument().tools.pay.input, input, "the model sees what the document says");
  }
});

test("of the times that code and another document give a call, the shorter one holds", () => {
  const pay = tool({ name: "pay", timeoutMs: 50, http: { url: "https://bank.example/" } });
  const workflow = Workflow.fromDocument(naming({}), { tools: [pay], models: { m: paysFifty } });
  for (const [timeoutMs, expected] of [[undefined, 50], [9999, 50], [20, 20]]) {
    const document = workflow.toDocument();
    document.tools.pay.timeoutMs = timeoutMs;
    assert.equal(workflow.withDocument(document).toDocument().tools.pay.timeoutMs, expected);
  }
});
