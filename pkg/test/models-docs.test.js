// The guide to models: its programs print what it says, and its table of errors names what there is.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import * as stepweave from "stepweave";
import { assertPrograms, page } from "./docs-support.js";
import { answering, internal } from "./support.js";

const { Agent, Workflow } = stepweave;

const guide = page("docs/models.md");

test("every program of the guide to models prints what stands below it", () => assertPrograms(guide));

test("the table of endpoints says where each model is called, and with which secret", async () => {
  const rows = [...guide.matchAll(/^\| `(\w+)` \| .*? \| `(https?:[^`]*)` \| (?:`(\w+)`|none) \|$/gm)];
  assert.equal(rows.length, 14);
  for (const [, name, address, secret] of rows) {
    const model = stepweave[name]("m");
    assert.equal(model.apiKey?.secret, secret, name);
    const fetch = answering(["{}"], { status: 400 });
    const workflow = new Workflow({ name: "w", steps: [{ name: "ask", agent: new Agent({ name: "a", model }) }] });
    await workflow.run({ fetch, secrets: secret && { [secret]: "sk-00000000" } });
    assert.ok(fetch.calls[0].url.startsWith(`${address}/`), `${name} is called at ${fetch.calls[0].url}`);
  }
  const others = [...guide.matchAll(/^\| `(azure|workersAi|demo)` \|.*\|$/gm)].map(([row]) => row);
  assert.deepEqual(others.map((row) => /`([A-Z_]+)` \|$/.exec(row)?.[1]), ["AZURE_OPENAI_API_KEY", "CLOUDFLARE_API_TOKEN", undefined]);
});

test("the table of errors has codes that there are", async () => {
  const { ERROR_CODES } = await internal("api/errors.ts");
  const rows = [...guide.matchAll(/^\| .* \| `(\w+)` \| (?:yes|no)\b.* \|$/gm)];
  assert.equal(rows.length, 18);
  for (const [, code] of rows) assert.ok(ERROR_CODES.has(code), code);
});

test("models that examples name are known, by what they cost", async () => {
  const folders = { "docs": ".md", "pkg/ts": ".ts" };
  const files = Object.entries(folders).flatMap(([folder, ending]) => readdirSync(new URL(`../../${folder}/`, import.meta.url), { recursive: true }).filter((name) => name.endsWith(ending)).map((name) => `${folder}/${name}`));
  const texts = [...files, "README.md", "pkg/README.md"].map(page).join("\n");
  const named = [...texts.matchAll(/\b(openai|openaiResponses|anthropic|gemini|groq|mistral|deepseek|xai|together)\("([^"]+)"/g)].filter(([, , model]) => !/^(my-.*|model|name)$/.test(model));
  const calls = new Map(named.map(([call, provider, model]) => [call, [provider, model]]));
  assert.ok(calls.size >= 9, [...calls.keys()].join());
  for (const [call, [provider, model]] of calls) {
    const agent = new Agent({ name: "a", model: stepweave[provider](model, { apiKey: "sk-00000000" }) });
    const fetch = answering(["{}"], { status: 400 });
    // A bound on money is kept only where a price is known.
    await new Workflow({ name: "w", limits: { maxCost: 1 }, steps: [{ name: "ask", agent }] }).run({ fetch });
    assert.equal(fetch.calls.length, 1, call);
  }
});
