// What n8n's expressions read: the way that ran, the answers of nodes, and what JavaScript says of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { imported } from "./reading.mjs";

const node = (name, kind, parameters = {}, more = {}) => ({ name, type: `n8n-nodes-base.${kind}`, typeVersion: 3.4, parameters, ...more });
const chat = (name, kind, parameters = {}, more = {}) => ({ ...node(name, kind, parameters, more), type: `@n8n/n8n-nodes-langchain.${kind}` });
const set = (name, fields, more = {}) => node(name, "set", { assignments: { assignments: Object.entries(fields).map(([name, value]) => ({ name, value })) } }, more);
const to = (...ports) => ({ main: ports.map((names) => [names].flat().map((node) => ({ node }))) });
const flow = (nodes, connections, more = {}) => imported(JSON.stringify({ name: "Flow", nodes, connections, ...more }));
const hook = node("Hook", "webhook");
const choice = node("Which", "if", { conditions: { conditions: [{ leftValue: "={{ $json.body.kind }}", rightValue: "a", operator: { type: "string", operation: "equals" } }] } });
const about = (report, name) => report.nodes.find((node) => node.name === name);
const run = async (document, state) => (await Workflow.fromDocument(document)).run({ state });

test("what comes behind both ways of an IF reads the one that ran", async () => {
  const { document, report, step } = await flow(
    [hook, choice, set("A", { x: "={{ 'a' }}" }), set("B", { x: "={{ 'b' }}" }), node("Join", "noOp"), set("Say", { said: "={{ $json.x }}" })],
    { Hook: to("Which"), Which: to("A", "B"), A: to("Join"), B: to("Join"), Join: to("Say") },
  );
  assert.equal(step("Say").run.set.said, '(steps["A"].output | default(steps["B"].output)).x');
  assert.equal(about(report, "Say").state, "whole");
  for (const kind of ["a", "b"]) assert.equal((await run(document, { body: { kind } })).state.said, kind);
});

test("a way on which nothing stands hands on what was there before", async () => {
  const { step } = await flow(
    [hook, set("First", { x: "={{ 'first' }}" }), choice, set("A", { x: "={{ 'a' }}" }), set("Say", { said: "={{ $json.x }}" })],
    { Hook: to("First"), First: to("Which"), Which: to("A", "Say"), A: to("Say") },
  );
  assert.equal(step("Say").run.set.said, '(steps["A"].output | default(steps["First"].output)).x');
});

test("of branches that all run, a person chooses what is read", async () => {
  const { report } = await flow([hook, set("A", { x: "1" }), set("B", { y: "2" }), node("Merge", "merge"), set("Say", { said: "={{ $json.x }}" })], { Hook: to(["A", "B"]), A: to("Merge"), B: to("Merge"), Merge: to("Say") });
  assert.match(about(report, "Say").notes[0], /^It got what “[AB]” and “[AB]” gave: here it reads only the first of them that ran\.$/);
});

test("expressions say here what they say in JavaScript, or are listed", async () => {
  const body = { name: " Ann ", list: [3, 4, 5], tags: "a,b", box: { length: 7, inner: { n: 2 } }, none: null, n: 4 };
  const same = [
    "$json.body.list.length > 2 ? 'many' : 'few'", "$json.body.name.length", "$json.body.name.trim().length", "$json.body.box['length']", "$json.body.tags.split(',').length", "$json.body.tags.split(',')[1]",
    "$json.body.name.trim().toUpperCase()", "$json.body.list.includes(4)", "$json.body.tags.includes('a,')", "$json.body.list.join('-')", "$json.body.name.trim().startsWith('An')", "$json.body.tags.endsWith('b')",
    "$json.body.box?.inner?.n", "$json.body.gone?.inner?.n ?? 'none'", "$json.body.none?.x ?? 'none'", "$json.body.none ?? 'none'", "$json.body.gone || 'none'", "$json.body.gone || $json.body.none || 'none'",
    "$json.body.gone ? 1 : 2", "!$json.body.gone", "$json.body.gone && $json.body.gone.x ? 1 : 2", "$json.body.gone === undefined", "$json.body.none !== null", "$json.body.n === 4 && $json.body.n !== 5", "`${$json.body.n} of ${$json.body.list.length}`",
    "$json.body.list[$json.body.n - 3]", "$json.body.list.slice(1)[0]", "$('Hook').item.json.body.n * 2", "$node['Hook'].json.body.n - 1", "$workflow.name",
  ];
  const listed = ["$json.body.list.map((n) => n + 1)", "$json.body.name?.trim()", "$json.body.tags.split('')", "$json.body.tags.split(/,/)", "$json.body.n.toFixed(2)", "$now", "typeof $json.body.n", "[...$json.body.list]", "$json.body.tags.replace('a', 'b')", "$('Gone').item.json.x"];
  const { document, report, step } = await flow([hook, set("Say", Object.fromEntries([...same, ...listed].map((code, index) => [`k${index}`, `={{ ${code} }}`])))], { Hook: to("Say") });
  const { state, errors } = await run(document, { body });
  assert.deepEqual(errors, []);
  for (const [index, code] of same.entries()) {
    const value = new Function("$json", "$", "$node", "$workflow", `return ${code}`)({ body }, () => ({ item: { json: { body } } }), { Hook: { json: { body } } }, { name: "Flow" });
    assert.deepEqual(state[`k${index}`], value, `${code}: ${step("Say").run.set[`k${index}`]}`);
  }
  assert.deepEqual(about(report, "Say").notes, listed.map((code) => `Write this expression anew: ${code}`));
  for (const code of listed) assert.ok(step("Say").notes.includes(code));
});

