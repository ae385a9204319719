import { StepweaveError } from "../api/errors.js";
import type { Clock } from "../api/run.js";

/** The real time. */
export const realClock: Clock = Object.freeze({
  now: () => Date.now(),
  sleep: (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      // Longer waits overflow the timers of every runtime and would end at once.
      const timer = setTimeout(resolve, Math.min(ms, 2 ** 31 - 1));
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
});

const settled = Promise.resolve();

/** Calls back after the current synchronous code. It must not throw. `queueMicrotask` would do the same in longer. */
export function soon(act: () => void): void {
  void settled.then(act);
}

/** Calls back when the runtime has had a turn: pages can paint, timers and other runs come first. */
export function afterTurn(resume: () => void): void {
  const scope = globalThis as { setImmediate?: (callback: () => void) => void };
  if (typeof scope.setImmediate === "function") {
    scope.setImmediate(resume);
  } else if (typeof MessageChannel === "function") {
    // Unlike a timer, a message is not held back by pages that are nested deep or out of sight.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resume();
    };
    port2.postMessage(undefined);
  } else {
    setTimeout(resume);
  }
}

/** The error of a run whose clock gives no time. */
export function brokenClock(what: string, cause: unknown): StepweaveError {
  return new StepweaveError("validation", `the option \`clock\` does not work: ${what}`, {
    cause,
    hint: "now() gives milliseconds as a number, sleep(ms, signal) gives a promise, and has now() advance by ms",
  });
}
