import { StepweaveError } from "../api/errors.js";
import type { Json } from "../api/document.js";
import type { FormFiles } from "../api/files.js";
import type { JournalStore, RunStatus } from "../api/journal.js";
import { isObject } from "../api/json.js";
import type { Pending, SuspendedResult } from "../api/results.js";
import { ApprovalLinks } from "./links.js";
import { hostFrom, pageOriginFrom } from "./names.js";
import { PROTOCOLS, type StreamProtocol } from "./protocol.js";
import { runOptionsFrom, type OptionsOfRuns } from "./run-options.js";
import { servedStore } from "./served-store.js";
import { telling } from "./told.js";
import { DOCUMENTS_OF_RUNS, type DocumentOfRuns } from "../journal/documents.js";
import { STATUSES } from "../journal/summary.js";
import { optionsFrom, quoted, reading } from "../schema/options.js";

/** Says who calls, as a text of your own such as a user's id. Nobody: `undefined`, `null` or `false`, which is answered with 401. */
export type Authorize = (request: Request) => Principal | PromiseLike<Principal>;

type Principal = string | undefined | null | false;

/** The statuses of runs that nothing goes on in. */
export type KeptStatus = Exclude<RunStatus, "running">;

/** A run that waits for a person. */
export interface WaitingRun {
  readonly runId: string;
  /** Whose run it is. */
  readonly principal: string;
  /** What is asked: `mayAnswer` is called about each question by itself. */
  readonly pending: readonly Pending[];
}

/** A server has to say who may call. */
export type WhoMayCall = { authorize: Authorize } | { public: boolean };

/** What only a store makes possible comes with one. */
type WithStore = { store: JournalStore } | { links?: undefined; keepMs?: undefined };

/** The options of `handler()`. */
export type HandlerOptions = ServerOptions & WhoMayCall & WithStore;

/** The options of a server, each by itself. */
export interface ServerOptions {
  /** Says who calls. Runs belong to their principal, and nobody else sees them. */
  authorize?: Authorize | undefined;
  /** `true` lets everyone start runs, at your expense. Required where `authorize` is absent. */
  public?: boolean | undefined;
  /** Whether this principal may answer for a run. By default the one to whom it belongs may, and nobody else. */
  mayAnswer?: ((principal: string, run: WaitingRun) => boolean | PromiseLike<boolean>) | undefined;
  /** Where runs are kept. With a store a run goes on when its caller leaves; without one it is cancelled. */
  store?: JournalStore | undefined;
  /**
   * Further options of each run, such as `secrets`, `limits`, `longWaitMs` and `dependencies`. A function gets no request when
   * a run is resumed at a time. With `authorize` the principal is the `userId` of a run for which this names none.
   */
  run?: OptionsOfRuns | undefined;
  /**
   * Called when a run has begun to wait for people: to write a mail, for example. `pending` has what nobody has been asked yet. With `links`, `link` makes the address at
   * which a person gives this answer to the approval of this key. What it throws goes to `onError`, and it is called again
   * later, as where its process ends: what is the same then is `runId` with the `key` of each of `pending`.
   */
  onSuspended?: ((result: SuspendedResult, principal: string, link: (key: string, answer: Json) => Promise<string>) => unknown) | undefined;
  /** Makes links with which people answer without a token: `approvalLinks({ secrets, url })`. Needs a store. */
  links?: ApprovalLinks | undefined;
  /** Receives every error in full; callers receive its public form. `console.error` by default, and for one for which this throws. */
  onError?: ((error: unknown, request: Request | undefined) => unknown) | undefined;
  /** How long the journals of runs with this status are kept after their last entry, in milliseconds: `wake()` deletes older ones, but none of a run whose time is still to come. By default they stay. */
  keepMs?: { readonly [Status in KeptStatus]?: number | undefined } | undefined;
  /** The path before `/runs`, such as `/api/flow`; none by default. */
  path?: string | undefined;
  /** Origins whose pages may call, such as `https://app.example`. Pages of the handler's own origin always may. */
  origins?: readonly string[] | undefined;
  /** The hosts under which requests are accepted, such as `localhost:8787`. Set it on a machine of your own, where another site's name may be made to lead. */
  hosts?: readonly string[] | undefined;
  /**
   * In which form events are streamed to requests that accept `text/event-stream` without a `protocol`; `events` by default.
   * With `ui-message-stream` or `ag-ui`, `POST /runs` also takes the bodies that clients of that protocol send.
   */
  stream?: StreamProtocol | undefined;
  /**
   * With which document a run goes on that waited while another one was deployed: `begun`, the default, the one that it began
   * with, which the store keeps; or `newest`, where what it has done is unchanged. Its functions are the deployed ones.
   */
  document?: DocumentOfRuns | undefined;
  /** How many bytes a body may have; 256 KiB by default. */
  maxBodyBytes?: number | undefined;
  /**
   * Takes files: `POST /runs` also reads forms (`multipart/form-data`), whose files become lists in the state. Write
   * `files: formFiles()` with that of `stepweave/files`. By default forms are refused.
   */
  files?: FormFiles | undefined;
  /** How many runs may go on at once, in this instance; 100 by default. */
  maxRuns?: number | undefined;
}

const KEYS = ["authorize", "public", "mayAnswer", "store", "run", "onSuspended", "onError", "path", "origins", "hosts", "stream", "maxBodyBytes", "maxRuns", "keepMs", "links", "document", "files"];
const FUNCTIONS = ["authorize", "mayAnswer", "onSuspended", "onError"] as const;
const NUMBERS = ["maxBodyBytes", "maxRuns"] as const;
const LISTS = ["origins", "hosts"] as const;

