// What stands where a key belongs may be one: no message shows it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { rejection } from "./support.js";

const KEY = "sk-proj-VERYSECRETKEY123456";

/** A document with this model, this request of a step and of a tool, and this server. */
const documents = ({ model = {}, http = {}, server = {} }) => ({
  version: 1,
  name: "w",
  models: { m: { provider: "openai", model: "gpt", apiKey: { secret: "KEY" }, ...model } },
  servers: { files: { url: "https://mcp.example.com", ...server } },
  tools: { look: { name: "look", description: "Looks.", input: { type: "object" }, http: { url: "https://api.example.com", ...http } } },
  agents: { a: { model: "m", tools: ["look"] } },
  steps: [{ id: "s", name: "s", type: "http", http: { url: "https://api.example.com", ...http } }, { id: "ask", name: "ask", type: "agent", agent: "a", inputFrom: "hello" }],
});

test("no message shows what stands in a document where a key belongs", async () => {
  const wrong = [KEY, [KEY], 12345678901234567890, { secret: KEY }, { secret: [KEY] }, { token: KEY }, null, true];
  const auths = (one) => [one, { bearer: one }, { basic: one }, { basic: { username: "u", password: one } }, { header: one }, { header: { name: "x", value: one } }, { oauth: one }, { bearer: { secret: "A" }, more: one }];
  const given = [
    ...wrong.map((apiKey) => ({ model: { apiKey } })),
    ...wrong.map((headers) => ({ model: { headers } })),
    ...wrong.flatMap((one) => auths(one).map((auth) => ({ http: { auth } }))),
    ...wrong.flatMap((one) => auths(one).map((auth) => ({ server: { auth } }))),
    ...wrong.flatMap((headers) => [{ http: { headers } }, { http: { headers: { "x-api-key": headers } } }]),
  ];
  for (const one of given) {
    const error = await (async () => Workflow.fromDocument(documents(one)).run({ secrets: { KEY: "k".repeat(20) }, fetch: () => assert.fail("nothing is sent") }))().catch((error) => error);
    const said = JSON.stringify([error.message, error.hint, error.problems, error.error]);
    assert.ok(!/VERYSECRET|1234567890/.test(said), `${JSON.stringify(one)}: ${said}`);
  }
  const { problems } = await rejection((async () => Workflow.fromDocument(documents({ model: { apiKey: KEY } })).run())());
  const problem = problems.find(({ path }) => path === "models.m.apiKey");
  assert.deepEqual([problem.code, problem.message, problem.hint], ["wrong_type", "`models.m.apiKey` is not shown, as it may be a key", 'it must be a secret (an object); a key is named, as { "secret": "NAME" }, and never written']);
});
