import { StepweaveError } from "../api/errors.js";
import type { RunEvent } from "../api/events.js";
import { refuseUnknown } from "../schema/options.js";
import type { UIMessageChunk } from "./chunk.js";
import type { UIMessageStreamOptions } from "./options.js";
import { MessageWriter } from "./writer.js";

/** What can be shown: a run, or the events of one. */
export type UIMessageSource = { readonly events: AsyncIterable<RunEvent>; cancel(reason?: unknown): void } | AsyncIterable<RunEvent>;

/**
 * A run as the AI SDK's UI message stream: what `useChat` reads, without needing the package `ai`.
 *
 * ```ts
 * const stream = toUIMessageStream(workflow.start({ state: { question } }));
 * ```
 *
 * Each answer of a model is a step of the message with its text, its reasoning and its tool calls; each step of the
 * workflow is a part `data-step`; the usage is in the metadata. Cancelling the stream cancels the run.
 */
export function toUIMessageStream(run: UIMessageSource, options: UIMessageStreamOptions = {}): ReadableStream<UIMessageChunk> {
  refuseUnknown(options, ["messageId", "continues", "approvals", "shows", "errorText"], "toUIMessageStream()");
  const { approvals = "tool" } = options;
  if (approvals !== "tool" && approvals !== "data") {
    throw new StepweaveError("validation", `toUIMessageStream() knows no approvals ${String(approvals)}`, { hint: 'write approvals: "tool" or "data"' });
  }
  const events: Partial<AsyncIterable<RunEvent>> | undefined = (run as { events?: AsyncIterable<RunEvent> } | undefined)?.events ?? (run as AsyncIterable<RunEvent>);
  if (typeof events?.[Symbol.asyncIterator] !== "function") {
    throw new StepweaveError("validation", "toUIMessageStream() needs a run or its events", { hint: "write toUIMessageStream(workflow.start(…))" });
  }
  const writer = new MessageWriter(options);
  const iterator = (events as AsyncIterable<RunEvent>)[Symbol.asyncIterator]();
  return new ReadableStream<UIMessageChunk>(
    {
      async pull(controller) {
        for (let chunks: readonly UIMessageChunk[] = []; chunks.length === 0; ) {
          let isLast: boolean;
          try {
            const { done, value } = await iterator.next();
            isLast = done === true || "result" in value;
            chunks = done === true ? writer.end() : writer.write(value);
          } catch (error) {
            // A reader that receives it as an error of the stream would never show why.
            chunks = writer.fail(error);
            isLast = true;
          }
          for (const chunk of chunks) controller.enqueue(chunk);
          if (isLast) return controller.close();
        }
      },
      async cancel(reason) {
        if ("events" in run) run.cancel(reason ?? "its message is not read any more");
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
