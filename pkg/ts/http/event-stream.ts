import type { RunEvent } from "../api/events.js";
import { publicEvent } from "../api/public-event.js";

/** How long nothing may be sent: proxies and load balancers close a connection that is silent for longer. */
const SILENCE_MS = 15_000;

/**
 * The events of a run as server-sent events in their public form, those after the number `after`. Resolves with the first
 * of them, so that what cannot run at all still gets a status that says so. `leave` is called when the reader goes away.
 */
export async function eventStream(events: AsyncIterable<RunEvent>, after: number, leave: () => void, headers: Readonly<Record<string, string>>): Promise<Response> {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<RunEvent>> | undefined = Promise.resolve(await iterator.next());
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          next ??= iterator.next();
          const given = await within(next, SILENCE_MS);
          if (given === undefined) return controller.enqueue(encoder.encode(": waiting\n\n"));
          next = undefined;
          if (given.done === true) return controller.close();
          const shown = given.value.seq > after ? publicEvent(given.value) : undefined;
          if (shown !== undefined) return controller.enqueue(encoder.encode(`id: ${shown.seq}\nevent: ${shown.type}\ndata: ${JSON.stringify(shown)}\n\n`));
        }
      },
      async cancel() {
        leave();
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no", ...headers } });
}

/** What a promise gives, or nothing when that takes longer. */
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
