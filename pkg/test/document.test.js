import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, agentStep, demo, functionStep, StepweaveError, tool, validate, Workflow } from "stepweave";
import { rejection, virtualClock } from "./support.js";

const greet = { version: 1, name: "greet", initialState: { who: "you" }, steps: [{ id: "s1", type: "function", name: "hello", run: { set: { greeting: "'Hello ' ~ who" } } }] };

test("a document runs, as text and as an object", async () => {
  for (const document of [greet, JSON.stringify(greet)]) {
    const { state } = await Workflow.fromDocument(document).run({ state: { who: "bees" } });
    assert.deepEqual(state, { who: "bees", greeting: "Hello bees" });
  }
});

test("a workflow of TypeScript becomes a document and comes back", async () => {
  const workflow = new Workflow({
    name: "round",
    initialState: { n: 3 },
    steps: [
      { name: "add", run: (state) => ({ n: state.n + 1 }) },
      { name: "if", condition: (state) => state.n > 3, steps: [{ name: "ask", agent: new Agent({ name: "a", model: demo(), instructions: "hm" }), inputFrom: (state) => `n is ${state.n}` }], else: [{ name: "no", run: { set: { no: "true" } } }] },
    ],
  });
  const document = workflow.toDocument();
  assert.deepEqual(await validate(document), []);
  assert.deepEqual(document.steps[0], { id: "add", type: "function", name: "add", run: { handler: "add.run" } });
  assert.deepEqual(document.steps[1].else[0].id, "if.else.no");
  assert.deepEqual(document.steps[1].steps[0].id, "if.ask");
  assert.deepEqual(Object.keys(workflow.handlers), ["add.run", "if.condition", "if.ask.inputFrom"]);
  const again = Workflow.fromDocument(JSON.parse(JSON.stringify(document)), { handlers: workflow.handlers });
  assert.deepEqual((await again.run({ clock: virtualClock() })).state, (await workflow.run({ clock: virtualClock() })).state);
});

test("a broken document rejects the run with every problem, and never throws before", async () => {
  const broken = { version: 1, name: "t", steps: [{ id: "s1", type: "dance", name: "x" }, { id: "s2", type: "function", name: "y", run: { set: { a: "1 +" } } }, { id: "s3", type: "agent", name: "z", agent: "nobody" }] };
  const error = await rejection(Workflow.fromDocument(broken).run());
  assert.ok(error instanceof StepweaveError);
  assert.equal(error.code, "document");
  assert.ok(error.problems.length >= 3);
  assert.deepEqual(error.problems, await validate(broken));
  assert.match(error.message, /steps\[0\]\.type: .*dance/);
  for (const text of ["", "nonsense", "[]", "null", '{"version":1', "5"]) {
    const failure = await rejection(Workflow.fromDocument(text).run());
    assert.equal(failure.code, "document");
    assert.ok(failure.problems.length > 0);
    assert.ok((await validate(text)).length > 0);
  }
});

test("what is no data in a document is named by its path", async () => {
  for (const [extra, path] of [[{ "x-at": new Date(0) }, "x-at"], [{ steps: [{ run: () => {} }] }, "steps[0].run"]]) {
    const document = { ...greet, ...extra };
    const error = await rejection(Workflow.fromDocument(document).run());
    assert.equal(error.code, "document");
    assert.match(error.problems[0].path, new RegExp(path.replace(/[[\]]/g, "\\$&")));
    assert.equal((await validate(document))[0].code, "not_json");
  }
  // Also in code, where the place takes no function: naming it would be refused too.
  for (const [step, path] of [[{ wait: { until: () => 1 } }, "wait.until"], [{ end: { message: () => "x" } }, "end.message"], [{ run: { set: { x: () => 1 } } }, "run.set.x"]]) {
    const { code, message, hint } = await rejection(new Workflow({ name: "t", steps: [{ name: "s", ...step }] }).run());
    assert.deepEqual([code, message], ["document", `the workflow cannot be run: document.steps[0].${path} is a function`]);
    assert.equal(hint, 'no function is taken here: write what it gives, or a template or expression over the state');
  }
  const workflow = new Workflow({ name: "t", initialState: { at: new Date(0) }, steps: [] });
  assert.match((await rejection(workflow.run())).message, /initialState\.at is a Date/);
  assert.throws(() => workflow.toDocument(), /initialState\.at is a Date/);
});