test("the answer of a node that asks a model is read under the names that n8n gives it", async () => {
  const { step, report } = await flow(
    [hook, chat("Ask", "agent", { text: "Hi" }), set("One", { a: "={{ $json.output }}", b: "={{ $json.output.x }}", c: "={{ $json.other }}" }), chat("Sort", "agent", { text: "Hi" }), chat("Schema", "outputParserStructured", { jsonSchemaExample: '{ "x": 1 }' }), set("Two", { a: "={{ $json.output.x }}", b: "={{ $('Ask').item.json.output.length }}" })],
    { Hook: to("Ask"), Ask: to("One"), One: to("Sort"), Sort: to("Two"), Schema: { ai_outputParser: [[{ node: "Sort" }]] } },
  );
  assert.equal(step("One").run.set.a, 'steps["Ask"].output');
  assert.deepEqual(about(report, "One").notes, ["Write this expression anew: $json.output.x", "Write this expression anew: $json.other"]);
  assert.deepEqual(step("Two").run.set, { a: 'steps["Sort"].output.x', b: 'steps["Ask"].output | length' });
});

test("fields that a Set hands on are read where they come from, and those of a request around its text", async () => {
  const { step } = await flow(
    [hook, node("Get", "httpRequest", { url: "=https://a.example/x", options: { response: { response: { responseFormat: "text" } } } }), set("Old", { y: "={{ $json.data }}" }, { typeVersion: 2 }), set("Say", { a: "={{ $json.data }}", b: "={{ $json.y }}" })],
    { Hook: to("Get"), Get: to("Old"), Old: to("Say") },
  );
  assert.deepEqual([step("Get").http.url, step("Get").http.result], ["https://a.example/x", '{"data": body}']);
  assert.deepEqual(step("Say").run.set, { a: 'steps["Get"].output.data', b: 'steps["Old"].output.y' });
});

test("nodes that are switched off hand on what they get, at their first output", async () => {
  const { document, report, step } = await flow(
    [hook, set("Off", { x: "1" }, { disabled: true }), { ...choice, disabled: true }, set("A", { a: "={{ $json.body.n }}" }), set("B", { b: "1" }), chat("Ask", "agent", { text: "Hi" }), chat("Tool", "toolCode", { jsCode: "return 1" }, { disabled: true })],
    { Hook: to("Off"), Off: to("Which"), Which: to("A", "B"), A: to("Ask"), Tool: { ai_tool: [[{ node: "Ask" }]] } },
  );
  assert.equal(step("A").run.set.a, "body.n");
  assert.deepEqual(report.connections.filter(({ lost }) => lost).map(({ to, lost }) => [to, lost]), [["B", "“Which” has no such output here"]]);
  assert.equal(step("B").enabled, false);
  assert.equal(about(report, "Tool").became, "left out: it was switched off");
  assert.equal(document.tools, undefined);
});

test("within a loop its item is read, and behind it what a person chooses of its list", async () => {
  const { step, report } = await flow(
    [hook, set("List", { x: "1" }), node("Loop", "splitInBatches", {}, { typeVersion: 3 }), set("In", { a: "={{ $('Loop').item.json.n }}", b: "={{ $json.n }}" }), set("Done", { all: "={{ $json }}", one: "={{ $json.a }}" })],
    // What leads back stands first in the file.
    { In: to("Loop"), Hook: to("List"), List: to("Loop"), Loop: to("Done", "In") },
  );
  assert.equal(step("Loop").items, 'steps["List"].output');
  assert.deepEqual(step("In").run.set, { a: "item.n", b: "item.n" });
  assert.equal(step("Done").run.set.all, 'steps["Loop"].output');
  assert.deepEqual(about(report, "Done").notes, ["Write this expression anew: $json.a"]);
});

