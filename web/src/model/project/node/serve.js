// The workflow as it is served, at a free port of this machine and over a folder of its own.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverOf } from "../src/http.js";
import { served } from "../src/served.js";

const keys = «key names»;

export async function serve(environment) {
  const folder = await mkdtemp(join(tmpdir(), "runs-"));
  const refused = [];
  const refuse = async (request) => {
    refused.push(new Request(request).url);
    return new Response("refused by the test", { status: 400 });
  };
  const set = Object.fromEntries(keys.map((name) => [name, "a-key-of-the-tests"]));
  const running = served({ ...set, ...environment }, { folder, fetch: refuse });
  const server = serverOf(running.fetch).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${server.address().port}`;
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { fetch: (url, init) => fetch(new URL(new URL(url).pathname, origin), init), refused, stop };
}
