import type { Usage } from "./usage.js";
import type { MediaPart } from "./conversation.js";

/** The complete answer of an agent step with `fullResponse`. */
export interface AgentResponse<Output = any> extends AnswerExtras {
  readonly text: string;
  /** The JSON value, where the agent has an `output`. */
  readonly output?: Output;
  /** The model's reasoning, if its endpoint exposes it. */
  readonly reasoning?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: any }[];
  readonly usage?: Usage;
  /** Why it ended: `stop`, `length`, `toolCalls`, `filtered`, `refused` or `other`. */
  readonly finishReason: string;
  /** The model that answered, which may be a fallback. */
  readonly model: string;
}

/** What a model's answer has besides its text. */
export interface AnswerExtras {
  /** The endpoint's id of the answer, if it sends one. */
  readonly responseId?: string;
  /** The sources of the answer, if the endpoint sends them: pages of a search, passages of documents. */
  readonly sources?: readonly AnswerSource[];
  /** The images and other files that the model produced. */
  readonly files?: readonly MediaPart[];
}

/** A page or a document that an answer cites. */
export interface AnswerSource {
  readonly url?: string;
  readonly title?: string;
  /** The quoted passage. */
  readonly text?: string;
}
