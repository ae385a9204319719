// Files as inputs: what is read of them, what is refused, and where their bytes are.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createStorage } from "unstorage";
import { Agent, customModel, openai, Workflow } from "stepweave";
import { memoryBytes, readFiles, unstorageBytes } from "stepweave/files";
import { memoryStore } from "stepweave/stores";
import { connect, serve } from "stepweave/worker";
import { PNG, pdfOf } from "./files-support.js";
import { answering, END, piece, rejection } from "./support.js";

const sha = (content) => `sha256-${createHash("sha256").update(content).digest("hex")}`;
const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const about = ({ type, name, mediaType, text }) => [type, name, mediaType, text];

test("texts of all kinds are read, whatever their sender says that they are", async () => {
  const files = await readFiles([
    new File(["plain"], "a.txt", { type: "application/octet-stream" }),
    new File(["\ufeff# Bees"], "b.md"),
    new File(["a,b\n1,2"], "C.CSV", { type: "application/vnd.ms-excel" }),
    new File(['{"a": [1]}'], "d.json"),
    new File(["<html><head><title>Bees</title><script>alert(1)</script></head><body><nav>menu</nav><main><p>They dance.</p></main></body></html>"], "e.html"),
    new File([pdfOf("Page one", "", "Page three")], "f.pdf"),
    new Blob(["of a clipboard"], { type: "text/plain;charset=utf-8" }),
  ]);
  assert.deepEqual(files.map(about), [
    ["text", "a.txt", "text/plain", "plain"],
    ["text", "b.md", "text/markdown", "# Bees"],
    ["text", "C.CSV", "text/csv", "a,b\n1,2"],
    ["text", "d.json", "application/json", '{"a": [1]}'],
    ["text", "e.html", "text/html", "Bees\n\nThey dance."],
    ["text", "f.pdf", "application/pdf", "Page one\n\nPage three"],
    ["text", "file-7", "text/plain", "of a clipboard"],
  ]);
  assert.deepEqual([files[0].size, files[0].digest], [5, sha("plain")]);
});

test("images and sounds are known by their bytes, and are base64 where no store has them", async () => {
  const sound = new Uint8Array([0x52, 0x49, 0x46, 0x46, 1, 0, 0, 0, 0x57, 0x41, 0x56, 0x45]);
  const [image, audio, pdf] = await readFiles([new File([PNG], "bee.txt", { type: "text/plain" }), new File([sound], "hum"), new File([pdfOf("x")], "f.pdf")], { pdf: "file" });
  assert.deepEqual(image, { type: "image", name: "bee.txt", mediaType: "image/png", size: PNG.length, digest: sha(PNG), data: base64(PNG) });
  assert.deepEqual([audio.type, audio.mediaType, pdf.type, pdf.mediaType, pdf.data], ["file", "audio/wav", "file", "application/pdf", base64(Buffer.from(pdfOf("x")))]);
});

test("a long name keeps its ending, and no half of a character", async () => {
  const long = new File(["# Bees"], `${"a".repeat(230)}.md`);
  const [one, other] = await readFiles([long, new File(["x"], `${"a".repeat(195)}🐝🐝.txt`)]);
  assert.deepEqual([one.name.length, one.name.slice(-4), one.mediaType], [200, "a.md", "text/markdown"]);
  assert.deepEqual([other.name.isWellFormed?.() ?? true, other.name.slice(-5)], [true, "a.txt"]);
});

test("a form's files and lists as pages have them are read, and names are only names", async () => {
  const form = new FormData();
  form.append("topic", "bees");
  form.append("documents", new File(["one"], "..\\..\\etc/one.txt"));
  form.append("documents", new File(["two"], "two\u202e\u0000.txt"));
  assert.deepEqual((await readFiles(form)).map(({ name, text }) => [name, text]), [["one.txt", "one"], ["two.txt", "two"]]);
  assert.deepEqual((await readFiles({ length: 1, 0: new File(["one"], "one.txt") })).map(({ name }) => name), ["one.txt"]);
  assert.deepEqual(await readFiles([]), []);
});

