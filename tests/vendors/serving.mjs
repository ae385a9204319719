// A standard `fetch` behind a real HTTP server, for as long as it is used.
import { createServer } from "node:http";
import { Readable } from "node:stream";

/** Serves what `answer` gives for a request and the bytes of its body, on any port unless one is named, and uses the origin. */
export async function serving(answer, use, port = 0) {
  const http = createServer(async (request, response) => {
    const body = Buffer.concat(await Readable.from(request).toArray());
    const { method, headers, url } = request;
    const answered = await answer(new Request(`http://${headers.host}${url}`, { method, headers, ...(body.length > 0 && { body }) }), body, headers);
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    if (answered.body) for await (const chunk of answered.body) response.write(chunk);
    response.end();
  }).listen(port, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  try {
    await use(`http://127.0.0.1:${http.address().port}`);
  } finally {
    http.closeAllConnections();
    http.close();
  }
}
