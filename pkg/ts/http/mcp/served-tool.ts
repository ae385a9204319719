import type { Json, WorkflowDocument } from "../../api/document.js";
import type { Handlers } from "../../api/functions.js";
import type { Journal } from "../../api/journal.js";
import { isObject } from "../../api/json.js";
import { publicError } from "../../api/public-error.js";
import { publicEvent, publicResult } from "../../api/public-event.js";
import type { Pending, RunResult } from "../../api/results.js";
import type { Run, RunOptions } from "../../api/run.js";
import type { Workflow } from "../../api/workflow.js";
import { newId } from "../../effects/ids.js";
import { copyJson } from "../../json/copy.js";
import { hex } from "../../json/hex.js";
import { NotJson } from "../../json/not-json.js";
import { schemaSaid } from "../../schema/said.js";
import { digest } from "../digest.js";
import { checkKeys, inputOf, type Input } from "../input.js";
import { isInputMisfit, isTaken, occupied, Refused } from "../problem.js";
import { checkBegun, runOptionsFor } from "../run-options.js";
import type { Waiting } from "../served-runs.js";
import type { McpSettings } from "./options.js";
import { elicitationOf, heard } from "./questions.js";
import { tooLarge, Unsealable, type Binding, type Seals } from "./seal.js";
import type { SdkCall, SdkContext, SdkResult, ToolListing } from "./shapes.js";
import type { StoredRuns } from "./stored-runs.js";
import { toolInput } from "./tool-input.js";

/** Who calls, and whether clients of that protocol can be asked. */
export interface Caller {
  readonly principal: string;
  readonly canBeAsked: boolean;
}

/** What a client keeps of a run: its journal, or its id in the store. */
type Kept = { readonly journal: Journal } | { readonly run: string };

/** A workflow as a tool. */
export class ServedTool {
  readonly name: string;
  readonly #document: WorkflowDocument;
  readonly #input: Input;
  #digest: Promise<string> | undefined;

  constructor(
    private readonly workflow: Pick<Workflow, "start" | "toDocument"> & Partial<Pick<Workflow, "handlers">>,
    private readonly settings: McpSettings,
    private readonly seals: Seals,
    private readonly stored: StoredRuns | undefined,
  ) {
    this.#document = workflow.toDocument();
    this.#input = inputOf(this.#document, workflow.handlers);
    this.name = settings.names.get(this.workflowName) ?? toolNameOf(this.workflowName);
  }

  get workflowName(): string {
    return this.#document.name;
  }

