import { isStepweaveError, StepweaveError } from "../api/errors.js";
import type { Pending } from "../api/results.js";
import { checkFunctions } from "../journal/check.js";
import { optionsFrom, reading } from "../schema/options.js";
import { PLATFORM_OPTIONS, runDurably, type DurableEngine, type DurableOptions, type DurableOutput, type DurableWorkflow } from "./engine.js";

/** A promise that Restate keeps. */
interface KeptPromise<Value> extends PromiseLike<Value> {
  orTimeout(ms: number): PromiseLike<Value>;
}

type Answers = { readonly [key: string]: unknown };

/** What this uses of the context of a Restate workflow. */
export interface RestateContext {
  readonly key: string;
  run(name: string, action: () => Promise<string>): PromiseLike<string>;
  sleep(ms: number, name?: string): PromiseLike<void>;
  promise(name: string): { get(): KeptPromise<any>; resolve(value?: any): PromiseLike<void> };
  set(name: string, value: any): void;
  get(name: string): PromiseLike<any>;
  clear(name: string): void;
  request(): { readonly attemptCompletedSignal: AbortSignal };
}

/** The context of a handler that is called while the workflow runs. */
export type RestateSharedContext = Pick<RestateContext, "key" | "promise" | "get">;

/** What a finished Restate workflow gives. */
export type RestateOutput<State = any> = DurableOutput<State>;

/** The options of {@link restateHandlers}: those of a run on an engine, and Restate's own error. */
export interface RestateOptions<State = any> extends Omit<DurableOptions<State>, "id" | "state"> {
  /** `TerminalError` of `@restatedev/restate-sdk`: a run that fails is not tried again by Restate, whatever it failed with. */
  TerminalError: new (message: string, options?: { errorCode?: number; cause?: unknown }) => Error;
}

/** The handlers of a Restate workflow. */
export interface RestateHandlers<State = any> {
  /** Runs the workflow with this state; the key of the Restate workflow is the run's id. */
  run(context: RestateContext, state?: Partial<State>): Promise<RestateOutput<State>>;
  /** Answers what the run waits for, by the keys of `pending`. */
  answer(context: RestateSharedContext, answers: Answers): Promise<void>;
  /** What the run waits for; nothing while it waits for nobody. */
  pending(context: RestateSharedContext): Promise<readonly Pending[]>;
}

/** Where the run keeps what it waits for, so that whoever answers finds it. */
const WAITING = "waiting";

interface Waiting {
  readonly key: string;
  readonly pending: readonly Pending[];
}

/**
 * The handlers with which a Restate workflow runs a workflow of Stepweave: `run`, `answer` and `pending`. Its services are
 * served over HTTP/2, where an attempt goes on while its answers are kept.
 *
 * ```ts
 * interface Restate { workflow(definition: { name: string; handlers: object }): object; TerminalError: new (message: string) => Error }
 *
 * const serviceOf = (restate: Restate) => restate.workflow({ name: "orders", handlers: restateHandlers(workflow, { TerminalError: restate.TerminalError }) });
 * ```
 */
export function restateHandlers<State = any>(
  workflow: DurableWorkflow<State>,
  options: RestateOptions<State>,
): RestateHandlers<State> {
  checkFunctions(workflow, ["start"], "restateHandlers() needs a workflow", "write restateHandlers(new Workflow({ … }), { TerminalError })");
  const { TerminalError, ...own } = optionsFrom(options, ["TerminalError", ...PLATFORM_OPTIONS], "restateHandlers()");
  if (typeof TerminalError !== "function") {
    throw new StepweaveError("validation", "restateHandlers() lacks the `TerminalError` of Restate", { hint: 'pass the one of "@restatedev/restate-sdk": without it Restate would try a failed run again and again' });
  }
  // A kept promise refuses with a terminal error when its time is over; other failures are the attempt's own.
  const terminal = (error: unknown, errorCode: number): Error => new TerminalError(error instanceof Error ? error.message : String(error), { errorCode, cause: error });
  return {
    async run(context, state) {
      checkFunctions(context, ["run", "sleep", "promise", "set", "clear", "request"], "the handler `run` needs the context of a Restate workflow", "pass the handlers to restate.workflow({ name, handlers })");
      const engine = restateEngine(context);
      try {
        const result = await runDurably(engine, workflow, { ...own, id: context.key, ...(state !== undefined && { state }) });
        if (result.status === "error" || result.status === "budget") throw result.error;
        return { status: result.status, state: result.state } as RestateOutput<State>;
      } catch (error) {
        throw isStepweaveError(error) ? terminal(`${error.code}: ${error.message}`, 500) : error;
      }
    },
    async answer(context, answers) {
      if (typeof answers !== "object" || answers === null || Array.isArray(answers)) throw terminal("answers are an object with the keys of `pending`", 400);
      const { key, pending } = ((await context.get(WAITING)) ?? { pending: [] }) as Partial<Waiting> & Pick<Waiting, "pending">;
      const other = Object.keys(answers).find((name) => !pending.some(({ key }) => key === name));
      if (key === undefined) throw terminal("the run waits for nobody", 409);
      if (other !== undefined || Object.keys(answers).length === 0) throw terminal(`the run waits for ${pending.map(({ key }) => key).join(", ")}`, 400);
      await context.promise(key).resolve(answers);
    },
    async pending(context) {
      return (((await context.get(WAITING)) ?? { pending: [] }) as Waiting).pending;
    },
  };
}

function restateEngine(context: RestateContext): DurableEngine {
  const signal = reading("the context of a Restate workflow", () => (Object(context.request()) as ReturnType<RestateContext["request"]>).attemptCompletedSignal);
  return {
    signal,
    async perform(key, call) {
      return context.run(key, async () => {
        const text = await call();
        // What an attempt ends with that Restate has given up is kept nowhere.
        signal.throwIfAborted();
        return text;
      });
    },
    sleepUntil: async (key, time) => context.sleep(Math.max(0, time - Date.now()), key),
    async waitFor(key, until, pending) {
      context.set(WAITING, { key, pending } satisfies Waiting);
      const given = context.promise(key).get();
      let answers: Answers | undefined;
      try {
        answers = (await (until === undefined ? given : given.orTimeout(Math.max(0, until - Date.now())))) as Answers;
      } catch (error) {
        if (!isTimeout(error)) throw error;
      }
      context.clear(WAITING);
      return answers;
    },
  };
}

/** The time for an answer is over; anything else is Restate's own. */
function isTimeout(error: unknown): boolean {
  return Object(error).name === "TimeoutError" || Object(error).code === 408;
}