test("what only n8n's own settings say is done too, or listed", async () => {
  const { step, report } = await flow(
    [
      hook,
      node("Which", "if", { conditions: { options: { caseSensitive: false }, conditions: [{ leftValue: "={{ $json.body.kind }}", rightValue: "Mail", operator: { type: "string", operation: "equals" } }] } }),
      node("Get", "httpRequest", { url: "https://a.example/x" }, { onError: "continueErrorOutput" }),
      set("Failed", { why: "={{ $json.error.message }}" }),
      node("Route", "switch", { rules: { values: [{ conditions: { conditions: [{ leftValue: "={{ 1 }}", rightValue: 1, operator: { type: "number", operation: "equals" } }] } }] }, options: { allMatchingOutputs: true, fallbackOutput: 0 } }),
      node("Last", "noOp"),
    ],
    { Hook: to("Which"), Which: to("Get", "Route"), Get: { main: [[], [{ node: "Failed" }]] }, Route: to("Last") },
    { pinData: { Last: [{ json: { token: "sk-live-0123456789abcdef" } }] } },
  );
  assert.equal(step("Which").condition, `((body.kind | default('')) | lower) == ("Mail" | lower)`);
  assert.deepEqual(about(report, "Failed").notes, ["Write this expression anew: $json.error.message"]);
  assert.deepEqual(about(report, "Route").notes, ["It took every output that fits: here the first one is taken.", "What no rule fits went to output 0: widen its condition."]);
  const slow = await flow([hook, node("Slow", "httpRequest", { url: "https://a.example/x", options: { timeout: 5000, allowUnauthorizedCerts: true, batching: { batch: { batchSize: 5 } }, proxy: "http://p" } })], { Hook: to("Slow") });
  assert.equal(slow.step("Slow").timeoutMs, 5000);
  assert.deepEqual(about(slow.report, "Slow").notes, ["It sent a few requests at a time: a “For each” has a concurrency.", "It took any certificate, which no request here does.", "It went through a proxy: that is for where the workflow runs to say."]);
  assert.deepEqual(about(report, "Last").notes, ["What was pinned of it is left out: pin an output of a run anew."]);
});

test("a Set that gives JSON gives its fields, also those that read something deep in it", async () => {
  const raw = (name, jsonOutput) => node(name, "set", { mode: "raw", jsonOutput });
  const { document, report, step } = await flow(
    [hook, raw("Json", '={ "a": "{{ $json.body.n }}", "box": { "b": ["{{ $json.body.n + 1 }}", "c"] } }'), set("One", { x: "={{ $json.box.b[0] }}" }), raw("Whole", "={{ { a: $json.x, } }}"), set("Two", { y: "={{ $json.a }}" }), raw("Pieces", '={ "n": {{ $json.y }} }')],
    { Hook: to("Json"), Json: to("One"), One: to("Whole"), Whole: to("Two"), Two: to("Pieces") },
  );
  const { state, errors } = await run(document, { body: { n: 4 } });
  assert.deepEqual(errors, []);
  assert.deepEqual([state.a, state.box, state.x, state.y], [4, { b: [5, "c"] }, 5, 5]);
  assert.deepEqual(step("Json").notes, undefined);
  assert.deepEqual(about(report, "Pieces").notes, ["Its JSON is put together of pieces, and a text here: set its fields one by one."]);
});

test("several texts for a model are one, of which each expression is read", async () => {
  const { document, step } = await flow(
    [hook, chat("Ask", "chainLlm", { promptType: "define", text: "={{ $json.body.q }}", messages: { messageValues: [{ message: "Be brief." }, { message: "=In {{ $json.body.tongue }}." }, { type: "HumanMessagePromptTemplate", message: "Hello." }] } })],
    { Hook: to("Ask") },
  );
  assert.equal(step("Ask").inputFrom, "Be brief.\n\nIn {{ body.tongue }}.\n\nHello.\n\n{{ body.q }}");
  assert.equal(Object.values(document.agents)[0].instructions, undefined);
});

test("what a condition compares may be missing, as it may there", async () => {
  const compared = (type, operation, rightValue) => ({ leftValue: "={{ $json.body.x }}", rightValue, operator: { type, operation } });
  const decided = async (row, body, caseSensitive = true) => {
    const { document } = await flow([hook, node("Which", "if", { conditions: { options: { caseSensitive }, conditions: [row] } }), set("Yes", { said: "yes" }), set("No", { said: "no" })], { Hook: to("Which"), Which: to("Yes", "No") });
    const { state, errors } = await run(document, { body });
    assert.deepEqual(errors, []);
    return state.said === "yes";
  };
  for (const [type, operation, right, isMissing, isThere] of [
    ["string", "equals", "ab", false, true], ["string", "notEquals", "ab", true, false], ["string", "contains", "b", false, true], ["string", "notContains", "b", true, false],
    ["string", "startsWith", "a", false, true], ["string", "notStartsWith", "a", true, false], ["string", "endsWith", "b", false, true], ["string", "notEndsWith", "b", true, false],
    ["string", "exists", "", false, true], ["string", "notExists", "", true, false], ["string", "empty", "", true, false], ["string", "notEmpty", "", false, true],
    ["number", "equals", 3, false, false], ["boolean", "true", "", false, false], ["boolean", "false", "", false, false], ["array", "contains", "ab", false, true],
  ]) {
    for (const caseSensitive of [true, false]) {
      assert.equal(await decided(compared(type, operation, right), {}, caseSensitive), isMissing, `${type} ${operation}`);
      assert.equal(await decided(compared(type, operation, right), { x: type === "array" ? ["ab"] : "ab" }, caseSensitive), isThere, `${type} ${operation}`);
    }
  }
});

