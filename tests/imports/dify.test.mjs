// What apps of Dify lose on the way here is listed, and what reads something is read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { imported } from "./reading.mjs";

const node = (id, type, title, more = {}, parentId = undefined) => ({ id, ...(parentId && { parentId }), data: { type, title, ...more } });
const start = node("1", "start", "Start", { variables: [{ variable: "q", label: "Q", type: "text-input", required: true }] });
const model = { provider: "openai", name: "gpt-4o", completion_params: { top_p: 0.5, stop: ["x"] } };
/** Nodes one after the other, as they stand. */
const app = (nodes, more = {}) => imported(JSON.stringify({ app: { name: "App", mode: "workflow" }, workflow: { ...more, graph: { nodes: [start, ...nodes], edges: [start, ...nodes].filter(({ parentId }) => !parentId).slice(1).map(({ id }, index, all) => ({ source: index === 0 ? "1" : all[index - 1].id, target: id })) } } }));
const about = (report, name) => report.nodes.find((node) => node.name === name);

test("instructions that read something come before what an agent is asked", async () => {
  const { document, step } = await app([
    node("2", "agent", "Helper", { agent_parameters: { model: { value: { provider: "openai", model: "gpt-4o" } }, instruction: { value: "Help with {{#1.q#}}." }, query: { value: "{{#1.q#}}" } } }),
    node("3", "question-classifier", "Sort", { model, query_variable_selector: ["1", "q"], instruction: "Mind {{#1.q#}}.", classes: [{ id: "a", name: "one" }] }),
    node("4", "llm", "Ask", { model, prompt_template: [{ role: "system", edition_type: "jinja2", jinja2_text: "{% if q %}In {{ q | upper }}.{% endif %}" }, { role: "user", text: "{{#sys.query#}}" }], prompt_config: { jinja2_variables: [{ variable: "q", value_selector: ["1", "q"] }] } }),
  ]);
  assert.equal(step("Helper").inputFrom, "Help with {{ q }}.\n\n{{ q }}");
  assert.equal(step("Sort").inputFrom, "Mind {{ q }}.\n\n{{ q }}");
  assert.equal(step("Ask").inputFrom, "{% set q = q %}{% if q %}In {{ q | upper }}.{% endif %}\n\n{{ query }}");
  assert.deepEqual(Object.keys(document.input.properties), ["q", "query"]);
});

test("variables are changed as their operations say, one after the other", async () => {
  const change = (name, operation, value, input_type = "constant") => ({ variable_selector: ["conversation", name], operation, input_type, value });
  const { document, report } = await app(
    [
      node("2", "assigner", "Change", { items: [change("count", "-=", 1), change("count", "*=", 3), change("list", "remove-first"), change("list", "append", ["1", "q"], "variable"), change("word", "clear")] }),
      node("3", "assigner", "Old", { assigned_variable_selector: ["conversation", "list"], write_mode: "append", input_variable_selector: ["1", "q"] }),
      node("4", "assigner", "Odd", { items: [change("word", "turn", 1)] }),
    ],
    { conversation_variables: [{ name: "count", value: 3 }, { name: "list", value: ["a", "b"] }, { name: "word", value: "w" }] },
  );
  const { state, errors } = await (await Workflow.fromDocument(document)).run({ state: { q: "c" } });
  assert.deepEqual(errors, []);
  assert.deepEqual([state.conversation_count, state.conversation_list, state.conversation_word], [6, ["b", "c", "c"], ""]);
  assert.deepEqual(about(report, "Odd").notes, ["Write anew how it changes conversation_word: it was “turn”."]);
});

test("an iteration within another one has an item of its own, and groups of an aggregator are fields", async () => {
  const { document } = await app([
    node("2", "code", "Rows", { code_language: "javascript", code: "function main() { return { rows: [[1, 2], [3]] }; }", variables: [] }),
    node("3", "iteration", "Outer", { iterator_selector: ["2", "rows"], output_selector: ["4", "output"] }),
    node("4", "iteration", "Inner", { iterator_selector: ["3", "item"], output_selector: ["5", "output"] }, "3"),
    node("5", "template-transform", "Line", { template: "{{ a }} {{ b }}", variables: [{ variable: "a", value_selector: ["3", "item"] }, { variable: "b", value_selector: ["4", "item"] }] }, "4"),
    node("6", "variable-aggregator", "Any", { variables: [], advanced_settings: { group_enabled: true, groups: [{ group_name: "G", variables: [["3", "output"]] }] } }),
    node("7", "end", "End", { outputs: [{ variable: "all", value_selector: ["6", "G", "output"] }] }),
  ]);
  const { state, errors } = await (await Workflow.fromDocument(document)).run({ state: { q: "" } });
  assert.deepEqual(errors, []);
  assert.deepEqual(state.all, [["[1,2] 1", "[1,2] 2"], ["[3] 3"]]);
});

