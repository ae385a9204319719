import { context, type Context, INVALID_SPAN_CONTEXT, type Span, SpanKind, trace, TraceFlags, type Tracer } from "@opentelemetry/api";
import { StepweaveError, textOf } from "../api/errors.js";
import type { EventType, Listener, RunEvent } from "../api/events.js";
import type { RunResult } from "../api/results.js";
import type { Run, RunOptions, RunStream } from "../api/run.js";
import type { Workflow } from "../api/workflow.js";
import { isTraceparent, traceOf } from "../effects/trace.js";
import { checkFunctions } from "../journal/check.js";
import { ownUsage } from "../json/usage.js";
import { optionsFrom } from "../schema/options.js";
import * as names from "./conventions.js";
import { fail, Spans, usageOf } from "./spans.js";
import { describedSteps } from "./steps.js";

/** The options of {@link traced}. */
export interface TracedOptions {
  /** What makes spans; the global provider's tracer `stepweave` by default. */
  readonly tracer?: Tracer | undefined;
  /** `true` puts what models answer, the arguments and results of tools and the messages of errors into spans, each up to 16 384 characters. By default none of it leaves. */
  readonly content?: boolean | undefined;
  /** The origins that receive a `traceparent` with the requests of runs, such as `https://api.example.com`; none by default. */
  readonly origins?: readonly string[] | undefined;
}

const OPTIONS = ["tracer", "content", "origins"];

/**
 * The same workflow, whose runs are traced with OpenTelemetry: a span `invoke_workflow` for each run, in it one for each step
 * (`invoke_agent` for agents), in these `chat` and `execute_tool`. It needs `@opentelemetry/api`, and an SDK that exports.
 *
 * ```ts
 * import { traced } from "stepweave/otel";
 *
 * const result = await traced(workflow, { origins: ["https://api.example.com"] }).run();
 * ```
 */
export function traced<Traced extends Workflow<any, any>>(workflow: Traced, options: TracedOptions = {}): Traced {
  checkFunctions(workflow, ["start", "toDocument", "on"], "traced() needs a workflow", "write traced(new Workflow({ … }))");
  const { tracer, content = false, origins } = optionsFrom(options, OPTIONS, "traced()");
  if (typeof content !== "boolean") throw new StepweaveError("validation", "the option `content` of traced() is neither true nor false");
  if (tracer !== undefined) checkFunctions(tracer, ["startSpan"], "the option `tracer` of traced() is no tracer", "pass trace.getTracer(…), or leave it out");
  traceOf({ origins });
  return new TracedWorkflow(workflow, { tracer, content, origins }) as Workflow as Traced;
}

interface Tracing {
  readonly tracer: Tracer | undefined;
  readonly content: boolean;
  readonly origins: readonly string[] | undefined;
}

class TracedWorkflow<State, Input> implements Workflow<State, Input> {
  readonly #workflow: Workflow<State, Input>;
  readonly #tracing: Tracing;
  #steps: ReturnType<typeof describedSteps> | undefined;
  /** Whether its tracer did, which is said once. */
  #hasFailed = false;

  constructor(workflow: Workflow<State, Input>, tracing: Tracing) {
    this.#workflow = workflow;
    this.#tracing = tracing;
  }

  get name(): string {
    return this.#workflow.name;
  }

  get steps(): Workflow<State>["steps"] {
    return this.#workflow.steps;
  }

  get handlers(): Workflow<State>["handlers"] {
    return this.#workflow.handlers;
  }