test("a Set gives lists and objects that are written as JSON, and a wait lasts as long as it says", async () => {
  const fields = [["list", "array", '["x", {"n": 1}]'], ["box", "object", '={ "n": "{{ $json.body.n }}" }'], ["read", "array", "={{ $json.body.list }}"], ["pieces", "array", "=[{{ $json.body.n }}]"], ["text", "string", "[1]"]];
  const { document, report } = await flow(
    [hook, node("Set", "set", { assignments: { assignments: fields.map(([name, type, value]) => ({ name, type, value })) } }), node("Old", "set", { fields: { values: [{ name: "old", type: "arrayValue", arrayValue: "[1, 2]" }] } }, { typeVersion: 3 })],
    { Hook: to("Set"), Set: to("Old") },
  );
  const { state, errors } = await run(document, { body: { n: 4, list: [5] } });
  assert.deepEqual(errors, []);
  assert.deepEqual([state.list, state.box, state.read, state.pieces, state.text, state.old], [["x", { n: 1 }], { n: 4 }, [5], "[4]", "[1]", [1, 2]]);
  assert.ok(about(report, "Set").notes.includes("“pieces” is put together of pieces, and a text here: write its JSON anew."));
  const { step } = await flow([hook, node("Long", "wait", { amount: 60, unit: "days" })], { Hook: to("Long") });
  assert.deepEqual(step("Long").wait, { ms: 60 * 86_400_000 });
});

test("a body of JSON is what it is there, whichever way it is written", async () => {
  const body = { q: 'say "hi"\n', id: 7, list: [1], answer: '{"b": [1]}', none: null };
  for (const [jsonBody, expected] of [
    ["={{ JSON.stringify({ a: $json.body.q, b: [1, $json.body.id] }) }}", { a: body.q, b: [1, 7] }],
    ["={{ { a: $json.body.q, box: { n: $json.body.id } } }}", { a: body.q, box: { n: 7 } }],
    ["={{ $json.body }}", body],
    ["={{ $json.body.answer }}", { b: [1] }],
    ['={ "a": "{{ $json.body.q }}", "id": "{{ $json.body.id }}", "n": {{ $json.body.id }}, "in": "<{{ $json.body.q }}>", "box": {"list":{{ $json.body.list }}} }', { a: body.q, id: "7", n: 7, in: `<${body.q}>`, box: { list: [1] } }],
    ['={ "a": {{ JSON.stringify($json.body.q) }}, "id": "{{ $json.body.id }}", "open": "{% {{ $json.body.id }}" }', { a: body.q, id: "7", open: "{% 7" }],
    ['={"box":{"answer":{{ $json.body.answer }}}}', { box: { answer: { b: [1] } } }],
    ['={"box":{"none":{{ $json.body.none }}}}', { box: { none: null } }],
  ]) {
    const { document, report } = await flow([hook, node("Send", "httpRequest", { method: "POST", url: "https://a.example/", sendBody: true, specifyBody: "json", jsonBody })], { Hook: to("Send") });
    let sent;
    const { errors } = await (await Workflow.fromDocument(document)).run({ state: { body }, fetch: async (_, { body }) => ((sent = body), Response.json({})) });
    assert.deepEqual(errors, []);
    assert.deepEqual(JSON.parse(sent), expected, jsonBody);
    assert.deepEqual(about(report, "Send").notes, [], jsonBody);
  }
});

test("code may change what it is given, and a loop or other code goes through the list that it makes", async () => {
  const { document } = await flow(
    [
      hook,
      code("Mark", "for (const item of $input.all()) { item.json.seen = true; }\nreturn $input.all();"),
      code("List", "return [1, 2].map((n) => ({ json: { n, seen: $json.seen } }));"),
      code("More", "return $input.all().map(({ json }) => ({ json: { n: json.n + 1, seen: json.seen } }));"),
      node("Loop", "splitInBatches", {}, { typeVersion: 3 }),
      set("Double", { twice: "={{ $json.n * 2 }}" }),
      node("Split", "splitOut", { fieldToSplitOut: "body.list" }),
      node("Each", "splitInBatches", {}, { typeVersion: 3 }),
      set("Name", { name: "={{ $json.name }}" }),
      code("One", "return { name: 'only' };"),
      node("Single", "splitInBatches", {}, { typeVersion: 3 }),
      set("Last", { last: "={{ $json.name }}" }),
    ],
    { Hook: to(["Mark", "Split", "One"]), Mark: to("List"), List: to("More"), More: to("Loop"), Loop: to([], "Double"), Double: to("Loop"), Split: to("Each"), Each: to([], "Name"), Name: to("Each"), One: to("Single"), Single: to([], "Last"), Last: to("Single") },
  );
  const { state, errors } = await run(document, { body: { list: [{ name: "Ann" }, { name: "Bo" }] } });
  assert.deepEqual(errors, []);
  assert.deepEqual([state.Loop_output, state.Each_output, state.Single_output], [[{ twice: 4 }, { twice: 6 }], [{ name: "Ann" }, { name: "Bo" }], [{ last: "only" }]]);
});

