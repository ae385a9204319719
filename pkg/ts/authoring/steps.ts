import { StepweaveError } from "../api/errors.js";
import { isObject } from "../api/json.js";
import type { TypeOf, Schema } from "../api/schema.js";
import type { AgentStep, ApprovalStep, ConditionStep, FunctionStep, ParallelStep, Step } from "../api/steps.js";
import { quoted, reading } from "../schema/options.js";

/** What a step's functions see: what its `input` schema says, and whatever else the state has. */
type Seen<Input> = [Input] extends [undefined] ? any : unknown extends TypeOf<Input> ? any : TypeOf<Input> & { [key: string]: any };

type Typed<Kind, Input> = Omit<Kind, "type" | "input"> & { input?: Input };

/**
 * An agent step, written apart from its workflow. What its functions see has the type of `input`.
 *
 * ```ts
 * const research = agentStep({ name: "research", agent: researcher, inputFrom: (state) => `Research ${state.topic}` });
 * ```
 */
export function agentStep<const Input extends Schema | undefined = undefined>(step: Typed<AgentStep<Seen<Input>>, Input>): AgentStep {
  return written("agent", step, () => ({ ...step, type: "agent" }) as AgentStep);
}

/**
 * A function step, written apart from its workflow. The state that `run` sees has the type of `input`.
 *
 * ```ts
 * import { z } from "zod";
 *
 * const shorten = functionStep({
 *   name: "shorten",
 *   input: z.object({ draft: z.string() }),
 *   run: ({ draft }) => ({ draft: draft.slice(0, 100) }),
 * });
 * const workflow = new Workflow({ name: "write", steps: [shorten] });
 * ```
 */
export function functionStep<const Input extends Schema | undefined = undefined>(step: Typed<FunctionStep<Seen<Input>>, Input>): FunctionStep {
  return written("function", step, () => ({ ...step, type: "function" }) as FunctionStep);
}

/**
 * A condition step, written apart from its workflow. The state that `condition` sees has the type of `input`.
 *
 * ```ts
 * const review = conditionStep({ name: "review", condition: ({ draft }) => draft.length > 80, steps: [{ name: "ask", agent: writer }] });
 * ```
 */
export function conditionStep<const Input extends Schema | undefined = undefined>(step: Typed<ConditionStep<Seen<Input>>, Input>): ConditionStep {
  return written("condition", step, () => ({ ...step, type: "condition" }) as ConditionStep);
}

/**
 * A parallel step, written apart from its workflow.
 *
 * ```ts
 * const check = parallelStep({
 *   name: "check",
 *   parallel: [agentStep({ name: "facts", agent: researcher }), agentStep({ name: "tone", agent: writer })],
 *   concurrency: 2,
 * });
 * ```
 */
export function parallelStep(step: Omit<ParallelStep, "type">): ParallelStep {
  return written("parallel", step, () => ({ ...step, type: "parallel" }));
}

/**
 * An approval step, written apart from its workflow. `AnswerOf` gives the type of its answer, which is `null` where `expired`
 * has run.
 *
 * ```ts
 * import { z } from "zod";
 *
 * const boss = approvalStep({ name: "boss", message: "Pay {{ sum }}?", schema: z.object({ ok: z.boolean() }) });
 * type State = { sum: number; boss_output?: AnswerOf<typeof boss> }; // { ok: boolean }
 * ```
 */
export function approvalStep<const Answer extends Schema | undefined = undefined, Late extends Step[] | undefined = undefined>(
  step: Omit<ApprovalStep<Answer>, "type" | "expired"> & { expired?: Late },
): ApprovalStep<Answer> & ([Late] extends [Step[]] ? { expired: Step[] } : unknown) {
  return written("approval", step, () => ({ ...step, type: "approval" }) as ApprovalStep<Answer> & { expired: Step[] });
}

/** A step of a kind, made of one object. */
function written<Made>(kind: string, step: unknown, make: () => Made): Made {
  const who = `${kind}Step()`;
  return reading(who, () => {
    if (isObject(step)) return make();
    throw new StepweaveError("validation", `${who} takes a step as an object, and was given ${quoted(step)}`, { hint: `write ${kind}Step({ name: "…", … })` });
  });
}
