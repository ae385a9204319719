import { StepweaveError } from "../../api/errors.js";
import { reading } from "../../schema/options.js";

/** What an agent is to the decorators of its methods. */
export interface DecoratedAgent {
  findStep(name: string): unknown;
  listSteps(): readonly unknown[];
}

/** Makes a step, or the custom run, of a method of a class that extends `ReasoningAgent`. */
export interface MethodDecorator<Method extends (...inputs: any[]) => unknown> {
  <This extends DecoratedAgent, Own extends Method>(method: Own, context: ClassMethodDecoratorContext<This, Own>): void;
}

/** The method by which an agent takes what a decorator has made of one of its own. The same in every copy of the package. */
export const TAKE: unique symbol = Symbol.for("stepweave.take") as never;

/** Whether this is what decorators are called with beside what they stand on. */
export function isDecoratorContext(value: unknown): value is DecoratorContext {
  if (typeof value !== "object" || value === null) return false;
  return reading("what a step is made of", () => {
    const { kind, addInitializer } = value as Partial<DecoratorContext>;
    return typeof kind === "string" && typeof addInitializer === "function";
  });
}

/** Whether these are the arguments of decorators as they were before the standard: an object, a name and perhaps a descriptor. */
export function isLegacy([target, key]: readonly unknown[]): boolean {
  return ((typeof target === "object" && target !== null) || typeof target === "function") && (typeof key === "string" || typeof key === "symbol");
}

/** What is reported to whoever uses decorators as they were before the standard. */
export function legacy(word: string): StepweaveError {
  return wrong(`@${word} was called as decorators were before the standard`, "take `experimentalDecorators` out of the compiler's options: TypeScript has standard decorators from version 5 on");
}

/** Lets each agent of the class take what `make` makes of the method, with the method's name. */
export function decorate(word: string, args: readonly unknown[], make: (method: (...inputs: any[]) => unknown, name: string) => unknown): void {
  const [method, context] = args;
  if (!isDecoratorContext(context)) throw isLegacy(args) ? legacy(word) : wrong(`@${word} was called without what it stands on`, `write @${word}({ … }) before a method of a class`);
  const name = methodName(word, context);
  const made = make(method as (...inputs: any[]) => unknown, name);
  context.addInitializer(function (this: unknown) {
    const agent = this as { readonly [TAKE]?: (name: string, made: unknown) => void };
    if (typeof agent[TAKE] !== "function") throw wrong(`@${word} stands on a method of a class that is no ReasoningAgent`, "write class Analyst extends ReasoningAgent { … }");
    agent[TAKE](name, made);
  });
}

function methodName(word: string, context: DecoratorContext): string {
  const { kind, name } = context;
  const isStatic = kind !== "class" && context.static;
  const isPrivate = kind !== "class" && context.private;
  if (kind === "method" && !isStatic && !isPrivate && typeof name === "string") return name;
  const what = [isStatic ? "static" : isPrivate ? "private" : typeof name === "symbol" ? "symbol" : "", kind].filter((part) => part !== "").join(" ");
  const shown = name === undefined ? "" : ` \`${String(name)}\``;
  throw wrong(`@${word} stands on the ${what}${shown}, but makes steps of methods with a name only`, `write @${word}({ … }) analyse(input) { return \`Analyse: \${input}\`; } in a class that extends ReasoningAgent`);
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
