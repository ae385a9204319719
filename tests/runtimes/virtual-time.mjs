// Time that passes one timer at a time, and only when nothing else can go on.

/** How many turns of the event loop must bring nothing before time passes. */
const QUIET_TURNS = 4;

/** How long, in real milliseconds, nothing must come before a run that waits without a timer is given up. */
const PATIENCE_MS = 5_000;

const LOOK_AGAIN_MS = 20;

/** The virtual time of one run. It begins at 0. */
export class VirtualTime {
  #now = 0;
  #count = 0;
  #activity = 0;
  #timers = [];

  /** What a run takes as its `clock`. */
  get clock() {
    return { now: () => this.#now, sleep: (ms, signal) => this.wait(ms, signal) };
  }

  /** Lets time pass in which nothing happens. */
  skip(ms) {
    this.#now += ms;
  }

  /** Something happened: time must not pass yet. */
  note() {
    this.#activity += 1;
  }

  /** Resolves when this many milliseconds are over, or when the signal aborts. */
  wait(ms, signal) {
    return new Promise((resolve) => {
      const cancel = this.after(ms, resolve);
      signal?.addEventListener("abort", () => {
        cancel();
        resolve();
      });
    });
  }

  /** Calls back when this many milliseconds are over; returns what prevents it. */
  after(ms, act) {
    this.note();
    this.#count += 1;
    const timer = { due: this.#now + ms, order: this.#count, act };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Waits until the runtime has nothing left to do but to let time pass. */
  async untilQuiet() {
    for (let seen = -1; seen !== this.#activity; ) {
      seen = this.#activity;
      await imported();
      for (let turns = 0; turns < QUIET_TURNS; turns += 1) await turn();
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /** Waits for something that virtual time cannot see, a file that is on its way on a busy machine; false when nothing came. */
  async isStirred() {
    const seen = this.#activity;
    for (let waited = 0; waited < PATIENCE_MS && seen === this.#activity; waited += LOOK_AGAIN_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    return seen !== this.#activity;
  }

  /** Lets time pass until the next timer, and fires it; false when there is none. */
  pass() {
    const [next] = this.#timers.sort((one, other) => one.due - other.due || one.order - other.order);
    if (next === undefined) return false;
    this.#timers.shift();
    this.#now = next.due;
    this.note();
    next.act();
    return true;
  }
}

/** How many imports follow each other at most before a run begins: each begins once the one before it is there. */
const IMPORTS = 4;

/**
 * Resolves after the imports that were begun before it, and those that these lead to. Those of a page take tasks of their
 * own, also when the module is there already, and a busy browser runs them after many others.
 */
async function imported() {
  if (typeof document === "undefined") return;
  for (let imports = 0; imports < IMPORTS; imports += 1) await import(/* @vite-ignore */ import.meta.url);
}

/** The shortest turn of the event loop that the runtime has. */
function turn() {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") {
      setImmediate(resolve);
    } else if (typeof MessageChannel === "function") {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    } else {
      setTimeout(resolve);
    }
  });
}