test("the input of a tool that lets no object through is refused when the document is read", async () => {
  const withInput = (input) => ({
    version: 1,
    name: "tools",
    models: { default: { provider: "demo", model: "demo" } },
    tools: { find: { description: "Finds.", input, run: { http: { url: "https://shop.example/find" } } } },
    agents: { clerk: { model: "default", tools: ["find"] } },
    steps: [{ id: "s1", type: "agent", name: "ask", agent: "clerk" }],
  });
  const message = "the schema of the input of the tool `find` lets no object through";
  const hint = 'write { "type": "object", "properties": { … } }: models call tools with objects';
  for (const input of [{ type: "array" }, { type: ["string", "null"] }, { enum: ["a", 1] }, { const: [] }, { anyOf: [{ type: "array" }, false] }]) {
    assert.deepEqual(await validate(withInput(input)), [{ path: "tools.find.input", code: "schema", message, hint, severity: "error" }]);
    const error = await rejection(Workflow.fromDocument(withInput(input)).run());
    assert.deepEqual([error.code, error.message, error.hint], ["validation", `\`tools.find.input\` cannot be used: ${message}`, hint]);
    assert.throws(() => tool({ name: "find", input, execute: () => 1 }), { code: "validation", message: "the `input` of the tool find is no schema of an object" });
  }
  for (const input of [{}, { type: ["object", "null"] }, { anyOf: [{ type: "array" }, { properties: {} }] }, { const: {} }]) {
    assert.deepEqual(await validate(withInput(input)), []);
    tool({ name: "find", input, execute: () => 1 });
  }
});

test("handlers that a document names must be there", async () => {
  const document = { version: 1, name: "t", steps: [{ id: "a", type: "function", name: "a", run: { handler: "trim" } }, { id: "b", type: "condition", name: "b", condition: { handler: "toString" }, steps: [] }] };
  const error = await rejection(Workflow.fromDocument(document, { handlers: { other: () => {}, trim: "text" } }).run());
  assert.equal(error.code, "document");
  assert.deepEqual(error.problems.map(({ path, code }) => [path, code]), [["steps[0].run.handler", "unknown_handler"], ["steps[1].condition.handler", "unknown_handler"]]);
  assert.match(error.problems[0].message, /`trim` \(given were other, trim\)/);
  const { state } = await Workflow.fromDocument(document, { handlers: { trim: () => ({ ok: 1 }), toString: () => true } }).run();
  assert.deepEqual(state, { ok: 1 });
});

test("300 levels are refused with limit, naming the step; so is a step that contains itself", async () => {
  let steps = [{ name: "bottom", run: () => {} }];
  for (let level = 299; level > 0; level -= 1) steps = [{ name: `level${level}`, steps }];
  assert.throws(() => new Workflow({ name: "deep", steps }), (error) => error.code === "limit" && /`level257` is nested deeper than 256/.test(error.message) && error.step.name === "level257");
  const self = { name: "self", steps: [] };
  self.steps.push(self);
  assert.throws(() => new Workflow({ name: "t", steps: [self] }), (error) => error.code === "limit");

  let nested = [{ id: "x", type: "function", name: "x", run: { set: {} } }];
  for (let level = 0; level < 299; level += 1) nested = [{ id: `l${level}`, type: "sequence", name: `l${level}`, steps: nested }];
  const document = { version: 1, name: "deep", steps: nested };
  for (const form of [document, JSON.stringify(document)]) {
    const error = await rejection(Workflow.fromDocument(form).run());
    assert.equal(error.code, "document");
    assert.match(error.message, /deep|nest|level/);
    assert.ok((await validate(form)).length > 0);
  }
  let deeper = 1;
  for (let level = 0; level < 100_000; level += 1) deeper = [deeper];
  assert.ok((await validate({ ...greet, "x-deep": deeper })).length > 0);
  assert.ok((await validate(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)).length > 0);
});

test("256 levels run", async () => {
  let steps = [{ name: "bottom", run: () => ({ reached: true }) }];
  for (let level = 255; level > 0; level -= 1) steps = [{ name: `level${level}`, steps }];
  const { status, state, stepResults } = await new Workflow({ name: "deep", steps }).run();
  assert.deepEqual([status, state, stepResults.length], ["done", { reached: true }, 256]);
});

test("definitions that are no objects are refused at once", () => {
  for (const definition of [undefined, null, "text", [], 5]) assert.throws(() => new Workflow(definition), (error) => error.code === "document");
});

test("an agent used twice is one agent; two of one name are two", () => {
  const model = demo();
  const a = new Agent({ name: "a", model });
  const other = new Agent({ name: "a", model });
  const document = new Workflow({ name: "t", agents: { named: new Agent({ name: "n", model }) }, steps: [{ name: "x", agent: a }, { name: "y", agent: a }, { name: "z", agent: other }, { name: "q", agent: "named" }] }).toDocument();
  assert.deepEqual(Object.keys(document.agents), ["named", "a", "a-2"]);
  assert.deepEqual(Object.keys(document.models), ["demo"]);
  assert.deepEqual(document.steps.map((step) => step.agent), ["a", "a", "a-2", "named"]);
});

