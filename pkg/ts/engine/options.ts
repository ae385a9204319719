import { StepweaveError } from "../errors.js";
import { refuseUnknown } from "../options.js";
import type { Clock, Fetch, RunOptions } from "../types.js";
import { realClock } from "./clock.js";
import { copyPatch, merge, NotJson } from "./json.js";
import type { Program } from "./program.js";
import { SecretTable } from "./secrets.js";

/** The options of a run, checked. */
export interface Settings {
  readonly state: object;
  readonly secrets: SecretTable;
  readonly clock: Clock;
  readonly fetch: Fetch | undefined;
  readonly signal: AbortSignal | undefined;
}

const OPTIONS = ["state", "secrets", "signal", "fetch", "clock", "sessionId", "userId", "tenantId", "metadata", "dependencies"];

/** Checks the options of a run; throws `validation`. */
export function settingsOf(options: RunOptions, program: Program): Settings {
  if (typeof options !== "object") throw wrong("the options of a run must be an object", "write workflow.run({ state: { … } })");
  refuseUnknown(options, OPTIONS, "a run");
  const { signal, fetch, clock } = options;
  if (signal !== undefined && signal !== null && typeof signal.addEventListener !== "function") {
    throw wrong("the option `signal` is no AbortSignal", "pass controller.signal, not the controller");
  }
  if (fetch !== undefined && typeof fetch !== "function") throw wrong("the option `fetch` is no function", "pass (url, init) => Promise<Response>");
  if (clock !== undefined && (typeof clock?.now !== "function" || typeof clock.sleep !== "function")) {
    throw wrong("the option `clock` needs now() and sleep()", "leave it out to use the real time");
  }
  return {
    state: stateFor(options.state, program.initialState),
    secrets: new SecretTable(program.secrets, options.secrets),
    clock: clock ?? realClock,
    fetch,
    signal: signal ?? undefined,
  };
}

function stateFor(given: unknown, initial: object): object {
  if (given === undefined || given === null) return initial;
  if (typeof given !== "object") throw wrong("the option `state` must be an object", "write workflow.run({ state: { topic: \"bees\" } })");
  try {
    return merge(initial, copyPatch(given, "state"));
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw wrong(`the option \`state\` is not plain JSON: ${error.message}`, error.hint.replace(/^return /, "pass "));
  }
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
