import { Agent, openai } from "stepweave";

/** Reads an answer as a user of the package does. */
export function reader(origin) {
  const agent = new Agent({ name: "writer", model: openai("gpt-5-mini", { baseUrl: `${origin}/v1` }) });
  return async () => {
    let length = 0;
    for await (const piece of agent.start("Say it").textStream) length += piece.length;
    return length;
  };
}
