// What callers of a served workflow receive: nothing of where a model is, and of what it or a function said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, openai, publicError, publicEvent, publicResult, StepweaveError, tool, Workflow } from "../dist/entry-inline.js";
import { ReasoningAgent, think } from "../dist/reasoning.js";
import { toUIMessageStream } from "../dist/ui.js";

const step = { id: "s1", path: "steps[0]", name: "ask", key: "s1" };
const SECRET = "http://10.0.0.7:8080 said: db.internal is down";

test("gives the code and the step, and words of its own", () => {
  for (const code of ["handler", "tool", "model", "auth", "rate_limit", "network", "timeout", "limit", "budget", "cancelled", "conflict", "document", "internal", "template"]) {
    const shown = publicError(new StepweaveError(code, SECRET, { step, hint: SECRET, cause: new Error(SECRET), problems: [{ path: SECRET }] }));
    assert.deepEqual([shown.code, shown.step], [code, step]);
    assert.ok(shown.message.length > 0);
    assert.doesNotMatch(JSON.stringify(shown), /10\.0\.0\.7|internal is down/);
  }
});

test("shows what helps callers to mend their state, or their answer", () => {
  for (const [message, where] of [["there is no `text` in the state", {}], ["the answer to `ask` does not fit its schema: it must be an object", { step }]]) {
    const error = new StepweaveError("validation", message, { ...where, hint: "send one", cause: new Error(SECRET) });
    assert.deepEqual(publicError(error), { code: "validation", message, hint: "send one", ...where });
  }
  assert.doesNotMatch(JSON.stringify(publicError(new StepweaveError("validation", SECRET, { step, hint: SECRET }))), /internal is down/);
});

test("does not repeat what a step says in any step around it, tolerated or not", async () => {
  const misfit = { type: "object", properties: { hidden: { const: 1 } } };
  const inner = () => [
    { name: "get", http: { url: "https://10.0.0.7:8080/x" } },
    { name: "f", input: misfit, run: () => ({}) },
    { name: "f", output: misfit, run: () => ({ hidden: "db.internal" }) },
    { name: "w", type: "workflow", with: { hidden: "hidden" }, workflow: new Workflow({ name: "in", input: misfit, steps: [] }) },
    { name: "f", run: () => { throw new StepweaveError("validation", SECRET, { hint: SECRET }); } },
    { name: "call", agent: "a", inputFrom: "{{ hidden.nope }}" },
  ];
  const around = {
    none: (steps) => steps[0],
    condition: (steps) => ({ name: "c", condition: "true", steps }),
    else: (steps) => ({ name: "c", condition: "false", steps: [], else: steps }),
    switch: (steps) => ({ name: "c", cases: [{ when: "true", steps }], default: [] }),
    parallel: (parallel) => ({ name: "c", parallel }),
    sequence: (steps) => ({ name: "c", type: "sequence", steps }),
    foreach: (steps) => ({ name: "c", items: "[1]", steps }),
    dropped: (steps) => ({ name: "c", items: "[1]", onItemError: "drop", steps }),
    loop: (steps) => ({ name: "c", repeat: { until: "true" }, maxIterations: 1, steps }),
    workflow: (steps) => ({ name: "c", type: "workflow", workflow: new Workflow({ name: "in", agents: { a: new Agent({ name: "a", model: customModel("m", () => "x") }) }, steps }) }),
    deep: (steps) => ({ name: "c", condition: "true", steps: [{ name: "d", parallel: [{ name: "e", type: "sequence", steps }] }] }),
  };
  const fetch = async () => Response.json({ error: { message: SECRET } }, { status: 422 });
  for (const [kind, wrap] of Object.entries(around)) {
    for (const step of inner()) {
      for (const more of [{}, { required: false }, { onError: "continue" }]) {
        const workflow = new Workflow({ name: "w", agents: { a: new Agent({ name: "a", model: customModel("m", () => "x") }) }, steps: [{ ...wrap([step]), ...more }] });
        const shown = [];
        let failed = false;
        for await (const event of workflow.stream({ state: { hidden: "db.internal" }, fetch })) {
          failed ||= "error" in event;
          const { state, ...rest } = publicEvent(event)?.result ?? {};
          shown.push({ ...publicEvent(event), result: rest });
        }
        assert.ok(failed, `${kind} ${step.name}`);
        assert.doesNotMatch(JSON.stringify(shown), /10\.0\.0\.7|internal/, `${kind} ${step.name}`);
      }
    }
  }
});

