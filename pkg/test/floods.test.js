// Small documents and answers that are made to take the memory or the thread: each ends by a bound, and other runs go on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, tool, validate, Workflow } from "stepweave";
import { turn } from "./support.js";

/** A run of another workflow in the same engine, which must not notice anything. */
async function beside(act) {
  let go;
  const waiting = new Workflow({ name: "beside", steps: [{ name: "wait", run: () => new Promise((resolve) => (go = resolve)) }, { name: "after", run: (state) => ({ after: state.n + 1 }) }] });
  const bystander = waiting.run({ state: {} });
  await turn();
  await act();
  go({ n: 1 });
  assert.equal((await bystander).state.after, 2);
}

test("a list of more items than there is room for fails its step, and no other run", () =>
  beside(async () => {
    const each = new Workflow({ name: "each", steps: [{ name: "each", items: () => new Array(5_000_000).fill(1), steps: [{ name: "one", run: () => ({}) }] }] });
    const { errors } = await each.run();
    assert.deepEqual([errors[0].code, errors[0].message], ["limit", "`items` gives more than 500000 items, which are the most at once"]);
  }));

test("pages of many small items end by the same bound", () =>
  beside(async () => {
    const page = `[${new Array(11_000).fill(1).join(",")}]`;
    let asked = 0;
    const document = { version: 1, name: "pages", steps: [{ id: "a", type: "http", name: "a", http: { url: "https://x.example/", pages: { next: "headers.next", items: "body", max: 1000 } } }] };
    const fetch = async () => ((asked += 1), new Response(page, { headers: { "content-type": "application/json", next: `https://x.example/?${asked}` } }));
    const { errors } = await Workflow.fromDocument(document).run({ fetch });
    assert.equal(errors[0].code, "limit");
    assert.match(errors[0].message, /^`pages\.items` gives more than 500000 items/);
    assert.equal(asked, 46);
  }));

test("an answer that calls a thousand tools that are none is answered shortly, for each", async () => {
  const names = Array.from({ length: 150 }, (_, index) => `${"t".repeat(50)}${index}`);
  const answers = [];
  const model = customModel("caller", ({ messages }) => {
    answers.push(...messages.flatMap(({ results }) => results ?? []));
    return messages.length > 1 ? "done" : Array.from({ length: 1000 }, (_, index) => ({ type: "toolCall", name: `${"u".repeat(1000)}${index}`, input: {} }));
  });
  const agent = new Agent({ name: "a", model, tools: names.map((name) => tool({ name, description: "d", execute: () => 1 })) });
  const { text } = await agent.run("x");
  assert.equal(text, "done");
  const said = answers.map((part) => JSON.stringify(part)).filter((text) => text.includes("there is no tool"));
  assert.equal(said.length, 1000);
  for (const one of said) assert.ok(one.length < 3000, one.slice(0, 500));
});

test("a body whose texts stand behind a long key is refused, and takes no room for each of them", async () => {
  const body = { json: { ["k".repeat(400_000)]: new Array(8000).fill("a") } };
  const document = { version: 1, name: "w", steps: [{ id: "a", type: "http", name: "a", http: { url: "https://x.example/", method: "POST", body } }] };
  const problems = await validate(document);
  assert.deepEqual(problems.map(({ path, message }) => [path, message]), [["steps[0].http.body.json", "the request of `a` has a value in its body behind keys of more than 2000 bytes"]]);
});

