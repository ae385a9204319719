export { answersOf } from "./ui/answers.js";
export type { ApprovalData, RunMetadata, StepData, UIMessageChunk, UIMessageLike } from "./ui/chunk.js";
export { toUIMessageStreamResponse } from "./ui/response.js";
export { toUIMessageStream, type UIMessageSource, type UIMessageStreamOptions } from "./ui/stream.js";
