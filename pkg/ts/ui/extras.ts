import type { AnswerExtras, AnswerSource } from "../api/answer.js";
import type { MediaPart } from "../api/conversation.js";
import type { AnswerMetadata, UIMessageChunk } from "./chunk.js";

/** What an answer has besides its text, as chunks of the message; `answer` says which answer it is. */
export function chunksOf({ sources = [], files = [] }: AnswerExtras, answer: string): UIMessageChunk[] {
  return [...sources.map((source, index) => sourceChunk(source, `${answer}.source${index + 1}`, answer)), ...files.flatMap((file) => fileChunk(file, answer))];
}

/** A page is one only under an address that a browser may follow: models write addresses too. */
function sourceChunk({ url, title, text }: AnswerSource, sourceId: string, answer: string): UIMessageChunk {
  const providerMetadata: AnswerMetadata = { stepweave: { answer, ...(text !== undefined && { text }) } };
  if (url !== undefined && isOfWeb(url)) return { type: "source-url", sourceId, url, ...(title !== undefined && { title }), providerMetadata };
  return { type: "source-document", sourceId, mediaType: "text/plain", title: title ?? url ?? text ?? "", providerMetadata };
}

function fileChunk({ mediaType, data, url }: MediaPart, answer: string): UIMessageChunk[] {
  const address = data === undefined ? url : `data:${mediaType};base64,${data}`;
  if (address === undefined || (data === undefined && !isOfWeb(address))) return [];
  return [{ type: "file", url: address, mediaType, providerMetadata: { stepweave: { answer } } }];
}

function isOfWeb(url: string): boolean {
  return /^https?:\/\//i.test(url);
}