test("a field of a form in which no file was chosen is no file, and an empty file is one", async () => {
  const form = new FormData();
  form.append("topic", "bees");
  form.append("photo", new File([], "", { type: "application/octet-stream" }));
  assert.deepEqual(await readFiles(form), []);
  form.append("notes", new File(["a"], "", { type: "text/plain" }));
  assert.deepEqual((await readFiles(form)).map(({ text }) => text), ["a"]);
  form.append("notes", new File([], "notes.txt"));
  assert.equal((await rejection(readFiles(form))).message, "`notes.txt` is empty");
});

test("what is no file that is read is refused, and says what to do", async () => {
  for (const [file, message, hint] of [
    [new File([], "a.txt"), "`a.txt` is empty", "choose another one"],
    [new File(["PK\u0003\u0004"], "a.zip", { type: "application/zip" }), "`a.zip` (application/zip) is no file that is read", /^pass txt, md, csv/],
    [new File(["MZ"], "a.exe"), "`a.exe` is no file that is read", /^pass txt/],
    [new File([new Uint8Array([0xff, 0xfe, 0x41])], "a.txt"), "`a.txt` is no text in UTF-8", "save it as UTF-8"],
    [new File(["{"], "a.json"), /^`a\.json` is no JSON: /, "mend it, or call it .txt"],
    [new File(["%PDF-1.4 and nothing else"], "a.pdf"), "`a.pdf` is no PDF that can be read", "open it in a viewer, and save it anew"],
    [new File([pdfOf("", "")], "scan.pdf"), "`scan.pdf` has no text: its pages are images", 'recognise its text first, or pass it to a model that reads PDFs, with pdf: "file"'],
    [{ size: 1, arrayBuffer: () => Promise.reject(new Error("gone")) }, "file 1 could not be read", /^choose it again/],
  ]) {
    const error = await rejection(readFiles([file]));
    assert.equal(error.code, "validation");
    for (const [said, wanted] of [[error.message, message], [error.hint, hint]]) {
      if (typeof wanted === "string") assert.equal(said, wanted);
      else assert.match(said, wanted);
    }
  }
  for (const [given, message] of [[undefined, "the files of readFiles() are missing, not a list"], ["a.txt", "the files of readFiles() are a string, not a list"], [new File(["x"], "x.txt"), "the files of readFiles() are one file, not a list"], [["a.txt"], "file 1 of readFiles() is a string"]]) {
    assert.equal((await rejection(readFiles(given))).message, message);
  }
});

test("files are bounded in number, size and text, and what is too large is never cut off", async () => {
  const text = (length, name = "a.txt") => new File(["x".repeat(length)], name);
  for (const [files, options, message] of [
    [[text(1), text(1)], { maxFiles: 1 }, "there are 2 files, and no more than 1 are read"],
    [[text(11)], { maxBytes: 10 }, "`a.txt` has 11 bytes, more than 10"],
    [[text(6), text(6)], { maxTotalBytes: 10 }, "the files have 12 bytes together, more than 10"],
    [[text(6)], { maxCharacters: 5 }, "the text of `a.txt` has 6 characters, more than 5"],
    [[new File([pdfOf("long text", "more")], "a.pdf")], { maxCharacters: 5 }, "the text of `a.pdf` is longer than 5 characters"],
    // A file may claim to be small.
    [[{ size: 1, type: "", name: "a.txt", arrayBuffer: async () => new ArrayBuffer(11) }], { maxBytes: 10 }, "`a.txt` has 11 bytes, more than 10"],
  ]) {
    const { code, message: said } = await rejection(readFiles(files, options));
    assert.deepEqual([code, said], ["limit", message]);
  }
  assert.equal((await rejection(readFiles([], { maxFiles: 0 }))).message, "the option `maxFiles` of readFiles() is 0");
  assert.equal((await rejection(readFiles([], { pdf: "ocr" }))).message, 'the option `pdf` of readFiles() is "ocr"');
  assert.equal((await rejection(readFiles([], { store: {} }))).message, "the store of readFiles() keeps no bytes");
});

