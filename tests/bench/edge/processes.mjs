// The processes that measure themselves, and the one that answers as a model.
import { fork } from "node:child_process";
import { once } from "node:events";

/** Has a module measure itself in a process of its own, which then ends. */
export async function measured(module, measure, options) {
  const process = fork(new URL("child.mjs", import.meta.url), [new URL(module, import.meta.url).href], { execArgv: ["--expose-gc"] });
  try {
    await answerOf(process, module);
    process.send({ measure, options });
    return await answerOf(process, module);
  } finally {
    process.kill();
  }
}

async function answerOf(process, module) {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const [{ value, error }] = await Promise.race([
      once(process, "message", { signal }),
      once(process, "exit", { signal }).then(([code]) => {
        throw new Error(`${module} ended with ${code}`);
      }),
    ]);
    if (error !== undefined) throw new Error(`${module}: ${error}`);
    return value;
  } finally {
    ended.abort();
  }
}

/** Calls `use` with the address of a model that answers in so many pieces. */
export async function withModel(pieces, use) {
  const process = fork(new URL("model.mjs", import.meta.url), [String(pieces)]);
  try {
    const [{ origin }] = await once(process, "message");
    return await use(origin);
  } finally {
    process.disconnect();
  }
}
