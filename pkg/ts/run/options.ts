import type { Limits } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { ByteStore } from "../api/files.js";
import type { Clock, Fetch, RunOptions } from "../api/run.js";
import { realClock } from "../effects/clock.js";
import { fetchFor } from "../effects/recording.js";
import { deciderFor, originsFor, type OwnOrigins, type Reach } from "../effects/reach.js";
import { secretsOf, type BoundSecret, type SecretTable } from "../effects/secrets.js";
import { relayOf, type Through } from "../effects/through.js";
import { type Trace, traceOf } from "../effects/trace.js";
import { copyJson, copyPatch, EMPTY, type Redact } from "../json/copy.js";
import { NotJson } from "../json/not-json.js";
import { merge } from "../json/patch.js";
import { plain } from "../json/wide.js";
import { optionsFrom, quoted, signalFrom } from "../schema/options.js";
import { limitsFor, ownLimits, type OwnLimits } from "./limits.js";
import { RUN_OPTIONS } from "./option-names.js";

/** What the options of a run are checked against. */
export interface Source {
  readonly document: unknown;
  readonly initialState: object;
  readonly secrets: ReadonlyMap<string, BoundSecret>;
  /** The addresses that code itself has named. */
  readonly origins: OwnOrigins;
}

/** The options of a run, checked. */
export interface Settings {
  readonly state: object;
  readonly secrets: SecretTable;
  readonly clock: Clock;
  readonly fetch: Fetch | undefined;
  readonly signal: AbortSignal | undefined;
  /** Takes secrets out of texts, where there are any. */
  readonly redact: Redact;
  /** What people answered, by key. */
  readonly answers: Map<string, unknown> | undefined;
  /** The outputs of steps that are not run; false where the caller wants none, undefined where nothing is said. */
  readonly pins: object | false | undefined;
  /** How long a wait may be that happens in memory. */
  readonly longWaitMs: number;
  /** Whether a state was given with the run. */
  readonly hasState: boolean;
  /** The random seed, if one is given. */
  readonly seed: number | undefined;
  /** What the run's own code bounds it by. */
  readonly limits: Limits | undefined;
  /** The limits that are kept on this side of the engine. */
  readonly own: OwnLimits;
  /** Where requests may go. */
  readonly reach: Reach;
  /** What the requests of the document go through. */
  readonly relay: () => Promise<Through | undefined>;
  /** The trace that requests belong to. */
  readonly trace: Trace | undefined;
  /** What has the bytes of files. */
  readonly files: ByteStore | undefined;
}

/** The options of a run that is given none. */
export const NO_OPTIONS: RunOptions = Object.freeze({});

/** Whom and what a run is for. */
const NAMES = ["sessionId", "userId", "tenantId", "owner"] as const;

/** Checks the options of a run; throws `validation`. */
export function settingsOf(given: RunOptions, program: Source): Settings {
  const options = optionsFrom(given, RUN_OPTIONS, "a run");
  const { signal, fetch, clock } = options;
  if (fetch !== undefined && typeof fetch !== "function") throw wrong("the option `fetch` is no function", "pass (url, init) => Promise<Response>");
  if (clock !== undefined && (typeof clock?.now !== "function" || typeof clock.sleep !== "function")) {
    throw wrong("the option `clock` needs now() and sleep()", "leave it out to use the real time");
  }
  const limits = limitsFor(options.limits, "a run");
  for (const name of NAMES) {
    const id = options[name] ?? "none";
    if (typeof id !== "string" || id === "") throw wrong(`the option \`${name}\` is ${quoted(id)}, and no id`, "pass an id of your own as a text, or leave it out");
  }
  const { longWaitMs = Infinity } = options;
  if (typeof longWaitMs !== "number" || !(longWaitMs >= 0)) throw wrong(`the option \`longWaitMs\` is ${quoted(longWaitMs)}`, "write milliseconds, such as 60_000, or leave it out");
  if (options.longWaitMs !== undefined && options.journal === undefined && options.store === undefined) {
    throw wrong("a run with `longWaitMs` needs a journal, or nobody could resume it", "pass a `store`, or journal: true");
  }
  const secrets = secretsOf(program.secrets, options.secrets);
  const redact = secrets.isEmpty ? undefined : (text: string) => secrets.redact(text);
  return {
    state: stateFor(options.state, program.initialState, redact),
    seed: seedFor(options.seed),
    hasState: options.state !== undefined && options.state !== null,
    secrets,
    redact,
    answers: answersFor(options.answers, redact),
    pins: pinsFor(options.pins, program.document, redact),
    longWaitMs,
    clock: clock ?? realClock,
    fetch: fetchFor(fetch, secrets),
    signal: signalFrom(signal),
    limits,
    own: ownLimits(program.document, limits),
    reach: { own: program.origins, allowed: originsFor(options.allowOrigins, "a run"), secrets, decide: deciderFor(options.mayReach, "a run") },
    relay: relayOf(options.relay),
    trace: traceOf(options.trace),
    files: bytesFor(options.files, "a run"),
  };
}

/** A random seed for runs without one. */
export function anySeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}

function seedFor(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "number" && Number.isInteger(given) && given >= 0 && given < 2 ** 32) return given;
  throw wrong("the option `seed` is no whole number from 0 to 4294967295", "leave it out to let chance decide");
}

function answersFor(given: unknown, redact: Redact): Map<string, unknown> | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== "object" || Array.isArray(given)) throw wrong("the option `answers` must be an object", "write answers: { [key]: value } with the keys of result.pending");
  return plainJson("an answer", () => new Map(Object.entries(given).map(([key, answer]) => [key, copyJson(answer, `answers[${JSON.stringify(key)}]`, undefined, redact)])));
}

/** What has the bytes of files; throws `validation` for what has none. */
export function bytesFor(given: unknown, who: string): ByteStore | undefined {
  if (given === undefined) return undefined;
  if (typeof (given as Partial<ByteStore> | null)?.get === "function") return given as ByteStore;
  throw wrong(`the option \`files\` of ${who} is ${quoted(given)}, which keeps no bytes`, "pass the store that the files were read into");
}

function pinsFor(given: unknown, document: unknown, redact: Redact): Settings["pins"] {
  if (given === undefined || given === false) return given;
  const pins = given === true ? ((document as { pins?: unknown } | null | undefined)?.pins ?? EMPTY) : given;
  if (typeof pins !== "object" || pins === null || Array.isArray(pins)) throw wrong(`the option \`pins\` is ${quoted(given)}`, 'write pins: true to use the pins of the document, or pins: { [step]: output } with the ids of steps');
  return plainJson("a pinned output", () => copyJson(pins, "pins", undefined, redact) as object);
}

function stateFor(given: unknown, initial: object, redact: Redact): object {
  // What the workflow begins with was copied before this run's secrets were known.
  const begins = redact === undefined ? initial : copyPatch(initial, "state", redact);
  if (given === undefined || given === null) return begins;
  if (typeof given !== "object") throw wrong("the option `state` must be an object", "write workflow.run({ state: { topic: \"bees\" } })");
  const own = plainJson("the option `state`", () => copyPatch(given, "state", redact));
  return begins === EMPTY ? own : plain(merge(begins, own));
}

/** What is read of an option; throws `validation` for what JSON cannot hold. */
function plainJson<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw wrong(`${what} is not plain JSON: ${error.message}`, error.hintTo("pass"));
  }
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
