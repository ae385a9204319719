import type { RunEvent } from "../api/events.js";
import { publicError } from "../api/public-error.js";
import { answersOf } from "../ui/answers.js";
import { conversationOf } from "../ui/conversation.js";
import type { UIMessageChunk, UIMessageLike } from "../ui/chunk.js";
import { MessageWriter } from "../ui/writer.js";
import { checkKeys, type Input } from "./input.js";
import { chatOf } from "./chat.js";
import { Refused } from "./problem.js";
import type { Beginning, Protocol } from "./protocol.js";

/** What `useChat` sends besides what a program adds. */
const OWN = ["id", "messages", "trigger", "messageId"];

/** The AI SDK's UI message stream, and the bodies that `useChat` sends. */
export const UI_MESSAGE: Protocol = {
  async read(body, input) {
    const { messages } = body;
    if (messages !== undefined && !Array.isArray(messages)) throw new Refused(400, "validation", "`messages` of a chat is no list", { hint: "send messages as useChat has them" });
    const last = Array.isArray(messages) ? (messages.at(-1) as (UIMessageLike & { metadata?: { runId?: unknown } }) | undefined) : undefined;
    if (last?.role === "assistant" && typeof last.metadata?.runId === "string") {
      return { state: {}, resumes: { runId: last.metadata.runId, answers: answersOf([last]) } };
    }
    const state = Object.fromEntries(Object.entries(body).filter(([key]) => !OWN.includes(key) || isNamed(input, key)));
    if (Array.isArray(messages)) Object.assign(state, chatOf(conversationOf(messages as readonly UIMessageLike[]), input));
    await checkKeys(input, state);
    return { state };
  },
  writer({ runId, resumed }) {
    // Whoever answered has the message so far; it goes on under the id that it began with.
    const earlier: UIMessageLike | undefined = resumed && { id: runId, role: "assistant", parts: decided(resumed) };
    // Errors are public before they come to the writer.
    const writer = new MessageWriter({ messageId: runId, errorText: ({ message }) => message, ...(earlier !== undefined && { continues: earlier }) }, "public");
    return {
      headers: { "x-vercel-ai-ui-message-stream": "v1" },
      write(event, { replayed }) {
        const frames = framesOf(writer.write({ ...event, ...(replayed === true && { replayed }) } as RunEvent));
        return "result" in event ? `${frames}data: [DONE]\n\n` : frames;
      },
      fail: (error) => `${framesOf(writer.fail(publicError(error)))}data: [DONE]\n\n`,
    };
  },
};

/** Whether a program's own input has a key of this name, so that the body's is meant for it. */
function isNamed({ schema, keys }: Input, key: string): boolean {
  return key !== "messages" && schema !== undefined && keys?.has(key) === true;
}

/** The calls of tools that people have decided about, as they are in the message. */
function decided({ pending, answers }: NonNullable<Beginning["resumed"]>): UIMessageLike["parts"] {
  return pending.flatMap(({ key, tool }) => {
    const answer = answers[key] as boolean | { readonly approved?: unknown } | null | undefined;
    if (tool === undefined || answer === undefined) return [];
    const approved = answer === true || Object(answer).approved === true;
    return [{ type: `tool-${tool.name}`, toolCallId: key, state: "approval-responded", input: null, approval: { id: key, approved } }];
  });
}

function framesOf(chunks: readonly UIMessageChunk[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
}