test("errors become data and come back", () => {
  const error = new StepweaveError("model", "no answer", { step: { id: "s", path: "steps[0]", name: "n" }, hint: "wait", retryable: true, cause: new TypeError("inner"), problems: [] });
  const again = StepweaveError.from(JSON.parse(JSON.stringify(error)));
  assert.ok(again instanceof StepweaveError && again instanceof Error);
  assert.deepEqual(again.toJSON(), error.toJSON());
  assert.equal(again.cause.name, "TypeError");
  assert.equal(String(error), "StepweaveError: no answer");
  assert.deepEqual(Object.keys(new StepweaveError("internal", "x").toJSON()), ["code", "message", "retryable"]);
});

test("what a newcomer writes in code is answered with what to write: a function under a slip of a key, an agent that is none, a step in two arguments", async () => {
  const refusal = async (make) => {
    try {
      return await make().run();
    } catch ({ code, message, hint }) {
      return [code, message, hint];
    }
  };
  const written = (...steps) => () => new Workflow({ name: "w", steps });
  assert.deepEqual(await refusal(written({ name: "s", rum: () => ({}) })), ["document", "the workflow cannot be run: document.steps[0].rum is a function", "did you mean `run`?"]);
  assert.equal((await refusal(written({ name: "s", if: "x > 1", then: [{ name: "t", run: () => ({}) }] })))[2], "`then` holds no steps: those of a step stand in its `steps`");
  assert.equal((await refusal(written({ name: "s", items: "xs", step: { name: "t", run: () => ({}) } })))[2], "`step` holds no steps: those of a step stand in its `steps`");
  assert.equal((await refusal(written({ name: "s", conditon: "x > 1" })))[2], "did you mean `condition` where `conditon` stands?");
  assert.equal((await refusal(() => new Workflow({ name: "w", initialState: { day: new Date(0) }, steps: [] })))[2], "write day.toISOString()");
  const step = "no function is taken here: a step that is one is { name: \"…\", run: (state) => ({ … }) }";
  assert.deepEqual((await refusal(written(() => ({})))).slice(2), [step]);
  assert.match((await refusal(() => Workflow.fromDocument({ version: 1, name: "w", steps: [{ name: "s", rum: () => ({}) }] })))[2], /^name it, as in \{ handler: "name" \}/);
  assert.deepEqual(await refusal(written({ name: "s", agent: { name: "a", model: demo() } })), ["document", "the agent of the step `s` is an object, and no Agent", "write agent: new Agent({ name, model })"]);
  assert.deepEqual(await refusal(() => functionStep("s", () => ({}))), ["validation", 'functionStep() takes a step as an object, and was given "s"', 'write functionStep({ name: "…", … })']);
  assert.deepEqual((await refusal(() => agentStep())).slice(0, 2), ["validation", "agentStep() takes a step as an object, and was given undefined"]);
});

test("a step without a kind, and one whose key is misspelt, say which key was meant, in code and in documents", async () => {
  const inner = [{ name: "t", run: { set: { a: "1" } } }];
  const inDocument = [{ id: "t", type: "function", ...inner[0] }];
  const hints = async (step) => (await validate({ version: 1, name: "w", steps: [{ id: "s", ...step }] })).map(({ path, hint }) => `${path}: ${hint}`);
  const refused = async (step) => {
    try {
      await new Workflow({ name: "w", steps: [step] }).run();
    } catch ({ problems }) {
      return problems.map(({ path, hint }) => `${path}: ${hint}`);
    }
  };
  const kinds = "use `agent`, `function`, `http`, `condition`, `parallel`, `switch`, `foreach`, `loop`, `workflow`, `wait`, `approval`, `sequence` or `end`";
  const none = [`steps[0].type: ${kinds}; in code its own key says it: \`agent\`, \`run\`, \`http\`, \`condition\`, \`parallel\`, \`cases\`, \`items\`, \`repeat\`, \`steps\`, \`wait\`, \`steps\` or \`end\``];
  assert.deepEqual([await refused({ name: "x" }), await hints({ name: "x" })], [none, none]);
  assert.deepEqual(await refused({ name: "x", item: "xs", steps: inner }), ["steps[0].item: did you mean `items`, the key of a foreach step? Keys of your own begin with `x-`"]);
  assert.deepEqual(await hints({ name: "x", item: "xs", steps: inDocument }), ["steps[0].type: did you mean `items` where `item` stands?"]);
  const both = ["steps[0].item: did you mean `items`? Keys of your own begin with `x-`", "steps[0].items: add `items`: what gives the list"];
  assert.deepEqual([await refused({ name: "x", type: "foreach", item: "xs", steps: inner }), await hints({ name: "x", type: "foreach", item: "xs", steps: inDocument })], [both, both]);
  assert.deepEqual(await hints({ name: "x", type: "foreach", "x-items": "xs", steps: inDocument }), ["steps[0].items: add `items`: what gives the list"], "a key of somebody's own is none that was meant");
  assert.match((await refused({ name: "x", repeats: { while: "a < 2" }, steps: inner }))[0], /^steps\[0\]\.repeats: did you mean `repeat`, the key of a loop step\?/);
});
