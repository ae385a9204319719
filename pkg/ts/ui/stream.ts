import { StepweaveError } from "../api/errors.js";
import type { RunEvent } from "../api/events.js";
import type { RunResult } from "../api/results.js";
import { optionsFrom, quoted, reading } from "../schema/options.js";
import type { UIMessageChunk } from "./chunk.js";
import { report } from "./guarded.js";
import type { UIMessageStreamOptions } from "./options.js";
import { MessageWriter } from "./writer.js";
import { MESSAGE } from "./options.js";

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
  const how = optionsFrom(options, MESSAGE, "toUIMessageStream()");
  const { approvals = "tool" } = how;
  if (approvals !== "tool" && approvals !== "data") {
    throw new StepweaveError("validation", `toUIMessageStream() knows no approvals ${quoted(approvals)}`, { hint: 'write approvals: "tool" or "data"' });
  }
  for (const name of ["shows", "errorText", "onFinish"] as const) {
    if (how[name] !== undefined && typeof how[name] !== "function") throw new StepweaveError("validation", `the option \`${name}\` of toUIMessageStream() is no function`, { hint: "leave it out, or write a function" });
  }
  if (how.messageId !== undefined && typeof how.messageId !== "string") {
    throw new StepweaveError("validation", `the option \`messageId\` of toUIMessageStream() is ${quoted(how.messageId)}`, { hint: "leave it out, or pass the id of the message, a text" });
  }
  const writer = reading("the message to go on with", () => new MessageWriter(how));
  const iterator = reading("the run of toUIMessageStream()", () => iteratorOf(run));
  return new ReadableStream<UIMessageChunk>(
    {
      async pull(controller) {
        for (let chunks: readonly UIMessageChunk[] = []; chunks.length === 0; ) {
          let isLast: boolean;
          try {
            const { done, value } = await iterator.next();
            isLast = done === true || "result" in value;
            if (done !== true && "result" in value) await finished(how, value.result);
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

/** Passes the result on; what that throws is the message's error, which says no more than callers may read. */
async function finished({ onFinish }: UIMessageStreamOptions, result: RunResult): Promise<void> {
  try {
    await onFinish?.(result);
  } catch (thrown) {
    report("onFinish", thrown);
    throw thrown;
  }
}

function iteratorOf(run: UIMessageSource): AsyncIterator<RunEvent> {
  const events: Partial<AsyncIterable<RunEvent>> | undefined = (run as { events?: AsyncIterable<RunEvent> } | undefined)?.events ?? (run as AsyncIterable<RunEvent>);
  if (typeof events?.[Symbol.asyncIterator] !== "function") {
    throw new StepweaveError("validation", "toUIMessageStream() needs a run or its events", { hint: "write toUIMessageStream(workflow.start(…))" });
  }
  return (events as AsyncIterable<RunEvent>)[Symbol.asyncIterator]();
}
