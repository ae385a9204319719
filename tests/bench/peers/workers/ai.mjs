import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";

export default {
  async fetch(_request, { ORIGIN }) {
    const openai = createOpenAI({ baseURL: `${ORIGIN}/v1`, apiKey: "none" });
    const { text } = await generateText({ model: openai.chat("gpt-5-mini"), prompt: "Say it" });
    return new Response(text);
  },
};