  start(options: RunOptions<Input> = {}): Run<State> {
    const { content, origins, tracer = trace.getTracer("stepweave") } = this.#tracing;
    const name = this.#workflow.name;
    const given = readable(options);
    const around = contextOf(given.trace?.parent);
    const attributes = { [names.OPERATION]: names.INVOKE_WORKFLOW, [names.WORKFLOW_NAME]: name, ...(typeof given.sessionId === "string" && { [names.CONVERSATION_ID]: given.sessionId }) };
    const begunAt = Date.now();
    const tried = this.#tried;
    const span = tried(() => tracer.startSpan(`${names.INVOKE_WORKFLOW} ${name}`, { kind: SpanKind.INTERNAL, startTime: begunAt, attributes }, around)) ?? trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
    const wanted = origins ?? given.trace?.origins;
    const parent = tried(() => traceparentOf(span)) ?? given.trace?.parent;
    const run = this.#workflow.start(wanted === undefined || given === NOTHING ? options : { ...options, trace: { parent, origins: wanted } });
    tried(() => span.setAttribute(names.OWN.RUN_ID, run.id));
    this.#steps ??= describedSteps(this.#workflow.toDocument());
    const spans = new Spans({ tracer, context: trace.setSpan(around, span), begunAt, steps: this.#steps, content });
    void followed(run.events, span, spans, content, tried);
    return run;
  }

  /** Does what a tracer is asked for. One that fails costs the spans, and no run. */
  readonly #tried: Tried = (make) => {
    try {
      return make();
    } catch (error) {
      if (!this.#hasFailed) console.warn(`stepweave: the tracer of ${this.#workflow.name} failed: ${textOf(error)}`);
      this.#hasFailed = true;
      return undefined;
    }
  };

  run(options?: RunOptions<Input>): ReturnType<Workflow<State>["run"]> {
    return this.start(options).result;
  }

  stream(options?: RunOptions<Input>): RunStream<State> {
    const run = this.start(options);
    const events = run.events[Symbol.asyncIterator]();
    return {
      next: () => events.next(),
      return: async () => {
        run.cancel("the loop over its events was left");
        return (await events.return?.()) ?? { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  on<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): () => void {
    return this.#workflow.on(type, listener);
  }

  once<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): () => void {
    return this.#workflow.once(type, listener);
  }

  off<Type extends EventType | "*">(type: Type, listener: Listener<Type, State>): void {
    this.#workflow.off(type, listener);
  }

  toDocument(): ReturnType<Workflow<State>["toDocument"]> {
    return this.#workflow.toDocument();
  }

  withDocument(document: Parameters<Workflow<State>["withDocument"]>[0]): Workflow<State, Input> {
    return new TracedWorkflow(this.#workflow.withDocument(document), this.#tracing);
  }
}

const NOTHING: RunOptions = Object.freeze({});

/** What of a run's options spans need. What cannot be read is refused by the run itself, in its own words. */
function readable(options: RunOptions): RunOptions {
  try {
    const { trace, sessionId } = { ...options };
    if (trace === undefined || trace === null) return { sessionId };
    const { parent, origins } = trace;
    return { sessionId, trace: { parent, origins } };
  } catch {
    return NOTHING;
  }
}

type Tried = <Made>(make: () => Made) => Made | undefined;

/** Makes spans of the events of a run. A run that could not begin, and a tracer that fails, are nobody's second failure. */
async function followed(events: AsyncIterable<RunEvent>, span: Span, spans: Spans, content: boolean, tried: Tried): Promise<void> {
  let last = Date.now();
  try {
    for await (const event of events) {
      last = event.at;
      tried(() => spans.follow(event));
      if ("result" in event) tried(() => conclude(span, event.result, content));
    }
  } catch (error) {
    const code = (error as { code?: unknown } | undefined)?.code;
    tried(() => fail(span, { code: typeof code === "string" ? (code as StepweaveError["code"]) : "internal", message: String(error) }, content));
  }
  tried(() => spans.endAll(last));
  tried(() => span.end());
}

/** Writes onto the span of a run how it ended. */
function conclude(span: Span, result: RunResult, content: boolean): void {
  const { status, error } = result;
  span.setAttributes({ [names.OWN.RUN_STATUS]: status, ...usageOf(ownUsage(result)) });
  if (error !== undefined) fail(span, error, content);
}

/** The context of a request that came in with a `traceparent`, or the one in which the program is. */
function contextOf(parent: string | null | undefined): Context {
  const active = context.active();
  if (!isTraceparent(parent)) return active;
  const [, traceId, spanId, flags] = parent.split("-") as [string, string, string, string];
  return trace.setSpanContext(active, { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true });
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`;
}
