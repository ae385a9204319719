// What runs inside the interpreter, beside the code of the user. It is bundled into a separate script; nothing of
// the host can be reached from here but `log`.
import { copyJson, copyPatch } from "../json/copy.js";
import { NotJson } from "../json/not-json.js";

type UserCode = (state: object, ctx: { log(message: unknown): void }) => Promise<unknown>;

/** How a run of the code ended: `w` while it still waits, else a character that says what follows it. */
type Ending = string;

// Taken before any code of the user runs, which may replace them.
const { freeze, keys, setPrototypeOf } = Object;
const { parse, stringify } = JSON;
const { apply } = Reflect;
const { then } = Promise.prototype;
const toText = String;
const { toWellFormed } = String.prototype as unknown as { toWellFormed(): string };

let ending: (() => Ending) | undefined;

/** Removes what differs between runs, and gives what the host calls. */
export function guest(log: (message: string) => void): (order: string, code: UserCode | string, state: unknown) => unknown {
  takeAway();
  const ctx = freeze({
    log: (message: unknown) => {
      const text = typeof message === "object" && message !== null ? stringify(message) : toText(message);
      // Half a character, which cutting an emoji in two leaves, is no text outside.
      log(stringify(apply(toWellFormed, text, [])));
    },
  });
  return (order, given, state) => {
    switch (order) {
      case "state":
        return frozen(parse(given as string));
      case "patch":
      case "value": {
        const report = order === "patch" ? patch : output;
        const promise = (given as UserCode)(state as object, ctx);
        apply(then, promise, [
          (value: unknown) => (ending = () => report(value)),
          (thrown: unknown) => (ending = () => `e${stringify(described(thrown))}`),
        ]);
        return undefined;
      }
      case "describe":
        return `s${stringify(described(given))}`;
      default:
        return ending === undefined ? "w" : concluded(ending);
    }
  };
}

function patch(value: unknown): Ending {
  if (value === undefined || value === null) return "n";
  if (typeof value !== "object") return `r${shown(value)}`;
  return `p${stringify(copyPatch(value, "patch"))}`;
}

function output(value: unknown): Ending {
  return `v${stringify(copyJson(value ?? null, "output"))}`;
}

function concluded(end: () => Ending): Ending {
  try {
    return end();
  } catch (error) {
    if (error instanceof NotJson) {
      const { message, hint, cause } = error;
      return `j${stringify(bare({ message, hint, cause: cause === undefined ? null : described(cause) }))}`;
    }
    return `e${stringify(described(error))}`;
  }
}

/** An error's name, text and stack; for anything else that is thrown, what it looks like. */
function described(thrown: unknown): object {
  if (typeof thrown !== "object" || thrown === null) return bare({ thrown: shown(thrown) });
  try {
    const { name, message, stack } = thrown as { name?: unknown; message?: unknown; stack?: unknown };
    if (message === undefined && stack === undefined) return bare({ thrown: shown(thrown) });
    return bare({ name: toText(name), message: toText(message), stack: toText(stack) });
  } catch {
    return bare({ thrown: "a value that cannot be shown" });
  }
}

/** Without a prototype, to which code may have given a `toJSON`. */
function bare(object: object): object {
  return setPrototypeOf(object, null) as object;
}

function shown(value: unknown): string {
  try {
    if (typeof value === "function") return "a function";
    const text = typeof value === "object" || typeof value === "string" ? stringify(value) : toText(value);
    return text.length > 200 ? `${text.slice(0, 200)}…` : text;
  } catch {
    return "a value that cannot be shown";
  }
}

function frozen(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const key of keys(value)) frozen((value as Record<string, unknown>)[key]);
  return freeze(value);
}

function takeAway(): void {
  // What shows when memory is collected, and what would wait for another thread.
  for (const name of ["WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics"]) {
    delete (globalThis as Record<string, unknown>)[name];
  }
  const missing = (name: string, hint: string) => {
    throw new Error(`${name} is not there in a code step, since the run may be repeated and must come to the same: ${hint}`);
  };
  const RealDate = Date;
  const clock = "put the time into the state, or use a function step of your own";
  function NewDate(this: unknown, ...parts: unknown[]) {
    if (new.target === undefined) return missing("Date()", clock);
    if (parts.length === 0) return missing("new Date() without a time", clock);
    return Reflect.construct(RealDate, parts, new.target);
  }
  Object.defineProperties(NewDate, {
    name: { value: "Date", configurable: true },
    length: { value: 7, configurable: true },
    prototype: { value: RealDate.prototype, writable: false },
    now: { value: () => missing("Date.now()", clock), configurable: true, writable: true },
    parse: { value: RealDate.parse, configurable: true, writable: true },
    UTC: { value: RealDate.UTC, configurable: true, writable: true },
  });
  for (const [target, name, value] of [
    [globalThis, "Date", NewDate],
    [RealDate.prototype, "constructor", NewDate],
    [Math, "random", () => missing("Math.random()", "put a random value into the state, or use a function step of your own")],
  ] as const) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: false });
  }
}
