// The input of an agent: texts, images and files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Workflow } from "stepweave";
import { saying } from "./agent-support.js";
import { internal } from "./support.js";

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_TEXT = "iVBORw0KGgo=";

/** What a model is sent by a step with this input. */
async function sent(step, state = {}) {
  const said = saying("fine");
  const agent = new Agent({ name: "a", model: said.model });
  const result = await new Workflow({ name: "w", steps: [{ name: "ask", agent, ...step }] }).run({ state });
  return { content: said.requests[0]?.messages[0].content, error: result.errors[0], result };
}

test("images and files go with the question: bytes, blobs, base64 and addresses", async () => {
  const { content } = await sent({
    inputFrom: "What is this?",
    files: async () => [
      { type: "image", data: PNG },
      { type: "image", data: PNG.buffer, name: "dot" },
      { type: "file", data: new Blob(["hello"], { type: "text/plain" }) },
      { type: "image", mediaType: "image/gif", data: "R0lG\nODdh" },
      { type: "image", data: "R0lG\nODdh" },
      { type: "file", url: `data:;base64,${PNG_TEXT}` },
      { type: "image", mediaType: "image/png", url: new URL("https://pictures.example/dot.png") },
      { type: "file", url: `data:application/pdf;base64,${btoa("%PDF")}` },
    ],
  });
  assert.deepEqual(content, [
    { type: "text", text: "What is this?" },
    { type: "image", mediaType: "image/png", data: PNG_TEXT },
    { type: "image", mediaType: "image/png", data: PNG_TEXT, name: "dot" },
    { type: "file", mediaType: "text/plain", data: btoa("hello") },
    { type: "image", mediaType: "image/gif", data: "R0lGODdh" },
    { type: "image", mediaType: "image/gif", data: "R0lGODdh" },
    { type: "file", mediaType: "image/png", data: PNG_TEXT },
    { type: "image", mediaType: "image/png", url: "https://pictures.example/dot.png" },
    { type: "file", mediaType: "application/pdf", data: btoa("%PDF") },
  ]);
});

