import type { WorkflowDocument } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import type { RunStatus } from "../api/journal.js";
import { publicResult } from "../api/public-event.js";
import type { RunResult } from "../api/results.js";
import type { Run, RunOptions } from "../api/run.js";
import { newId } from "../effects/ids.js";
import { isConflict } from "../journal/errors.js";
import type { Inspection } from "../journal/inspect.js";
import { STATUSES } from "../journal/summary.js";
import { objectOf } from "./body.js";
import type { Border } from "./border.js";
import { eventStream } from "./event-stream.js";
import type { Input } from "./input.js";
import { Linked } from "./linked.js";
import type { Settings } from "./options.js";
import { isEventId } from "./own-events.js";
import { principalOf } from "./principal.js";
import { changed, failed, isInputMisfit, isUnfit, ofRun, Refused } from "./problem.js";
import type { Beginning, Requested, StreamProtocol } from "./protocol.js";
import { acceptedOf, protocolOf } from "./protocols.js";
import type { HttpRun, HttpRuns } from "./responses.js";
import { idsOfKey, ofOthers, unknown, type Call, type ServedRuns } from "./served-runs.js";
import { entrustedOf, shownToAnswerer, shownToOwner, unkeptOf, wholeOf, type Answers, type Asked } from "./shown.js";

/** What a Worker passes along with a request: a run that goes on after its response is kept alive by it. */
export interface Context {
  waitUntil?(promise: Promise<unknown>): void;
}

const NO_STORE = { "cache-control": "no-store" };
/** That the caller does not wait, as it prefers (RFC 7240). */
const APPLIED = ["preference-applied", "respond-async"] as const;

/** The addresses of a served workflow. */
export class Service {
  readonly #document: WorkflowDocument;
  readonly #settings: Settings;
  readonly #runs: ServedRuns;
  readonly #linked: Linked;
  readonly #input: Input;

  constructor(document: WorkflowDocument, input: Input, settings: Settings, runs: ServedRuns) {
    this.#document = document;
    this.#input = input;
    this.#settings = settings;
    this.#runs = runs;
    this.#linked = new Linked(runs, settings);
  }