test("a page of which something would be left out is refused, and one with dots in it is not", async () => {
  const page = (before, after) => new File([`<p>begin ...</p>${before}<p>THE TEXT</p>${after}<p>end</p>`], "a.html");
  const deep = (levels) => page("<div>".repeat(levels), "</div>".repeat(levels));
  const [{ text }] = await readFiles([deep(150)]);
  assert.equal(text, "begin ...\n\nTHE TEXT\n\nend");
  for (const file of [deep(250), deep(20_000), page("<i>x</i>".repeat(100_001), "")]) {
    const { code, message, hint } = await rejection(readFiles([file]));
    assert.deepEqual([code, message, hint], ["limit", "`a.html` is nested deeper than a page is read, or has too much in one element", "save it as text, or pass the part that matters"]);
  }
});

/** A workflow that shows files to a model. */
const showing = (model) => new Workflow({ name: "w", steps: [{ name: "look", agent: new Agent({ name: "a", model }), inputFrom: "What is this?", files: "files" }] });

test("an agent gets texts under their names, images and sounds as they are", async () => {
  const seen = [];
  const model = customModel("eye", ({ messages }) => {
    seen.push(messages[0].content);
    return "a bee";
  });
  const files = await readFiles([new File(["# Bees"], "bees.md"), new File([PNG], "bee.png")]);
  assert.equal((await showing(model).run({ state: { files } })).status, "done");
  assert.deepEqual(seen, [[
    { type: "text", text: "What is this?" },
    { type: "text", text: "bees.md:\n\n# Bees" },
    { type: "image", mediaType: "image/png", data: base64(PNG), name: "bee.png" },
  ]]);
});

test("a function gives what was read of files as an expression does", async () => {
  const store = memoryBytes();
  const state = { files: await readFiles([new File(["# Bees"], "bees.md"), new File([PNG], "bee.png")], { store }) };
  const sentBy = async (files) => {
    let sent;
    const agent = new Agent({ name: "eye", model: customModel("m", ({ messages }) => { sent = messages[0].content; return "done"; }) });
    const { status, error } = await new Workflow({ name: "w", steps: [{ name: "look", agent, inputFrom: "What?", files }] }).run({ state, files: store });
    assert.equal(status, "done", error?.message);
    return sent;
  };
  assert.deepEqual(await sentBy((found) => found.files), await sentBy("files"));
});

for (const [kind, store] of [["in memory", memoryBytes()], ["in a storage of unstorage", unstorageBytes(createStorage())]]) {
  test(`with a store ${kind}, state and journal have digests, and models get the bytes`, async () => {
    const files = await readFiles([new File([PNG], "bee.png"), new File([PNG], "again.png")], { store });
    assert.deepEqual(files[0], { type: "image", name: "bee.png", mediaType: "image/png", size: PNG.length, digest: sha(PNG) });
    const seen = [];
    const model = customModel("eye", ({ messages }) => {
      seen.push(messages[0].content.slice(1).map(({ data }) => data));
      return "a bee";
    });
    const { status, journal } = await showing(model).run({ state: { files }, files: store, journal: true });
    assert.deepEqual([status, seen], ["done", [[base64(PNG), base64(PNG)]]]);
    const kept = JSON.stringify(journal);
    assert.ok(kept.includes(sha(PNG)) && !kept.includes(base64(PNG)));
  });
}

test("bytes go into the requests of endpoints, in whatever form these have", async () => {
  const store = memoryBytes();
  const wav = Buffer.from("RIFF0000WAVEfmt ");
  const files = await readFiles([new File([PNG], "bee.png"), new File([wav], "hum.wav")], { store });
  const fetch = answering([piece("a bee"), END]);
  const result = await showing(openai("gpt-5-mini", { apiKey: "sk-a-key-of-some-length" })).run({ state: { files }, files: store, fetch });
  assert.equal(result.status, "done");
  const [, image, sound] = JSON.parse(fetch.calls[0].init.body).messages.at(-1).content;
  assert.deepEqual(image, { type: "image_url", image_url: { url: `data:image/png;base64,${base64(PNG)}` } });
  assert.deepEqual(sound, { type: "input_audio", input_audio: { data: base64(wav), format: "wav" } });
});

