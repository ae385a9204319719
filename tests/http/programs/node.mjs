import { createServer } from "node:http";
import { Readable } from "node:stream";
import served from "./served.mjs";

const server = createServer(async (incoming, outgoing) => {
  const hasBody = incoming.method !== "GET" && incoming.method !== "DELETE";
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method,
    headers: Object.entries(incoming.headers),
    ...(hasBody && { body: Readable.toWeb(incoming), duplex: "half" }),
  });
  const response = await served.fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
