// A server with OpenAI's chat completions, in a process of its own: it answers in so many pieces.
//   node model.mjs PIECES
import { createServer } from "node:http";

const PIECES = Number(process.argv[2]);

const chunk = (delta, more = {}) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-5-mini", choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;

const words = ["It is ", "said. "];
const answer = [
  chunk({ role: "assistant", content: "" }),
  ...Array.from({ length: PIECES }, (_, index) => chunk({ content: words[index % 2] })),
  chunk({}, { finish_reason: "stop" }),
  "data: [DONE]\n\n",
].join("");

const whole = {
  id: "chatcmpl-1", object: "chat.completion", created: 1, model: "gpt-5-mini",
  choices: [{ index: 0, message: { role: "assistant", content: "It is said. " }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 },
};

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const { stream } = JSON.parse(Buffer.concat(parts));
  response.writeHead(200, { "content-type": stream === true ? "text/event-stream" : "application/json" });
  response.end(stream === true ? answer : JSON.stringify(whole));
});

server.listen(0, "127.0.0.1", () => process.send({ value: `http://127.0.0.1:${server.address().port}` }));
process.on("disconnect", () => process.exit());