  async respond(request: Request, border: Border, context: Context | undefined): Promise<Response> {
    const url = new URL(request.url);
    border.checkHost(url);
    const { path, links } = this.#settings;
    if (!url.pathname.startsWith(`${path}/`)) throw nothing(path);
    const segments = url.pathname.slice(path.length + 1).split("/").map((segment) => decoded(segment, path));
    if (links !== undefined && segments[0] === "links" && segments.length === 2) {
      if (request.method !== "GET" && request.method !== "POST") throw notAllowed("GET, POST");
      // The address itself is the permission: neither a token nor the page it is sent from matters.
      return this.#linked.respond(request, segments[1] as string, links, this.#document.name, (run) => context?.waitUntil?.(run));
    }
    border.checkOrigin(request, url);
    if (request.method === "OPTIONS") return border.preflight();
    const [first, id, last, ...rest] = segments;
    if (rest.length > 0 || id === "" || last === "") throw nothing(path);
    if (id === undefined) {
      switch (`${request.method} ${first}`) {
        case "GET health":
          return Response.json({ status: "ok" }, { headers: NO_STORE });
        case "GET openapi.json":
          return Response.json((await import("./description.js")).descriptionOf(this.#document, this.#input, this.#settings), { headers: NO_STORE });
      }
    }
    if (first !== "runs") throw id === undefined && (first === "health" || first === "openapi.json") ? notAllowed("GET") : nothing(path);
    const call = { request, principal: await principalOf(request, this.#settings.authorize, "handler()") };
    const address = [id === undefined ? "runs" : "run", ...(last === undefined ? [] : [last])].join("/");
    switch (`${request.method} ${address}`) {
      case "POST runs":
        return this.#start(call, context);
      case "GET runs":
        return this.#list(call, url.searchParams);
      case "GET run":
        return this.#show(call, id as string);
      case "DELETE run":
        return this.#cancel(call, id as string);
      case "GET run/events":
        return this.#follow(call, id as string);
      case "POST run/answers":
        return this.#answer(call, id as string, context);
    }
    const allowed = { runs: "GET, POST", run: "GET, DELETE", "run/events": "GET", "run/answers": "POST" }[address];
    throw allowed === undefined ? nothing(path) : notAllowed(allowed);
  }

  async #start(call: Call, context: Context | undefined): Promise<Response> {
    const { stream } = this.#settings;
    const protocol = await protocolOf(acceptedOf(call.request, stream));
    const { state, resumes, names } = await protocol.read(await this.#given(call.request), this.#input);
    if (resumes !== undefined) return this.#resume(call, resumes.runId, () => resumes.answers, context, names);
    const key = call.request.headers.get("idempotency-key");
    if (this.#runs.store === undefined) {
      if (key !== null) throw new Refused(400, "validation", "idempotency keys need a store, and this workflow is served without one", { hint: "leave the header Idempotency-Key out" });
      return this.#driven(call, await this.#begun(call, { state }), context, { names });
    }
    if (key === null) return this.#driven(call, await this.#begun(call, { state, journal: newId() }), context, { names });
    const known = await idsOfKey(call.principal, key, this.#document.name);
    for (let tries = 1; ; tries += 1) {
      for (const id of known) {
        await this.#runs.starting(id);
        const live = this.#runs.live(id, call);
        if (live !== undefined) return this.#driven(call, live, context, { names });
        const stored = await this.#runs.stored(id, call);
        if (stored !== undefined) return this.#again(call, stored, names);
      }
      const run = await this.#begun(call, { state, journal: known[0] }).catch((error: unknown) => {
        // The same call at the same moment, here or in another instance, has begun the run: it is there now.
        if (tries < 3 && isTakenBefore(error)) return undefined;
        throw error;
      });
      if (run !== undefined) return this.#driven(call, run, context, { names });
    }
  }

  /** The response to a repeated call that started this run, as the first one was: events, or its result. */
  async #again(call: Call, stored: Inspection, names: Requested["names"]): Promise<Response> {
    const accepted = acceptedOf(call.request, this.#settings.stream);
    if (accepted !== undefined) return this.#at(stored.id, await this.#kept(call, stored, accepted, { names }));
    const response = this.#at(stored.id, await this.#standing(call, stored));
    // Of a run that has ended there is nothing to wait for.
    if (stored.status === "running" && prefersAsync(call.request.headers)) response.headers.set(...APPLIED);
    return response;
  }

  /** The response with the address of its run, where that is kept. */
  #at(id: string, response: Response): Response {
    if (this.#runs.store !== undefined) response.headers.set("location", `${this.#settings.path}/runs/${encodeURIComponent(id)}`);
    return response;
  }

  /** A new run, once its input is known to fit: of one whose input does not, nothing is kept. */
  async #begun(call: Call, options: RunOptions): Promise<Run> {
    const run = await this.#runs.start(call, options);
    const misfit = await inputMisfit(run);
    if (misfit === undefined) return run;
    await this.#runs.forget(run);
    throw await this.#input.own.whose(misfit, Object(options.state) as object);
  }

  /** What is posted: a JSON object, or a form with files. */
  async #given(request: Request): Promise<Readonly<Record<string, unknown>>> {
    const { maxBodyBytes, files } = this.#settings;
    if (!isForm(request)) return objectOf(request, maxBodyBytes);
    if (files === undefined) throw new Refused(415, "validation", "this workflow takes no forms", { hint: "send a JSON object as application/json" });
    // Workflows without files do not load what reads them.
    return (await import("./form.js")).formOf(request, files, maxBodyBytes, this.#input);
  }

  async #list({ principal }: Call, query: URLSearchParams): Promise<Response> {
    const { store } = this.#runs;
    if (store === undefined) throw new Refused(501, "not_found", "this workflow is served without a store, so no runs are listed");
    // Everyone is one principal then, and would see the runs of all.
    if (this.#settings.authorize === undefined) throw new Refused(403, "forbidden", "runs of a public workflow are not listed");
    const [status, limit, cursor] = [query.get("status") ?? undefined, wholeNumber(query.get("limit") ?? "100"), query.get("cursor") ?? undefined];
    if (status !== undefined && !(STATUSES as readonly string[]).includes(status)) throw new Refused(400, "validation", "there is no such status", { hint: `use ${STATUSES.join(", ")}` });
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new Refused(400, "validation", "`limit` is no number from 1 to 1000");
    const page = await this.#runs.page(store, { owner: principal, limit, status: status as RunStatus | undefined, cursor });
    const runs = page.runs.map(({ id, status, wakeAt, updatedAt }) => ({ runId: id, status, updatedAt, ...(wakeAt !== undefined && { wakeAt }) }));
    return Response.json({ runs, ...(page.cursor !== undefined && { cursor: page.cursor }) } satisfies HttpRuns, { headers: NO_STORE });
  }

  async #show(call: Call, id: string): Promise<Response> {
    if (this.#runs.live(id, call) !== undefined) return running({ runId: id }, NO_STORE);
    const stored = await this.#runs.stored(id, call);
    if (stored !== undefined) return this.#standing(call, stored);
    const entrusted = await this.#runs.entrusted(id, call);
    if (entrusted === undefined) throw unknown(id);
    const { status, pending, wakeAt, startedAt, updatedAt } = entrusted;
    // What else there is of the run is its owner's.
    return Response.json({ runId: id, status, pending, ...(wakeAt !== undefined && { wakeAt }), startedAt, updatedAt } satisfies HttpRun, { status: 202, headers: NO_STORE });
  }

  async #cancel(call: Call, id: string): Promise<Response> {
    const reason = "cancelled by its caller";
    const live = this.#runs.live(id, call);
    if (live === undefined) {
      const stored = await this.#runs.stored(id, call);
      if (stored === undefined) throw unknown(id);
      if (stored.status !== "running" && stored.status !== "suspended") throw new Refused(409, "conflict", "the run has ended", { hint: `its status is ${stored.status}` });
      await this.#runs.cancelStored(id, reason);
    } else {
      live.cancel(reason);
      await live.result;
    }
    return new Response(null, { status: 204 });
  }

  async #follow(call: Call, id: string): Promise<Response> {
    // One that is empty says as little as none.
    const after = call.request.headers.get("last-event-id") || undefined;
    if (after !== undefined && !isEventId(after)) throw new Refused(400, "validation", "the header Last-Event-ID is the id of no event", { hint: "send the `id` of the last event that has arrived, or leave it out" });
    const { stream } = this.#settings;
    const accepted = acceptedOf(call.request, stream) ?? stream;
    const live = this.#runs.live(id, call);
    if (live !== undefined) return eventStream(live, (await protocolOf(accepted)).writer({ runId: id, after }), () => {}, {}, shownToOwner(this.#asked(call, call.principal)));
    const stored = await this.#runs.stored(id, call);
    if (stored === undefined) throw unknown(id);
    return this.#kept(call, stored, accepted, { after });
  }

  /** The events of a run that stands still, as its journal has them. */
  async #kept(call: Call, { id, status }: Inspection, accepted: StreamProtocol, beginning: Omit<Beginning, "runId">): Promise<Response> {
    if (status === "running") throw new Refused(409, "conflict", "the run goes on in another process, or its process has ended", { hint: "try again later", headers: { "retry-after": "3" } });
    const writer = (await protocolOf(accepted)).writer({ ...beginning, runId: id });
    const replayed = async (): Promise<Response> => {
      const run = await this.#runs.replayed(id, call);
      return eventStream(run, writer, () => run.cancel("nobody reads its events"), {}, shownToOwner(this.#asked(call, call.principal)));
    };
    return this.#fitting(call, id, replayed());
  }

  async #answer(call: Call, id: string, context: Context | undefined): Promise<Response> {
    return this.#resume(call, id, () => objectOf(call.request, this.#settings.maxBodyBytes), context);
  }

  /** Answers a run that waits; the answers are read once it is known that the caller may give some. */
  async #resume(call: Call, id: string, given: () => Answers | Promise<Answers>, context: Context | undefined, names?: Requested["names"]): Promise<Response> {
    const { journal, pending, others, owner = "" } = await this.#runs.waiting(id, call);
    const answers = await given();
    const keys = Object.keys(answers);
    const other = keys.find((key) => !pending.some((approval) => approval.key === key));
    // Who else is asked what is for nobody but the run's owner.
    if (owner === call.principal && others.some(({ key }) => key === other)) throw ofOthers();
    if (other !== undefined || keys.length === 0) {
      const message = other === undefined ? "there is no answer in the body" : `the run does not wait for \`${other.slice(0, 100)}\``;
      throw new Refused(400, "validation", message, { hint: `send { key: answer } with ${pending.map(({ key }) => `\`${key}\``).join(" or ")}` });
    }
    // The run stays its owner's, whoever answers.
    const run = await this.#runs.start({ ...call, principal: owner }, { journal, answers });
    return this.#fitting(call, id, this.#driven(call, run, context, { names, resumed: { pending, answers } }, owner)).catch(async (error: unknown) => {
      throw isConflict(error) ? await this.#runs.refusal(id, keys) : error;
    });
  }

  /** The response, or the one that says that the workflow has changed too much. */
  async #fitting(call: Call, id: string, response: Promise<Response>): Promise<Response> {
    try {
      return await response;
    } catch (error) {
      throw isUnfit(error) ? await this.#unfit(call, ofRun(id, error)) : error;
    }
  }

  /** Reports to whoever serves the workflow why a run cannot continue, and returns what its caller receives. */
  async #unfit({ request }: Call, why: unknown): Promise<Refused> {
    await this.#settings.onError(why, request);
    return changed();
  }

  /** The response to whoever has started or resumed a run: its events, its result, or where it is to be found. */
  async #driven(call: Call, run: Run, context: Context | undefined, beginning: Omit<Beginning, "runId">, owner = call.principal): Promise<Response> {
    const { request } = call;
    const isKept = this.#runs.store !== undefined;
    if (isKept) context?.waitUntil?.(this.#runs.over(run));
    const accepted = acceptedOf(request, this.#settings.stream);
    const asked = this.#asked(call, owner);
    const answers = beginning.resumed?.answers ?? {};
    const isOwn = owner === call.principal;
    const isHurried = accepted === undefined && isKept && prefersAsync(request.headers);
    // A stream has begun with its first event: who was slower is told so before.
    if (beginning.resumed !== undefined && !isHurried) await this.#runs.taken(run);
    if (accepted !== undefined) {
      const writer = (await protocolOf(accepted)).writer({ ...beginning, runId: run.id });
      return this.#at(run.id, await eventStream(run, writer, () => isKept || run.cancel("the caller has left"), NO_STORE, isOwn ? shownToOwner(asked) : shownToAnswerer(asked, answers)));
    }
    if (isHurried) {
      run.result.catch((error: unknown) => this.#settings.onError(ofRun(run.id, error), request));
      return this.#at(run.id, running({ runId: run.id }, { ...NO_STORE, [APPLIED[0]]: APPLIED[1] }));
    }
    const result = await run.result;
    const ignored = ignoredOf(result, answers);
    return this.#at(run.id, await (isOwn ? this.#ended(result, asked, ignored) : this.#answered(result, asked, answers, ignored)));
  }

  /** What became of a stored run. */
  async #standing(call: Call, { id, status, startedAt, updatedAt, wakeAt, error }: Inspection): Promise<Response> {
    // A run that waited for a person when it was cancelled still does so in its replay.
    if (status === "cancelled") return cancelled(id);
    const ended = async (): Promise<Response> => {
      const result = await (await this.#runs.replayed(id, call)).result;
      // A replay that ends otherwise than its run was the replay of another workflow.
      if (result.status !== status || (error !== undefined && result.error?.code !== error.code)) throw await this.#unfit(call, isUnfit(result.error) ? ofRun(id, result.error) : endedOtherwise(status, result));
      return this.#ended(result, this.#asked(call, call.principal), { startedAt, updatedAt });
    };
    if (status !== "running") return this.#fitting(call, id, ended());
    return running({ runId: id, startedAt, updatedAt, ...(wakeAt !== undefined && { wakeAt }) }, NO_STORE);
  }

  /** What runs of this owner wait for, as the caller may see it. */
  #asked({ request, principal }: Call, owner: string): Asked {
    return ({ runId, pending }) => this.#runs.asked(principal, { runId, principal: owner, pending }, request);
  }

  /** The response to somebody who has answered for another: how the run stands, and why the answer was not taken, if it was not. */
  async #answered(result: RunResult, asked: Asked, answers: Answers, ignored: Pick<HttpRun, "ignored">): Promise<Response> {
    const { error, ...standing } = await entrustedOf(result, asked, answers);
    if (error !== undefined) return failed(error, result.runId);
    return Response.json({ ...standing, ...ignored } satisfies HttpRun, { status: result.status === "suspended" ? 202 : 200, headers: NO_STORE });
  }

  async #ended(result: RunResult, asked: Asked, more: Pick<HttpRun, "ignored" | "startedAt" | "updatedAt"> = {}): Promise<Response> {
    if (result.status === "error" || result.status === "budget") return failed(result.error, result.runId);
    if (result.status === "cancelled") return cancelled(result.runId);
    if (result.status === "suspended" && this.#runs.store === undefined) {
      throw new Refused(501, "conflict", "the workflow waits, and it is served without a store", { hint: "give handler() a `store`, so that the run can go on" });
    }
    const pending = result.status === "suspended" ? await asked(result) : undefined;
    const shown = publicResult(result);
    return Response.json({ ...shown, ...(pending !== undefined && { pending: wholeOf(shown.pending, pending) }), ...more } satisfies HttpRun, { status: result.status === "suspended" ? 202 : 200, headers: NO_STORE });
  }
}

/** The error of a run whose input does not fit the schema of its workflow: what follows its beginning says so. */
async function inputMisfit({ events }: Run): Promise<StepweaveError | undefined> {
  try {
    for await (const event of events) {
      if (event.type === "run.start" || event.type === "run.warning") continue;
      return event.type === "run.error" && isInputMisfit(event.result.error) ? event.result.error : undefined;
    }
  } catch (error) {
    if (isConflict(error)) throw error;
    // Whoever waits for its result gets what a run rejects with.
  }
  return undefined;
}

/** Whether a run could not begin, or take an answer, since another request has continued its journal or does so at this moment. */
function isTakenBefore(error: unknown): boolean {
  return isConflict(error) || (error instanceof Refused && error.code === "conflict");
}

/** What is said of the answers that a run has not taken. */
function ignoredOf(result: RunResult, answers: Answers): Pick<HttpRun, "ignored"> {
  const ignored = unkeptOf(result, answers);
  return ignored.length === 0 ? {} : { ignored };
}

function isForm(request: Request): boolean {
  return /^multipart\/form-data\s*;/i.test(request.headers.get("content-type") ?? "");
}

/** The response about a run that goes on, here or elsewhere. */
function running(known: Pick<HttpRun, "runId" | "startedAt" | "updatedAt" | "wakeAt">, headers: Readonly<Record<string, string>>): Response {
  return Response.json({ ...known, status: "running" } satisfies HttpRun, { status: 202, headers });
}

/** The number that a text is in decimal digits, and in nothing that only JavaScript takes for a number. */
function wholeNumber(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : NaN;
}

/** Whether a caller would rather not wait for the end of a run (RFC 7240). */
function prefersAsync(headers: Headers): boolean {
  const preferences = (headers.get("prefer") ?? "").split(",");
  return preferences.some((preference) => preference.split(";", 1)[0]?.trim().toLowerCase() === "respond-async");
}

function cancelled(runId: string): Response {
  return failed(new StepweaveError("cancelled", "the run was cancelled"), runId);
}

/** What is reported of a run whose replay ended otherwise, though its journal fits. */
function endedOtherwise(status: RunStatus, replay: RunResult): StepweaveError {
  const { runId, error } = replay;
  return new StepweaveError("validation", `the run \`${runId}\` has ended as ${status}, and its replay as ${replay.status}${error === undefined ? "" : `: ${error.message}`}`, {
    ...(error !== undefined && { cause: error }),
    hint: "put the workflow back as it was when the run ended",
  });
}

function decoded(segment: string, path: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw nothing(path);
  }
}

function nothing(path: string): Refused {
  return new Refused(404, "not_found", "there is nothing here", { hint: `POST to ${path}/runs; ${path}/openapi.json describes the rest` });
}

function notAllowed(allow: string): Refused {
  return new Refused(405, "method_not_allowed", "this method is not answered here", { hint: `use ${allow}`, headers: { allow } });
}
