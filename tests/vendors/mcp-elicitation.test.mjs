// Servers of the protocol of 2026-07-28, made with the official server package, that ask people in the midst of a call.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inputRequired } from "@modelcontextprotocol/server";
import { installed } from "./installed.mjs";
import { ASK, served, text } from "./mcp-shop.mjs";

let home;
let mcpTools;
let scriptedModel;
before(async () => {
  home = await installed();
  await home.beside("@modelcontextprotocol/client");
  ({ mcpTools } = await home.load("stepweave/mcp"));
  ({ scriptedModel } = await home.load("stepweave/testing"));
});
after(() => home.remove());

/** A run of an agent that orders tea, and what is to be done with it: each part with a connection of its own. */
async function asking(url, options, use) {
  const model = scriptedModel([{ type: "toolCall", name: "order", input: { what: "tea" } }, "Done."]);
  const run = async (more) => {
    const { tools, close } = await mcpTools(url, { elicitation: true, ...options });
    const agent = new home.stepweave.Agent({ name: "a", model, tools: [...tools] });
    const result = await new home.stepweave.Workflow({ name: "t", steps: [{ name: "ask", agent, inputFrom: "Tea?" }] }).run({ journal: true, ...more });
    await close();
    return result;
  };
  await use(run, () => model.requests[1].messages.at(-1).results[0]);
}

const toAsk = (key, request) => (requestState) => inputRequired({ inputRequests: { [key]: request }, ...(requestState !== undefined && { requestState }) });

test("what a server asks is pending, answered as an approval is, and the call goes on with the server's own note", async () => {
  let calls = 0;
  const order = async ({ what }, ctx, codec) => {
    calls += 1;
    const answer = ctx.mcpReq.inputResponses?.size;
    if (answer === undefined) return toAsk("size", inputRequired.elicit({ message: "Which size?", requestedSchema: ASK({ size: { type: "string", enum: ["small", "large"], description: "of the cup" } }) }))(await codec.mint({ what }));
    assert.deepEqual(ctx.mcpReq.requestState(), { what });
    return text(`${answer.action}: ${answer.content?.size} ${what}`);
  };
  await served(order, (url, seen) =>
    asking(url, {}, async (run, result) => {
      const first = await run();
      assert.deepEqual([first.status, first.pending.length], ["suspended", 1], first.error?.message);
      const [{ key, message, schema }] = first.pending;
      assert.equal(message, `The MCP server ${url} asks: Which size?\n- size (one of small, large): of the cup`);
      assert.deepEqual([schema.required, schema.properties.action.enum], [["action"], ["accept", "decline", "cancel"]]);
      const wrong = await run({ journal: first.journal, answers: { [key]: { action: "accept", content: { size: "huge" } } } });
      assert.equal(wrong.status, "suspended");
      assert.match(wrong.pending[0].message, /The last answer did not fit: size does not meet properties\/size\/enum\.$/);
      assert.equal(calls, 1);
      const last = await run({ journal: wrong.journal, answers: { [wrong.pending[0].key]: { action: "accept", content: { size: "large" } } } });
      assert.deepEqual([last.status, last.state.ask_output, result().output, calls], ["done", "Done.", { result: "accept: large tea" }, 2]);
      // The server receives nothing that would make it remember anything, and learns in this call alone that people can be asked.
      const toolCalls = seen.filter(({ body }) => body?.method === "tools/call");
      assert.ok(seen.every(({ headers }) => headers["mcp-session-id"] === undefined));
      for (const { body } of toolCalls) assert.deepEqual(body.params._meta["io.modelcontextprotocol/clientCapabilities"], { elicitation: { form: {}, url: {} } });
      assert.equal(typeof toolCalls[1].body.params.requestState, "string");
    }),
  );
});

test("a refusal reaches the server, and several requests are put to the person one after the other", async () => {
  const order = (_, ctx) => {
    const answers = ctx.mcpReq.inputResponses;
    if (answers === undefined) {
      const ask = (message) => inputRequired.elicit({ message, requestedSchema: ASK({ it: { type: "boolean" } }) });
      return inputRequired({ inputRequests: { milk: ask("Milk?"), sugar: ask("Sugar?") } });
    }
    return text(JSON.stringify(answers));
  };
  await served(order, (url) =>
    asking(url, {}, async (run, result) => {
      let at = await run();
      const questions = [];
      for (const answer of [{ action: "accept", content: { it: true } }, { action: "decline" }]) {
        questions.push(at.pending[0].message.split("\n")[0]);
        at = await run({ journal: at.journal, answers: { [at.pending[0].key]: answer } });
      }
      assert.deepEqual(questions, [`The MCP server ${url} asks: Milk?`, `The MCP server ${url} asks: Sugar?`]);
      assert.equal(at.status, "done", at.error?.message);
      assert.deepEqual(JSON.parse(result().output.result), { milk: { action: "accept", content: { it: true } }, sugar: { action: "decline" } });
    }),
  );
});

test("a page is named with its host, and nothing is opened", async () => {
  const order = (_, ctx) => (ctx.mcpReq.inputResponses === undefined ? toAsk("pay", inputRequired.elicitUrl({ message: "Pay here.", url: "https://pay.example/order?id=7" }))() : text(ctx.mcpReq.inputResponses.pay.action));
  await served(order, (url) =>
    asking(url, {}, async (run, result) => {
      const waiting = await run();
      assert.equal(waiting.pending[0].message, `The MCP server ${url} asks you to open a page of pay.example: Pay here.\n\nhttps://pay.example/order?id=7`);
      const { status } = await run({ journal: waiting.journal, answers: { [waiting.pending[0].key]: { action: "accept" } } });
      assert.deepEqual([status, result().output], ["done", { result: "accept" }]);
    }),
  );
});

test("secrets, pages that anyone can read along, and what is no question are refused before anyone is asked", async () => {
  const form = (properties) => inputRequired.elicit({ message: "Please", requestedSchema: { type: "object", properties } });
  const string = { type: "string" };
  const cases = [
    [form({ password: string }), /asks people for `password`, a secret as it seems/],
    [form({ name: string, apiKey: string }), /`apiKey`, a secret/],
    [form({ value: { ...string, title: "Your access token" } }), /`value`, a secret/],
    [form({ pin: { type: "integer" } }), /`pin`, a secret/],
    [inputRequired.elicitUrl({ message: "Pay", url: "http://pay.example/" }), /no https address/],
    [inputRequired.elicitUrl({ message: "Pay", url: "https://me:secret@pay.example/" }), /no https address/],
    [form(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, string]))), /51 fields at once/],
  ];
  for (const [request, expected] of cases) {
    await served(() => toAsk("it", request)(), (url) =>
      asking(url, {}, async (run, result) => {
        const { status } = await run();
        assert.equal(status, "done");
        assert.equal(result().isError, true);
        assert.match(result().output.error, expected);
      }),
    );
  }
  // A yes or no about a password gives nothing away.
  await served(() => toAsk("it", form({ resetPassword: { type: "boolean" } }))(), (url) =>
    asking(url, {}, async (run) => assert.equal((await run()).status, "suspended")),
  );
});

test("a server does not learn that people can be asked unless code allows it, and structured results pass", async () => {
  const order = ({ what }, ctx) => text("ordered", { what, capabilities: Object.keys(ctx.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {}) });
  await served(order, (url) =>
    asking(url, { elicitation: false }, async (run, result) => {
      assert.equal((await run()).status, "done");
      assert.deepEqual(result().output, { what: "tea", capabilities: [] });
    }),
  );
});