test("what is not there, or not taken along, is listed", async () => {
  const { report, document } = await app([
    node("2", "llm", "Ask", { model, prompt_template: [{ role: "user", text: "{{#env.gone#}}{{#conversation.gone#}}" }], error_strategy: "default-value" }),
    node("3", "template-transform", "Line", { template: "{{ a | upper }} {{ b }} {{ a }}", variables: [{ variable: "a", value_selector: ["1", "q"] }] }),
    node("4", "http-request", "Send", { method: "post", url: "https://a.example/", body: { type: "binary", data: [] } }),
    node("5", "loop", "Loop", { break_conditions: [{ variable_selector: ["1", "q"], comparison_operator: "odd" }] }),
    node("6", "end", "End", { outputs: [{ variable: "a", value_selector: ["4", "error_message"] }, { variable: "b", value_selector: ["2", "gone"] }] }),
  ]);
  assert.deepEqual(about(report, "Ask").notes, ["Write this anew: {{#env.gone#}}", "Write this anew: {{#conversation.gone#}}", "The setting `stop` of its model is not taken along.", "Where it failed it gave a value of its own: give that by `| default(…)` where its answer is read."]);
  assert.deepEqual(about(report, "Line").notes, ["Write this of its template anew: {{ a | upper }}", "Write this of its template anew: {{ b }}"]);
  assert.deepEqual(about(report, "Send").notes, ["It sent a file: set the body of the request."]);
  assert.deepEqual(about(report, "Loop").notes, ["Write the condition that ends it: until then it goes on to its last round."]);
  assert.deepEqual(about(report, "End").notes, ["Choose again what it reads: it was 4.error_message.", "Choose again what it reads: it was 2.gone."]);
  assert.deepEqual(Object.values(document.models)[0].params, { top_p: 0.5 });
});

const edge = (source, target, sourceHandle = "source") => ({ source, target, sourceHandle });
const graph = (nodes, edges, more = {}) => imported(JSON.stringify({ app: { name: "App", mode: "workflow" }, workflow: { ...more, graph: { nodes, edges } } }));
const code = (id, title, source, variables = [], outputs = {}, parentId = undefined) => node(id, "code", title, { code_language: "javascript", code: source, variables, outputs }, parentId);
const run = async (document, state, options = {}) => (await Workflow.fromDocument(document)).run({ state, ...options });

test("a loop is left where it says so, and its variables are read behind it", async () => {
  const loop = (more) => [
    node("2", "loop", "Search", { loop_count: 5, logical_operator: "and", break_conditions: [], loop_variables: [{ label: "i", var_type: "number", value_type: "constant", value: 0 }], ...more }),
    node("3", "assigner", "Count", { items: [{ variable_selector: ["2", "i"], operation: "+=", input_type: "constant", value: 1 }] }, "2"),
    node("4", "if-else", "Found", { cases: [{ case_id: "true", conditions: [{ variable_selector: ["2", "i"], comparison_operator: "=", value: "3" }] }] }, "2"),
    node("5", "loop-end", "Exit", {}, "2"),
    node("6", "end", "End", { outputs: [{ variable: "rounds", value_selector: ["2", "i"] }, { variable: "odd", value_selector: ["2", "gone"] }] }),
  ];
  const edges = [edge("1", "2"), edge("3", "4"), edge("4", "5", "true"), edge("2", "6")];
  const { document, report } = await graph([start, ...loop({})], edges);
  const { state, errors } = await run(document, { q: "" });
  assert.deepEqual(errors, []);
  assert.equal(state.rounds, 3);
  assert.equal(about(report, "Exit").became, "two steps: the loop is left, and its round ends");
  assert.deepEqual(about(report, "End").notes, ["Choose again what it reads: it was 2.gone."]);
  const other = await graph([start, ...loop({ break_conditions: [{ variable_selector: ["2", "i"], comparison_operator: "≥", value: "2" }] })], edges);
  assert.equal((await run(other.document, { q: "" })).state.rounds, 2);
});

