import { Agent, openai } from "stepweave";

export default {
  async fetch(_request, { ORIGIN }) {
    const agent = new Agent({ name: "writer", model: openai("gpt-5-mini", { baseUrl: `${ORIGIN}/v1` }) });
    const { text } = await agent.run("Say it");
    return new Response(text);
  },
};