test("does not repeat an answer of a model, or what a function gave, that does not fit", async () => {
  const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const talks = new Agent({ name: "a", model: customModel("m", () => SECRET), output });
  const failed = [await talks.run("q"), await new Workflow({ name: "w", steps: [{ name: "f", output, run: () => ({ n: SECRET }) }] }).run()];
  for (const { error } of failed) {
    assert.equal(error.code, "validation");
    assert.match(error.message, /db\.internal/);
    const shown = publicError(error);
    assert.equal(shown.code, "validation");
    assert.doesNotMatch(JSON.stringify(shown), /db\.internal/);
  }
});

test("does not repeat what an endpoint of a request said, nor where it is", async () => {
  const http = { url: "https://10.0.0.7:8080/x" };
  const json = { "content-type": "application/json" };
  const answers = [
    [http, new Response(SECRET, { status: 404 })],
    [http, Response.json({ error: { message: SECRET } }, { status: 422 })],
    [{ ...http, success: "false" }, Response.json({ message: SECRET })],
    [http, new Response(SECRET, { headers: json })],
  ];
  for (const [request, answer] of answers) {
    const { error } = await new Workflow({ name: "w", steps: [{ name: "get", http: request }] }).run({ fetch: async () => answer });
    assert.deepEqual([error.code, publicError(error).message], ["validation", "an endpoint did not accept a request, or a value does not fit the schema of its step"], error.message);
  }
  const relay = { url: "https://10.0.0.7:8080/relay", token: "a token of sixteen" };
  const refusing = async () => Response.json({ error: { code: "request", message: SECRET } }, { status: 400 });
  const { error } = await new Workflow({ name: "w", steps: [{ name: "get", http }] }).run({ relay, fetch: refusing });
  assert.deepEqual([error.code, publicError(error).message], ["validation", "an endpoint did not accept a request, or a value does not fit the schema of its step"], error.message);
});

test("does not repeat a value that a template or an expression met, nor the keys of the state", async () => {
  const steps = [
    [{ name: "f", run: { set: { n: "crm | int" } } }, /db\.internal/],
    [{ name: "f", condition: "crm", steps: [] }, /db\.internal/],
    [{ name: "f", run: { set: { n: "lim" } } }, /`crm`/],
  ];
  for (const [step, own] of steps) {
    const { error } = await Workflow.fromDocument({ version: 1, name: "w", initialState: { crm: SECRET }, steps: [{ id: "s1", type: step.run ? "function" : "condition", ...step }] }).run();
    assert.match(error.message, own);
    assert.equal(publicError(error).code, "template");
    assert.doesNotMatch(JSON.stringify(publicError(error)), /db\.internal|crm/);
  }
});

test("does not repeat a value that does not fit, whichever check found it", async () => {
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const runs = {
    "the input of `f`": new Workflow({ name: "w", initialState: { n: SECRET }, steps: [{ name: "f", input: schema, run: () => ({}) }] }),
    "the output of the workflow": new Workflow({ name: "w", output: schema, steps: [{ name: "f", run: () => ({ n: SECRET }) }] }),
  };
  for (const [what, workflow] of Object.entries(runs)) {
    const { error } = await workflow.run();
    assert.ok(error.message.startsWith(what), error.message);
    assert.deepEqual([error.code, publicError(error).message], ["validation", "an endpoint did not accept a request, or a value does not fit the schema of its step"]);
  }
});