test("what a person answers to a message is read as it is there", async () => {
  const ask = (name, more = {}) => node(name, "slack", { operation: "sendAndWait", message: `=${name} {{ $json.body.q }}?`, ...more });
  const { document, report } = await flow(
    [
      hook,
      ask("May"),
      node("Yes", "if", { conditions: { conditions: [{ leftValue: "={{ $json.data.approved }}", rightValue: "", operator: { type: "boolean", operation: "true" } }] } }),
      node("Write", "gmail", { operation: "sendAndWait", responseType: "freeText", message: "What?" }),
      set("Said", { said: "={{ $json.data.text }}", other: "={{ $json.gone }}" }),
      set("Refused", { said: "no" }),
    ],
    { Hook: to("May"), May: to("Yes"), Yes: to("Write", "Refused"), Write: to("Said") },
  );
  const workflow = await Workflow.fromDocument(document);
  const first = await workflow.run({ state: { body: { q: "now" } }, journal: true });
  assert.equal(first.pending[0].message, "May now?");
  assert.equal((await workflow.run({ journal: first.journal, answers: { [first.pending[0].key]: { approved: false } } })).state.said, "no");
  const second = await workflow.run({ journal: first.journal, answers: { [first.pending[0].key]: { approved: true } } });
  const { state, errors } = await workflow.run({ journal: second.journal, answers: { [second.pending[0].key]: { text: "this" } } });
  assert.deepEqual([errors, state.said], [[], "this"]);
  assert.deepEqual(about(report, "Said").notes, ["Write this expression anew: $json.gone"]);
});

test("a text is compared as the number that it stands for, where n8n does so", async () => {
  const decided = async (parameters, query, typeVersion = 2) => {
    const { document } = await flow([hook, node("Which", "if", parameters, { typeVersion }), set("Yes", { said: "yes" }), set("No", { said: "no" })], { Hook: to("Which"), Which: to("Yes", "No") });
    const { state, errors } = await run(document, { query });
    assert.deepEqual(errors, []);
    return state.said;
  };
  const more = (value, type, operation, options = {}) => ({ conditions: { options, conditions: [{ leftValue: "={{ $json.query.n }}", rightValue: value, operator: { type, operation } }] } });
  for (const parameters of [more(10, "number", "gt", { typeValidation: "loose" }), { ...more("10", "number", "gt"), options: { looseTypeValidation: true } }]) {
    assert.deepEqual([await decided(parameters, { n: "9" }), await decided(parameters, { n: "11" }), await decided(parameters, {})], ["no", "yes", "no"]);
  }
  assert.equal(await decided(more(9, "number", "equals", { typeValidation: "loose" }), { n: "9" }), "yes");
  assert.equal(await decided(more("9", "string", "equals", { typeValidation: "loose" }), { n: 9 }), "yes");
  assert.equal(await decided(more("", "number", "exists", { typeValidation: "loose" }), {}), "no");
  const old = { conditions: { number: [{ value1: "={{ $json.query.n }}", operation: "larger", value2: 10 }] } };
  assert.deepEqual([await decided(old, { n: "9" }, 1), await decided(old, { n: "11" }, 1), await decided(old, {}, 1)], ["no", "yes", "no"]);
});

test("what an extractor looks for may be a schema, or an example", async () => {
  const extract = (name, more) => chat(name, "informationExtractor", { text: "={{ $json.body.q }}", ...more });
  const { document, report, step } = await flow(
    [
      hook,
      extract("Schema", { schemaType: "manual", inputSchema: '{ "type": "object", "properties": { "city": { "type": "string" } } }' }),
      extract("Example", { schemaType: "fromJson", jsonSchemaExample: '{ "n": 1, "of": ["a"] }' }),
      set("Say", { n: "={{ $json.output.n }}" }),
      extract("Nothing", {}),
    ],
    { Hook: to("Schema"), Schema: to("Example"), Example: to("Say"), Say: to("Nothing") },
  );
  assert.deepEqual(document.agents.schema.output, { type: "object", properties: { city: { type: "string" } } });
  assert.deepEqual(document.agents.example.output, { type: "object", required: ["n", "of"], properties: { n: { type: "number" }, of: { type: "array", items: { type: "string" } } } });
  assert.equal(step("Say").run.set.n, 'steps["Example"].output.n');
  assert.ok(about(report, "Nothing").notes.includes("Write the schema of the answer."));
});

const code = (name, jsCode) => node(name, "code", { jsCode });

test("code finds the item that n8n gives it, behind a Set and an IF too", async () => {
  const which = node("Which", "if", { conditions: { conditions: [{ leftValue: "={{ $('Hook').item.json.body.kind }}", rightValue: "a", operator: { type: "string", operation: "equals" } }] } });
  const { document } = await flow(
    [hook, set("First", { a: "={{ 1 }}" }), set("Fields", { x: "={{ $json.a + 1 }}" }), which, set("More", { y: "={{ 3 }}" }, { typeVersion: 2 }), code("Look", "return [{ json: { seen: $input.first().json, first: $('First').first().json } }];")],
    { Hook: to("First"), First: to("Fields"), Fields: to("Which"), Which: to("More", "Look"), More: to("Look") },
  );
  for (const [kind, seen] of [["b", { x: 2 }], ["a", { x: 2, y: 3 }]]) {
    const { state } = await run(document, { body: { kind } });
    assert.deepEqual(state.Look_output, { seen, first: { a: 1 } });
  }
});

