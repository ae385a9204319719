// Tools that the provider of the model runs itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, anthropic, customModel, tool, Workflow } from "stepweave";

const search = tool({ name: "search", description: "Looks it up", provider: "web_search", maxUses: 2 });

/** A stream of Anthropic's that searches, and answers. */
const STREAM = [
  { type: "message_start", message: { id: "m1", content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "server_tool_use", id: "st1", name: "web_search", input: {} } },
  { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"query":"bees"}' } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "web_search_tool_result", tool_use_id: "st1", content: [{ type: "web_search_result", url: "https://bees.test/", title: "Bees", encrypted_content: "c2VhbGVk" }] } },
  { type: "content_block_stop", index: 1 },
  { type: "content_block_start", index: 2, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "They dance." } },
  { type: "content_block_stop", index: 2 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

const bodies = [];
async function endpoint(_url, { body }) {
  bodies.push(JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)));
  return new Response(STREAM.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
}

test("a search of the provider's stands in the document, its calls are emitted, and its sealed results go on", async () => {
  const agent = new Agent({ name: "a", model: anthropic("claude-sonnet-4-5", { apiKey: "k" }), tools: [search] });
  const workflow = new Workflow({ name: "w", steps: [{ name: "ask", agent, inputFrom: "Bees?", history: { key: "chat" } }, { name: "more", agent, inputFrom: "How?", history: { key: "chat" } }] });
  assert.deepEqual(workflow.toDocument().tools, { search: { description: "Looks it up", run: { provider: "web_search", maxUses: 2 } } });

  const events = [];
  for await (const event of workflow.stream({ fetch: endpoint })) events.push(event);
  const calls = events.filter(({ type }) => type.startsWith("tool.")).slice(0, 2);
  assert.deepEqual(calls.map(({ type, tool: name, callId, byProvider, input, output }) => ({ type, name, callId, byProvider, input, output })), [
    { type: "tool.start", name: "search", callId: "st1", byProvider: true, input: { query: "bees" }, output: undefined },
    { type: "tool.done", name: "search", callId: "st1", byProvider: true, input: undefined, output: [{ url: "https://bees.test/", title: "Bees" }] },
  ]);
  const [first, second] = bodies;
  assert.deepEqual(first.tools, [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }]);
  assert.equal(second.messages[1].content[1].content[0].encrypted_content, "c2VhbGVk");
  assert.equal(events.at(-1).type, "run.done");
});

test("a model whose provider has no such tool is refused before the run, with the tool's and the model's name", async () => {
  const agent = new Agent({ name: "a", model: customModel("own", () => ["hi"]), tools: [search] });
  const workflow = new Workflow({ name: "w", steps: [{ name: "ask", agent, inputFrom: "Bees?" }] });
  await assert.rejects(async () => await workflow.run(), ({ code, problems: [problem] }) => {
    assert.deepEqual([code, problem.code, problem.path], ["document", "provider_tool", "agents.a.tools[0]"]);
    assert.equal(problem.message, "the agent `a` has the tool `search`, a web search by the provider, which its model `own` (custom) does not have");
    return true;
  });
});

test("what only makes sense of calls that come here is refused in code too", () => {
  const wrong = (options, message) => assert.throws(() => tool({ name: "search", provider: "web_search", ...options }), { code: "validation", message });
  wrong({ needsApproval: true }, "a tool that the provider of the model runs itself has no `needsApproval`: nobody can be asked before its calls");
  wrong({ timeoutMs: 5 }, "a tool that the provider of the model runs itself has no `timeoutMs`");
  wrong({ input: { type: "object" } }, "a tool that the provider of the model runs itself has no `input`");
  wrong({ execute: () => 1 }, "a tool that the provider of the model runs itself has no `execute`");
  assert.throws(() => tool({ name: "f", execute: () => 1, maxUses: 1 }), { message: "only a tool of the provider's has bounds on searches" });
  assert.throws(() => Workflow.fromDocument({ version: 1, name: "d", steps: [], tools: { search: { run: { provider: "web_search" } } } }, { tools: [search] }), {
    message: "the tool `search` is the provider's in the document already",
  });
});
