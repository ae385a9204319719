import type { JsonObject } from "../document.js";
import type { ModelPart, ModelRequest } from "../model-request.js";
import { Answer, type Chunk } from "./answer.js";
import { brokenOff, failureOf } from "./failure.js";
import { inputsOf } from "./inputs.js";
import type { WorkersAiBinding } from "./model.js";

/** Asks a model through the binding; gives what it answers, part by part. */
export async function* ask(ai: WorkersAiBinding, model: string, gateway: JsonObject | undefined, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
  try {
    const given: unknown = await ai.run(model, inputsOf(request), { signal, ...(gateway !== undefined && { gateway }) });
    // A binding that is asked for raw answers elsewhere at the same time gives one here too.
    const body = given instanceof Response ? await bodyOf(given) : given;
    const answer = new Answer(model);
    if (body instanceof ReadableStream) {
      for await (const data of events(body as ReadableStream<Uint8Array>, signal)) yield* answer.parts(data);
      if (!answer.isWhole) throw brokenOff(model);
    } else yield* answer.parts(body as Chunk);
    yield* answer.end();
  } catch (error) {
    throw failureOf(error, model);
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(await response.text());
  return response.headers.get("content-type")?.startsWith("application/json") === true ? response.json() : response.body;
}

/** What the events of a stream say; the last one is undefined where the stream says itself that it is the last. */
async function* events(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Chunk | undefined> {
  const reader = body.getReader();
  const leave = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", leave);
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = done ? "" : (lines.pop() as string);
      for (const line of lines) {
        const data = /^data:(.*)$/.exec(line.trim())?.[1]?.trim();
        if (data === "[DONE]") return yield undefined;
        if (data !== undefined && data !== "") yield JSON.parse(data) as Chunk;
      }
      if (done) return;
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}