test("code behind a Set that hands on the other fields finds them too", async () => {
  const { document } = await flow(
    [hook, set("First", { a: "={{ 1 }}" }), set("More", { b: "={{ 2 }}" }, { typeVersion: 2 }), code("Look", "return { seen: $json, keys: Object.keys(items[0].json) };")],
    { Hook: to("First"), First: to("More"), More: to("Look") },
  );
  const { state } = await run(document, { body: {} });
  assert.deepEqual(state.Look_output.keys, ["a", "b"]);
});

test("code finds the answer of a model under the name that n8n gives it, and what other code returned", async () => {
  const { step } = await flow([hook, chat("Ask", "agent", { text: "Hi" }), code("One", "return { said: $json.output };"), code("Two", "return $json;")], { Hook: to("Ask"), Ask: to("One"), One: to("Two") });
  assert.match(step("One").run.code, /asItems\(\(state\["Ask_output"\] === undefined \? undefined : \{ output: state\["Ask_output"\] \}\)\)/);
  assert.match(step("Two").run.code, /asItems\(state\["One_output"\]\)/);
});

test("a Merge behind an IF gives what the way gave that ran", async () => {
  const { document } = await flow(
    [hook, choice, set("A", { x: "={{ 'a' }}" }), set("B", { x: "={{ 'b' }}" }), node("Merge", "merge")],
    { Hook: to("Which"), Which: to("A", "B"), A: to("Merge"), B: to("Merge") },
  );
  for (const kind of ["a", "b"]) assert.deepEqual((await run(document, { body: { kind } })).state.merge, [{ x: kind }]);
});

test("fields of code that have one name are each read of their own node", async () => {
  const nodes = [
    hook,
    code("A", "return [{ json: { result: 1 } }];"),
    code("B", "return { result: 2 };"),
    code("Sum", "return { result: $('A').first().json.result * 10 + $('B').first().json.result, keys: Object.keys($input.first().json) };"),
    set("Say", { first: "={{ $('A').item.json.result }}", sum: "={{ $json.result }}", keys: "={{ $json.keys }}" }),
  ];
  for (const connections of [{ Hook: to("A"), A: to("B"), B: to("Sum"), Sum: to("Say") }, { Hook: to(["A", "B"]), A: to("Sum"), B: to("Sum"), Sum: to("Say") }]) {
    const { document } = await flow(nodes, connections);
    const { state, errors, warnings } = await run(document, { body: {} });
    assert.deepEqual([errors, warnings], [[], []]);
    assert.deepEqual([state.first, state.sum, state.keys], [1, 12, ["result"]]);
  }
  const { step } = await flow([hook, node("Python", "code", { language: "python", pythonCode: "return []" }), set("Read", { x: "={{ $json.x }}" })], { Hook: to("Python"), Python: to("Read") });
  assert.equal(step("Read").run.set.x, "Python_output.x");
});

test("an answer that says an error is none where n8n is told so", async () => {
  const { document, report } = await flow([hook, node("Get", "httpRequest", { url: "https://a.example/", options: { response: { response: { neverError: true, fullResponse: true } } } }), set("Say", { status: "={{ $json.statusCode }}" })], { Hook: to("Get"), Get: to("Say") });
  const { state, errors } = await (await Workflow.fromDocument(document)).run({ state: { body: {} }, fetch: async () => new Response("no", { status: 500 }) });
  assert.deepEqual([errors, state.status, about(report, "Get").notes], [[], 500, []]);
});

test("types that a schema of an answer writes as nothing are that of nothing, and others are left out", async () => {
  const inputSchema = JSON.stringify({ type: "object", properties: { town: { type: ["string", null] }, size: { type: ["string", "big"] }, type: { type: [null, "null"] }, odd: { type: ["huge"] }, none: { type: null } } });
  const { document } = await flow([hook, chat("Ask", "agent", { text: "Hi" }), chat("Schema", "outputParserStructured", { schemaType: "manual", inputSchema })], { Hook: to("Ask"), Schema: { ai_outputParser: [[{ node: "Ask" }]] } });
  assert.deepEqual(document.agents.ask.output.properties, { town: { type: ["string", "null"] }, size: { type: ["string"] }, type: { type: ["null"] }, odd: {}, none: {} });
});

test("a page of HTML is the text that n8n made of it", async () => {
  const { document, report } = await flow([hook, node("Page", "html", { html: "<h1>{{ $json.body.title }}</h1>\n<p>{ 1 }</p>" }, { typeVersion: 1.2 }), set("Say", { said: "={{ $json.html }}" }), node("Text", "html", { operation: "extractHtmlContent" })], { Hook: to("Page"), Page: to("Say"), Say: to("Text") });
  assert.equal(about(report, "Text").state, "placeholder");
  document.steps.pop();
  assert.equal((await run(document, { body: { title: "Hi" } })).state.said, "<h1>Hi</h1>\n<p>{ 1 }</p>");
});

