// The language the tests are written in.
import { buildSync } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** How many turns of the event loop in a row are quick when nothing goes on, how many milliseconds a quick one takes, and how many slow ones are waited for. */
const QUIET = 3;
const QUICK_MS = 5;
const MOST_SLOW = 200;

/** Time that passes only when nothing else can go on, also on a machine so busy that a run gives way to others while its steps begin. */
export function virtualClock(start = 1000) {
  let now = start;
  const sleepers = [];
  let looking = false;
  const look = (quiet, slow) => {
    looking = true;
    const at = performance.now();
    setImmediate(() => {
      // Threads read what a step needs, and may have less of the machine than this one.
      if (process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"))) look(0, slow);
      else if (performance.now() - at > QUICK_MS && slow < MOST_SLOW) look(0, slow + 1);
      else if (quiet < QUIET) look(quiet + 1, slow);
      else wake();
    });
  };
  const wake = () => {
    looking = false;
    if (sleepers.length === 0) return;
    sleepers.sort((a, b) => a.until - b.until);
    const { until, resolve } = sleepers.shift();
    now = Math.max(now, until);
    resolve();
    if (sleepers.length > 0) look(0, 0);
  };
  return {
    now: () => now,
    advance: (ms) => void (now += ms),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = { until: now + ms, resolve };
        sleepers.push(sleeper);
        signal.addEventListener("abort", () => {
          const place = sleepers.indexOf(sleeper);
          if (place >= 0) sleepers.splice(place, 1);
          resolve();
        });
        if (!looking) look(0, 0);
      }),
  };
}

/** All events of a run. */
export async function eventsOf(run) {
  const events = [];
  for await (const event of run.events) events.push(event);
  return events;
}

/** The error that a promise rejects with. */
export async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not reject");
}

/** A promise that the test settles. */
export function deferred() {
  let resolve;
  let reject;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** After everything that can go on by itself has gone on, also a run that gives way to others. */
export async function turn() {
  for (let count = 0; count < 20; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A module of the sources that no entry exports, or what several of them export: `{ "./path.ts": ["name"] }`. */
export async function internal(wanted) {
  const modules = typeof wanted === "string" ? { [`./${wanted}`]: ["*"] } : wanted;
  const contents = Object.entries(modules).map(([path, names]) => `export ${names[0] === "*" ? "*" : `{ ${names.join()} }`} from ${JSON.stringify(path)};`).join("\n");
  const { outputFiles } = buildSync({
    stdin: { contents, loader: "ts", resolveDir: join(here, "..", "ts") },
    bundle: true,
    format: "esm",
    write: false,
    platform: "neutral",
    external: ["#*"],
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

/** A fetch that answers every call with this stream of texts; a function among them is called in its turn. */
export function answering(parts, { status = 200, headers = {} } = {}) {
  const calls = [];
  const fetch = async (url, init) => {
    calls.push({ url, init });
    const encoder = new TextEncoder();
    const queue = [...parts];
    const body = new ReadableStream({
      async pull(controller) {
        const part = queue.shift();
        if (part === undefined) return controller.close();
        controller.enqueue(encoder.encode(typeof part === "function" ? await part() : part));
      },
    });
    return new Response(body, { status, headers: { "content-type": "text/event-stream", ...headers } });
  };
  return Object.assign(fetch, { calls });
}

/** One piece of an OpenAI stream. */
export const piece = (content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

/** The end of an OpenAI stream. */
export const END = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 3, completion_tokens: 2 } })}\n\ndata: [DONE]\n\n`;

/** A generator of numbers that gives the same ones each time. */
export function random(seed) {
  return () => {
    seed = (seed * 1664525 + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

/** What a call throws. */
export function thrown(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("it did not throw");
}