test("callers see what agents say, and neither prompts, reasoning nor what tools got and gave", async () => {
  const model = customModel("m", ({ messages }) =>
    messages.some(({ role }) => role === "tool") ? "fine" : [{ type: "reasoning", text: "THOUGHT" }, { type: "text", text: "I look." }, { type: "toolCall", name: "t", input: { a: "TOOL-IN" } }],
  );
  const t = tool({ name: "t", description: "d", input: { type: "object", properties: { a: { type: "string" } } }, execute: () => "TOOL-OUT" });
  const agent = new Agent({ name: "a", model, tools: [t] });
  const nested = new ReasoningAgent({ name: "r", model: customModel("n", () => "ok"), steps: [think("analyse", (text) => `Analyse ${text}`)] });
  const workflow = new Workflow({
    name: "w",
    initialState: { rows: [{ role: "user", name: "not of a conversation" }] },
    steps: [
      { name: "talk", agent, inputFrom: "q", history: { key: "messages" } },
      { name: "full", agent, inputFrom: "q", fullResponse: true },
      { name: "deep", agent: nested, inputFrom: "A PROMPT" },
    ],
  });
  for (const stream of [() => workflow.stream(), () => agent.stream("q")]) {
    let result;
    for await (const event of stream()) {
      const shown = publicEvent(event);
      assert.doesNotMatch(JSON.stringify(shown ?? null), /THOUGHT|TOOL-IN|TOOL-OUT|A PROMPT/);
      result = shown?.result ?? result;
    }
    const said = result.state.messages.map(({ role, content }) => `${role}: ${typeof content === "string" ? content : content.map(({ text }) => text).join()}`);
    assert.deepEqual(said, ["user: q", "assistant: I look.", "assistant: fine"]);
  }
  const { state, stepResults } = publicResult(await workflow.run());
  assert.deepEqual([state.rows, state.full_output.text, state.deep_output], [[{ role: "user", name: "not of a conversation" }], "fine", "ok"]);
  assert.ok(stepResults.every(({ name }) => !name.includes("input")));
});

test("a step that a person calls an input has its public events", async () => {
  const run = () => ({});
  const steps = [
    { id: "top.input", name: "top.input", run },
    { name: "form", type: "workflow", steps: [{ name: "input", run }] },
    { name: "other", type: "workflow", steps: [{ id: "own.input", name: "mine", run }] },
  ];
  const ids = ["top.input", "form.input", "own.input"];
  const workflow = new Workflow({ name: "w", steps });
  const shown = [];
  for await (const event of workflow.stream()) {
    const { type, step } = publicEvent(event) ?? {};
    if (type === "step.done" && step.id.endsWith(".input")) shown.push(step.id);
  }
  assert.deepEqual(shown, ids);
  const { stepResults } = publicResult(await workflow.run());
  assert.deepEqual(stepResults.map(({ id }) => id).filter((id) => id.endsWith(".input")), ids);
});

test("says nothing of what is no error of the package", () => {
  for (const thrown of [new TypeError(SECRET), SECRET, undefined, null, { code: "model", message: SECRET }]) {
    assert.deepEqual(publicError(thrown), { code: "internal", message: "the workflow failed" });
  }
});

test("a chat receives no more of a failing model or tool, unless the program says so", async () => {
  const agent = new Agent({ name: "a", model: openai("m", { baseUrl: "http://127.0.0.1:9/v1" }) });
  const steps = [
    { name: "ask", agent, inputFrom: "Hi", required: false },
    { name: "read", run: () => Promise.reject(new Error(SECRET)) },
  ];
  const shown = async (options) => {
    let text = "";
    for await (const chunk of toUIMessageStream(new Workflow({ name: "t", steps }).start(), options)) text += JSON.stringify(chunk);
    return text;
  };
  assert.doesNotMatch(await shown(), /127\.0\.0\.1|10\.0\.0\.7|internal is down/);
  assert.match(await shown({ errorText: ({ message }) => message }), /127\.0\.0\.1.*internal is down/s);
});