test("code that is in Python, or not in the file, is said to be", async () => {
  const { step } = await flow([hook, node("Snake", "code", { language: "pythonNative", pythonCode: "return []" }), node("Empty", "code", {})], { Hook: to("Snake"), Snake: to("Empty") });
  assert.match(step("Snake").notes, /Its Python cannot run here: write it as JavaScript\./);
  assert.match(step("Empty").notes, /The file has no code of it: write it anew\./);
});

test("a model that the file does not name is that of n8n, to look at", async () => {
  const of = async (kind, parameters = {}) => {
    const { document, report } = await flow([hook, chat("Ask", "agent", { text: "Hi" }), chat("Model", kind, parameters)], { Hook: to("Ask"), Model: { ai_languageModel: [[{ node: "Ask" }]] } });
    return [Object.values(document.models)[0], about(report, "Model").notes];
  };
  assert.deepEqual(await of("lmChatAnthropic"), [{ provider: "anthropic", model: "claude-sonnet-4-20250514", apiKey: { secret: "ANTHROPIC_API_KEY" } }, ["The file does not name its model: look whether claude-sonnet-4-20250514 is right."]]);
  assert.deepEqual((await of("lmChatOpenRouter"))[0].model, "openai/gpt-4.1-mini");
  assert.deepEqual(await of("lmChatGoogleGemini", { modelName: "models/gemini-2.0-flash" }), [{ provider: "gemini", model: "gemini-2.0-flash", apiKey: { secret: "GEMINI_API_KEY" } }, []]);
  assert.deepEqual((await of("lmChatAnthropic", { model: "={{ $json.model }}" }))[1], ["Choose its model: until then an offline simulation answers."]);
});

test("older ways to read a node, and the first of all items, are read too", async () => {
  const { document, report, step } = await flow(
    [hook, set("Given", { "a b": "={{ 'x' }}" }), set("Say", { a: "={{ $item('0').$node['Given'].json['a b'] }}", b: "={{ $items('Given')[0].json['a b'] }}", c: "={{ $('Given').all()[0].json['a b'] }}", d: "={{ $input.all()[0].json['a b'] }}", e: "={{ $items()[0].json['a b'] }}", f: "={{ $node['Given'].data['a b'] }}", g: "={{ $items('Given')[1].json.x }}" })],
    { Hook: to("Given"), Given: to("Say") },
  );
  const { a, b, c, d, e, f } = step("Say").run.set;
  assert.deepEqual([...new Set([a, b, c, d, e, f])], ['steps["Given"].output["a b"]']);
  assert.deepEqual(about(report, "Say").notes, ["Write this expression anew: $items('Given')[1].json.x"]);
  assert.equal((await run(document, {})).state.f, "x");
});

test("a long text that reads something stays one", async () => {
  const line = "<td style='padding: 4px'>a cell of a long table that nobody wants to write anew</td>";
  const value = `=${Array.from({ length: 40 }, () => `${line}{{ $json.body.n }}`).join("")}`;
  const { document, report } = await flow([hook, set("Page", { page: value })], { Hook: to("Page") });
  assert.deepEqual(about(report, "Page").notes, []);
  assert.equal((await run(document, { body: { n: 7 } })).state.page, `${line}7`.repeat(40));
});

test("fields that one expression gives are the object that it is, whatever blanks stand around it", async () => {
  const { document } = await flow([hook, node("All", "set", { mode: "raw", jsonOutput: "={{ $json.body }}\n" }), set("Say", { said: "={{ $json.x }}" })], { Hook: to("All"), All: to("Say") });
  assert.equal((await run(document, { body: { x: 1 } })).state.said, 1);
});

test("a condition of which a part cannot be said is never true", async () => {
  const { report, step } = await flow([hook, node("Which", "if", { conditions: { conditions: [{ leftValue: "={{ $binary }}", operator: { type: "object", operation: "notEmpty" } }] } }), set("A", { a: "1" })], { Hook: to("Which"), Which: to("A") });
  assert.equal(step("Which").condition, "false");
  assert.deepEqual(about(report, "Which").notes, ["Write this expression anew: $binary", "Write its condition: until then it is never true."]);
});

test("fields of a Set that lie in others are set in them", async () => {
  const { document, report, step } = await flow(
    [hook, set("Given", { "repo.owner": "ann", "repo.name": "={{ $json.body.name }}", "list[0].n": "={{ 1 }}", plain: "x", "plain.more": "y", "a b.c": "z" }), set("Say", { said: "={{ $json.repo.owner }}/{{ $json.repo.name }}", n: "={{ $json.list[0].n }}" }), code("Look", "return $('Given').first().json.repo;"), set("Flat", { "x.y": "1" })].map((node) => (node.name === "Flat" ? { ...node, parameters: { ...node.parameters, options: { dotNotation: false } } } : node)),
    { Hook: to("Given"), Given: to("Say"), Say: to("Look"), Look: to("Flat") },
  );
  assert.deepEqual(step("Given").run.set, { repo: '{"owner": "ann", "name": body.name}', list: '[{"n": 1}]', plain: '{"more": "y"}', "a b": '{"c": "z"}' });
  assert.deepEqual(about(report, "Given").notes, []);
  const { state } = await run(document, { body: { name: "bees" } });
  assert.deepEqual([state.said, state.n, state.Look_output, state["x.y"]], ["ann/bees", 1, { owner: "ann", name: "bees" }, "1"]);
  const long = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`all.field number ${index}`, `={{ $json.body.value_with_a_long_name_${index} }}`]));
  const apart = await flow([hook, set("Given", { "body.x": "1", ...long })], { Hook: to("Given") });
  assert.deepEqual([apart.step("Given").run.set["body.x"], apart.step("Given").run.set["all.field number 1"]], ['"1"', "body.value_with_a_long_name_1"]);
  assert.deepEqual(about(apart.report, "Given").notes, ["“body” has fields in it: set it as a whole.", "“all” has fields in it: set it as a whole."]);
});

