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
