import type { AnswerMetadata } from "./chunk.js";

/**
 * The parts of a message without those of answers that were requested again.
 *
 * ```ts
 * const [message] = messages;
 * for (const part of shownParts(message)) console.log(part.type);
 * ```
 */
export function shownParts<Part extends { readonly type: string }>(message: { readonly parts: readonly Part[] }): Part[] {
  const dropped = new Set(message.parts.flatMap((part) => (answerOf(part)?.dropped === true ? [answerOf(part)?.answer] : [])));
  return message.parts.filter((part) => !dropped.has(answerOf(part)?.answer));
}

function answerOf(part: object): AnswerMetadata["stepweave"] | undefined {
  return (part as { readonly providerMetadata?: Partial<AnswerMetadata> }).providerMetadata?.stepweave;
}
