export { answersOf } from "../ui/answers.js";
export type { AnswerMetadata, ApprovalData, CallMetadata, RunMetadata, StepData, UIMessageChunk, UIMessageLike } from "../ui/chunk.js";
export { conversationOf } from "../ui/conversation.js";
export { toUIMessages, type RestoredMessage, type RestoredPart, type RestoreOptions } from "../ui/messages.js";
export { chatTransport, type ChatReply, type ChatRunOptions, type ChatTurn, type ChatWorkflow, type LocalChatTransport } from "../ui/transport.js";
export { toUIMessageStreamResponse } from "../ui/response.js";
export { shownParts } from "../ui/shown.js";
export { toUIMessageStream, type UIMessageSource } from "../ui/stream.js";
export type { UIMessageStreamOptions } from "../ui/options.js";
