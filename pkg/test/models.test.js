// Models at endpoints: what the makers take, where a model is, and which key it is called with.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as stepweave from "stepweave";
import { answering } from "./support.js";

const { Agent, StepweaveError, Workflow } = stepweave;

/** Each maker with its own place and the secret that it needs. */
const PLACES = {
  openai: ["https://api.openai.com", "OPENAI_API_KEY"],
  openaiResponses: ["https://api.openai.com", "OPENAI_API_KEY"],
  anthropic: ["https://api.anthropic.com", "ANTHROPIC_API_KEY"],
  gemini: ["https://generativelanguage.googleapis.com", "GEMINI_API_KEY"],
  openrouter: ["https://openrouter.ai", "OPENROUTER_API_KEY"],
  groq: ["https://api.groq.com", "GROQ_API_KEY"],
  mistral: ["https://api.mistral.ai", "MISTRAL_API_KEY"],
  deepseek: ["https://api.deepseek.com", "DEEPSEEK_API_KEY"],
  xai: ["https://api.x.ai", "XAI_API_KEY"],
  together: ["https://api.together.xyz", "TOGETHER_API_KEY"],
  ollama: ["http://localhost:11434", undefined],
  lmstudio: ["http://localhost:1234", undefined],
  vllm: ["http://localhost:8000", undefined],
  llamacpp: ["http://localhost:8080", undefined],
};

const KEY = "sk-a-key-of-some-length";

/** The first request that a model's endpoint is sent; it is refused, so that its format does not matter. */
async function firstRequest(model, options) {
  const fetch = answering(["no"], { status: 400 });
  const agent = new Agent({ name: "a", model });
  const result = await new Workflow({ name: "w", steps: [{ name: "ask", agent, inputFrom: "hi" }] }).run({ fetch, ...options });
  return { request: fetch.calls[0], error: result.errors[0] };
}

/** The header that carries a key, whichever it is. */
const keyIn = ({ init }) => Object.values(init.headers).find((value) => value.includes(KEY));

test("each provider's model is called at the provider's own address, with its own secret or none", async () => {
  for (const [name, [origin, secret]] of Object.entries(PLACES)) {
    const model = stepweave[name]("m");
    assert.deepEqual(model, { provider: name, model: "m", ...(secret !== undefined && { apiKey: { secret } }) });
    assert.ok(Object.isFrozen(model));
    const { request } = await firstRequest(model, { secrets: secret && { [secret]: KEY } });
    assert.equal(new URL(request.url).origin, origin, name);
    assert.equal(keyIn(request) !== undefined, secret !== undefined, name);
  }
});

test("a key given as text goes to the model's own origin, and is nowhere to be read", async () => {
  for (const [name, [origin, secret]] of Object.entries(PLACES)) {
    const model = stepweave[name]("m", { apiKey: KEY });
    const workflow = new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "a", model }) }] });
    assert.ok(!JSON.stringify([model, workflow.toDocument()]).includes(KEY));
    const named = workflow.toDocument().models.m.apiKey.secret;
    assert.equal(named, secret ?? `${new URL(origin).host.toUpperCase().replace(/\W/g, "_")}_API_KEY`);
    assert.notEqual(keyIn((await firstRequest(model)).request), undefined, name);
  }
});

test("the provider's key is not needed at another address; the provider's own is, however it is written", () => {
  assert.equal(stepweave.groq("m", { baseUrl: "https://proxy.example.com/v1" }).apiKey, undefined);
  assert.deepEqual(stepweave.groq("m", { baseUrl: "https://api.groq.com/openai/v2" }).apiKey, { secret: "GROQ_API_KEY" });
  assert.deepEqual(stepweave.ollama("m", { baseUrl: "https://gpu.example.com/v1", apiKey: { secret: "GPU" } }).apiKey, { secret: "GPU" });
});

test("two keys of one provider stay apart, and none takes the name of a secret that a run has to bring", async () => {
  const model = (key) => stepweave.anthropic("m", { apiKey: key });
  const steps = [stepweave.anthropic("m"), model(`${KEY}-1`), model(`${KEY}-2`)].map((one, index) => ({ name: `s${index}`, agent: new Agent({ name: `a${index}`, model: one }), required: false }));
  const workflow = new Workflow({ name: "w", steps });
  const names = Object.values(workflow.toDocument().models).map(({ apiKey }) => apiKey.secret);
  assert.deepEqual(names, ["ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY_2", "ANTHROPIC_API_KEY_3"]);
  const fetch = answering(["no"], { status: 400 });
  await workflow.run({ fetch, secrets: { ANTHROPIC_API_KEY: `${KEY}-0` } });
  assert.deepEqual(fetch.calls.map((call) => keyIn(call).at(-1)), ["0", "1", "2"]);
});

