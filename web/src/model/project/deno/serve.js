// The workflow as it is served, over a folder of its own. The tests have no rights to the network.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { served } from "../src/served.js";

const keys = «key names»;

export async function serve(environment) {
  const folder = await mkdtemp(join(tmpdir(), "runs-"));
  const refused = [];
  const fetch = async (request) => {
    refused.push(new Request(request).url);
    return new Response("refused by the test", { status: 400 });
  };
  const set = Object.fromEntries(keys.map((name) => [name, "a-key-of-the-tests"]));
  const running = served({ ...set, ...environment }, { folder, fetch });
  const stop = async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { fetch: (url, init) => running.fetch(new Request(url, init)), refused, stop };
}
