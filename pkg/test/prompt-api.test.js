// What the browser's own model is shown of a conversation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, promptApi, Workflow } from "stepweave";
import { internal } from "./support.js";

const { conversationOf, expectedIn } = await internal("models/prompt-api/conversation.ts");

const text = (value) => ({ type: "text", value });
const contentOf = (...content) => conversationOf({ model: "m", params: {}, messages: [{ role: "user", content }] })[0].content;
const refusal = (part) => {
  try {
    contentOf(part);
  } catch ({ code, message, hint }) {
    return { code, message, hint };
  }
  throw new Error("it was not refused");
};

test("a conversation keeps its order and its roles", () => {
  const messages = [
    { role: "user", content: [{ type: "text", text: "Hi" }] },
    { role: "assistant", content: [{ type: "reasoning", text: "hm" }, { type: "text", text: "Hello" }, { type: "toolCall", id: "c", name: "now", input: {} }] },
    { role: "tool", results: [{ id: "c", name: "now", output: "noon" }, { id: "d", name: "here", output: { at: [1] } }, { id: "e", name: "look", output: { type: "image", mediaType: "image/png", data: "AAAA" } }] },
    { role: "user", content: [{ type: "text", text: "And?" }] },
  ];
  const prompts = conversationOf({ model: "m", params: {}, instructions: "Be brief.", messages });
  assert.deepEqual(prompts, [
    { role: "system", content: [text("Be brief.")] },
    { role: "user", content: [text("Hi")] },
    { role: "assistant", content: [text("Hello")] },
    { role: "user", content: [text("now: noon"), text('here: {"at":[1]}'), text("look:"), { type: "image", value: new Blob([Uint8Array.of(0, 0, 0)], { type: "image/png" }) }] },
    { role: "user", content: [text("And?")] },
  ]);
  assert.deepEqual(expectedIn(prompts, ["en"]), [{ type: "text", languages: ["en"] }, { type: "image" }]);
});

test("images and sounds are shown as their bytes, texts as what they say", async () => {
  const content = contentOf(
    { type: "text", text: "What is this?" },
    { type: "image", mediaType: "image/png", data: btoa("\x89PNG") },
    { type: "file", mediaType: "audio/wav", url: `data:audio/wav;base64,${btoa("RIFF")}` },
    { type: "file", mediaType: "text/plain", data: Buffer.from("grün").toString("base64"), name: "notes.txt" },
    { type: "file", mediaType: "text/csv", data: btoa("a,b") },
  );
  assert.deepEqual(content[0], text("What is this?"));
  assert.deepEqual([content[1].type, content[1].value.type, [...new Uint8Array(await content[1].value.arrayBuffer())]], ["image", "image/png", [0x89, 0x50, 0x4e, 0x47]]);
  assert.deepEqual([content[2].type, content[2].value.type, await content[2].value.text()], ["audio", "audio/wav", "RIFF"]);
  assert.deepEqual(content.slice(3), [text("notes.txt:\ngrün"), text("a,b")]);
  assert.deepEqual(expectedIn([{ role: "user", content }, { role: "user", content }], ["en"]), [{ type: "text", languages: ["en"] }, { type: "image" }, { type: "audio" }]);
});

test("a file that cannot be shown is refused by name", () => {
  assert.deepEqual(refusal({ type: "file", mediaType: "application/pdf", data: "AAAA", name: "a.pdf" }), {
    code: "model",
    message: "the file a.pdf cannot be shown: the browser's own model reads no application/pdf",
    hint: "give it text, images or sound",
  });
  assert.deepEqual(refusal({ type: "image", mediaType: "image/png", url: "https://example.com/a.png" }), {
    code: "model",
    message: "the file (image/png) cannot be shown: the browser's own model fetches nothing",
    hint: "give the file's bytes as base64 in `data`, not its `url`",
  });
  assert.equal(refusal({ type: "image", mediaType: "image/png", data: "%" }).message, "the file (image/png) cannot be shown: its `data` is no base64");
});

test("promptApi refuses what is no option", () => {
  assert.deepEqual({ ...promptApi({ params: { topK: 1 } }) }, { provider: "custom", model: "prompt-api", params: { topK: 1 } });
  assert.throws(() => promptApi({ language: "de" }), { code: "validation", message: "promptApi() has no option `language`", hint: "did you mean `languages`?" });
});

test("what onDownload throws fails the step", async () => {
  globalThis.ProgressEvent ??= class extends Event {
    constructor(type, { loaded }) {
      super(type);
      this.loaded = loaded;
    }
  };
  await import("../../tests/models/programs/language-model.js");
  globalThis.model.availability = "downloadable";
  try {
    const received = [];
    const model = promptApi({ onDownload: (share) => { received.push(share); if (share > 0) throw new Error("no bar to draw it in"); } });
    const { error } = await new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "a", model }) }] }).run();
    assert.deepEqual([error.code, error.message, error.cause.message], ["handler", "onDownload of promptApi() failed: no bar to draw it in", "no bar to draw it in"]);
    assert.deepEqual(received, [0, 0.5, 1]);
    assert.ok(globalThis.sessions.every(({ isDestroyed }) => isDestroyed), "no session is left");
  } finally {
    for (const name of ["LanguageModel", "ProgressEvent", "model", "sessions"]) delete globalThis[name];
  }
});
