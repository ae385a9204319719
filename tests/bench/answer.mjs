import { once } from "node:events";

/** The next value that a process of these benchmarks sends, or why there is none; `what` says which process is to give what. */
export async function answerOf(process, what) {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const [{ value, error }] = await Promise.race([
      once(process, "message", { signal }),
      once(process, "exit", { signal }).then(([code]) => {
        throw new Error(`${what} ended with ${code}`);
      }),
    ]);
    if (error !== undefined) throw new Error(`${what}: ${error}`);
    return value;
  } finally {
    ended.abort();
  }
}
