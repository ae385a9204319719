import { optionsFrom, reading } from "../schema/options.js";
import type { UIMessageStreamOptions } from "./options.js";
import type { UIMessageSource } from "./stream.js";
import { toUIMessageStream } from "./stream.js";
import { MESSAGE } from "./options.js";

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  // Proxies that gather answers would hold the words back.
  "x-accel-buffering": "no",
};

/** What the answer itself may have, and what its message. */
const INIT = ["status", "statusText", "headers", ...MESSAGE];

/**
 * The answer of a chat's endpoint: a run as {@link toUIMessageStream} gives it, as server-sent events. When the
 * connection is closed, the run is cancelled.
 *
 * ```ts
 * export async function POST(request: Request) {
 *   const { messages } = await request.json();
 *   const run = workflow.start({ state: { messages }, signal: request.signal });
 *   return toUIMessageStreamResponse(run);
 * }
 * ```
 */
export function toUIMessageStreamResponse(run: UIMessageSource, init: ResponseInit & UIMessageStreamOptions = {}): Response {
  const { status, statusText, headers, ...options } = optionsFrom(init, INIT, "toUIMessageStreamResponse()");
  const all = reading("the headers of toUIMessageStreamResponse()", () => new Headers(headers));
  const reader = toUIMessageStream(run, options).getReader();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        controller.enqueue(encoder.encode(`data: ${done ? "[DONE]" : JSON.stringify(value)}\n\n`));
        if (done) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  for (const [name, value] of Object.entries(HEADERS)) if (!all.has(name)) all.set(name, value);
  return reading("the options of toUIMessageStreamResponse()", () => new Response(body, { status: status ?? 200, ...(statusText !== undefined && { statusText }), headers: all }));
}
