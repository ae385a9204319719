import type { WorkflowDocument } from "../../api/document.js";
import type { Journal } from "../../api/journal.js";
import { isObject } from "../../api/json.js";
import { publicError } from "../../api/public-error.js";
import { publicEvent, publicResult } from "../../api/public-event.js";
import type { Pending, RunResult } from "../../api/results.js";
import type { Run, RunOptions } from "../../api/run.js";
import type { Workflow } from "../../api/workflow.js";
import { newId } from "../../effects/ids.js";
import { inspect } from "../../journal/inspect.js";
import { copyJson } from "../../json/copy.js";
import { hex } from "../../json/hex.js";
import { NotJson } from "../../json/not-json.js";
import { digest } from "../digest.js";
import { callersSchema, checkKeys, inputOf, type Input } from "../input.js";
import { Refused } from "../problem.js";
import { checkBegun, runOptionsFor } from "../run-options.js";
import type { McpSettings } from "./options.js";
import { elicitationOf, heard } from "./questions.js";
import { tooLarge, Unsealable, type Binding, type Seals } from "./seal.js";
import type { SdkCall, SdkContext, SdkResult, ToolListing } from "./shapes.js";

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
    const { description, output } = this.#document;
    const outputSchema = isObject(output) && typeof output.handler === "string" ? output.schema : output;
    return {
      name: this.name,
      ...(typeof description === "string" && { description }),
      inputSchema: callersSchema(this.#input),
      // Clients check a result by it: one of another type is no schema of an object to them.
      ...(isObject(outputSchema) && outputSchema.type === "object" && { outputSchema }),
    };
  }

  /** Runs the workflow, from the beginning or from where a person was asked. */
  async call({ arguments: args = {} }: SdkCall, context: SdkContext, caller: Caller): Promise<SdkResult> {
    checkKeys(this.#input, args);
    checkPlain(args);
    const { mcpReq, http } = context;
    const binding = { principal: caller.principal, document: await this.#documentDigest(), tool: this.name, request: hex(await digest(canonical(args))) };
    const own = await runOptionsFor(this.settings, caller.principal, http?.req);
    const options: RunOptions = { ...own, signal: mcpReq.signal, owner: caller.principal, ...(this.settings.store && { store: this.settings.store }) };
    const state = mcpReq.requestState();
    if (state === undefined) return this.#followed(this.workflow.start({ ...options, state: args, journal: this.settings.store === undefined ? true : newId() }), binding, context, caller);
    const kept = await this.#opened(state, binding);
    const answers = await this.#answersTo(kept, mcpReq.inputResponses ?? {});
    if ("refusal" in answers) return failure(answers.refusal);
    return this.#followed(this.workflow.start({ ...options, journal: "run" in kept ? kept.run : kept.journal, answers: answers.given }), binding, context, caller);
  }

  async #followed(run: Run, binding: Binding, { mcpReq, http }: SdkContext, { canBeAsked }: Caller): Promise<SdkResult> {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined) await sendProgress(run, (progress, message) => mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } }));
    await checkBegun(run);
    const result = await run.result;
    if (result.status === "suspended") return this.#questions(result, binding, canBeAsked);
    if (result.status === "done") {
      const { state, message } = publicResult(result);
      const texts = [JSON.stringify(state), ...(message === undefined ? [] : [message])];
      return { content: texts.map((text) => ({ type: "text", text })), structuredContent: state };
    }
    if (result.error !== undefined) await this.settings.onError(result.error, http?.req);
    const { message, hint } = publicError(result.error ?? new Refused(409, "cancelled", `the run ended as ${result.status}`));
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

  /** The answers that the run gets: of those it waits for, whatever else was sent. */
  async #answersTo(kept: Kept & { readonly pending: readonly Pending[] }, responses: Readonly<Record<string, unknown>>): Promise<{ readonly given: Readonly<Record<string, unknown>> } | { readonly refusal: string }> {
    // In a store the run may be further than the client knows: what it was answered is not answered again.
    const pending = "run" in kept && this.settings.store !== undefined ? ((await inspect(this.settings.store, kept.run))?.pending ?? []) : kept.pending;
    const given: Record<string, unknown> = {};
    for (const one of pending) {
      if (!Object.hasOwn(responses, one.key)) continue;
      const said = heard(responses[one.key], one);
      if ("refusal" in said) return { refusal: `${said.refusal}: ${one.message ?? one.key}` };
      given[one.key] = said.answer;
    }
    return { given };
  }

  #documentDigest(): Promise<string> {
    return (this.#digest ??= digest(JSON.stringify(this.#document)).then(hex));
  }
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
