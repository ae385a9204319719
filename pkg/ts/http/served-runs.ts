import { StepweaveError } from "../api/errors.js";
import type { Json } from "../api/document.js";
import type { Journal, JournalEntry, JournalStore, ListedRun, RunFilter, RunPage } from "../api/journal.js";
import type { Pending, RunResult, SuspendedResult } from "../api/results.js";
import type { Run, RunOptions } from "../api/run.js";
import { Documents, type Deployed, type DocumentOfRuns } from "../journal/documents.js";
import { isConflict } from "../journal/errors.js";
import type { Inspection } from "../journal/inspect.js";
import { keepingItWaiting } from "../journal/still-waiting.js";
import { pendingIn, standingOf } from "../journal/summary.js";
import { hex } from "../json/hex.js";
import { claimed, isMark, marking, markName, type Mark } from "./asking.js";
import { digest } from "./digest.js";
import type { Settings, WaitingRun } from "./options.js";
import { isTaken, occupied, ofRun, Refused, tooManyRuns } from "./problem.js";
import type { ResumeOptions } from "./resume-options.js";
import { checkBegun, runOptionsFor } from "./run-options.js";
import { inspectionOf, ofTheStore } from "./served-store.js";

/** Whose run it is, and the request with which it was started or resumed, if there is one. */
export interface Occasion {
  readonly request: Request | undefined;
  readonly principal: string;
}

/** Who calls, and with what. */
export interface Call extends Occasion {
  readonly request: Request;
}

/** A stored run, and the journal from which it is answered: whoever else continues that makes the answer a conflict. */
export interface Waiting extends Inspection {
  readonly journal: Journal;
}

/** One of which the caller may answer what is `pending`, and not what `others` answer. */
export interface Answerable extends Waiting {
  readonly others: readonly Pending[];
}

/** Whether a run of the store is one of the workflow that is served. */
export type Owns = (run: Pick<ListedRun, "documentName">) => boolean;

/** How many pages of a store are looked at for one that has runs of the workflow. */
const LOOKS = 10;

/** A run and whose it is. */
interface Live {
  readonly run: Run;
  readonly principal: string;
}

/** The runs of a handler: those that this instance drives, and those in its store. */
export class ServedRuns {
  readonly #workflow: Deployed;
  readonly #settings: Settings;
  /** A run of another workflow is for nobody here: who may see and answer it is said where that is served. */
  readonly owns: Owns;
  /** Those of runs that an earlier deploy has begun. */
  readonly #documents: Documents | undefined;
  readonly #live = new Map<string, Live>();
  /** When a run has ended and its server has received that. */
  readonly #over = new WeakMap<Run, Promise<unknown>>();
  /** When the store has what a run adds to its journal first. */
  readonly #first = new WeakMap<Run, Promise<void>>();
  /** Runs that start or go on here by their ids, each with what resolves once the store has something of it, or it has ended. */
  readonly #busy = new Map<string, Promise<void>>();
  /** Marks about which people are being asked here. */
  readonly #asking = new Set<string>();
  /** The name of the workflow. */
  readonly #name: string;
  /** How many runs have their place, those included that have yet to start. */
  #count = 0;

  constructor(workflow: Deployed, settings: Settings, owns: Owns) {
    this.#workflow = workflow;
    this.#settings = settings;
    this.#name = workflow.toDocument().name;
    this.owns = owns;
    this.#documents = settings.store === undefined ? undefined : new Documents(workflow, settings.store);
  }

  get store(): JournalStore | undefined {
    return this.#settings.store;
  }

  /** Starts a run, or resumes one that is stored; throws where a run of this id starts or goes on here. */
  async start(call: Occasion, options: RunOptions, document = this.#settings.document): Promise<Run> {
    const { maxRuns } = this.#settings;
    if (this.#count >= maxRuns) throw tooManyRuns();
    const id = idIn(options);
    if (id !== undefined && this.#busy.has(id)) throw occupied();
    this.#count += 1;
    const starting = this.#started(call, options, document).catch((error: unknown) => {
      this.#count -= 1;
      if (id !== undefined) this.#busy.delete(id);
      throw error;
    });
    // Before anything is waited for: of two at the same moment one starts.
    if (id !== undefined) this.#busy.set(id, starting.then((run) => this.taken(run)).catch(() => {}));
    const run = await starting;
    await checkBegun(run);
    return run;
  }

