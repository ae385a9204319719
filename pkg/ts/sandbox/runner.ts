import type { CodeRunner, SandboxLimits } from "../api/code.js";
import { StepweaveError, textOf } from "../api/errors.js";
import { setCodeRunner } from "../run/code.js";
import { kindOf, reading } from "../schema/options.js";
import { stopOf } from "./failure.js";
import { limitsOf } from "./limits.js";
import { Machine, Stopped, type Image, type Wanted } from "./machine.js";
import { isFunctionOnly, uncalled, valueOf } from "./outcome.js";

type Source = () => WebAssembly.Module | BufferSource;

let source: Source | undefined;
let module: WebAssembly.Module | undefined;
let image: Image | undefined;
let machine: Machine | undefined;

/**
 * Runs JavaScript that nobody has read, as the body of a function of `state` and `ctx`, and gives the patch that it
 * returns. It reaches nothing but these two. It is what a step with `run: { code }` runs in. `compute` gives any JSON
 * that the code returns, as for a tool.
 *
 * ```ts
 * import { sandbox } from "stepweave/sandbox";
 *
 * const code = "ctx.log('adding'); return { total: state.prices.reduce((sum, price) => sum + price, 0) }";
 * console.log(sandbox.run(code, { prices: [1, 2] }, console)); // adding, { total: 3 }
 * ```
 */
export const sandbox: CodeRunner = {
  run: (code, state, logger, given) => outcome("patch", code, state, logger, given) as object,
  compute: (code, state, logger, given) => outcome("value", code, state, logger, given),
};

function outcome(wanted: Wanted, code: string, state: object, logger: { log(message: string): void }, given?: SandboxLimits): unknown {
  const limits = limitsOf(given);
  if (typeof code !== "string") throw new StepweaveError("validation", `the code of a step is ${kindOf(code)}, not a text`);
  if (reading("what hears the log lines", () => typeof logger?.log !== "function")) throw new StepweaveError("validation", "code needs something that hears its log lines", { hint: "pass console, or an object with log(line)" });
  const text = reading("the state of the code", () => JSON.stringify(state));
  if (text === undefined) throw new StepweaveError("validation", `the state of the code is ${kindOf(state)}, not JSON`);
  const current = (machine ??= started());
  try {
    const word = current.run(wanted, code, text, limits);
    if (NOTHING.includes(word) && isFunctionOnly(code, (probe) => current.run("patch", probe, text, limits))) throw uncalled();
    return valueOf(word, code, limits);
  } catch (error) {
    if (error instanceof StepweaveError) throw error;
    // Only a machine that has stopped the code in good order can be used again.
    if (!(error instanceof Stopped)) machine = undefined;
    const stopped = error instanceof Stopped ? error : current.stoppedBy(error);
    throw stopped === undefined ? broken(error) : stopOf(stopped.by, limits);
  } finally {
    if (current.hasGrown) machine = undefined;
    // Last, when nothing of the machine is in use any more: the listener may run the user's code.
    for (const line of current.lines) logger.log(line);
  }
}

/** The guest's words for code that returned nothing. */
const NOTHING = ["n", "vnull"];

/** @internal Where an entry finds the interpreter, compiled or as bytes. The first entry wins. */
export function setSandboxSource(given: Source): void {
  source ??= given;
  setCodeRunner(sandbox);
}

function started(): Machine {
  try {
    module ??= compiled((source as Source)());
    const made = new Machine(module, image);
    image = made.image;
    return made;
  } catch (error) {
    throw new StepweaveError("internal", `the sandbox of code steps cannot be started: ${textOf(error)}`, {
      cause: error,
      hint:
        "a page with a Content-Security-Policy must allow script-src 'wasm-unsafe-eval'; " +
        'a Worker on Cloudflare or an edge function must resolve "stepweave/sandbox" with its own condition, `workerd` or `edge-light`',
    });
  }
}

function compiled(found: ReturnType<Source>): WebAssembly.Module {
  return isModule(found) ? found : new WebAssembly.Module(found);
}

/** By name and not by `instanceof`: some edge runtimes hand over modules of another realm. */
function isModule(value: unknown): value is WebAssembly.Module {
  return Object.prototype.toString.call(value) === "[object WebAssembly.Module]";
}

function broken(error: unknown): StepweaveError {
  return new StepweaveError("handler", `the interpreter broke down over the code: ${textOf(error)}`, {
    cause: error,
    hint: "the next run has a fresh interpreter; please report the code that does this",
  });
}