test("a switch without a rule, a kind of content in one word and the edition of a schema keep no node out", async () => {
  const inputSchema = JSON.stringify({ $schema: "http://json-schema.org/schema#", type: "object", properties: { $schema: { type: "string" } } });
  const { document, report, step } = await flow(
    [hook, node("Which", "switch", {}), node("Send", "httpRequest", { method: "POST", url: "https://a.example/", contentType: "raw", rawContentType: "JSON", body: "={{ $json.body.x }}" }), node("Tell", "httpRequest", { method: "POST", url: "https://a.example/", contentType: "raw", rawContentType: "=application/xml; charset=utf-8", body: "<a/>" }), chat("Ask", "agent", { text: "Hi" }), chat("Schema", "outputParserStructured", { schemaType: "manual", inputSchema })],
    { Hook: to(["Which", "Send"]), Send: to("Tell"), Tell: to("Ask"), Schema: { ai_outputParser: [[{ node: "Ask" }]] } },
  );
  assert.deepEqual([step("Which").type, step("Which").cases.map(({ when }) => when)], ["switch", ["false"]]);
  assert.deepEqual([step("Send").http.body.type, step("Tell").http.body.type], ["application/json", "application/xml; charset=utf-8"]);
  assert.deepEqual(document.agents.ask.output, { type: "object", properties: { $schema: { type: "string" } } });
  assert.ok(report.nodes.every(({ state }) => state !== "placeholder"));
});

test("a classifier without a category hands on what it got", async () => {
  const { report, steps } = await flow([hook, chat("Which", "textClassifier", {}), set("A", { a: "1" })], { Hook: to("Which"), Which: to("A") });
  assert.deepEqual(steps.map(({ name, type }) => [name, type]), [["Which", "agent"], ["A", "function"]]);
  assert.ok(about(report, "Which").notes.includes("Write its categories, and what is done for each: the flow goes on at its first output."));
});

test("code that reads a placeholder reads the key that it names, and has no items where that is not given", async () => {
  const { document, step, report } = await flow(
    [hook, node("Weird", "someService", { operation: "get" }), node("Count", "code", { jsCode: "return [{ json: { all: items.map(({ json }) => json), weird: $('Weird').all().length, gone: $('Gone').all().length, hook: $('Hook').first().json.body } }];" }), set("Say", { said: "={{ $('Weird').item.json.n }}" })],
    { Hook: to("Weird"), Weird: to("Count"), Count: to("Say") },
  );
  assert.match(step("Weird").notes, / Give what it gave as the key `Weird_output`\.$/);
  assert.equal(about(report, "Weird").state, "placeholder");
  assert.equal(step("Say").run.set.said, "Weird_output.n");
  const mended = (set) => run({ ...document, steps: document.steps.map((each) => (each.name === "Weird" ? { ...each, run: { set } } : each)) }, { body: { b: 1 }, token: "private" });
  const well = await mended({ Weird_output: "{'n': 1}" });
  assert.deepEqual([well.errors, well.state.Count_output, well.state.said], [[], { all: [{ n: 1 }], weird: 1, gone: 0, hook: { b: 1 } }, 1]);
  const badly = await mended({ n: "1" });
  assert.deepEqual(badly.state.Count_output, { all: [], weird: 0, gone: 0, hook: { b: 1 } });
  assert.match(badly.errors[0]?.message ?? "", /Weird_output/);
});

test("code behind a page that is filled in, and behind a way on which nothing stands, has what comes in there", async () => {
  const { document } = await flow(
    [hook, choice, node("Weird", "someService"), node("Page", "html", { html: "<b>{{ $json.body.kind }}</b>" }), node("Either", "code", { jsCode: "return [{ json: { got: items[0].json } }];" }), node("Behind", "code", { jsCode: "return [{ json: { got: items[0].json.html } }];" })],
    { Hook: to(["Which", "Page"]), Which: to("Weird", "Either"), Weird: to("Either"), Page: to("Behind") },
  );
  const { errors, state } = await run(document, { body: { kind: "b" } });
  assert.deepEqual(errors, []);
  assert.deepEqual([state.Either_output.got.body, state.Behind_output], [{ kind: "b" }, { got: "<b>b</b>" }]);
});