test("of branches of which one ran, an aggregator and a condition read that one", async () => {
  const { document } = await graph(
    [
      start,
      node("2", "if-else", "Which", { cases: [{ case_id: "true", conditions: [{ variable_selector: ["1", "q"], comparison_operator: "is", value: "a" }] }] }),
      code("3", "A", "function main() { return { r: { x: 'a' } }; }"),
      code("4", "B", "function main() { return { r: { x: 'b' } }; }"),
      node("5", "variable-aggregator", "Any", { variables: [["3", "r", "x"], ["4", "r", "x"]] }),
      node("6", "if-else", "Ran", { cases: [{ case_id: "true", conditions: [{ variable_selector: ["3", "r", "x"], comparison_operator: "not empty", value: "" }] }] }),
      node("7", "end", "End", { outputs: [{ variable: "any", value_selector: ["5", "output"] }] }),
      node("8", "end", "Other", { outputs: [{ variable: "other", value_selector: ["5", "output"] }] }),
    ],
    [edge("1", "2"), edge("2", "3", "true"), edge("2", "4", "false"), edge("3", "5"), edge("4", "5"), edge("5", "6"), edge("6", "7", "true"), edge("6", "8", "false")],
  );
  for (const [q, key] of [["a", "any"], ["b", "other"]]) {
    const { state, errors } = await run(document, { q });
    assert.deepEqual(errors, []);
    assert.equal(state[key], q);
  }
});

test("what a person may leave out of a form is nothing, or its default", async () => {
  const field = (variable, type, more = {}) => ({ variable, label: variable, type, required: false, ...more });
  const begin = node("1", "start", "Start", { variables: [field("word", "text-input"), field("long", "paragraph", { default: "so" }), field("kind", "select", { options: ["a", "b"] }), field("must", "select", { options: ["a"], required: true }), field("n", "number", { default: "3" }), field("m", "number", { default: "" }), field("yes", "checkbox"), field("files", "file-list")] });
  const names = ["word", "long", "kind", "n", "yes", "files"];
  const { document } = await graph([begin, node("2", "end", "End", { outputs: names.map((name) => ({ variable: `got_${name}`, value_selector: ["1", name] })) })], [edge("1", "2")]);
  const { state, errors } = await run(document, { must: "a" });
  assert.deepEqual(errors, []);
  assert.deepEqual(names.map((name) => state[`got_${name}`]), ["", "so", "", 3, false, []]);
  assert.deepEqual(document.input.properties.m, { type: "number", description: "m" });
  assert.deepEqual(document.input.properties.must.enum, ["a"]);
});

test("numbers of older files are compared as numbers, and lists of lists are listed", async () => {
  const { document, report } = await graph(
    [
      node("1", "start", "Start", { variables: [{ variable: "n", label: "n", type: "number", required: true }] }),
      node("2", "if-else", "More", { logical_operator: "and", conditions: [{ variable_selector: ["1", "n"], comparison_operator: ">", value: "3" }] }),
      code("3", "Rows", "function main() { return { rows: [1, 2] }; }"),
      node("4", "iteration", "Each", { iterator_selector: ["3", "rows"], output_selector: ["5", "pair"] }),
      code("5", "Pair", "function main({ x }) { return { pair: [x, x] }; }", [{ variable: "x", value_selector: ["4", "item"] }], { pair: { type: "array[number]" } }, "4"),
    ],
    [edge("1", "2"), edge("2", "3", "true"), edge("3", "4")],
  );
  assert.deepEqual((await run(document, { n: 10 })).state.Each_output, [[1, 1], [2, 2]]);
  assert.deepEqual(about(report, "Each").notes, ["Where its rounds gave lists, Dify made one list of them: here it is a list of lists."]);
});

