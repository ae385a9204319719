// What the types of models of your own allow.
import { Agent, customModel, fromAiSdk, promptApi, StepweaveError, Workflow, workersAi, type Model, type ModelFunction, type ModelPart, type ModelRequest } from "stepweave";
import { connect } from "stepweave/worker";

// Every form of an answer.
const models: Model[] = [
  customModel("a", () => "text"),
  customModel("a", async ({ messages }) => String(messages.length)),
  customModel("a", () => ["text", { type: "text", text: "x" }]),
  customModel("a", function* () {
    yield "text";
    yield { type: "toolCall", name: "n", input: { a: [1, null] } };
  }),
  customModel("a", async function* ({ model }: ModelRequest, { signal, attempt, log, dependencies }) {
    if (signal.aborted || attempt > 1) log(`${model} ${dependencies}`);
    yield { type: "usage", inputTokens: 1, outputTokens: 2 };
    yield { type: "echo", value: null };
    yield { type: "finish", reason: "refused", text: "no" };
  }),
  customModel("a", () => new ReadableStream<ModelPart>(), { params: { temperature: 0 }, price: { input: 1, output: 2 }, sampling: false }),
];

const fn: ModelFunction = ({ tools, toolChoice, output, params, instructions, messages }) => {
  const [message] = messages;
  if (message?.role === "user") for (const part of message.content) if (part.type === "image") return part.mediaType;
  if (message?.role === "assistant") return String(message.echo ?? message.content[0]?.type);
  if (message?.role === "tool") return message.results.map(({ id, name, isError }) => `${id} ${name} ${isError}`);
  return [tools?.[0]?.name ?? "", String(toolChoice), String(output), String(params["x"]), instructions ?? ""];
};

// @ts-expect-error a number is no answer
customModel("a", () => 42);
// @ts-expect-error no such part
customModel("a", () => [{ type: "txt", text: "x" }]);
// @ts-expect-error no such reason
customModel("a", () => [{ type: "finish", reason: "done" }]);
// @ts-expect-error it goes to an endpoint, and this is none
customModel("a", fn, { baseUrl: "http://localhost" });
// @ts-expect-error the request is read-only
customModel("a", (request) => (request.model = "b"));

new Agent({ name: "a", model: promptApi({ languages: ["de"], onDownload: (share) => share.toFixed() }) });
Workflow.fromDocument("{}", { models: { a: fn, b: customModel("b", fn) } });
connect(new Worker("worker.js"), { models: { a: fn, b: promptApi() } });

// A binding is whatever has `run`; a name alone goes over HTTP.
declare const env: { AI: { run(model: string, inputs: object, options?: object): Promise<ReadableStream> } };
workersAi(env.AI, "@cf/acme/llama", { gateway: { id: "g" } });
workersAi("@cf/acme/llama", { accountId: "0123" });
// @ts-expect-error a binding needs a model
workersAi(env.AI);

// A model of the AI SDK is recognised by its shape.
declare const model: { specificationVersion: "v4"; provider: string; modelId: string; supportedUrls: object; doGenerate(options: object): Promise<object>; doStream(options: { prompt: object[] }): Promise<{ stream: ReadableStream<{ type: "ping" }>; response?: object }> };
fromAiSdk(model, { params: { maxOutputTokens: 10 } });
// @ts-expect-error a name is no model
fromAiSdk("gpt-5-mini");

const later: number | undefined = new StepweaveError("rate_limit", "busy", { retryable: true, retryAfterMs: 5 }).retryAfterMs;
export { later, models };
