// A server with OpenAI's chat completions, in a process of its own: a short answer, or so many pieces of one.
import { createServer } from "node:http";

const PIECES = Number(process.argv[2]);

const chunk = (delta, more = {}) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-5-mini", choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;

const words = ["the ", "quick ", "brown ", "fox ", "jumps ", "over ", "a ", "lazy ", "dog. "];
const answer = [
  chunk({ role: "assistant", content: "" }),
  ...Array.from({ length: PIECES }, (_, index) => chunk({ content: words[index % words.length] })),
  chunk({}, { finish_reason: "stop" }),
  "data: [DONE]\n\n",
].join("");

const whole = {
  id: "chatcmpl-1", object: "chat.completion", created: 1, model: "gpt-5-mini",
  choices: [{ index: 0, message: { role: "assistant", content: "It is said." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 },
};

const server = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const { stream } = JSON.parse(Buffer.concat(pieces));
  if (stream === true) {
    // Whoever runs in the process asks for its stream by a name of its own: all others are asked for a short one.
    const short = request.headers["x-pieces"] === undefined;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(short ? [chunk({ role: "assistant", content: "It is said." }), chunk({}, { finish_reason: "stop" }), "data: [DONE]\n\n"].join("") : answer);
  } else {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(whole));
  }
});

server.listen(0, "127.0.0.1", () => process.send({ origin: `http://127.0.0.1:${server.address().port}` }));
process.on("disconnect", () => process.exit());
