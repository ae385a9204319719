import type { JsonObject } from "../../api/document.js";
import { isStepweaveError } from "../../api/errors.js";
import type { ModelPart, ModelRequest } from "../../api/model-request.js";
import { Answer, type Chunk } from "./answer.js";
import type { WorkersAiBinding } from "./binding.js";
import { brokenOff, failureOf } from "./failure.js";
import { inputsOf } from "./inputs.js";

/** Calls a model through the binding; yields its response parts. */
export async function* ask(ai: WorkersAiBinding, model: string, gateway: JsonObject | undefined, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
  try {
    const given: unknown = await ai.run(model, inputsOf(request), { signal, ...(gateway !== undefined && { gateway }) });
    // If the binding is used for raw responses elsewhere at the same time, it returns one here too.
    const body = given instanceof Response ? await bodyOf(given) : given;
    const answer = new Answer(model);
    if (body instanceof ReadableStream) {
      try {
        for await (const data of events(body as ReadableStream<Uint8Array>, signal)) yield* answer.parts(data);
      } catch (error) {
        // Once the model has said why it ended, the answer stands, whatever becomes of the stream.
        if (!answer.isWhole || isStepweaveError(error)) throw error;
      }
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

/** The last event of a stream, if it is whole. */
function lastOf(data: string): Chunk | undefined {
  try {
    return JSON.parse(data) as Chunk;
  } catch {
    return undefined;
  }
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
        if (data === undefined || data === "") continue;
        // The end of the stream may have cut its last line.
        const chunk = done ? lastOf(data) : (JSON.parse(data) as Chunk);
        if (chunk === undefined) return;
        yield chunk;
      }
      if (done) return;
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}
