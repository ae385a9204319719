import type { Clock } from "../api/run.js";
import { StepweaveError } from "../api/errors.js";
import { quoted } from "../schema/options.js";

/** How often in a row it is seen that nobody has looked at the clock, before its time passes, and how far apart. */
const LOOKS = 4;
const APART_MS = 5;

/** A look that comes later than this says that the machine is busy, as with loading what a step needs: it counts for nothing, up to so many. */
const LATE_MS = 10;
const MOST_LATE = 200;

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/**
 * A clock for tests, whose time passes when nothing else goes on: a run waits for a day in a few milliseconds. Give it to runs
 * that call nothing that takes a while, as scripted models and pins do not: of a request to a real endpoint the time limits
 * would be over at once.
 *
 * ```ts
 * const { state } = await workflow.run({ clock: testClock() });
 * ```
 */
export function testClock(start = 0): Clock {
  if (!Number.isFinite(start)) throw new StepweaveError("validation", `testClock() begins at ${quoted(start)}`, { hint: "write milliseconds since 1970, such as Date.UTC(2030, 0, 1)" });
  let now = start;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const sleepers = new Set<Sleeper>();
  const pass = (): void => {
    timer = undefined;
    const first = [...sleepers].reduce<Sleeper | undefined>((first, one) => (first === undefined || one.until < first.until ? one : first), undefined);
    if (first === undefined) return;
    sleepers.delete(first);
    now = Math.max(now, first.until);
    first.wake();
    wait();
  };
  const wait = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (sleepers.size > 0) look(0, 0);
  };
  const look = (quiet: number, late: number): void => {
    const due = performance.now() + APART_MS;
    timer = setTimeout(() => {
      if (isReading()) look(0, late);
      else if (performance.now() - due > LATE_MS && late < MOST_LATE) look(0, late + 1);
      else if (quiet + 1 < LOOKS) look(quiet + 1, late);
      else pass();
    }, APART_MS);
  };
  return {
    now: () => {
      if (timer !== undefined) wait();
      return now;
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper: Sleeper = { until: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          wait();
          resolve();
        });
        wait();
      }),
  };
}

/** Whether the program reads a file, such as one that a step needs. Only Node says so: its threads that read may have less of the machine than this one. */
function isReading(): boolean {
  const { process } = globalThis as { readonly process?: { getActiveResourcesInfo?(): readonly string[] } };
  return process?.getActiveResourcesInfo?.().some((name) => name.startsWith("FSReq")) === true;
}
