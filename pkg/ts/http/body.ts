import { isObject } from "../api/json.js";
import { Refused } from "./problem.js";

/** The JSON object in the body of a request; an empty body is an empty object. */
export async function objectOf(request: Request, maxBytes: number): Promise<Readonly<Record<string, unknown>>> {
  const text = await textOf(request, maxBytes);
  let value: unknown;
  try {
    value = text === "" ? {} : JSON.parse(text);
  } catch (error) {
    throw new Refused(400, "not_json", `the body is not JSON: ${(error as Error).message}`, { hint: "send a JSON object" });
  }
  if (isObject(value)) return value as Record<string, unknown>;
  throw new Refused(400, "validation", "the body is no JSON object", { hint: "send a JSON object" });
}

async function textOf(request: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunksOf(request, maxBytes)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** Reads what a response did without, up to that bound: the connection of a body that nobody reads can take no further request. */
export async function discardBody(request: Request, maxBytes: number): Promise<void> {
  if (request.body === null || request.bodyUsed) return;
  try {
    for await (const _ of chunksOf(request, maxBytes));
  } catch {
    // Whoever sends more than anybody reads, or leaves, has the response all the same.
  }
}

/** The chunks of a body, counted while they arrive: the length that a caller announces is only a claim. */
export async function* chunksOf({ body }: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  for (let size = 0; ; ) {
    const { done, value } = await reader.read().catch(brokenOff);
    if (done) return;
    size += value.byteLength;
    if (size > maxBytes) {
      void reader.cancel().catch(() => {});
      throw new Refused(413, "too_large", `the body is longer than ${maxBytes} bytes`);
    }
    yield value;
  }
}

/** A caller who leaves in the midst of it, or whose connection is lost, is no fault of the server's. */
function brokenOff(): never {
  throw new Refused(400, "validation", "the body has broken off before its end", { hint: "send it again" });
}
