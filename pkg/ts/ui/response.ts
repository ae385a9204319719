import type { UIMessageStreamOptions } from "./options.js";
import type { UIMessageSource } from "./stream.js";
import { toUIMessageStream } from "./stream.js";

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  // Proxies that gather answers would hold the words back.
  "x-accel-buffering": "no",
};

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
  const { status, statusText, headers, ...options } = init;
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
  const all = new Headers(headers);
  for (const [name, value] of Object.entries(HEADERS)) if (!all.has(name)) all.set(name, value);
  return new Response(body, { status: status ?? 200, ...(statusText !== undefined && { statusText }), headers: all });
}
