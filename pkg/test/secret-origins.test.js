// A key goes to the origins that it is bound to, whatever a document says: for every provider and every kind of header.
import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropic, azure, Agent, gemini, openai, Workflow } from "stepweave";
import { internal, rejection } from "./support.js";

const { PRESETS } = await internal("effects/presets.ts");

const KEY = "canary-4f9d1c7e5b0a8d3e";

/** Where the endpoints are that have an address of their own for each user. */
const OWN = { azure: "https://mine.openai.azure.com/openai/v1", workersAi: "https://api.cloudflare.com/client/v4/accounts/abc/ai/v1" };

/** The header that carries the key, and what stands before it. */
const HEADERS = { anthropic: ["x-api-key", ""], gemini: ["x-goog-api-key", ""], azure: ["api-key", ""] };

const providers = Object.entries(PRESETS).map(([provider, { origin, secret = "MY_KEY" }]) => {
  const url = OWN[provider] ?? `${origin}/v1`;
  const [header, prefix] = HEADERS[provider] ?? ["authorization", "Bearer "];
  return { provider, url, secret, header, prefix, origin: new URL(url).origin, host: new URL(url).host };
});

/** A workflow that calls a model of this provider at this address. */
function asking(provider, baseUrl, secret, more) {
  const model = { provider, model: "m", baseUrl, apiKey: { secret }, ...more };
  const steps = [{ id: "s1", type: "agent", name: "ask", agent: "a", inputFrom: "hi" }];
  return { version: 1, name: "t", models: { m: model }, agents: { a: { model: "m" } }, steps };
}

/** Runs it; gives the errors and what was sent. */
async function run(workflow, secrets) {
  const sent = [];
  const fetch = async (url, init) => {
    sent.push({ url, init });
    return new Response("no", { status: 400, headers: { "content-type": "text/plain" } });
  };
  const { status, errors } = await workflow.run({ secrets, fetch });
  assert.equal(status, "error");
  return { errors, sent };
}

for (const { provider, url, secret, header, prefix, origin, host } of providers) {
  const secrets = { [secret]: { value: KEY, origins: [origin] } };

  test(`the key of ${provider} is sent to its endpoint, in its header and nowhere else`, async () => {
    const { sent } = await run(Workflow.fromDocument(asking(provider, url, secret)), secrets);
    assert.equal(sent.length, 1);
    const [{ url: called, init }] = sent;
    assert.equal(new URL(called).origin, origin);
    assert.equal(init.headers[header], prefix + KEY);
    assert.equal(Object.values(init.headers).filter((value) => value.includes(KEY)).length, 1);
    assert.ok(!called.includes(KEY) && !init.body.includes(KEY));
    assert.equal(init.redirect, "manual");
  });

  const elsewhere = {
    "another host": "https://evil.example/v1",
    "a host that begins like its own": `https://${host.replace(/:\d+$/, "")}.evil.example/v1`,
    "another port": `${origin.replace(/:\d+$/, "")}:444/v1`,
    "another scheme": origin.startsWith("https:") ? url.replace("https:", "http:") : url.replace("http:", "https:"),
    "a path that looks like its own": `https://evil.example/${origin}/v1`,
  };
  for (const [name, baseUrl] of Object.entries(elsewhere)) {
    test(`the key of ${provider} is not sent to ${name}`, async () => {
      const { errors, sent } = await run(Workflow.fromDocument(asking(provider, baseUrl, secret)), secrets);
      assert.deepEqual(sent, [], "nothing is sent, not even without the key");
      assert.equal(errors[0].code, "auth");
      assert.equal(errors[0].message, `the secret ${secret} is bound to ${origin} and was not sent to ${new URL(baseUrl).origin}`);
      assert.ok(!JSON.stringify(errors).includes(KEY));
    });
  }
}