test("a body of JSON stays one, whatever is put into it", async () => {
  const value = '{"n": {{#1.n#}}, "text": "{{#1.n#}}", "said": "{{#1.q#}}", "esc": "a \\" {{#1.q#}}"}';
  const begin = node("1", "start", "Start", { variables: [{ variable: "q", type: "text-input", required: true }, { variable: "n", type: "number", required: true }] });
  const { document } = await graph([begin, node("2", "http-request", "Send", { method: "post", url: "https://a.example/", body: { type: "json", data: [{ type: "text", value }] } })], [edge("1", "2")]);
  const { step, report } = await graph([begin, node("2", "http-request", "Slow", { method: "get", url: "https://a.example/", ssl_verify: false, timeout: { max_connect_timeout: 1, max_read_timeout: 2.5, max_write_timeout: 3 } })], [edge("1", "2")]);
  assert.equal(step("Slow").timeoutMs, 6500);
  assert.deepEqual(about(report, "Slow").notes, ["It took any certificate, which no request here does."]);
  let sent;
  await run(document, { q: 'say "hi"', n: 3 }, { fetch: async (_, { body }) => ((sent = body), Response.json({})) });
  assert.deepEqual(JSON.parse(sent), { n: 3, text: "3", said: 'say "hi"', esc: 'a " say "hi"' });
});

test("what a person writes is asked in the words of the memory, and answers stand below each other", async () => {
  const ask = (title, memory, question) => node(title, "llm", title, { model: { provider: "openai", name: "gpt-4o" }, memory, prompt_template: [{ role: "user", text: question }] });
  const { step } = await graph([start, ask("None", null, "Write a query"), ask("Plain", { query_prompt_template: "{{#sys.query#}}" }, "Write a query"), ask("Own", { query_prompt_template: "{{#sys.query#}} about {{#1.q#}}" }, "Write")], []);
  assert.deepEqual([step("None").inputFrom, step("None").history], ["Write a query", undefined]);
  assert.equal(step("Plain").inputFrom, "Write a query\n\n{{ query | default('') }}");
  assert.equal(step("Own").inputFrom, "Write\n\n{{ query }} about {{ q }}");
  const { document } = await app([node("2", "answer", "First", { answer: "Hello {{#1.q#}}." }), node("3", "answer", "Then", { answer: "Bye." })]);
  assert.equal((await run(document, { q: "Ann" })).state.answer, "Hello Ann.\nBye.");
});

test("a form goes on by the action that a person chose, or when nobody did in time", async () => {
  const set = (id, title) => code(id, title, "function main() { return { went: true }; }");
  const way = ({ state }) => ["Yes", "No", "Late"].filter((title) => state[`${title}_output`]?.went);
  const { document, report, step } = await graph(
    [
      start,
      node("2", "human-input", "Ask", { form_content: "Send {{#1.q#}}? {{#$output.note#}}", inputs: [{ type: "paragraph", output_variable_name: "note" }], user_actions: [{ id: "yes", title: "Send" }, { id: "no", title: "Leave it" }], timeout: 3, timeout_unit: "day" }),
      set("3", "Yes"),
      set("4", "No"),
      set("5", "Late"),
      node("6", "end", "End", { outputs: [{ variable: "note", value_selector: ["2", "note"] }, { variable: "chosen", value_selector: ["2", "__action_id"] }, { variable: "form", value_selector: ["2", "__rendered_content"] }] }),
    ],
    [edge("1", "2"), edge("2", "3", "yes"), edge("2", "4", "no"), edge("2", "5", "__timeout"), edge("3", "6")],
  );
  const ask = step("Ask");
  assert.deepEqual([ask.message, ask.expiresMs], ["Send {{ q }}? [note]", 3 * 86_400_000]);
  assert.deepEqual(about(report, "End").notes, ["Choose again what it reads: it was 2.__rendered_content."]);
  assert.deepEqual(report.connections.filter(({ lost }) => lost), []);
  const workflow = await Workflow.fromDocument(document);
  let now = Date.UTC(2030, 0, 1);
  const clock = { now: () => now, sleep: async () => {} };
  const { journal, pending } = await workflow.run({ state: { q: "it" }, journal: true, clock });
  const answered = async (answer) => workflow.run({ journal, clock, answers: { [pending[0].key]: answer } });
  const yes = await answered({ action: "yes", note: "now" });
  assert.deepEqual([way(yes), yes.state.note, yes.state.chosen], [["Yes"], "now", "yes"]);
  const no = await answered({ action: "no" });
  assert.deepEqual([no.status, way(no), no.state.chosen], ["done", ["No"], undefined]);
  assert.match((await answered({ action: "maybe" })).error.message, /does not fit its schema: `action` must be one of/);
  now += 4 * 86_400_000;
  const late = await workflow.run({ journal, clock });
  assert.deepEqual([late.status, way(late)], ["done", ["Late"]]);
});

