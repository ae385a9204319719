import type { Usage } from "./events.js";
import type { MediaPart } from "./model-request.js";

/** The whole answer of an agent step with `fullResponse`. */
export interface AgentResponse<Output = any> {
  readonly text: string;
  /** The JSON value, where the agent has an `output`. */
  readonly output?: Output;
  /** What the model thought before, where its endpoint shows it. */
  readonly reasoning?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: any }[];
  readonly usage?: Usage;
  /** Why it ended: `stop`, `length`, `toolCalls`, `filtered`, `refused` or `other`. */
  readonly finishReason: string;
  /** The endpoint's name for the answer, where it gives one. */
  readonly responseId?: string;
  /** What the answer goes back to, where the endpoint says so: pages of a search, passages of documents. */
  readonly sources?: readonly AnswerSource[];
  /** The images and other files that the model made. */
  readonly files?: readonly MediaPart[];
  /** The model that answered, which may be a fallback. */
  readonly model: string;
}

/** A page or a document that an answer goes back to. */
export interface AnswerSource {
  readonly url?: string;
  readonly title?: string;
  /** What of it is quoted. */
  readonly text?: string;
}