test("a run that is resumed elsewhere finds the bytes in their store", async () => {
  const [store, journals] = [memoryBytes(), memoryStore()];
  const files = await readFiles([new File([PNG], "bee.png")], { store });
  let isDown = true;
  const model = customModel("eye", ({ messages }) => {
    if (isDown) throw new Error("down");
    return messages[0].content[1].data.slice(0, 6);
  });
  assert.equal((await showing(model).run({ state: { files }, files: store, journal: "j", store: journals })).status, "error");
  isDown = false;
  const { status, state } = await showing(model).run({ journal: "j", store: journals, files: store });
  assert.deepEqual([status, state.look_output], ["done", "iVBORw"]);
});

test("a run in a worker finds the bytes in the store that serves them", async () => {
  const store = memoryBytes();
  const files = await readFiles([new File([PNG], "bee.png")], { store });
  const seen = [];
  const model = customModel("eye", ({ messages }) => {
    seen.push(messages[0].content[1].data);
    return "a bee";
  });
  const document = { version: 1, name: "w", models: { m: { provider: "custom", model: "eye", handler: "eye" } }, agents: { a: { model: "m" } }, steps: [{ id: "s1", type: "agent", name: "look", agent: "a", inputFrom: "What is it?", files: "files" }] };
  const runs = async (options) => {
    const { port1, port2 } = new MessageChannel();
    const stop = serve({ endpoint: port2, models: { eye: model }, ...options });
    const engine = connect(port1);
    try {
      return await engine.start(document, { state: { files }, journal: true }).result;
    } finally {
      engine.close();
      stop();
      port1.close();
      port2.close();
    }
  };
  const { status, journal } = await runs({ files: store });
  assert.deepEqual([status, seen], ["done", [base64(PNG)]]);
  assert.ok(!JSON.stringify(journal).includes(base64(PNG)));
  const { error } = await runs({});
  assert.equal(error.message, `a file is named by its digest ${sha(PNG).slice(0, 15)}…, and the run has no store of bytes`);
  const { port1 } = new MessageChannel();
  assert.throws(() => serve({ endpoint: port1, files: {} }), { code: "validation", message: "the option `files` of serve() is {}, which keeps no bytes" });
  port1.close();
});

test("bytes that are missing, or are others, fail the step before the model is called", async () => {
  const store = memoryBytes();
  const files = await readFiles([new File([PNG], "bee.png")], { store });
  const short = `${sha(PNG).slice(0, 15)}…`;
  const model = customModel("eye", () => assert.fail("the model is called"));
  for (const [bytes, message] of [
    [undefined, `a file is named by its digest ${short}, and the run has no store of bytes`],
    [memoryBytes(), `the bytes of the file ${short} are missing`],
    [{ get: async () => new Uint8Array([1]) }, `what the store of bytes has for the file ${short} is something else`],
    [{ get: async () => "text" }, `what the store of bytes has for the file ${short} is something else`],
    [{ get: () => { throw new Error("offline"); } }, `the store of bytes could not give the file ${short}`],
  ]) {
    const { status, error } = await showing(model).run({ state: { files }, files: bytes });
    assert.deepEqual([status, error.code, error.message, error.step.name], ["error", "validation", message, "look"]);
  }
  assert.equal((await rejection(showing(model).run({ files: "here" }))).message, 'the option `files` of a run is "here", which keeps no bytes');
});

test("a word that looks like a file in what a person writes is left as it is", async () => {
  const store = memoryBytes();
  const [{ digest }] = await readFiles([new File([PNG], "bee.png")], { store });
  const model = customModel("eye", ({ messages }) => messages[0].content[0].text);
  const workflow = new Workflow({ name: "w", steps: [{ name: "say", agent: new Agent({ name: "a", model }), inputFrom: "{{ input }}" }] });
  for (const input of [`see stepweave-file:${digest}`, `stepweave-file:${digest}!`, `"stepweave-file:${digest}"`, "stepweave-file:sha256-x"]) {
    assert.equal((await workflow.run({ state: { input }, files: store })).state.say_output, input);
  }
  // A digest that is none is no file.
  const { error } = await showing(model).run({ state: { files: [{ type: "image", mediaType: "image/png", digest: "sha256-../../etc" }] }, files: store });
  assert.match(error.message, /^`files\[0\]` of `look` is no image and no file$/);
});