test("a conversation that an agent is run with may hold bytes and addresses too", async () => {
  const said = saying("fine", "fine");
  const agent = new Agent({ name: "a", model: said.model });
  for (const data of [PNG, PNG.buffer]) {
    const content = [{ type: "text", text: "What is this?" }, { type: "image", data }, { type: "image", mediaType: "image/png", url: new URL("https://pictures.example/dot.png") }];
    const { status, messages } = await agent.run([{ role: "user", content }]);
    assert.equal(status, "done");
    const plain = [content[0], { type: "image", mediaType: "image/png", data: PNG_TEXT }, { type: "image", mediaType: "image/png", url: "https://pictures.example/dot.png" }];
    assert.deepEqual(said.requests.at(-1).messages, [{ role: "user", content: plain }]);
    assert.deepEqual(messages[0], { role: "user", content: plain });
  }
  await assert.rejects(agent.run([{ role: "user", content: [{ type: "image", data: new Blob(["x"]) }] }]), ({ message, hint }) => /part 1 of message 1 has a Blob/.test(message) && /await blob\.arrayBuffer\(\)/.test(hint));
  const file = new File(["x"], "a.txt");
  for (const [input, where] of [[file, "state.input"], [[file], "state.input[0]"], [{ file }, "state.input.file"], [[{ role: "user", content: [file] }], "state.input[0].content[0]"]]) {
    await assert.rejects(agent.run(input), ({ message, hint }) => message === `the option \`state\` is not plain JSON: ${where} is a File` && /^pass what readFiles\(/.test(hint));
  }
});

test("an agent that is run without an input calls no model", async () => {
  const said = saying("fine");
  const agent = new Agent({ name: "a", model: said.model });
  await assert.rejects(agent.run(), ({ code, message }) => code === "validation" && /the agent a was given nothing to answer/.test(message));
  await assert.rejects(agent.run(null), ({ code, message }) => code === "validation" && /the agent a was given nothing to answer/.test(message));
  await assert.rejects(agent.run([]), ({ code, message, hint }) => code === "validation" && message === "the agent a was given an empty conversation" && /role: "user"/.test(hint));
  assert.equal(said.requests.length, 0);
});

test("a conversation with a message that says nothing is no value to answer", async () => {
  const said = saying("fine", "fine", "fine");
  const agent = new Agent({ name: "a", model: said.model });
  for (const [input, message] of [
    [[{ role: "user" }], "message 1 of the conversation that the agent a was given has no `content`"],
    [[{ role: "user", content: "Hi" }, { role: "assistant", text: "Hello" }], "message 2 of the conversation that the agent a was given has no `content`"],
    [[{ role: "user", content: "Hi" }, { role: "tool" }], "message 2 of the conversation that the agent a was given has no `results`"],
  ]) {
    await assert.rejects(agent.run(input), (error) => error.code === "validation" && error.message === message && /^write \{ role: /.test(error.hint));
  }
  assert.equal(said.requests.length, 0);
  // Rows of data are answered as such.
  for (const rows of [[{ role: "user", name: "Ada" }], [{ role: "owner" }]]) {
    await agent.run(rows);
    assert.equal(said.requests.at(-1).messages[0].content[0].text, JSON.stringify(rows));
  }
});

test("inputFrom may give texts, images and files in one list; a journal keeps them", async () => {
  let count = 0;
  const said = saying("fine");
  const agent = new Agent({ name: "a", model: said.model });
  const inputFrom = () => { count += 1; return ["Compare", { type: "image", data: PNG }, { type: "text", text: "with a cat." }]; };
  const workflow = new Workflow({ name: "w", steps: [{ name: "ask", agent, inputFrom }] });
  const { journal } = await workflow.run({ journal: true });
  const parts = [{ type: "text", text: "Compare" }, { type: "image", mediaType: "image/png", data: PNG_TEXT }, { type: "text", text: "with a cat." }];
  assert.deepEqual(said.requests[0].messages, [{ role: "user", content: parts }]);
  assert.deepEqual(journal.entries[1].ok, parts);
  const { status } = await workflow.run({ journal: JSON.parse(JSON.stringify(journal)), replay: "strict" });
  assert.deepEqual([status, count], ["done", 1]);
});

test("whatever can be awaited is, also where it gives its value or its failure through `then` alone", async () => {
  const giving = (value) => () => ({ then: (resolve, reject) => (value instanceof Error ? reject(value) : resolve(value)) });
  const image = { type: "image", mediaType: "image/png", data: PNG_TEXT };
  const { content } = await sent({ inputFrom: giving("What is this?"), files: giving([image]) });
  assert.deepEqual(content, [{ type: "text", text: "What is this?" }, image]);
  for (const step of [{ inputFrom: giving(new Error("gone")) }, { inputFrom: "x", files: giving(new Error("gone")) }]) assert.equal((await sent({ retryCount: 0, ...step })).error.message, "gone");
});

test("an expression gives files that the state has", async () => {
  const pictures = [{ type: "image", mediaType: "image/png", data: PNG_TEXT }];
  const { content } = await sent({ inputFrom: "Look", files: "pictures" }, { pictures });
  assert.deepEqual(content.slice(1), pictures);
});

test("what is neither text, image nor file fails the step, with its place and what to write", async () => {
  const wrong = [
    ["text", "part 1 of files of `ask` is a text, and no image and no file"],
    [new Blob(["x"], { type: "image/png" }), "part 1 of files of `ask` is a Blob"],
    [5, "part 1 of files of `ask` is neither a text nor an object"],
    [{ type: "video", data: PNG }, "part 1 of files of `ask` has the type video"],
    [{ type: "image" }, "part 1 of files of `ask` needs either `data` or `url`"],
    [{ type: "image", data: PNG, url: "https://x.example" }, "part 1 of files of `ask` needs either `data` or `url`"],
    [{ type: "image", data: "what?" }, "part 1 of files of `ask` has a text as `data` that is no base64"],
    [{ type: "image", data: {} }, "part 1 of files of `ask` has `data` that is neither base64, bytes nor a Blob"],
    [{ type: "file", data: "AAEC" }, "part 1 of files of `ask` does not say what it is"],
    [{ type: "file", data: "A" }, "part 1 of files of `ask` does not say what it is"],
    [{ type: "file", data: Uint8Array.of(1, 2) }, "part 1 of files of `ask` does not say what it is"],
    [{ type: "file", url: "file:///etc/passwd", mediaType: "text/plain" }, "part 1 of files of `ask` has a `url` that is no http(s) address"],
    [{ type: "text" }, "part 1 of files of `ask` has no `text`"],
  ];
  for (const [part, message] of wrong) {
    const { error } = await sent({ inputFrom: "x", files: () => [part] });
    assert.deepEqual([error.code, error.message, error.step.name], ["handler", message, "ask"]);
    assert.ok(error.hint.length > 10);
  }
  for (const files of [() => "x", async () => undefined]) assert.equal((await sent({ files })).error.message, "files of `ask` gave no list");
  const { error } = await sent({ inputFrom: () => [{ type: "image" }] });
  assert.equal(error.message, "part 1 of inputFrom of `ask` needs either `data` or `url`");
});

test("large files are written as base64 without a fault at the seams", async () => {
  const { plainInput } = await internal("run/input-parts.ts");
  for (const length of [0x6000 - 1, 0x6000, 0x6000 + 1, 200_000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 7) % 256);
    const [part] = await plainInput([{ type: "file", mediaType: "x/y", data: bytes }], "files");
    assert.equal(part.data, Buffer.from(bytes).toString("base64"));
  }
});