test("a document of more than a document has is refused before it is read, as text and as an object", async () => {
  const steps = [{ id: "s", type: "function", name: "s", run: { set: { a: "1" } } }];
  const object = { version: 1, name: "large", initialState: { x: Array.from({ length: 1_000_001 }, () => []) }, steps };
  const text = JSON.stringify({ ...object, initialState: { x: "x".repeat(8_000_000) } });
  const workflow = Workflow.fromDocument({ version: 1, name: "small", steps });
  for (const document of [object, text]) {
    const isTooLarge = ({ code, message, problems }) => code === "document" && message === "the document has more than 8000000 bytes of JSON" && problems[0].code === "too_large";
    assert.throws(() => Workflow.fromDocument(document), isTooLarge);
    assert.throws(() => workflow.withDocument(document), isTooLarge);
    assert.deepEqual((await validate(document)).map(({ code }) => code), ["too_large"]);
  }
  const large = await new Workflow({ name: "own", initialState: { x: "x".repeat(8_000_000) }, steps: [{ name: "one", run: () => ({}) }] }).run();
  assert.equal(large.status, "done", "what code says is not a stranger's");
});

test("a document of more values than a document has is refused before it is read, as text and as an object", async () => {
  const steps = [{ id: "s", type: "function", name: "s", run: { set: { a: "1" } } }];
  const object = { version: 1, name: "many", initialState: { x: new Array(500_001).fill(1) }, steps };
  const workflow = Workflow.fromDocument({ version: 1, name: "small", steps });
  for (const document of [object, JSON.stringify(object)]) {
    const isTooLarge = ({ code, message, problems }) => code === "document" && message === "the document has more than 500000 values" && problems[0].code === "too_large";
    assert.throws(() => Workflow.fromDocument(document), isTooLarge);
    assert.throws(() => workflow.withDocument(document), isTooLarge);
    assert.deepEqual((await validate(document)).map(({ code }) => code), ["too_large"]);
  }
  // Commas and brackets of a text are none of values.
  const texts = { version: 1, name: "texts", initialState: { x: '[{,"\\'.repeat(200_000) }, steps };
  for (const document of [texts, JSON.stringify(texts)]) assert.equal((await Workflow.fromDocument(document).run()).status, "done");
});

test("a document with more to read than holds the thread for seconds is refused, whoever wrote it", async () => {
  const text = "{{n}}".repeat(150_000);
  const step = (name) => ({ id: name, type: "approval", name, message: text });
  const document = { version: 1, name: "texts", steps: [step("one"), step("two")] };
  const isTooLarge = ({ path, code, message }) => path === "steps[1].message" && code === "too_large" && message === "the expressions and tags up to here have more than 1000000 bytes; 1000000 are the most";
  assert.ok(isTooLarge((await validate(document))[0]));
  await assert.rejects(new Workflow({ name: "own", steps: document.steps }).run(), ({ code, problems }) => code === "document" && isTooLarge(problems[0]));
  assert.deepEqual(await validate({ ...document, steps: [step("one")] }), []);
});

test("JSON of more values than a request takes is refused before it is read", async (context) => {
  const asked = async (body, { response } = {}) => {
    const document = { version: 1, name: "w", steps: [{ id: "a", type: "http", name: "a", http: { url: "https://x.example/", maxBytes: 33_554_432, ...(response && { response }) } }] };
    const fetch = async () => new Response(body, { headers: { "content-type": "application/json" } });
    return Workflow.fromDocument(document).run({ fetch });
  };
  const many = `[${new Array(2_700_000).fill("{}").join(",")}]`;
  const parse = context.mock.method(JSON, "parse");
  const { errors } = await asked(many);
  assert.deepEqual(errors.map(({ code, message, hint }) => [code, message, hint]), [["limit", "the answer of https://x.example has more than 1000000 values", 'ask for less; or take the answer as it is with response: "text"']]);
  assert.ok(!parse.mock.calls.some(({ arguments: [text] }) => text.length >= many.length), "the values were read");
  parse.mock.restore();
  assert.equal((await asked(many, { response: "text" })).state.a_output.length, many.length);
  const texts = '[",",'.concat(new Array(50_000).fill('"[[[[{{{{,,,,\\"[[[[{{{{,,,,"').join(","), "]");
  assert.equal((await asked(texts)).state.a_output.length, 50_001);
});
