// Starts a real llama-server with the tiny model of model.py for a test, and stops it again.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The name under which the server offers its model. */
export const MODEL = "stepweave-markov";

const START_TIMEOUT_MS = 20_000;

/**
 * Starts a server and waits until it answers.
 *
 * @param {object} [options]
 * @param {number} [options.port] The port on 127.0.0.1; a free one by default.
 * @param {string} [options.apiKey] What callers must send as their key; by default everyone may call.
 * @returns {Promise<{url: string, busySlots: () => Promise<number>, kill: () => void, stop: () => Promise<void>}>} `url` is what a client takes as its
 *   base URL (it ends in `/v1`); `busySlots` tells how many answers are being written; `kill` is a crash.
 */
export async function startLlama({ port, apiKey } = {}) {
  const guard = apiKey === undefined ? [] : ["--api-key", apiKey];
  const { server, model } = await builtFiles();
  const chosen = port ?? (await freePort());
  const child = spawn(
    server,
    ["--model", model, "--alias", MODEL, "--host", "127.0.0.1", "--port", `${chosen}`, "--offline", "--no-warmup", "--jinja",
      "--threads", "1", "--threads-batch", "1", "--parallel", "2", "--ctx-size", "16384", ...guard],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const log = lastLines(child);
  // A test runner that dies must not leave a server behind that holds its port.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async () => {
    process.off("exit", kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  try {
    await untilHealthy(`http://127.0.0.1:${chosen}/health`, child);
  } catch (error) {
    await stop();
    throw new Error(`llama-server did not start on port ${chosen}: ${error.message}\n${log()}`);
  }
  const asOwner = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const busySlots = async () => {
    const answer = await fetch(`http://127.0.0.1:${chosen}/slots`, { headers: asOwner });
    const slots = await answer.json();
    return slots.filter((slot) => slot.is_processing).length;
  };
  return { url: `http://127.0.0.1:${chosen}/v1`, busySlots, kill, stop };
}

/** Where the server and the model are; builds them when the cache does not have them yet. */
async function builtFiles() {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const script = join(root, "tests/live/llama/build.sh");
  const cache = process.env.STEPWEAVE_CACHE ?? join(root, ".cache");
  const build = promisify(execFile)(script, [join(cache, "llama")]);
  build.child.stderr.pipe(process.stderr);
  const [server, model] = (await build).stdout.trim().split("\n");
  return { server, model };
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

async function untilHealthy(url, child) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`it ended with ${child.exitCode ?? child.signalCode}`);
    }
    // Refused connections and the 503 of a loading model both mean: not yet.
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await sleep(50);
  }
  throw new Error(`no answer from ${url} in ${START_TIMEOUT_MS / 1000} s`);
}

function lastLines(child) {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      text = (text + chunk).slice(-2000);
    });
  }
  return () => text;
}
