// The endpoint, in a process of its own, which outlives those that send to it. It counts what it carries out, and ends the
// process that sends at the moment that the request names:
//
//   node endpoint.mjs
//
// Its port goes to standard output. GET gives all that arrived.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** What arrived: the operation, its idempotency key, and the life that sent it. */
const arrivals = [];

const server = createServer(async (request, response) => {
  if (request.method === "GET") return response.end(JSON.stringify(arrivals));
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { "idempotency-key": key, "x-life": life, "x-end": end, "x-process": sender } = request.headers;
  const { operation } = JSON.parse(Buffer.concat(chunks));
  const endAt = (moment) => {
    if (end === moment) process.kill(Number(sender), "SIGKILL");
  };
  arrivals.push({ operation, key, life: Number(life) });
  endAt("arrived");
  await sleep(arrivals.length % 4);
  const answer = JSON.stringify({ operation, carriedOut: arrivals.length });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) });
  response.write(answer.slice(0, 10));
  endAt("answering");
  await sleep(arrivals.length % 3);
  response.end(answer.slice(10), () => endAt("answered"));
});

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
