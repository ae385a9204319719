import type { Agent } from "../api/agent.js";
import type { ChatMessage } from "../api/conversation.js";
import { StepweaveError } from "../api/errors.js";
import type { Journal } from "../api/journal.js";
import type { RunOptions } from "../api/run.js";
import type { Workflow } from "../api/workflow.js";
import { kindOf, optionsFrom, reading } from "../schema/options.js";
import { answersOf } from "./answers.js";
import type { UIMessageChunk, UIMessageLike } from "./chunk.js";
import { conversationOf } from "./conversation.js";
import { MESSAGE, type UIMessageStreamOptions } from "./options.js";
import { toUIMessageStream, type UIMessageSource } from "./stream.js";

/** What a chat wants answered. */
export interface ChatTurn {
  readonly chatId: string;
  /** All messages of the chat. */
  readonly messages: readonly UIMessageLike[];
  /** The same as a conversation, which ends with the user's last message. */
  readonly conversation: readonly ChatMessage[];
  /** For the run: its signal, and, when a person has answered, the journal of the run that waited and the answers. */
  readonly options: ChatRunOptions;
}

/** What a run is given that answers a chat: also one in a worker takes it. */
export interface ChatRunOptions extends Pick<RunOptions, "signal" | "answers"> {
  journal?: true | Journal | undefined;
  /** For a workflow: the user's last message as `input`, and those before it as `messages`. */
  state?: { input: unknown; messages: readonly ChatMessage[] } | undefined;
}

/** A workflow, or whatever begins a run as one does. */
export interface ChatWorkflow {
  start(options: ChatRunOptions): UIMessageSource;
}

/** Begins the run that answers. */
export type ChatReply = (turn: ChatTurn) => UIMessageSource;

/** What `useChat` sends its messages through. */
export interface LocalChatTransport {
  sendMessages(request: { readonly chatId: string; readonly messages: readonly UIMessageLike[]; readonly abortSignal?: AbortSignal | undefined }): Promise<ReadableStream<UIMessageChunk>>;
  reconnectToStream(request: { readonly chatId: string }): Promise<null>;
}

/**
 * Answers the chats of `useChat` where they are, without a server: by an agent, by a workflow, or by any run.
 *
 * ```ts
 * const transport = chatTransport(agent); // useChat({ transport })
 * ```
 *
 * A workflow finds the user's last message under `input` and the messages before it under `messages`: a step with
 * `inputFrom: "{{ input }}"` and `history: { key: "messages" }` continues the chat. One in a worker is
 * `{ start: (options) => engine.start(document, options) }`; for anything else pass a function. Runs that wait for a person are resumed when the chat has the answers.
 */
export function chatTransport(workflow: ChatWorkflow, options?: UIMessageStreamOptions): LocalChatTransport;
export function chatTransport(answerer: Agent | Workflow | ChatReply, options?: UIMessageStreamOptions): LocalChatTransport;
export function chatTransport(answerer: Agent | Workflow | ChatWorkflow | ChatReply, options: UIMessageStreamOptions = {}): LocalChatTransport {
  const how = optionsFrom(options, MESSAGE, "chatTransport()");
  const reply = reading("what answers a chat", () => replyOf(answerer));
  /** The last turn of each chat, with the journal of its run while that can go on. */
  const turns = new Map<string, { journal?: Journal }>();
  return {
    async sendMessages(request) {
      const { chatId, messages, signal, last, size } = reading("the request of a chat", () => requestOf(request));
      const journal = last?.role === "assistant" ? turns.get(chatId)?.journal : undefined;
      const resumed = journal === undefined ? {} : { journal, answers: answersOf(messages) };
      const conversation = conversationOf(messages.slice(0, size));
      const run = reply({ chatId, messages, conversation, options: { ...resumed, ...(journal === undefined && { journal: true }), ...(signal !== undefined && { signal }) } });
      const turn: { journal?: Journal } = {};
      turns.set(chatId, turn);
      const keep: UIMessageStreamOptions["onFinish"] = (result) => {
        // A run that a person has answered goes on where it failed or was stopped: one begun anew would do again what it has done.
        const goesOn = result.status === "suspended" || (journal !== undefined && result.status !== "done");
        // One that was stopped before it was taken up has none of its own.
        const kept = result.journal ?? journal;
        if (goesOn && kept !== undefined) turn.journal = kept;
        else if (turns.get(chatId) === turn) turns.delete(chatId);
        return how.onFinish?.(result);
      };
      return toUIMessageStream(run, { ...how, onFinish: keep, ...(journal !== undefined && { continues: last }) });
    },
    // A run lives in this page, and ends with it.
    reconnectToStream: async () => null,
  };
}

interface Request {
  readonly chatId: string;
  readonly messages: readonly UIMessageLike[];
  readonly signal: AbortSignal | undefined;
  readonly last: UIMessageLike | undefined;
  /** How many messages there are up to the user's last one. */
  readonly size: number;
}

function requestOf(request: { readonly chatId: string; readonly messages: readonly UIMessageLike[]; readonly abortSignal?: AbortSignal | undefined }): Request {
  const { chatId, messages, abortSignal: signal } = Object(request) as typeof request;
  if (typeof chatId !== "string" || !Array.isArray(messages)) {
    throw new StepweaveError("validation", `the request of a chat has ${kindOf(chatId)} as its chatId and ${kindOf(messages)} as its messages`, { hint: "pass { chatId, messages } as useChat has them" });
  }
  const known = [...(messages as readonly UIMessageLike[])];
  if (known.some((message) => typeof message !== "object" || message === null)) throw new StepweaveError("validation", "the request of a chat has a message that is no object", { hint: "pass messages as useChat has them" });
  return { chatId, messages: known, signal, last: known.at(-1), size: known.findLastIndex(({ role }) => role === "user") + 1 };
}

function replyOf(answerer: Agent | ChatWorkflow | ChatReply): ChatReply {
  if (typeof answerer === "function") return answerer;
  if (typeof answerer?.start !== "function") {
    throw new StepweaveError("validation", `chatTransport() needs an agent, a workflow or a function, and was given ${kindOf(answerer)}`, { hint: "write chatTransport(agent), or chatTransport(({ conversation, options }) => agent.start(conversation, options))" });
  }
  if ("model" in answerer) return ({ conversation, options }) => answerer.start(conversation, options);
  return ({ conversation, options }) => {
    const messages = conversation.slice(0, -1);
    return (answerer as ChatWorkflow).start({ ...options, state: { messages, input: inputOf(conversation.at(-1)) } });
  };
}

function inputOf(message: ChatMessage | undefined): unknown {
  return message?.role === "user" ? message.content : "";
}
