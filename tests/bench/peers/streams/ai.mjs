import "../production.mjs";
import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";

export function reader(origin) {
  const openai = createOpenAI({ baseURL: `${origin}/v1`, apiKey: "none" });
  return async () => {
    let length = 0;
    for await (const piece of streamText({ model: openai.chat("gpt-5-mini"), prompt: "Say it" }).textStream) length += piece.length;
    return length;
  };
}