test("a trigger brings the input, and what a node has no name for here is listed", async () => {
  const webhook = node("1", "trigger-webhook", "Hook", { method: "post", headers: [{ name: "X-Shop", type: "string", required: false }], params: [{ name: "n", type: "number", required: true }], body: [{ name: "order", type: "object", required: true }], variables: [{ variable: "_webhook_raw", value_type: "object", required: true }] });
  const { document, report } = await graph(
    [webhook, node("2", "question-classifier", "Sort", { model, query_variable_selector: ["1", "order", "text"], classes: [{ id: "a", name: "one" }] }), node("3", "end", "End", { outputs: [["n", "1", "n"], ["text", "1", "order", "text"], ["kind", "2", "class_name"], ["id", "2", "class_id"]].map(([variable, ...value_selector]) => ({ variable, value_selector })) })],
    [edge("1", "2"), edge("2", "3", "a")],
  );
  assert.deepEqual([document.input.required, Object.keys(document.input.properties)], [["n", "order"], ["n", "order", "X_Shop"]]);
  assert.deepEqual(document.input.properties.order, { type: "object" });
  assert.equal(about(report, "Hook").became, "the input of the workflow");
  assert.deepEqual(about(report, "Hook").notes, ["A run begins when your program starts it: give it what the trigger would bring."]);
  assert.deepEqual(about(report, "End").notes, ["Choose again what it reads: it was 2.class_id."]);
  const { scriptedModel } = await import("stepweave/testing");
  const models = Object.fromEntries(Object.keys(document.models).map((id) => [id, scriptedModel(['{"category":"one"}'])]));
  const { state, errors } = await Workflow.fromDocument(document, { models }).run({ state: { n: 2, order: { text: "hi" } } });
  assert.deepEqual(errors, []);
  assert.deepEqual([state.n, state.text, state.kind], [2, "hi", "one"]);
  const { report: scheduled, document: begun } = await graph([node("1", "trigger-schedule", "Daily", { cron_expression: "0 9 * * *" }), node("2", "end", "End", { outputs: [] })], [edge("1", "2")]);
  assert.deepEqual(about(scheduled, "Daily").notes, ["A schedule is no part of a workflow: start runs from a scheduled job."]);
  assert.equal((await run(begun, {})).status, "done");
});

test("outputs of code that have one name are each read of their own node, at the same time too", async () => {
  const nodes = [start, code("2", "A", "const main = async () => ({ result: { n: 1 } });"), code("3", "B", "function main() { return { result: { n: 2 } }; }"), code("4", "Sum", "function main({ a, b }) { return { result: a * 10 + b }; }", [{ variable: "a", value_selector: ["2", "result", "n"] }, { variable: "b", value_selector: ["3", "result", "n"] }]), node("5", "template-transform", "Line", { template: "{{ a }}-{{ b }}", variables: [{ variable: "a", value_selector: ["2", "result", "n"] }, { variable: "b", value_selector: ["3", "result", "n"] }] }), node("6", "end", "End", { outputs: [{ variable: "sum", value_selector: ["4", "result"] }, { variable: "line", value_selector: ["5", "output"] }, { variable: "first", value_selector: ["2", "result", "n"] }] })];
  for (const edges of [[edge("1", "2"), edge("2", "3"), edge("3", "4")], [edge("1", "2"), edge("1", "3"), edge("2", "4"), edge("3", "4")]]) {
    const { document } = await graph(nodes, [...edges, edge("4", "5"), edge("5", "6")]);
    const { state, errors, warnings } = await run(document, { q: "" });
    assert.deepEqual([errors, warnings], [[], []]);
    assert.deepEqual([state.sum, state.line, state.first], [12, "1-2", 1]);
  }
  const { step } = await app([node("2", "code", "Python", { code_language: "python3", code: "def main(): return {}" }), node("3", "end", "End", { outputs: [{ variable: "r", value_selector: ["2", "result"] }] })]);
  assert.equal(step("End").run.set.r, "Python_output.result");
});