test("names that belong to a provider go there without being bound", async () => {
  for (const { provider, url, secret, origin } of providers.filter(({ provider, secret }) => secret !== "MY_KEY" && provider !== "azure")) {
    assert.equal((await run(Workflow.fromDocument(asking(provider, url, secret)), { [secret]: KEY })).sent.length, 1, provider);
    const { errors, sent } = await run(Workflow.fromDocument(asking(provider, "https://evil.example/v1", secret)), { [secret]: KEY });
    assert.deepEqual([sent.length, errors[0].message], [0, `the secret ${secret} is bound to ${origin} and was not sent to https://evil.example`]);
  }
});

test("the address of an endpoint will do as an origin of a secret, which goes to all of that origin", async () => {
  const run = (given) => new Workflow({ name: "w", steps: [] }).run({ secrets: { K: { value: KEY, origins: [given] } } });
  for (const given of ["https://llm.test/v1", "https://LLM.test/"]) assert.equal((await run(given)).status, "done");
  const error = await rejection(run("llm.test"));
  assert.deepEqual([error.code, error.message], ["validation", 'an origin of the secret K is no http(s) address: "llm.test"']);
});

test("a backslash that hides the host, and other spellings that readers of addresses forgive, are refused", async () => {
  for (const { provider, host, secret } of providers) {
    for (const baseUrl of [`https://evil.example\\.${host}/v1`, `https:\\\\${host}@evil.example`, `https:/${host}@evil.example`, `https:${host}`, ` https://${host}`, `https://${host}\t@evil.example`]) {
      assert.deepEqual(await refusal(asking(provider, baseUrl, secret)), [["wrong_address", "models.m.baseUrl"]], baseUrl);
    }
  }
});

test("a fallback that is elsewhere gets no key either", async () => {
  const document = asking("openai", "https://api.openai.com/v1", "OPENAI_API_KEY");
  document.models.evil = { provider: "anthropic", model: "m", baseUrl: "https://evil.example", apiKey: { secret: "OPENAI_API_KEY" } };
  document.agents.a.fallbacks = ["evil"];
  const { errors, sent } = await run(Workflow.fromDocument(document), { OPENAI_API_KEY: KEY });
  assert.deepEqual(sent.map(({ url }) => new URL(url).origin), ["https://api.openai.com"]);
  assert.match(errors[0].message, /was not sent to https:\/\/evil\.example$/);
});

test("a key given with a model goes to that model's endpoint, and no document has it", async () => {
  const models = [openai("m", { apiKey: KEY }), anthropic("m", { apiKey: KEY }), gemini("m", { apiKey: KEY }), azure("m", { apiKey: KEY, baseUrl: OWN.azure })];
  for (const model of models) {
    const workflow = new Workflow({ name: "t", steps: [{ name: "ask", agent: new Agent({ name: "a", model }), inputFrom: "hi" }] });
    const document = workflow.toDocument();
    assert.ok(!JSON.stringify(document).includes(KEY));
    const { sent } = await run(workflow);
    assert.equal(sent.length, 1, model.provider);
    // Whoever changes the document's address afterwards does not have the key.
    for (const changed of Object.values(document.models)) changed.baseUrl = "https://evil.example/v1";
    const { errors, sent: none } = await run(Workflow.fromDocument(document));
    assert.deepEqual(none, [], model.provider);
    assert.equal(errors[0].code, "auth");
  }
});

/** What is wrong with a document, by code and path. */
async function refusal(document) {
  const error = await rejection(Workflow.fromDocument(document).run());
  assert.equal(error.code, "document");
  assert.ok(!JSON.stringify(error.problems).includes(KEY));
  return error.problems.map(({ code, path }) => [code, path]);
}

test("keys in headers and addresses of a document are refused", async () => {
  for (const name of ["authorization", "Authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "proxy-authorization", "x-auth-token"]) {
    const document = asking("openai", "https://llm.test/v1", "K", { headers: { [name]: KEY } });
    assert.deepEqual(await refusal(document), [["key_in_document", `models.m.headers.${name}`]]);
  }
  for (const baseUrl of [`https://me:${KEY}@llm.test/v1`, "https://api.openai.com@evil.example/v1", `https://llm.test/v1?key=${KEY}`]) {
    assert.deepEqual(await refusal(asking("openai", baseUrl, "K")), [["wrong_address", "models.m.baseUrl"]]);
  }
});