test("a model at Azure needs its address and a key; that is reported before anything is sent", async () => {
  assert.throws(() => stepweave.azure("gpt"), { code: "validation", message: "azure() needs to know where the model gpt is", hint: /^write baseUrl: "https:\/\/my-resource/ });
  const model = stepweave.azure("gpt", { baseUrl: "https://mine.openai.azure.com/openai/v1", apiVersion: "preview" });
  assert.deepEqual([model.apiKey, model.apiVersion], [{ secret: "AZURE_OPENAI_API_KEY" }, "preview"]);
  const unbound = new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "a", model }) }] });
  await assert.rejects(unbound.run({ secrets: { AZURE_OPENAI_API_KEY: KEY } }), { code: "validation", message: "the secret AZURE_OPENAI_API_KEY is not bound to an origin" });
  const { request } = await firstRequest(model, { secrets: { AZURE_OPENAI_API_KEY: { value: KEY, origins: ["https://mine.openai.azure.com"] } } });
  assert.match(request.url, /^https:\/\/mine\.openai\.azure\.com\/openai\/v1\/chat\/completions/);
  assert.equal(request.init.headers["api-key"], KEY);
});

test("a model of Workers AI is recognised by its account, or by the address of a gateway", async () => {
  assert.throws(() => stepweave.workersAi("@cf/m"), { code: "validation", message: "workersAi() needs to know where the model @cf/m is", hint: /accountId/ });
  const model = stepweave.workersAi("@cf/m", { accountId: "abc/def" });
  assert.deepEqual([model.baseUrl, model.apiKey], ["https://api.cloudflare.com/client/v4/accounts/abc%2Fdef/ai/v1", { secret: "CLOUDFLARE_API_TOKEN" }]);
  const { request } = await firstRequest(model, { secrets: { CLOUDFLARE_API_TOKEN: KEY } });
  assert.equal(request.init.headers.authorization, `Bearer ${KEY}`);
  assert.equal(stepweave.workersAi("@cf/m", { baseUrl: "https://gateway.example.com/v1" }).apiKey, undefined);
});

test("everything that is said of a model stands in the document", () => {
  const options = {
    baseUrl: "https://api.groq.com/openai/v1",
    params: { temperature: 0.2 },
    headers: { "x-team": "blue" },
    apiVersion: "2",
    sampling: false,
    price: { input: 1, output: 2, cachedInput: 0.5 },
    concurrency: 2,
    requestsPerMinute: 30,
  };
  const agent = new Agent({ name: "a", model: stepweave.groq("m", options) });
  const { models } = new Workflow({ name: "w", steps: [{ name: "ask", agent }] }).toDocument();
  assert.deepEqual(models, { m: { provider: "groq", model: "m", apiKey: { secret: "GROQ_API_KEY" }, ...options } });
  assert.deepEqual(Object.keys(models.m).slice(0, 4), ["provider", "model", "baseUrl", "apiKey"]);
});

test("a maker refuses what is no model", () => {
  for (const name of [...Object.keys(PLACES), "azure", "workersAi"]) {
    const make = stepweave[name];
    assert.throws(() => make(" "), { code: "validation", message: `${name}() needs the name of a model` });
    assert.throws(() => make("m", { baseURL: "x" }), { code: "validation", message: `${name}() has no option \`baseURL\``, hint: "did you mean `baseUrl`?" });
    assert.throws(() => make("m", { baseUrl: "localhost:1" }), { code: "validation", message: "baseUrl of the model m is no http(s) address: localhost:1" });
  }
});

test("what is wrong with the data of a model is reported with its path", async () => {
  const agent = new Agent({ name: "a", model: stepweave.openai("m", { concurrency: 0, price: { input: -1, output: 1 } }) });
  await assert.rejects(new Workflow({ name: "w", steps: [{ name: "ask", agent }] }).run(), (error) => {
    assert.ok(error instanceof StepweaveError);
    assert.deepEqual([error.code, error.problems.map(({ path }) => path)], ["document", ["models.m.price.input", "models.m.concurrency"]]);
    return true;
  });
});

test("a key that cannot be one is refused where the model is made, and never shown", () => {
  const fault = "cannot be sent in a header: it has a line break, a space around it or a character that headers cannot hold";
  for (const [apiKey, message, hint] of [
    ["", 'the apiKey of openai("m") is empty', "check where it comes from, or leave it out"],
    [`${KEY}\n`, `the apiKey of openai("m") ${fault}`, /value\.trim\(\)/],
    [`${KEY}\r\nx: y`, `the apiKey of openai("m") ${fault}`, /copied along/],
    [5, 'the apiKey of openai("m") is no text', /secret/],
  ]) {
    assert.throws(() => stepweave.openai("m", { apiKey }), { code: "validation", message, hint });
  }
});