test("an answer that says an error is none, unless a node has a way for failures", async () => {
  const send = (more) => graph([start, node("2", "http-request", "Send", { method: "post", url: "https://a.example/", ...more }), node("3", "end", "End", { outputs: [{ variable: "status", value_selector: ["2", "status_code"] }] })], [edge("1", "2"), edge("2", "3")]);
  const fetch = async () => new Response("no", { status: 500 });
  for (const more of [{}, { error_strategy: "none", retry_config: { retry_enabled: false } }]) {
    const { state, errors } = await run((await send(more)).document, { q: "" }, { fetch });
    assert.deepEqual([errors, state.status], [[], 500]);
  }
  for (const more of [{ retry_config: { retry_enabled: true, max_retries: 0 } }, { error_strategy: "fail-branch" }]) assert.equal((await send(more)).step("Send").http.success, undefined);
});

test("a brace before what is read stays a brace, and what Dify knows of a run may be left out", async () => {
  const { document, step } = await app([node("2", "template-transform", "Made", { template: "x", variables: [] }), node("3", "llm", "Ask", { model, prompt_template: [{ role: "user", text: "{{{#1.q#}} | join}} of {{#sys.user_id#}}: {{#sys.files#}}" }] })]);
  assert.equal(step("Ask").inputFrom, "{{ '{' }}{{ q }} | join}} of {{ user_id | default('') }}: {{ files | default('') }}");
  assert.equal(document.input.properties.files, undefined);
});

test("providers that speak as OpenAI does are asked at their own address", async () => {
  const { document, report } = await app([["langgenius/siliconflow/siliconflow", "Qwen/Qwen2.5-7B"], ["tongyi", "qwen-max"], ["moonshot", "kimi"], ["langgenius/openai_api_compatible/openai_api_compatible", "mine"]].map(([provider, name], index) => node(`${index + 2}`, "llm", `Ask ${index}`, { model: { provider, name }, prompt_template: [{ role: "user", text: "Hi" }] })));
  assert.deepEqual(Object.values(document.models).map(({ provider, baseUrl, apiKey }) => [provider, baseUrl, apiKey?.secret]), [
    ["openai", "https://api.siliconflow.cn/v1", "SILICONFLOW_API_KEY"],
    ["openai", "https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"],
    ["openai", "https://api.moonshot.cn/v1", "MOONSHOT_API_KEY"],
    ["demo", undefined, undefined],
  ]);
  assert.deepEqual(about(report, "Ask 3").notes, ["Choose its model: it was mine, and until then an offline simulation answers."]);
});

test("templates of Jinja make the text that Dify makes", async () => {
  const given = { list: ["a", "b", "c"], rows: [{ name: "x", n: 2 }, { name: "y", n: 0 }], word: " Hi ", n: 2.5, empty: "" };
  const variables = [...Object.keys(given)].map((variable) => ({ variable, value_selector: ["2", variable] }));
  const made = async (template) => {
    const { document, report } = await app([node("2", "code", "Given", { code_language: "javascript", code: `const main = () => (${JSON.stringify(given)});`, outputs: {} }), node("3", "template-transform", "Made", { template, variables })]);
    const { state, errors } = await (await Workflow.fromDocument(document)).run({ state: { q: "" } });
    assert.deepEqual(errors, []);
    return about(report, "Made").notes.length === 0 ? state.Made_output : about(report, "Made").notes;
  };
  for (const [template, text] of [
    ["{% for row in rows %}{{ loop.index }}. {{ row.name | upper }}{% if not loop.last %}, {% endif %}{% endfor %}", "1. X, 2. Y"],
    ["{{ list | join('\\n') }} of {{ list | length }}", "a\nb\nc of 3"],
    ["{%- for row in rows -%}\n {{ row['name'] }}={{ row.n or 'none' }};\n{%- endfor -%}", "x=2;y=none;"],
    ["{% set mark = '!' if n > 2 else '?' %}{{ word.strip() ~ mark }}{{ word + mark | lower }}", "Hi! Hi !"],
    ["{% if 'b' in list and empty == '' %}{{ list[1] }}{% elif n %}no{% else %}never{% endif %}", "b"],
    ["{% for name, value in rows[0].items() %}{{ name }}:{{ value }} {% endfor %}{{ (n * 2 - 1) // 3 }} {{ n | int + 1 }} {{ empty | default('d') }}{{ rows[5].gone }}", "name:x n:2 1 3 "],
    ["{# nothing #}{{ rows | tojson if rows is defined else '' }}{{ list | first }}{{ list is iterable and 'yes' or 'no' }}", '[{"name":"x","n":2},{"name":"y","n":0}]ayes'],
    ["{{ '\\'' ~ \"${1}`\" }}{{ [1, 2] | last }}", "'${1}`2"],
  ]) {
    assert.equal(await made(template), text, template);
  }
  for (const template of ["{{ list | unique }}", "{% macro x() %}{% endmacro %}", "{{ gone + 1 }}", "{% for x in list %}", "{{ list | join( }}", "{{ word.format(1) }}", "{% for x in list %}{% set y = x %}{% endfor %}", `{{ ${"(".repeat(60)}1${")".repeat(60)} }}`]) {
    assert.ok((await made(template)).every((note) => note.startsWith("Write this of its template anew: ")), template);
  }
});

