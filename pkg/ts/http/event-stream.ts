import type { RunEvent } from "../api/events.js";
import type { Run } from "../api/run.js";
import type { PublicEvent } from "../api/public-event.js";
import type { Shown } from "./shown.js";

/** How long nothing may be sent: proxies and load balancers close a connection that is silent for longer, and Bun one of 10 seconds. */
const SILENCE_MS = 8000;

/** Writes the public events of one run as server-sent events. */
export interface EventWriter {
  /** What the response's headers have besides those of every stream. */
  readonly headers: Readonly<Record<string, string>>;
  /** The frames that an event leads to, of which `whole` has what is not for callers; an empty text where it leads to none. */
  write(event: PublicEvent, whole: RunEvent): string;
  /** The frames that were held back, when nothing comes for a while, or at the end. */
  rest?(): string;
  /** The frames that end the stream of a run that cannot be read on; where it is absent, the connection breaks. */
  fail?(error: unknown): string;
}

/**
 * The events of a run as they are shown to this reader, and as this writer writes them. Resolves with the first of them, so that what cannot
 * run at all still gets a status that says so. `leave` is called when the reader goes away.
 */
export async function eventStream({ events, result }: Pick<Run, "events" | "result">, writer: EventWriter, leave: () => void, headers: Readonly<Record<string, string>>, shownTo: Shown): Promise<Response> {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  const first = await iterator.next();
  // A run that does not fit its journal says so behind its first events, and at once.
  await Promise.race([result, new Promise((resolve) => setTimeout(resolve))]);
  let next: Promise<IteratorResult<RunEvent>> | undefined = Promise.resolve(first);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          for (;;) {
            next ??= iterator.next();
            const given = await within(next, SILENCE_MS);
            if (given === undefined) return controller.enqueue(encoder.encode(writer.rest?.() || ": waiting\n\n"));
            next = undefined;
            if (given.done === true) {
              const rest = writer.rest?.() ?? "";
              if (rest !== "") controller.enqueue(encoder.encode(rest));
              return controller.close();
            }
            // Whoever has the last event finds the run as that says, in the store too.
            if ("result" in given.value) await result.catch(() => {});
            const shown = await shownTo(given.value);
            const frames = shown === undefined ? "" : writer.write(shown, given.value);
            if (frames !== "") return controller.enqueue(encoder.encode(frames));
          }
        } catch (error) {
          if (writer.fail === undefined) throw error;
          controller.enqueue(encoder.encode(writer.fail(error)));
          controller.close();
        }
      },
      async cancel() {
        leave();
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no", ...writer.headers, ...headers } });
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
