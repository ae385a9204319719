// What agents of OpenAI's Agent Builder read: their instructions, and the conversation that they are given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { imported } from "./reading.mjs";

const workflow = (definitions, statements) => imported(`import { Agent, Runner } from "@openai/agents";
${definitions}
export const runWorkflow = async (workflow) => {
  const state = { tries: 0, seen: [] as string[], who: (null)!, box: { n: -1 } satisfies object };
  const conversationHistory = [{ role: "user", content: [{ type: "input_text", text: workflow.input_as_text }] }];
  const runner = new Runner({});
  ${statements}
};`);
const agent = (name, instructions, more = "") => `const ${name} = new Agent({ name: "${name}", instructions: ${instructions}, model: "gpt-4.1"${more} });`;
const run = (name, more = "", options = "") => `const ${name}ResultTemp = await runner.run(${name}, [...conversationHistory${more}]${options});`;
const message = (text) => `{ role: "user", content: [{ type: "input_text", text: ${text} }] }`;
const about = (report, name) => report.nodes.find((node) => node.name === name);

test("instructions that read something come before the person's message, and do not take its place", async () => {
  const { document, report, step } = await workflow(
    `const sortInstructions = (runContext, _agent) => {
      const { stateTries } = runContext.context;
      return \`Sort it. Tries: \${stateTries}\`;
    };
    ${agent("sort", "sortInstructions")} ${agent("named", "(c) => `Tries: ${c.context.stateTries}`")} ${agent("plain", '"Be brief."')}`,
    `${run("sort", "", ", { context: { stateTries: state.tries } }")} ${run("named", "", ", { context: { stateTries: state.tries } }")} ${run("plain")}`,
  );
  assert.equal(step("sort").inputFrom, "Sort it. Tries: {{ tries }}\n\n{{ input_as_text }}");
  assert.equal(step("named").inputFrom, "Tries: {{ tries }}\n\n{{ input_as_text }}");
  assert.equal(step("plain").inputFrom, "{{ input_as_text }}");
  assert.equal(document.agents.plain.instructions, "Be brief.");
  assert.deepEqual(report.nodes.map(({ state }) => state), ["whole", "whole", "whole"]);
});

test("instructions that are put together of texts stay instructions", async () => {
  const { document } = await workflow(`const tone = "kind"; const rule = \`Be \${tone}.\`; ${agent("one", "rule + ' ' + `In ${'short'}.`")} const a = \`\${a} again\`; ${agent("itself", "a")}`, `${run("one")} ${run("itself")}`);
  assert.equal(document.agents.itself.instructions, undefined);
  assert.equal(document.agents.one.instructions, "Be kind. In short.");
});

test("the first agent that is given a conversation reads what it begins with, on each way", async () => {
  const { step } = await workflow(
    ["a", "b", "c", "d", "e"].map((name) => agent(name, '"Go."')).join("\n"),
    `if (state.tries > 1) { ${run("a", `, ${message('"Sum it up."')}`)} } else { ${run("b")} conversationHistory.push(${message('"Be quick."')}); }
    ${run("c", `, ${message('"Translate it."')}`)} ${run("d", `, ${message("`Again: ${workflow.input_as_text}`")}`)}
    const eResultTemp = await runner.run(e, \`Alone: \${state.tries}\`);`,
  );
  assert.equal(step("a").inputFrom, "{{ input_as_text }}\n\nSum it up.");
  assert.equal(step("b").inputFrom, "{{ input_as_text }}");
  assert.equal(step("c").inputFrom, "Be quick.\n\nTranslate it.");
  assert.equal(step("d").inputFrom, "Again: {{ input_as_text }}");
  assert.equal(step("e").inputFrom, "Alone: {{ tries }}");
  assert.equal(step("e").history, undefined);
});

test("what an agent loses is listed with its step, and stands in its notes", async () => {
  const { document, report, step } = await workflow(
    `${agent("made", "(c) => { if (c.context.x) return 'a'; return 'b'; }")} ${agent("asks", "`Now is ${new Date()}`")} ${agent("more", '"Go."', ", handoffs: [made], tools: [elsewhere], modelSettings: { toolChoice: 'required', topP: 0.5 }")}`,
    `try { ${run("made")} ${run("asks")} ${run("more", `, { role: "user", content: [{ type: "input_image", image: "x" }] }`)} } catch (error) { await giveUp(); }`,
  );
  assert.deepEqual(about(report, "made").notes, ["Write its instructions: code makes them, which is not taken along."]);
  assert.deepEqual(about(report, "asks").notes, ["Write this expression anew: new Date()"]);
  assert.match(step("asks").notes, /Write this expression anew/);
  assert.deepEqual(about(report, "more").notes, ['It was given more than text: { role: "user", content: [{ type: "input_image", image: "x" }] }', "Give it its tools: some of them are not in the file.", "Its `handoffs` is not taken along.", "Its setting `toolChoice` is not taken along."]);
  assert.deepEqual(Object.values(document.models).at(-1).params, { top_p: 0.5 });
  assert.ok(report.notes.some((note) => note.startsWith("What is done when something fails is not taken along: catch (error)")));
});

test("first values keep what they are beside their types", async () => {
  const { document, report } = await workflow(agent("one", '"Hi."'), run("one"));
  assert.deepEqual(document.initialState, { tries: 0, seen: [], who: null, box: { n: -1 } });
  assert.deepEqual(report.notes, ["Code has no connections: what follows each other there follows each other here."]);
});

test("what reads code that is a placeholder reads the key that it names", async () => {
  const { step } = await workflow(agent("one", '"Be brief."'), `const found = await client.vectorStores.search("vs_1", { query: "x" }); ${run("one", `, ${message("`Use ${found.text}`")}`)}`);
  assert.match(step("File search").notes, /Give what it gave as the key `File search_output`\./);
  assert.match(step("one").inputFrom, /\{\{ state\["File search_output"\]\.text \}\}/);
});
