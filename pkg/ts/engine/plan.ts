import type { Problem } from "../document.js";
import type { StepRef } from "../errors.js";
import { StepweaveError } from "../errors.js";
import type { Handlers } from "../types.js";
import { CALL_CONDITION, CALL_INPUT, CALL_RUN, type Compiled } from "./boundary.js";
import type { Instance } from "./instance.js";

/** A function of the user, whatever its kind. */
export type StepFunction = Handlers[string];

/** A document that one instance has compiled. */
export interface Plan {
  readonly number: number;
  readonly name: string;
  readonly steps: readonly PlannedStep[];
  /** By step: the function for each kind of call. */
  readonly functions: readonly (readonly (StepFunction | undefined)[] | undefined)[];
}

/** A step as events and results refer to it. */
export interface PlannedStep {
  readonly ref: StepRef;
  readonly type: string;
}

// Plans of workflows that nobody holds any more are given back to their instance.
const abandoned =
  typeof FinalizationRegistry === "function"
    ? new FinalizationRegistry<{ instance: Instance; number: number }>(({ instance, number }) => {
        try {
          instance.release(number);
        } catch {
          // The instance has died of it and told its runs; there is nothing left to release.
        }
      })
    : undefined;

/** What is wrong with a document. */
export function problemsOf(instance: Instance, text: string): readonly Problem[] {
  const { plan, problems } = JSON.parse(instance.compile(text)) as Compiled;
  if (plan !== 0) instance.release(plan);
  return problems;
}

/** Compiles a document, and finds the functions it names; throws `document` with every problem. */
export function compile(instance: Instance, text: string, document: unknown, handlers: Handlers): Plan {
  const { plan: number, problems, steps } = JSON.parse(instance.compile(text)) as Compiled;
  if (number === 0) throw refusal(problems);
  const plan = link(number, steps, document, handlers);
  if (plan.missing.length > 0) {
    instance.release(number);
    throw refusal(plan.missing);
  }
  abandoned?.register(plan.plan, { instance, number });
  return plan.plan;
}

/** The error of a document that cannot be run. */
export function refusal(problems: readonly Problem[]): StepweaveError {
  const errors = problems.filter((problem) => problem.severity === "error");
  const shown = errors.slice(0, 3).map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const more = errors.length - shown.length;
  return new StepweaveError(
    "document",
    `the workflow cannot be run: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`,
    { hint: errors[0]?.hint, problems },
  );
}

const KINDS = [
  ["run", CALL_RUN],
  ["condition", CALL_CONDITION],
  ["inputFrom", CALL_INPUT],
] as const;

function link(number: number, compiled: Compiled["steps"], document: unknown, handlers: Handlers) {
  const steps: PlannedStep[] = [];
  const functions: (StepFunction | undefined)[][] = [];
  const missing: Problem[] = [];
  for (const { id, path, name, type } of compiled) {
    const found: (StepFunction | undefined)[] = [];
    const step = at(document, path);
    for (const [key, kind] of KINDS) {
      const handler = (step?.[key] as { handler?: unknown } | undefined)?.handler;
      if (typeof handler !== "string") continue;
      const own = Object.hasOwn(handlers, handler) ? handlers[handler] : undefined;
      if (typeof own === "function") found[kind] = own;
      else missing.push(unknownHandler(`${path}.${key}.handler`, handler, handlers));
    }
    steps.push(Object.freeze({ ref: Object.freeze({ id, path, name }), type }));
    functions.push(found);
  }
  const name = (document as { name: string }).name;
  return { plan: Object.freeze({ number, name, steps, functions }) as Plan, missing };
}

function unknownHandler(path: string, name: string, handlers: Handlers): Problem {
  const names = Object.keys(handlers);
  const known = names.length === 0 ? "no handlers were given" : `given were ${names.slice(0, 8).join(", ")}`;
  return {
    path,
    code: "unknown_handler",
    message: `no function for the handler \`${name}\` (${known})`,
    hint: `pass it: Workflow.fromDocument(document, { handlers: { ${JSON.stringify(name)}: (state) => … } })`,
    severity: "error",
  };
}

/** What stands at a path such as `steps[2].parallel[0]`. */
function at(document: unknown, path: string): Record<string, unknown> | undefined {
  let value: unknown = document;
  for (const key of path.match(/[^.[\]]+/g) ?? []) value = (value as Record<string, unknown> | undefined)?.[key];
  return value as Record<string, unknown> | undefined;
}
