// The types of stepweave/testing, stepweave/ui, stepweave/http and stepweave/mcp, as programs use them.
import { Agent, type Model, type ModelRequest, type RunOptions, Workflow } from "stepweave";
import { runsObject } from "stepweave/durable";
import { type ApprovalLinks, bearer, handler, type HandlerOptions, type HttpHandler } from "stepweave/http";
import { mcpTools, type McpTools } from "stepweave/mcp";
import { mcpServer } from "stepweave/mcp/server";
import { memoryStore } from "stepweave/stores";
import type { Connection } from "stepweave/worker";
import { type Assertion, cassette, demo, scriptedModel, type ScriptedModel } from "stepweave/testing";
import { answersOf, chatTransport, toUIMessageStream, toUIMessageStreamResponse, type UIMessageChunk } from "stepweave/ui";

const script: ScriptedModel = scriptedModel(
  [
    "text",
    { type: "toolCall", name: "search", input: { q: "bees" } },
    ["piece ", { type: "text", text: "by piece" }, new Error("cut")],
    ({ messages }, { signal }) => (signal.aborted ? "late" : `${messages.length}`),
    async () => [{ type: "reasoning", text: "hm" }, "later"],
    async function* () {
      yield "one";
    },
  ],
  { name: "parrot", test: { after: (check: () => void) => check } },
);
const model: Model = script;
const requests: readonly ModelRequest[] = script.requests;
script.done();
// @ts-expect-error: no such part
scriptedModel([{ type: "song" }]);
// @ts-expect-error: a turn is no number
scriptedModel([1]);

const tape = cassette("answers.json", { mode: "replay" });
const options: RunOptions = { fetch: tape.fetch };
const elsewhere: typeof fetch = (input, init) => tape.fetch(input, init);
await tape.save();
await tape.done();
cassette({ read: () => localStorage.getItem("tape"), write: (text) => localStorage.setItem("tape", text) });
// @ts-expect-error: no such mode
cassette("answers.json", { mode: "rewind" });

const workflow = new Workflow({ name: "w", steps: [] });
const stream: ReadableStream<UIMessageChunk> = toUIMessageStream(workflow.start(options), { shows: ({ name }) => name === "answer", errorText: ({ code }) => code });
const response: Response = toUIMessageStreamResponse(workflow.stream(), { status: 200, headers: { "x-mine": "1" }, messageId: "m" });
toUIMessageStream(new Agent({ name: "a", model: demo() }).start("hi"));
// @ts-expect-error: a result is no run
toUIMessageStream(await workflow.run());
await workflow.run({ answers: answersOf([{ id: "m", role: "assistant", parts: [{ type: "text" }] }]) });

const server: McpTools = await mcpTools("https://mcp.example.com/mcp", { headers: { authorization: "Bearer x" }, include: ["search"], prefix: "all_", fetch: tape.fetch, needsApproval: (_, { readOnlyHint }) => readOnlyHint !== true });
new Agent({ name: "a", model, tools: [...server.tools] });
await server.close();
// @ts-expect-error: no such option
await mcpTools("https://mcp.example.com/mcp", { token: "x" });

void [requests, elsewhere, stream, response];

const orders = new Workflow({ name: "orders", steps: [] });
const served: HttpHandler = handler(orders, {
  authorize: async (request) => request.headers.get("x-user") ?? undefined,
  mayAnswer: (principal, { pending }) => principal === "boss" && pending.length > 0,
  run: (principal) => ({ userId: principal, limits: { maxSteps: 10 } }),
  onSuspended: ({ pending }) => pending.length,
});
const module: { fetch(request: Request): Promise<Response> } = { fetch: served };
handler(orders, { authorize: bearer({ shop: "token" }) });
// @ts-expect-error: callers and the handler share the input, which is no option
handler(orders, { public: true, run: { state: {} } });
// @ts-expect-error: who calls is a text
handler(orders, { authorize: () => 7 });
// @ts-expect-error: a server has to say who may call
handler(orders, {});
// @ts-expect-error: a tool server too
mcpServer(orders, { keys: [] });
// @ts-expect-error: and an object of runs
runsObject(orders, { maxRuns: 7 });
declare const links: ApprovalLinks;
// @ts-expect-error: without a store nothing waits that a link could answer
handler(orders, { public: true, links });
// @ts-expect-error: nor is anything kept
handler(orders, { public: true, keepMs: { done: 1 } });
handler(orders, { public: true, links, keepMs: { done: 1 }, store: memoryStore() });
runsObject(orders, { public: true, links, keepMs: { done: 1 } });
declare const token: string | undefined;
const whoMayCall = (): HandlerOptions => (token === undefined ? { public: true } : { authorize: bearer({ shop: token }) });
handler(orders, { ...whoMayCall(), maxRuns: 7 });
const chosen = { ...(token === undefined ? { public: true } : { authorize: bearer({ shop: token }) }), store: memoryStore() };
handler(orders, chosen);

// A workflow, an agent and a run in a worker answer a chat.
declare const connected: Connection;
chatTransport(new Workflow({ name: "chat", steps: [] }));
// Whatever a workflow says of its state: a run checks what it is given.
chatTransport(new Workflow<{ input: string; messages?: unknown[]; answer_output?: string }>({ name: "chat", steps: [] }));
chatTransport(new Workflow({ name: "chat", input: { type: "object", properties: { input: { type: "string" }, messages: { type: "array" } }, required: ["input"] }, steps: [] }));
chatTransport(Workflow.fromDocument({ version: 1, name: "chat", steps: [] }));
chatTransport({ start: (options) => connected.start("{}", options) });
chatTransport(({ options }) => connected.start("{}", options));
// @ts-expect-error A number starts nothing.
chatTransport(5);

const assertions: Assertion[] = [{ equals: 1, of: "n" }, { contains: "a", not: true }, { "is-json": true }, { cost: 1 }];
// @ts-expect-error one thing in each assertion
const both: Assertion = { equals: 1, contains: "a" };
// @ts-expect-error something has to be asserted
const none: Assertion = { of: "n" };
export { assertions, both, none };