test("an answer shows what Dify knows of a run, or nothing of it", async () => {
  const { document } = await app([node("2", "answer", "Say", { answer: "For {{#sys.user_id#}}: {{#1.q#}}" })]);
  assert.equal((await (await Workflow.fromDocument(document)).run({ state: { q: "x" } })).state.answer, "For : x");
});

test("what is read of a placeholder is the key that it names, whatever stands in its place, and nothing where that gives none", async () => {
  const kb = node("2", "knowledge-retrieval", "KB");
  const { document, step } = await app([
    kb,
    node("3", "code", "Sum", { code_language: "python3", code: "def main(): return {'n': 1}" }),
    node("4", "template-transform", "Show", { template: "Hello {{ a }} // {{ b }} // {{ c }}", variables: [["a", "1", "q"], ["b", "2", "result"], ["c", "3", "n"]].map(([variable, ...value_selector]) => ({ variable, value_selector })) }),
    code("5", "Count", "async function main({ found, n }) { return { found: found ?? 'nothing', n: n ?? 'nothing' }; }", [{ variable: "found", value_selector: ["2", "result"] }, { variable: "n", value_selector: ["3", "n"] }]),
    node("6", "end", "End", { outputs: [{ variable: "shown", value_selector: ["4", "output"] }, { variable: "counted", value_selector: ["5"] }] }),
  ]);
  assert.match(step("KB").notes, /^“KB” was a knowledge-retrieval node, which an import cannot carry over\. .* Give what it gave as the key `KB_output`\./);
  const mended = async (set) => {
    const steps = document.steps.flatMap((each) => (each.name === "KB" || each.name === "Sum" ? (set[each.name] === undefined ? [] : [{ ...each, run: { set: set[each.name] } }]) : [each]));
    const { state, errors } = await run({ ...document, steps }, { q: "you", token: "private" });
    assert.deepEqual(errors, []);
    return [state.shown, state.counted];
  };
  assert.deepEqual(await mended({ KB: { KB_output: "'found it'" }, Sum: { Sum_output: "{'n': 2}" } }), ["Hello you // found it // 2", { found: "found it", n: 2 }]);
  const nothing = ["Hello you //  // ", { found: "nothing", n: "nothing" }];
  assert.deepEqual(await mended({ KB: { result: "'found it'" }, Sum: { n: "2" } }), nothing);
  assert.deepEqual(await mended({}), nothing);
});

test("a template and a model that read a placeholder read its key", async () => {
  const { document, step } = await app([node("2", "knowledge-retrieval", "KB"), node("3", "llm", "Ask", { model, prompt_template: [{ role: "user", text: "{{#2.result#}}" }] }), node("4", "answer", "Say", { answer: "It is {{#3.text#}}" }), node("5", "end", "End", { outputs: [{ variable: "a", value_selector: ["4", "answer"] }] })]);
  assert.match(step("Ask").inputFrom, /^\{\{ KB_output \}\}/);
  assert.equal(step("End").run.set.a, "answer");
  const { errors } = await run({ ...document, steps: document.steps.map((each) => (each.name === "KB" ? { ...each, run: { set: { result: "'x'" } } } : each)) }, { q: "" });
  assert.match(errors[0]?.message ?? "", /`?KB_output/);
});
