// A key that comes back in another form is hidden too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { customModel, openai, tool, Agent, Workflow } from "stepweave";
import { internal } from "./support.js";

const KEYS = ["sk-proj-Ab12_cd34-Ef56", `sk 'q"uo&te<d>/é+?\\end`, "aaaa????>>>>ÿÿÿÿ", "key/with+base=64=="];
const { formsOf } = await internal("effects/secret-forms.ts");
const { withoutBeginnings, withoutForms } = await internal("effects/secret-readings.ts");
const { LARGE, SecretTable } = await internal("effects/secrets.ts");
const { bytesWithoutSecrets, withoutSecrets } = await internal("effects/slices.ts");

const base64 = (text) => Buffer.from(text).toString("base64");
const html = (text, apostrophe) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", apostrophe);

/** How the key may come back, each made by what others make it with. */
const FORMS = {
  plain: (key) => key,
  json: (key) => JSON.stringify({ key }),
  "json in json": (key) => JSON.stringify(JSON.stringify({ key })),
  "json of PHP": (key) => JSON.stringify(key).replaceAll("/", "\\/"),
  "json of Go": (key) => JSON.stringify(key).replace(/[<>&]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  "ascii json of Python": (key) => JSON.stringify(key).replace(/[^\x00-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
  address: (key) => encodeURIComponent(key),
  "address with small letters": (key) => encodeURIComponent(key).replace(/%../g, (escape) => escape.toLowerCase()),
  "whole address": (key) => new URL(`https://llm.test/?k=${encodeURIComponent(key)}`).search,
  form: (key) => new URLSearchParams({ key, other: "1" }).toString(),
  html: (key) => html(key, "&#39;"),
  "html of Python": (key) => html(key, "&#x27;"),
  hex: (key) => Buffer.from(key).toString("hex"),
  HEX: (key) => Buffer.from(key).toString("hex").toUpperCase(),
  ...Object.fromEntries(["", "u", "me", "you", "user", "key="].flatMap((user) => ["", "\n", ":x", "123"].map((behind) => [`base64 of ${user}:key${behind}`, (key) => base64(`${user}${user && ":"}${key}${behind}`)]))),
  base64url: (key) => Buffer.from(`u:${key}`).toString("base64url"),
  "base64 in an address": (key) => encodeURIComponent(base64(`u:${key}`)),
};

test("a key is found in every form, whatever stands beside it", () => {
  for (const key of KEYS) {
    const forms = formsOf(key);
    for (const [name, made] of Object.entries(FORMS)) assert.ok(forms.some((form) => made(key).includes(form)), `${name} of ${key}: ${made(key)}`);
  }
});

const entity = (letter, format) => format(letter.codePointAt(0));
const inLines = (text, width, end) => text.replace(new RegExp(`.{${width}}(?=.)`, "g"), (line) => line + end);

/** How it may be written besides: too many forms to list. */
const WRITTEN = {
  "html of Go": (key) => key.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replace(/["'+]/g, (letter) => entity(letter, (code) => `&#${code};`)),
  "html of Handlebars": (key) => html(key, "&#x27;").replaceAll("=", "&#x3D;").replaceAll("`", "&#x60;"),
  "html of OWASP": (key) => key.replace(/[^a-z0-9]/gi, (letter) => entity(letter, (code) => `&#x${code.toString(16)};`)),
  "html of PHP": (key) => html(key, "&#039;"),
  "html with all its names": (key) => html(key, "&apos;").replaceAll("+", "&plus;").replaceAll("=", "&equals;").replaceAll("/", "&sol;").replaceAll("_", "&lowbar;"),
  "all of it in html": (key) => [...key].map((letter) => entity(letter, (code) => `&#${code}`) + ";").join(""),
  "all of it in an address": (key) => [...new TextEncoder().encode(key)].map((byte) => (byte < 128 ? `%${byte.toString(16).padStart(2, "0")}` : `%${byte.toString(16).toUpperCase()}`)).join(""),
  "all of it in JSON": (key) => Array.from(key, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  "all of it in a script": (key) => [...key].map((letter) => (letter < "\x7f" ? `\\x${letter.charCodeAt(0).toString(16)}` : letter)).join(""),
  ...Object.fromEntries([64, 76].flatMap((width) => ["\n", "\r\n", "\n  ", "\\n", "\\r\\n"].flatMap((end) => [0, 1, 2, 40, 60].map((before) => [`base64 in lines of ${width} ending with ${JSON.stringify(end)} behind ${before}`, (key) => inLines(base64(`${"u".repeat(before)}:${key}:${"x".repeat(90)}`), width, end)])))),
};

test("a key is hidden however escapes or lines write it, and nothing else is", () => {
  for (const key of KEYS) {
    const hidden = formsOf(key).sort((one, other) => other.length - one.length).map((form) => [form, "[hidden]"]);
    for (const [name, made] of Object.entries(WRITTEN)) {
      const shown = withoutForms(`say: ${made(key)} &lt;end&gt;`, hidden);
      const bare = shown.replace(/\\r|\\n|\s/g, "");
      assert.match(shown, /\[hidden\]/, `${name} of ${key}: ${shown}`);
      assert.ok(!formsOf(key).some((form) => bare.includes(form)), `${name} of ${key}: ${shown}`);
      assert.ok(shown.startsWith("say: ") && shown.endsWith(" &lt;end&gt;"), shown);
    }
    const other = `&lt;a&gt; &toString; &#99999999; ${inLines(base64("nothing of the kind".repeat(9)), 76, "\n")}`;
    assert.equal(withoutForms(other, hidden), other);
  }
});

test("the beginning of a key is hidden where a text was cut, however it is written", () => {
  for (const key of KEYS) {
    const hidden = formsOf(key).sort((one, other) => other.length - one.length).map((form) => [form, "[hidden]"]);
    const escapes = Object.entries(WRITTEN).filter(([name]) => name.startsWith("all of it"));
    for (const [name, made] of [["plain", (text) => text], ...escapes]) {
      const written = made(key);
      // Eight characters are the least that counts; each may be ten as it is written.
      for (let length = made([...key].slice(0, 9).join("")).length; length < written.length; length += 1) {
        const shown = withoutBeginnings(`say: ${written.slice(0, length)}… and … on`, hidden, 8);
        assert.equal(shown, "say: [hidden]… and … on", `${name} of ${key}, cut at ${length}`);
      }
      assert.equal(withoutBeginnings(`say: ${made("nothing of")}…`, hidden, 8), `say: ${made("nothing of")}…`);
    }
  }
  const long = "x… ".repeat(100_000);
  assert.equal(withoutBeginnings(long, formsOf(KEYS[1]).map((form) => [form, "[hidden]"]), 8), long);
});

test("no value of a run tells how a key begins: nobody finds it out letter by letter", async () => {
  const [key] = KEYS;
  const secrets = { KEY: { value: key, origins: ["https://a.test"] } };
  // Of base64 all but the last letter is a form too.
  const guesses = formsOf(key).flatMap((form) => [8, 9, form.length - 4].map((length) => `${form.slice(0, length)}…`)).filter((guess) => !formsOf(key).some((form) => guess.includes(form)));
  const seen = [];
  const look = tool({ name: "look", input: { type: "object" }, execute: ({ q }) => q });
  const told = tool({ name: "told", input: { type: "object" }, execute: ({ q }) => { throw new Error(q.join(" ")); } });
  const calls = [[{ type: "toolCall", name: "look", input: { q: guesses } }, { type: "toolCall", name: "told", input: { q: guesses } }], guesses.join(" ")];
  const model = customModel("guesses", ({ messages }) => (seen.push(JSON.stringify(messages)), calls[seen.length - 1]));
  const steps = [
    { name: "guess", run: (_, { log }) => { log(guesses.join(" ")); return { guesses }; } },
    { name: "read", run: (state) => ({ isWhole: JSON.stringify(state.guesses) === JSON.stringify(guesses) }) },
    { name: "written", run: { set: { joined: "guesses | join(' ')" } } },
    { name: "ask", agent: new Agent({ name: "a", model, tools: [look, told] }), inputFrom: "go" },
  ];
  const result = await new Workflow({ name: "w", steps }).run({ secrets, journal: true });
  assert.equal(result.status, "done", result.error?.message);
  assert.equal(result.state.isWhole, true);
  for (const text of [result.state.joined, result.state.ask_output]) assert.equal(text, guesses.join(" "));
  for (const guess of guesses) assert.ok(seen[1].split(JSON.stringify(guess).slice(1, -1)).length > 4, "in the call of each tool, the result, and the error");
  for (const text of [JSON.stringify(result.state), seen.join("")]) assert.ok(!text.includes("[secret"), text);
});

test("a text of marks alone, or of cuts alone, is read as it is", () => {
  const hidden = formsOf(KEYS[0]).map((form) => [form, "[hidden]"]);
  for (const mark of ["%41", "&lt;", "\\u0041", "&#65;", "\n", "…", `${KEYS[0].slice(0, 9)}…`]) {
    const text = mark.repeat(200_000);
    assert.equal(withoutForms(text, hidden), text);
    assert.equal(withoutBeginnings(text, hidden, 8).slice(0, 100_000), text.slice(0, 100_000));
  }
});

test("what an endpoint gives back of a key is hidden in bytes too, and in what errors quote", async () => {
  const forms = { ...FORMS, ...WRITTEN };
  for (const key of KEYS) {
    const secrets = { KEY: { value: key.replace(/[^\x21-\xff]/g, ""), origins: ["https://a.test"] } };
    const { value } = secrets.KEY;
    for (const [name, made] of Object.entries(forms)) {
      for (const before of ["", "a", "ab"]) {
        const body = `${before} ${made(value)} .`;
        const answering = (status, type) => async () => new Response(body, { status, headers: { "content-type": type } });
        const run = async (http, fetch) => new Workflow({ name: "w", steps: [{ name: "get", http: { url: "https://a.test/", auth: { bearer: { secret: "KEY" } }, ...http } }] }).run({ secrets, fetch });
        const { state } = await run({ response: "bytes" }, answering(200, "text/html"));
        const texts = [Buffer.from(state.get_output.data, "base64").toString("latin1")];
        for (const [status, type] of [[400, "text/plain"], [200, "application/json"]]) texts.push((await run({}, answering(status, type))).error?.message ?? "");
        for (const text of texts) assert.ok(!formsOf(value).some((form) => text.replace(/\\r|\\n|\s/g, "").includes(form)), `${name} of ${key}: ${text}`);
        assert.match(texts[0], /\[secret KEY\]/, `${name} of ${key}`);
      }
    }
  }
});

test("what is no form of the key stays as it is", () => {
  const others = ["a text that has nothing to do with it", base64("a text that has nothing to do with it"), "sk-proj-Ab12_cd34-Ef57"];
  for (const key of KEYS) for (const other of others) assert.ok(!formsOf(key).some((form) => other.includes(form)), other);
  assert.deepEqual(formsOf("short"), []);
});

test("what a function, an endpoint and a stream give back of a key is hidden in every form", async () => {
  for (const key of KEYS) {
    for (const [name, made] of Object.entries(FORMS)) {
      const echoed = made(key);
      const chunks = [...`say ${echoed} .`].map((letter) => `data: ${JSON.stringify({ choices: [{ delta: { content: letter } }] })}\n\n`);
      const fetch = async () => new Response([...chunks, 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'].join(""), { headers: { "content-type": "text/event-stream" } });
      const agent = new Agent({ name: "a", model: openai("m", { apiKey: { secret: "OPENAI_API_KEY" } }) });
      const steps = [{ name: "f", run: (_, { log }) => { log(echoed); return { echoed, list: [{ echoed }] }; } }, { name: "g", run: function* () { yield* echoed; } }, { name: "ask", agent, inputFrom: "go" }, { name: "t", required: false, run: () => { throw new Error(`refused ${echoed}`); } }];
      const run = new Workflow({ name: "w", steps }).start({ fetch, journal: true, secrets: { OPENAI_API_KEY: { value: key.replace(/[^\x21-\xff]/g, ""), origins: ["https://api.openai.com"] }, OTHER: { value: key, origins: ["https://api.openai.com"] } } });
      const emitted = [];
      for await (const event of run.events) emitted.push(event);
      const result = await run.result;
      assert.equal(result.status, "done", name);
      const texts = [JSON.stringify(result), JSON.stringify(result.journal), emitted.filter(({ type }) => type === "step.delta").map(({ text }) => text).join(""), JSON.stringify(emitted)];
      const inner = formsOf(key).filter((form) => echoed.includes(form)).sort((one, other) => other.length - one.length)[0];
      for (const text of texts) assert.ok(!text.includes(inner) && !text.includes(JSON.stringify(inner).slice(1, -1)), `${name} of ${key}: ${text.slice(0, 500)}`);
    }
  }
});

test("a key that is a number is hidden where an endpoint gives it back as one", async () => {
  const secrets = { KEY: { value: "1234567890123", origins: ["https://a.test"] } };
  const fetch = async () => Response.json({ id: 1234567890123, other: 1234567890124, small: 12 });
  const { state, journal } = await new Workflow({ name: "w", steps: [{ name: "get", http: { url: "https://a.test/", auth: { bearer: { secret: "KEY" } } } }] }).run({ fetch, secrets, journal: true });
  assert.deepEqual(state.get_output, { id: "[secret KEY]", other: 1234567890124, small: 12 });
  assert.ok(!JSON.stringify(journal).includes("1234567890123"));
});

test("a run says of a secret that is too short to be hidden that it is not, unless it stays within the own network", async () => {
  const warned = async (secrets) => {
    const { warnings } = await new Workflow({ name: "w", steps: [{ name: "s", http: { url: "https://x.example/" } }] }).run({ secrets, fetch: async () => Response.json({}) });
    return warnings.map(({ code, message }) => `${code}: ${message}`);
  };
  const origins = ["https://x.example"];
  assert.deepEqual(await warned({ PIN: { value: "hunter2", origins }, KEY: { value: "hunter22", origins } }), ["secret_shown: the secret PIN is shorter than 8 characters, so that it is not taken out of what endpoints send back"]);
  assert.deepEqual(await warned({ LOCAL: { value: "none", origins: ["http://192.168.1.5:8080"] } }), []);
  assert.deepEqual(await warned(undefined), []);
});

test("a large answer is looked through in slices, between which others have a turn, and no key is lost between two", async () => {
  const [key] = KEYS;
  const secrets = () => new SecretTable(new Map(), { K: { value: key, origins: ["https://a.example"] } });
  const written = [key, encodeURIComponent(key), [...key].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(""), [...key].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""), base64(`me:${key}`)];
  for (const one of written) {
    for (const at of [-one.length + 1, -Math.floor(one.length / 2), -1]) {
      const text = `${"x".repeat(LARGE + at - 300)}${"%41".repeat(100)}${one}${"&amp;".repeat(100)}${"y".repeat(LARGE)}`;
      const [shown, again] = [secrets().redact(text), secrets()];
      assert.ok(shown.includes("[secret K]"));
      assert.ok((await withoutSecrets(text, again)) === shown, one);
      // It is not looked through twice, in whatever it is kept.
      assert.ok(again.redact(shown) === shown);
      const bytes = Buffer.from(await bytesWithoutSecrets(Buffer.from(text), secrets())).toString();
      assert.ok(bytes === shown, one);
    }
  }
  // Where one key stands beside the other, the cuts are between them.
  const keys = `${written[2]} `.repeat(20_000);
  assert.ok((await withoutSecrets(keys, secrets())) === "[secret K] ".repeat(20_000));

  const answer = `${"%41".repeat(1_500_000)}${key}`;
  for (const [response, made] of [["text", answer], ["json", JSON.stringify([{ a: 1, b: answer, __proto__: null }])], ["bytes", answer]]) {
    let turns = 0;
    let isOver = false;
    const turn = () => void (isOver || ((turns += 1), setImmediate(turn)));
    const workflow = new Workflow({ name: "w", steps: [{ name: "s", http: { url: "https://a.example/", response, maxBytes: 8_000_000 } }] });
    const fetch = async () => (turn(), new Response(made));
    const { state } = await workflow.run({ fetch, secrets: { K: { value: key, origins: ["https://a.example"] } } });
    isOver = true;
    const text = response === "bytes" ? Buffer.from(state.s_output.data, "base64").toString() : response === "json" ? state.s_output[0].b : state.s_output;
    assert.ok(text.endsWith("%41[secret K]") && text.length === answer.length - key.length + "[secret K]".length, response);
    assert.ok(turns >= 8, `${response}: ${turns} turns`);
  }
});