/** The options as they are used. */
export interface Settings extends Omit<ServerOptions, "public" | "origins" | "hosts"> {
  readonly path: string;
  readonly origins: ReadonlySet<string>;
  readonly hosts: ReadonlySet<string> | undefined;
  readonly stream: StreamProtocol;
  readonly document: DocumentOfRuns;
  readonly maxBodyBytes: number;
  readonly maxRuns: number;
  readonly onError: (error: unknown, request?: Request) => Promise<void>;
}

/** Checks the options, of handler() or of another function that has some of them; throws `validation`. */
export function settingsOf(options: ServerOptions, of = "handler()"): Settings {
  return reading(`the options of ${of}`, () => checked(options, of));
}

function checked(options: ServerOptions, of: string): Settings {
  const wrong = (name: string, value: unknown, hint: string): StepweaveError => wrongOption(of, name, value, hint);
  const { public: isPublic, ...given } = optionsFrom(options, KEYS, of) as ServerOptions;
  for (const name of FUNCTIONS) if (given[name] !== undefined && typeof given[name] !== "function") throw wrong(name, given[name], "write a function");
  for (const name of NUMBERS) if (given[name] !== undefined && !(Number.isInteger(given[name]) && (given[name] as number) > 0)) throw wrong(name, given[name], "write a whole number above 0");
  for (const name of LISTS) if (given[name] !== undefined && !(Array.isArray(given[name]) && given[name].every((item) => typeof item === "string"))) throw wrong(name, given[name], "write a list of texts");
  const named = (name: "origins" | "hosts", from: (text: string) => string | undefined, hint: string): Set<string> | undefined =>
    given[name] && new Set(given[name].map((text, index) => {
      const known = from(text);
      if (known === undefined) throw wrong(`${name}[${index}]`, text, hint);
      return known;
    }));
  const origins = named("origins", pageOriginFrom, 'write what browsers send, such as "https://app.example", without a path; there is no sign that stands for all');
  const hosts = named("hosts", hostFrom, 'write a host, such as "flow.example" or "localhost:8787", without https:// and a path');
  if (given.run !== undefined && typeof given.run !== "function" && (typeof given.run !== "object" || given.run === null)) throw wrong("run", given.run, "write an object, or a function that gives one");
  if (isPublic !== undefined && typeof isPublic !== "boolean") throw wrong("public", isPublic, "write true or leave it out");
  if (given.authorize === undefined && isPublic !== true) {
    throw new StepweaveError("validation", `${of} does not say who may call`, {
      hint: 'write authorize: bearer({ me: token }), a function of your own, or public: true to let everyone start runs',
    });
  }
  if (given.authorize !== undefined && isPublic === true) {
    throw new StepweaveError("validation", `${of} has both \`authorize\` and \`public: true\``, { hint: "leave one of the two out" });
  }
  checkKept(given);
  if (given.links !== undefined && !(given.links instanceof ApprovalLinks)) throw wrong("links", given.links, "write approvalLinks({ secrets, url })");
  if (given.files !== undefined && !(typeof given.files?.read === "function" && Number.isSafeInteger(given.files.maxTotalBytes))) throw wrong("files", given.files, 'write formFiles(), with that of "stepweave/files"');
  if (given.links !== undefined && given.store === undefined) throw new StepweaveError("validation", "handler() has `links` and no `store`", { hint: "give it a `store`: without one no run waits" });
  const { path = "", store, stream = "events", document = "begun" } = given;
  if (!PROTOCOLS.includes(stream)) throw wrong("stream", stream, `write ${PROTOCOLS.map((name) => `"${name}"`).join(", ")}`);
  if (!DOCUMENTS_OF_RUNS.includes(document)) throw wrong("document", document, 'write "begun" or "newest"');
  if (typeof path !== "string" || !/^(?:\/[^/?#]+)*\/?$/.test(path)) throw wrong("path", path, 'write it like "/api/flow"');
  if (store !== undefined && (["load", "append", "list"] as const).some((name) => typeof store?.[name] !== "function")) {
    throw wrong("store", store, 'use one of "stepweave/stores", or an object with load, append, list and delete');
  }
  return {
    ...given,
    run: typeof given.run === "object" ? runOptionsFrom(given.run, of) : given.run,
    path: path.replace(/\/$/, ""),
    store: store && servedStore(store),
    stream,
    document,
    origins: origins ?? new Set(),
    hosts,
    maxBodyBytes: given.maxBodyBytes ?? 256 * 1024,
    maxRuns: given.maxRuns ?? 100,
    onError: telling(given.onError),
  };
}

/** Checks for how long journals are kept. */
function checkKept({ keepMs, store }: ServerOptions): void {
  if (keepMs === undefined) return;
  const known = STATUSES.filter((status) => status !== "running");
  if (!isObject(keepMs) || Object.entries(keepMs).some(([status, ms]) => !known.includes(status as KeptStatus) || !(ms === undefined || (Number.isFinite(ms) && (ms as number) >= 0)))) {
    throw wrongOption("handler()", "keepMs", keepMs, `write milliseconds by status: ${known.join(", ")}`);
  }
  if (store === undefined) throw new StepweaveError("validation", "handler() has `keepMs` and no `store`", { hint: "leave it out: without a store nothing is kept" });
}

/** The error of an option that is not what it should be. */
export function wrongOption(of: string, name: string, value: unknown, hint: string): StepweaveError {
  return new StepweaveError("validation", `the option \`${name}\` of ${of} is ${quoted(value)}`, { hint });
}
