import "../production.mjs";
import OpenAI from "openai";

export function reader(origin) {
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: "none" });
  return async () => {
    let length = 0;
    const stream = await client.chat.completions.create({ model: "gpt-5-mini", messages: [{ role: "user", content: "Say it" }], stream: true });
    for await (const { choices } of stream) length += choices[0].delta.content?.length ?? 0;
    return length;
  };
}
