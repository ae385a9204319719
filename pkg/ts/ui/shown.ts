import { reading } from "../schema/options.js";
import { partsIn, type AnswerMetadata } from "./chunk.js";

/**
 * The parts of a message without those of answers that were requested again.
 *
 * ```ts
 * const [message] = messages;
 * for (const part of shownParts(message)) console.log(part.type);
 * ```
 */
export function shownParts<Part extends { readonly type: string }>(message: { readonly parts: readonly Part[] }): Part[] {
  const parts = partsIn(message);
  const dropped = new Set(parts.flatMap((part) => (answerOf(part)?.dropped === true ? [answerOf(part)?.answer] : [])));
  return parts.filter((part) => !dropped.has(answerOf(part)?.answer));
}

function answerOf(part: object): AnswerMetadata["stepweave"] | undefined {
  return reading("a part of a message", () => (part as { readonly providerMetadata?: Partial<AnswerMetadata> | null }).providerMetadata?.stepweave ?? undefined);
}