  /** Resolves once it is known whether the run of this id that starts here is the one that goes on. */
  async starting(id: string): Promise<void> {
    await this.#busy.get(id);
  }

  async #started(call: Occasion, options: RunOptions, document: DocumentOfRuns): Promise<Run> {
    const { files } = this.#settings;
    const own = await runOptionsFor(this.#settings, call.principal, call.request);
    const resumed = document === "begun" && typeof options.journal === "object" ? options.journal : undefined;
    const workflow = resumed === undefined ? this.#workflow : await this.#workflowOf(resumed);
    let added = (): void => {};
    const first = new Promise<void>((resolve) => (added = resolve));
    const marks: Mark[] = [];
    const asked = askedIn(options.journal);
    const kept = (store: JournalStore): JournalStore => (this.#settings.onSuspended === undefined ? store : marking(store, this.#name, asked, (mark) => marks.push(mark)));
    const run = workflow.start({ ...(files?.store !== undefined && { files: files.store }), ...own, ...options, owner: call.principal, ...(this.#documents === undefined ? { signal: call.request?.signal } : { store: telling(storeFor(kept(this.#documents.keeping(workflow)), workflow, { ...own, ...options }), added) }) });
    this.#first.set(run, first);
    this.#follow(run, idIn(options), call, asked, marks);
    return run;
  }

  /**
   * Resumes a stored run because its time has come, or its process has ended; nothing when it goes on here, or has ended, or
   * something has come of it since the time that is given.
   */
  async resume(id: string, since?: number): Promise<Run | undefined> {
    const journal = this.has(id) ? undefined : await this.#settings.store?.load(id);
    const { owner, status, updatedAt } = journal === undefined ? {} : standingOf(journal.entries);
    if (since !== undefined && updatedAt !== since) return undefined;
    if (owner === undefined || (status !== "running" && status !== "suspended") || this.has(id)) return undefined;
    // From what was looked at: whoever has continued the journal meanwhile makes this a conflict, whatever became of the run.
    return this.start({ request: undefined, principal: owner }, { journal: journal as Journal });
  }

  /** Resumes a stored run as its operator says, however it has ended, or runs it again as another one; resolves with how it stands then. */
  async resumed(id: string, { document, ...options }: ResumeOptions): Promise<Inspection> {
    const { journal, owner = "" } = await this.runOf(id);
    const run = await this.start({ request: undefined, principal: owner }, { ...options, journal }, document);
    const result = await run.result;
    await this.over(run);
    if (isTaken(result)) throw occupied();
    return this.runOf(run.id).then(({ journal: _, ...found }) => found);
  }

  /** How many more runs may go on here. */
  get room(): number {
    return Math.max(0, this.#settings.maxRuns - this.#count);
  }

  /** Whether a run goes on here. */
  get isBusy(): boolean {
    return this.#count > 0;
  }

  /** The run of this id that goes on here, if it is the caller's. */
  live(id: string, { principal }: Call): Run | undefined {
    const live = this.#live.get(id);
    return live?.principal === principal ? live.run : undefined;
  }

  /** Resolves when the run has ended, and what its server does about that is done: mails are written, for example. */
  async over(run: Run): Promise<void> {
    await this.#over.get(run);
  }

  /** Why these answers to a run cannot be given now, as another request has continued it: not yet, or no more. */
  async refusal(id: string, keys: readonly string[]): Promise<Refused> {
    const { status, pending, journal } = await this.runOf(id);
    const isAsked = (key: string): boolean => (status === "running" ? journal.entries.every((entry) => entry.key !== `${key}/answer`) : pending.some((one) => one.key === key));
    return keys.every(isAsked) ? occupied() : new Refused(409, "conflict", "this has been answered already, or nobody waits for it any more");
  }

  /** Resolves once a resumed run has added to its journal, or has ended; throws where another request was faster. */
  async taken(run: Run): Promise<void> {
    const ended = await Promise.race([this.#first.get(run), run.result]);
    if (isConflict(ended?.error)) throw ended.error;
  }

  /** Deletes the journal of a run that has just been started and has ended. */
  async forget(run: Run): Promise<void> {
    await run.result;
    await this.#settings.store?.delete(run.id);
  }

  /** Whether the run of this id starts or goes on here. */
  has(id: string): boolean {
    return this.#busy.has(id) || this.#live.has(id);
  }

  /** What the store knows of a run of the caller. Another one's is as unknown as one that never was. */
  async stored(id: string, { principal }: Call): Promise<Inspection | undefined> {
    const journal = await this.#settings.store?.load(id);
    const found = journal && (await inspectionOf(journal));
    return found?.owner === principal && this.owns(found) ? found : undefined;
  }

  /** A page of the runs in a store, those of other workflows left out: it may have fewer than there is room for. */
  async page(store: JournalStore, filter: RunFilter): Promise<RunPage> {
    for (let looks = 1, { cursor } = filter; ; looks += 1) {
      const page = await store.list({ ...filter, cursor });
      const runs = page.runs.filter(this.owns);
      if (runs.length > 0 || page.cursor === undefined || looks === LOOKS) return { ...page, runs };
      cursor = page.cursor;
    }
  }

  /** Whether a store lists this as a mark of a run of the workflow. */
  hasMark({ id, documentName }: Pick<ListedRun, "id" | "documentName">): boolean {
    return isMark(id) && documentName === markName(this.#name);
  }

  /** What a run waits for that this principal may answer, as that one sees it; nothing where that is nothing. */
  async asked(principal: string, run: WaitingRun, request: Request): Promise<readonly Pending[] | undefined> {
    try {
      const { answerable } = await this.#shared(principal, run);
      return answerable.length > 0 ? answerable : undefined;
    } catch (error) {
      // The run waits, whatever becomes of showing that.
      await this.#settings.onError(error, request);
      return undefined;
    }
  }

  async #mayAnswer(principal: string, run: WaitingRun): Promise<boolean> {
    const { mayAnswer } = this.#settings;
    return mayAnswer === undefined ? run.principal === principal : (await mayAnswer(principal, run)) === true;
  }

  /** What a run waits for, by whether this principal may answer it: of what is asked side by side each question by itself. */
  async #shared(principal: string, run: WaitingRun): Promise<{ readonly answerable: readonly Pending[]; readonly others: readonly Pending[] }> {
    const may = await Promise.all(run.pending.map((one) => this.#mayAnswer(principal, { ...run, pending: [one] })));
    return { answerable: run.pending.filter((_, index) => may[index]), others: run.pending.filter((_, index) => !may[index]) };
  }

  /** A stored run of somebody else that waits for an answer which the caller may give. */
  async entrusted(id: string, call: Call): Promise<Waiting | undefined> {
    if (this.#settings.mayAnswer === undefined || this.#settings.store === undefined) return undefined;
    const found = await this.waiting(id, call).catch((error: unknown) => {
      if (error instanceof Refused) return undefined;
      throw error;
    });
    return found;
  }

  /** A waiting run that the caller may answer. */
  async waiting(id: string, { principal }: Call): Promise<Answerable> {
    const found = await this.runOf(id);
    const { owner = "", pending } = found;
    const run = { runId: id, principal: owner, pending };
    const { answerable, others } = await this.#shared(principal, run);
    if (pending.length === 0 ? !(await this.#mayAnswer(principal, run)) : answerable.length === 0) {
      // Nobody but its owner is told that there is such a run.
      if (owner !== principal) throw unknown(id);
      if (found.status === "suspended" && pending.length > 0) throw ofOthers();
    }
    if (found.status === "suspended" && found.pending.length === 0) throw new Refused(409, "conflict", "the run waits for a time, and for nobody");
    if (found.status === "running") throw occupied();
    if (found.status !== "suspended") throw new Refused(409, "conflict", "the run waits for nobody", { hint: `its status is ${found.status}` });
    return { ...found, pending: answerable, others };
  }

  /** A run of this id, whoever may answer it, and however it stands. */
  async runOf(id: string): Promise<Waiting> {
    const journal = await this.#journal(id);
    const found = await inspectionOf(journal);
    // What the store keeps besides runs is nobody's.
    if (!this.owns(found) || found.owner === undefined) throw unknown(id);
    return { ...found, journal };
  }

  /**
   * Ends a stored run that nobody drives here. Where another process drives it, its next answer is refused as a `conflict`,
   * and it stops.
   */
  async cancelStored(id: string, reason: string): Promise<void> {
    const { entries } = await this.#journal(id);
    const end: JournalEntry = { key: "end", at: Date.now(), seq: (entries.at(-1)?.seq ?? 0) + 1, ok: { status: "cancelled", reason } };
    await ofTheStore(async () => this.#settings.store?.append(id, [end], entries.length, standingOf([...entries, end])));
  }

  /** What a stored run did, once more from its journal, with the limits that may have ended it: nothing is called. */
  async replayed(id: string, { request }: Occasion): Promise<Run> {
    const journal = await this.#journal(id);
    const { owner = "" } = standingOf(journal.entries);
    const { limits } = await runOptionsFor(this.#settings, owner, request);
    return (await this.#workflowOf(journal)).start({ journal, replay: "strict", limits });
  }

  /** The workflow with the document that a run went on with last. */
  async #workflowOf({ entries }: Journal): Promise<Deployed> {
    return (await ofTheStore(async () => this.#documents?.of(entries))) ?? this.#workflow;
  }

  async #journal(id: string): Promise<Journal> {
    const journal = await this.#settings.store?.load(id);
    if (journal === undefined) throw unknown(id);
    return journal;
  }

  #follow(run: Run, id: string | undefined, call: Occasion, asked: ReadonlySet<string>, marks: readonly Mark[]): void {
    this.#live.set(run.id, { run, principal: call.principal });
    const ended = (): void => {
      this.#live.delete(run.id);
      // One that could not begin has an id of its own, and not that of the run which it was to continue.
      if (id !== undefined) this.#busy.delete(id);
      this.#count -= 1;
    };
    const over = run.result.then(
      (result) => {
        ended();
        return this.#report(result, call, asked, marks);
      },
      // Whoever waits for the result gets the error as a response.
      ended,
    ).catch((error: unknown) => this.#settings.onError(error, call.request));
    this.#over.set(run, over);
  }

  async #report(result: RunResult, { request, principal }: Occasion, asked: ReadonlySet<string>, marks: readonly Mark[]): Promise<void> {
    const { onError } = this.#settings;
    // Another request or instance was faster: there is nothing to mend.
    if (result.status === "error" && !isTaken(result)) await onError(result.error, request);
    const lost = result.warnings.find(({ code }) => code === "end_lost");
    if (lost !== undefined) await onError(new StepweaveError("handler", lost.message, { hint: "see to the store; the run goes on from what that has acknowledged" }), request);
    if (result.status !== "suspended") return;
    // Nobody is asked by a run that waits for a time alone, and nobody twice by one that comes to a stop again.
    await this.#ask(result, principal, result.pending.filter(({ key }) => !asked.has(key)), marks);
  }

  /** Has people asked about these approvals, and deletes the marks that this is yet to be done. */
  async #ask(result: SuspendedResult, principal: string, pending: readonly Pending[], marks: readonly Mark[]): Promise<void> {
    for (const { id } of marks) this.#asking.add(id);
    try {
      if (pending.length > 0) await this.#settings.onSuspended?.({ ...result, pending }, principal, (key, answer) => this.#link(result, key, answer));
      for (const { id } of marks) await this.#settings.store?.delete(id);
    } finally {
      for (const { id } of marks) this.#asking.delete(id);
    }
  }

  /** Asks people once more about whom a mark says that they have yet to be asked; resolves when it is put off, with what settles when that is done. */
  async askAgain(id: string): Promise<{ readonly ended: Promise<void> } | undefined> {
    const { store } = this.#settings;
    const mark = store === undefined ? undefined : await claimed(store, id);
    if (store === undefined || mark === undefined || this.#asking.has(id)) return undefined;
    const journal = await store.load(mark.runId);
    const { status, owner = "" } = standingOf(journal?.entries ?? []);
    // What goes on may wait for the same again.
    if (journal !== undefined && (status === "running" || this.has(mark.runId))) return undefined;
    const isAsked = ({ key }: Pending): boolean => mark.keys.includes(key);
    if (!pendingIn(journal?.entries.at(-1)).some(isAsked)) {
      await store.delete(id);
      return undefined;
    }
    const asking = async (): Promise<void> => {
      const result = await (await this.replayed(mark.runId, { request: undefined, principal: owner })).result;
      if (result.status === "suspended") await this.#ask(result, owner, result.pending.filter(isAsked), [mark]);
      else throw result.error ?? new StepweaveError("handler", `the run \`${mark.runId}\` waits, and its replay is ${result.status}`, { hint: "put the workflow back as it was when the run began to wait" });
    };
    return { ended: asking().catch((error: unknown) => this.#settings.onError(ofRun(mark.runId, error))) };
  }

  /** The address at which a person gives an answer. */
  async #link({ runId, pending }: SuspendedResult, key: string, answer: Json): Promise<string> {
    const { links } = this.#settings;
    if (links === undefined) throw new StepweaveError("validation", "there are no links: handler() has no `links`", { hint: "write links: approvalLinks({ secrets, url })" });
    const approval = pending.find((one) => one.key === key);
    if (approval === undefined) throw new StepweaveError("validation", `the run does not wait for \`${String(key).slice(0, 100)}\``, { hint: "take a key of `pending`" });
    return links.to({ runId, key, answer, expiresAt: approval.expiresAt });
  }
}

/** What people have been asked already in the runs of this journal: whatever it waited for at an earlier stop. */
function askedIn(journal: RunOptions["journal"]): ReadonlySet<string> {
  const entries = typeof journal === "object" ? journal.entries : [];
  return new Set(entries.flatMap((entry) => pendingIn(entry).map(({ key }) => key)));
}

/** The id under which a run is found in the store, if it is kept there. */
function idIn({ journal, replay }: RunOptions): string | undefined {
  // One that is run again is another run, whose id it has yet to get.
  if (replay === "edit") return undefined;
  return typeof journal === "object" ? journal.id : typeof journal === "string" ? journal : undefined;
}

/** The store for a run with these options: a new one takes up no other, and one that is given an answer that does not fit goes on waiting. */
function storeFor(store: JournalStore, workflow: Deployed, { journal, answers, limits, replay }: RunOptions): JournalStore {
  if (typeof journal === "string") return { ...store, load: async () => undefined };
  if (typeof journal !== "object" || answers === undefined || replay === "edit") return store;
  return keepingItWaiting(store, journal, answers, (replayed) => workflow.start({ journal: replayed, replay: "strict", longWaitMs: 0, limits }));
}

/** The same store, which says when it has kept something. */
function telling(store: JournalStore, kept: () => void): JournalStore {
  return { ...store, append: (...batch) => store.append(...batch).then(kept) };
}

/** The caller's own run waits for an answer of others. */
export function ofOthers(): Refused {
  return new Refused(403, "forbidden", "somebody else answers this", { hint: "the run is yours, and goes on once those have answered who may" });
}

/** The run of an id that the caller has not. */
export function unknown(id: string): Refused {
  return new Refused(404, "not_found", `there is no run ${JSON.stringify(id.slice(0, 100))}`, { hint: "its id is in the response that started it" });
}

/**
 * The ids under which a run of this workflow may be that a principal has started with this idempotency key: they are the same
 * each time. A new run has the first; the other one is of earlier versions, where a key did not count for its workflow.
 */
export async function idsOfKey(principal: string, key: string, workflow: string): Promise<readonly [string, string]> {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new StepweaveError("validation", "the header Idempotency-Key is no text of 1 to 255 visible characters", { hint: "send a random UUID, and the same one when you try again" });
  }
  return [await idOf(principal, key, workflow), await idOf(principal, key)];
}

async function idOf(...parts: readonly string[]): Promise<string> {
  const bytes = await digest(JSON.stringify(parts));
  return hex(bytes.subarray(0, 16));
}
