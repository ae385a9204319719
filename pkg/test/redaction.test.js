// A key that comes back in another form is hidden too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openai, Agent, Workflow } from "stepweave";
import { internal } from "./support.js";

const KEYS = ["sk-proj-Ab12_cd34-Ef56", `sk 'q"uo&te<d>/é+?\\end`, "aaaa????>>>>ÿÿÿÿ", "key/with+base=64=="];
const { formsOf } = await internal("effects/secret-forms.ts");

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
      const told = [];
      for await (const event of run.events) told.push(event);
      const result = await run.result;
      assert.equal(result.status, "done", name);
      const texts = [JSON.stringify(result), JSON.stringify(result.journal), told.filter(({ type }) => type === "step.delta").map(({ text }) => text).join(""), JSON.stringify(told)];
      const inner = formsOf(key).filter((form) => echoed.includes(form)).sort((one, other) => other.length - one.length)[0];
      for (const text of texts) assert.ok(!text.includes(inner) && !text.includes(JSON.stringify(inner).slice(1, -1)), `${name} of ${key}: ${text.slice(0, 500)}`);
    }
  }
});
