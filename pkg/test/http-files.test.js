// Forms with files that are posted to a served workflow.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, functionStep, Workflow } from "stepweave";
import { formFiles, memoryBytes } from "stepweave/files";
import { handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { z } from "zod";
import { PNG, pdfOf } from "./files-support.js";

const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const seen = [];
const model = customModel("eye", ({ messages }) => {
  seen.push(messages.at(-1).content);
  return "seen";
});
const input = { type: "object", properties: { topic: { type: "string" }, documents: { type: "array" }, cover: { type: "object", format: "file" } }, required: ["documents"] };
const workflow = new Workflow({ name: "w", input, steps: [{ name: "look", agent: new Agent({ name: "a", model }), inputFrom: "About {{ topic }}", files: "documents" }] });

const form = (...entries) => {
  const all = new FormData();
  for (const [name, value] of entries) all.append(name, value);
  return all;
};
const post = (fetch, body, headers = {}) => fetch(new Request("https://flow.example/runs", { method: "POST", body, headers }));
const serve = (options) => handler(workflow, { public: true, onError: () => {}, ...options });

test("a form's texts are texts of the state, and its files lists of what was read", async () => {
  const response = await post(serve({ files: formFiles() }), form(["topic", "bees"], ["documents", new File([pdfOf("They dance.")], "a.pdf")], ["documents", new File([PNG], "bee.png")]));
  const { status, state } = await response.json();
  assert.deepEqual([response.status, status, state.look_output], [200, "done", "seen"]);
  assert.deepEqual(seen.pop(), [{ type: "text", text: "About bees" }, { type: "text", text: "a.pdf:\n\nThey dance." }, { type: "image", mediaType: "image/png", data: base64(PNG), name: "bee.png" }]);
  // JSON is taken as before, also with files in it.
  const json = await post(serve({ files: formFiles() }), JSON.stringify({ topic: "ants", documents: [{ type: "image", mediaType: "image/png", data: base64(PNG) }] }), { "content-type": "application/json" });
  assert.equal(json.status, 200);
  assert.equal(seen.pop()[1].data, base64(PNG));
});

test("a form's texts are what the input wants, and an empty field of what is no text is left out", async () => {
  const rules = { topic: { type: "string" }, note: {}, pages: { type: "integer" }, share: { type: ["number", "null"] }, signed: { type: "boolean" }, tags: { type: "array", items: { type: "string" } } };
  const serve = handler(new Workflow({ name: "w", input: { type: "object", allOf: [{ $ref: "#/$defs/rules" }], $defs: { rules: { properties: rules } } }, steps: [functionStep({ name: "seen", run: () => ({}) })] }), { public: true, files: formFiles(), onError: () => {} });
  const state = async (...entries) => {
    const response = await post(serve, form(...entries));
    const { state: seen, detail } = await response.json();
    return response.status === 200 ? seen : detail;
  };
  assert.deepEqual(await state(["topic", "3"], ["note", "4"], ["pages", "3"], ["share", "0.5"], ["signed", "on"], ["tags", "a"], ["tags", "b"]), { topic: "3", note: "4", pages: 3, share: 0.5, signed: true, tags: ["a", "b"] });
  assert.deepEqual(await state(["topic", ""], ["note", ""], ["pages", ""], ["share", ""], ["signed", "false"], ["tags", "a"]), { topic: "", note: "", signed: false, tags: ["a"] });
  assert.equal(await state(["pages", "many"]), 'the input of the workflow does not fit its schema: `pages` must be a whole number, but is "many"');
  assert.equal(await state(["signed", "perhaps"]), 'the input of the workflow does not fit its schema: `signed` must be true or false, but is "perhaps"');
  assert.equal(await state(["topic", "a"], ["topic", "b"]), "the form has its field `topic` more than once");
});

test("a form's texts are what the input wants where that is one of several, named by its values or of a list", async () => {
  const file = { type: "object", format: "file" };
  const rules = {
    share: { anyOf: [{ type: "number" }, { type: "null" }] },
    size: { enum: [1, 2] },
    signed: { const: true },
    pages: { type: "array", items: { $ref: "#/$defs/page" } },
    boxes: { type: "array", items: { oneOf: [{ type: "boolean" }] } },
    either: { oneOf: [{ type: "string" }, { type: "number" }] },
    cover: { anyOf: [file, { type: "null" }] },
    id: { type: "integer" },
  };
  const serve = handler(new Workflow({ name: "w", input: { type: "object", properties: rules, $defs: { page: { type: "integer" } } }, steps: [functionStep({ name: "seen", run: () => ({}) })] }), { public: true, files: formFiles(), onError: () => {} });
  const answer = async (...entries) => (await post(serve, form(...entries))).json();
  const { state } = await answer(["share", "0.5"], ["size", "2"], ["signed", "on"], ["pages", "3"], ["pages", "4"], ["boxes", "on"], ["either", "5"], ["cover", new File(["a"], "a.txt")]);
  assert.deepEqual({ ...state, cover: state.cover.name }, { share: 0.5, size: 2, signed: true, pages: [3, 4], boxes: [true], either: "5", cover: "a.txt" });
  assert.deepEqual((await answer(["share", ""], ["pages", ""])).state, {});
  // A number that is not the one that was written is none.
  assert.match((await answer(["id", "12345678901234567890"])).detail, /`id` must be a whole number, but is "12345678901234567890"/);
  assert.deepEqual((await answer(["id", "-9007199254740991"])).state, { id: -9007199254740991 });

  const zod = handler(new Workflow({ name: "w", input: z.object({ pages: z.array(z.number()), cover: z.looseObject({ type: z.string() }).nullable() }), steps: [functionStep({ name: "seen", run: () => ({}) })] }), { public: true, files: formFiles() });
  const shown = await (await post(zod, form(["pages", "3"], ["cover", new File(["a"], "a.txt")]))).json();
  assert.deepEqual([shown.state.pages, shown.state.cover.name], [[3], "a.txt"]);
});

test("a key of the input that is one file gets the file itself", async () => {
  const sent = [["topic", "bees"], ["documents", new File(["a"], "a.txt")], ["cover", new File(["# Bees"], "bees.md")]];
  const response = await post(serve({ files: formFiles() }), form(...sent));
  const { status, state } = await response.json();
  assert.deepEqual([status, state.cover.name, state.cover.text, state.documents.length], ["done", "bees.md", "# Bees", 1]);
  seen.pop();
  const two = await post(serve({ files: formFiles() }), form(...sent, ["cover", new File(["b"], "b.txt")]));
  const { code, detail, hint } = await two.json();
  assert.deepEqual([two.status, code, detail, hint], [400, "validation", "the form has 2 files as `cover`, which is one file", "send one of them"]);
});

test("a field in which the visitor of a page chose no file is left out", async () => {
  // As browsers write it: Node leaves out a name that is empty.
  const part = (name, file, type, text) => `--B\r\nContent-Disposition: form-data; name="${name}"; filename="${file}"\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`;
  const none = (name) => part(name, "", "application/octet-stream", "");
  const topic = '--B\r\nContent-Disposition: form-data; name="topic"\r\n\r\nbees\r\n';
  const sent = (...parts) => post(serve({ files: formFiles({ maxFiles: 1 }) }), `${parts.join("")}--B--\r\n`, { "content-type": "multipart/form-data; boundary=B" });
  const { status, state } = await (await sent(topic, part("documents", "a.txt", "text/plain", "a"), none("documents"), none("cover"))).json();
  assert.deepEqual([status, state.documents.length, "cover" in state], ["done", 1, false]);
  seen.pop();
  assert.match((await (await sent(none("documents"))).json()).detail, /`documents` is missing/);
});

test("with a store of bytes the journal has digests, and the models get the bytes", async () => {
  const [bytes, store] = [memoryBytes(), memoryStore()];
  const response = await post(serve({ files: formFiles({ store: bytes }), store }), form(["topic", "bees"], ["documents", new File([PNG], "bee.png")]));
  const { runId, status } = await response.json();
  assert.equal(status, "done");
  assert.equal(seen.pop()[1].data, base64(PNG));
  const kept = JSON.stringify(await store.load(runId));
  assert.ok(kept.includes("sha256-") && !kept.includes(base64(PNG)));
});

test("forms that cannot be taken are refused, and say why", async () => {
  const file = (length = 1) => new File(["x".repeat(length)], "a.txt");
  const big = { files: formFiles({ maxBytes: 10, maxFiles: 2, maxTotalBytes: 15, maxCharacters: 5 }) };
  for (const [options, body, status, code, detail, headers] of [
    [{}, form(["documents", file()]), 415, "validation", "this workflow takes no forms"],
    [{ files: formFiles() }, form(["other", file()]), 400, "validation", "the workflow's input has no key `other`"],
    [{ files: formFiles() }, form(["documents", file()], ["topic", "a"], ["topic", "b"]), 400, "validation", "the form has its field `topic` more than once"],
    [{ files: formFiles() }, form(["documents", file()], ["documents", "text"]), 400, "validation", "the form has its field `documents` more than once"],
    [{ files: formFiles() }, form(["documents", new File(["MZ"], "a.exe")]), 400, "validation", "`a.exe` (application/octet-stream) is no file that is read"],
    [big, form(["documents", file(11)]), 413, "too_large", "`a.txt` has 11 bytes, more than 10"],
    [big, form(["documents", file(6)]), 413, "too_large", "the text of `a.txt` has 6 characters, more than 5"],
    [big, form(["documents", file()], ["documents", file()], ["documents", file()]), 413, "too_large", "there are 3 files, and no more than 2 are read"],
    [{ ...big, maxBodyBytes: 100 }, form(["documents", file(500)]), 413, "too_large", "the body is longer than 115 bytes"],
    [{ files: formFiles() }, "no form", 400, "validation", "the body is no form that can be read", { "content-type": "multipart/form-data; boundary=x" }],
  ]) {
    const response = await post(serve(options), body, headers);
    const problem = await response.json();
    assert.deepEqual([response.status, problem.code, problem.detail], [status, code, detail]);
  }
  assert.deepEqual(seen, []);
});

test("a wrong option is an error where the handler is made", () => {
  for (const files of [true, {}, "yes", null]) assert.throws(() => serve({ files }), { code: "validation", hint: 'write formFiles(), with that of "stepweave/files"' });
  assert.throws(() => formFiles({ maxFiles: 0 }), { code: "validation", message: "the option `maxFiles` of formFiles() is 0" });
});
