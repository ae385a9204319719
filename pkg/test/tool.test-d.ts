// What a user's editor knows of tools, agents that call them, and models. Checked by tsc against the built declarations.
import { type } from "arktype";
import { Agent, anthropic, azure, demo, openai, tool, Tool, Workflow, workersAi } from "stepweave";
import type { AgentResponse, AnswerOf, Model, Pending, RunEvent, ToolContext, TypeOf, Usage } from "stepweave";
import * as v from "valibot";
import { z } from "zod";

type Equal<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
declare function sure<Statement extends true>(): Statement;

// Arguments have the type that the schema gives: of a JSON Schema what its plain keywords say.
tool({
  name: "json",
  input: {
    type: "object",
    properties: {
      city: { type: "string" },
      days: { type: "integer" },
      unit: { enum: ["celsius", "kelvin"] },
      tags: { type: "array", items: { type: "string" } },
      place: { type: "object", properties: { lat: { type: "number" } }, required: ["lat"] },
    },
    required: ["city", "unit"],
  },
  execute: (args, context) => {
    sure<Equal<typeof args, { city: string; unit: "celsius" | "kelvin"; days?: number; tags?: string[]; place?: { lat: number } }>>();
    sure<Equal<typeof context, ToolContext>>();
    sure<Equal<typeof context.callId, string>>();
    // @ts-expect-error there is no such argument
    return args.country;
  },
});
tool({ name: "zod", input: z.object({ n: z.number().default(1), when: z.string().transform(Number) }), execute: (args) => void sure<Equal<typeof args, { n: number; when: number }>>() });
tool({ name: "valibot", input: v.object({ n: v.number() }), execute: (args) => void sure<Equal<typeof args, { n: number }>>() });
tool({ name: "arktype", input: type({ n: "number" }), execute: (args) => void sure<Equal<typeof args, { n: number }>>() });
tool({ name: "any", execute: (args) => void sure<Equal<typeof args, any>>() });
tool(({ n }) => { sure<Equal<typeof n, number>>(); return n; }, { name: "n", input: z.object({ n: z.number() }) });
sure<Equal<TypeOf<{ type: "object" }>, { [key: string]: any }>>();
sure<Equal<TypeOf<{ const: 5 }>, 5>>();
sure<Equal<TypeOf<true>, any>>();

const search = tool({ name: "search", input: { type: "object", properties: { query: { type: "string" } }, required: ["query"] }, execute: async ({ query }) => [query] });
sure<Equal<typeof search, Tool<{ query: string }>>>();
// @ts-expect-error a tool never changes
search.name = "other";
// @ts-expect-error a tool needs a function
tool({ name: "x" });
// @ts-expect-error an option that there is not
tool({ name: "x", execute: () => 1, describe: "" });

// What an agent answers follows from its schema.
const judge = new Agent({
  name: "judge",
  model: anthropic("claude", { apiVersion: "2023-06-01", params: { max_tokens: 100 } }),
  fallbacks: [openai("gpt-5-mini"), azure("mine", { baseUrl: "https://mine.example" }), workersAi("@cf/m", { accountId: "x" })],
  tools: [search, function now() { return 1; }],
  toolChoice: { tool: "search" },
  output: { type: "object", properties: { score: { type: "number" } }, required: ["score"] },
  maxTurns: 3,
  limits: { maxTokens: 1000, maxCost: 0.1 },
});
sure<Equal<AnswerOf<typeof judge>, { score: number }>>();
const reader = new Agent({ name: "reader", model: demo(), output: z.object({ n: z.number().default(1) }) });
sure<Equal<AnswerOf<typeof reader>, { n: number }>>();
// Without a schema it is a text.
const teller = new Agent({ name: "teller", model: demo() });
sure<Equal<AnswerOf<typeof teller>, string>>();
sure<Equal<AnswerOf<Agent>, any>>();
const told = await teller.run("Hi");
if (told.status === "done") sure<Equal<typeof told.value, string>>();
const anyone: Agent = Math.random() > 0.5 ? judge : teller;
void anyone;
declare const maybe: Agent<{ type: "number" } | undefined>;
sure<Equal<AnswerOf<typeof maybe>, string | number>>();
// @ts-expect-error no such choice
new Agent({ name: "a", model: demo(), toolChoice: "always" });
// @ts-expect-error a price has two sides
const wrong: Model = openai("m", { price: { input: 1 } });
void wrong;

interface State {
  draft: string;
  judge_output?: AnswerOf<typeof judge>;
  whole_output?: AgentResponse<AnswerOf<typeof judge>>;
}
const workflow = new Workflow<State>({
  name: "typed",
  prices: { "gpt-5-mini": { input: 0.25, output: 2, cachedInput: 0.025 } },
  limits: { maxTokens: 10_000, maxCost: 1 },
  retryPolicy: { afterFirstDelta: true },
  steps: [
    { name: "judge", agent: judge, inputFrom: (state) => [{ type: "text", text: state.draft }, { type: "image", data: new Uint8Array() }], history: { key: "chat", maxMessages: 4 } },
    { name: "whole", agent: judge, fullResponse: true, files: async () => [{ type: "file", url: new URL("https://x.example"), mediaType: "text/plain" }] },
    { name: "score", run: (state) => void sure<Equal<typeof state.judge_output, { score: number } | undefined>>() },
  ],
});
// @ts-expect-error a list of parts has types
new Workflow<State>({ name: "t", steps: [{ name: "x", agent: judge, inputFrom: () => [{ type: "video" }] }] });

for await (const event of workflow.stream()) {
  sure<Equal<typeof event, RunEvent<State>>>();
  if (event.type === "tool.start") sure<Equal<typeof event.callId, string>>();
  if (event.type === "tool.error") sure<Equal<typeof event.durationMs, number>>();
  if (event.type === "step.reasoning") sure<Equal<typeof event.text, string>>();
  if (event.type === "run.budget") sure<Equal<typeof event.result.state, Partial<State>>>();
}
const { status, usage, pending } = await workflow.run();
if (status === "budget") sure<Equal<typeof usage, Usage>>();
const cost: number | undefined = usage.cost;
const pendingTool: Pending["tool"] = pending?.[0]?.tool;
Workflow.fromDocument(workflow.toDocument(), { unnamed: "ignore" });
// @ts-expect-error there is no such word
Workflow.fromDocument(workflow.toDocument(), { unnamed: "keep" });
Workflow.fromDocument(workflow.toDocument(), { handlers: workflow.handlers, tools: [search], models: { m: demo() }, agents: { judge } });
export { pendingTool, cost };