  /** What is sent to clients about it. */
  get listing(): ToolListing {
    const { description } = this.#document;
    const outputSchema = outputOf(this.#document.output, this.workflow.handlers);
    return {
      name: this.name,
      ...(typeof description === "string" && { description }),
      inputSchema: toolInput(this.#input),
      // Clients check a result by it: one of another type is no schema of an object to them.
      ...(isObject(outputSchema) && outputSchema.type === "object" && { outputSchema }),
    };
  }

  /** Runs the workflow, from the beginning or from where a person was asked. */
  async call({ arguments: args = {} }: SdkCall, context: SdkContext, caller: Caller): Promise<SdkResult> {
    await checkKeys(this.#input, args);
    checkPlain(args);
    const { mcpReq, http } = context;
    const binding = { principal: caller.principal, document: await this.#documentDigest(), tool: this.name, request: hex(await digest(canonical(args))) };
    const own = await runOptionsFor(this.settings, caller.principal, http?.req);
    const options: RunOptions = { ...own, owner: caller.principal, ...(this.settings.store && { store: this.settings.store }) };
    const { signal } = mcpReq;
    const state = mcpReq.requestState();
    if (state === undefined) return this.#followed(args, this.workflow.start({ ...options, signal, state: args, journal: this.settings.store === undefined ? true : newId() }), binding, context, caller);
    const kept = await this.#opened(state, binding);
    const responses = mcpReq.inputResponses ?? {};
    // What a person has allowed goes on in the store, also where who called has left: the next call gets what has become of it.
    if (this.stored !== undefined && "run" in kept) return this.#followed(args, await this.stored.continued(kept.run, async (found) => this.#continued(found, responses, options)), binding, context, caller);
    if (!("journal" in kept)) throw new Unsealable("it names a run of a store, and there is none");
    return this.#followed(args, this.workflow.start({ ...options, signal, journal: kept.journal, answers: answersTo(kept.pending, responses) }), binding, context, caller);
  }

  /** A run of the store, which may be further than the client knows: what it was answered is not answered again, and what has ended stays so. */
  #continued({ journal, status, pending }: Waiting, responses: Readonly<Record<string, unknown>>, options: RunOptions): Run {
    if (status === "cancelled") throw new Refused(409, "cancelled", "the run was cancelled", { hint: "call the tool without what was kept of it" });
    const goesOn = status === "running" || status === "suspended";
    return this.workflow.start(goesOn ? { ...options, journal, answers: answersTo(pending, responses) } : { ...options, journal, replay: "strict" });
  }

  async #followed(args: object, run: Run, binding: Binding, { mcpReq, http }: SdkContext, { canBeAsked }: Caller): Promise<SdkResult> {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined) await sendProgress(run, (progress, message) => mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } }));
    await checkBegun(run);
    const result = await run.result;
    // Another instance has continued it from the same entry: what this one did is kept nowhere.
    if (isTaken(result)) throw occupied();
    if (result.status === "suspended") return this.#questions(result, binding, canBeAsked);
    if (result.status === "done") {
      const { state, message } = publicResult(result);
      const texts = [JSON.stringify(state), ...(message === undefined ? [] : [message])];
      return { content: texts.map((text) => ({ type: "text", text })), structuredContent: state };
    }
    const error = result.error !== undefined && isInputMisfit(result.error) ? await this.#input.own.whose(result.error, args) : result.error;
    if (error !== undefined) await this.settings.onError(error, http?.req);
    const { message, hint } = publicError(error ?? new Refused(409, "cancelled", `the run ended as ${result.status}`));
    return failure(message, hint);
  }

  /** The questions to people, with all that is needed to go on. */
  async #questions(result: RunResult, binding: Binding, canBeAsked: boolean): Promise<SdkResult> {
    const { pending = [] } = result;
    if (pending.length === 0) return failure("the run waits for a time, longer than a call takes");
    if (!canBeAsked) return failure(`the run waits for a person, and only clients of the protocol of 2026-07-28 can ask one: ${pending.map(({ message, key }) => message ?? key).join("; ")}`);
    const { store, validMs, maxStateBytes } = this.settings;
    const kept: Kept = store === undefined ? { journal: result.journal as Journal } : { run: result.runId };
    const requestState = await this.seals.seal(JSON.stringify({ ...kept, pending }), binding, Date.now() + validMs);
    if (requestState.length > maxStateBytes) throw tooLarge(requestState.length, maxStateBytes, "maxStateBytes");
    return { resultType: "input_required", inputRequests: Object.fromEntries(pending.map((one) => [one.key, elicitationOf(one)])), requestState };
  }

  async #opened(state: unknown, binding: Binding): Promise<Kept & { readonly pending: readonly Pending[] }> {
    if (typeof state !== "string" || state.length > this.settings.maxStateBytes) throw new Unsealable("it is larger than any that was given");
    return JSON.parse(await this.seals.open(state, binding, Date.now())) as Kept & { pending: readonly Pending[] };
  }

  #documentDigest(): Promise<string> {
    return (this.#digest ??= digest(JSON.stringify(this.#document)).then(hex));
  }
}

/** The answers that a run gets: of those it waits for, whatever else was sent. */
function answersTo(pending: readonly Pending[], responses: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const given: Record<string, unknown> = {};
  for (const one of pending) {
    if (!Object.hasOwn(responses, one.key)) continue;
    const said = heard(responses[one.key], one);
    if ("refusal" in said) throw new Refused(400, "validation", `${said.refusal}: ${one.message ?? one.key}`);
    given[one.key] = said.answer;
  }
  return given;
}

/** What names of tools are made of; a name of other characters is distinguished by nothing but them. */
function toolNameOf(name: string): string {
  return name.replace(/[^\w.-]/g, "_").slice(0, 128);
}

/** Announces each step that begins and ends; the number only grows, as the protocol wants it. */
async function sendProgress(run: Run, send: (progress: number, message: string) => Promise<void>): Promise<void> {
  let progress = 0;
  for await (const event of run.events) {
    const shown = publicEvent(event);
    if (shown === undefined || (shown.type !== "step.start" && shown.type !== "step.done")) continue;
    progress += 1;
    // A client that is gone ends the run by its signal.
    await send(progress, `${shown.step.name}: ${shown.type === "step.done" ? "done" : "begins"}`).catch(() => {});
  }
}

/** Refuses what nests deeper than a run takes: what walks through it for a digest would fail at that. */
function checkPlain(args: Readonly<Record<string, unknown>>): void {
  try {
    copyJson(args, "arguments");
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new Refused(400, "validation", `the arguments are not plain JSON: ${error.message}`);
  }
}

/** A result that says to the model what went wrong, and what to do. */
export function failure(message: string, hint?: string): SdkResult {
  const text = hint === undefined ? message : `${message} (${hint})`;
  return { content: [{ type: "text", text }], isError: true };
}

/** The same text for the same value, in whatever order its keys came. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (isObject(one) ? Object.fromEntries(Object.entries(one).sort(([left], [right]) => (left < right ? -1 : 1))) : one));
}

/** The schema of the state at the end. What a library gives is merged into it, so it has the other keys too. */
function outputOf(output: Json | undefined, handlers: Handlers = {}): Json | undefined {
  const said = schemaSaid(output, "output", handlers);
  if (said === output || !isObject(said)) return said;
  const { additionalProperties: _, ...open } = said;
  return open;
}
