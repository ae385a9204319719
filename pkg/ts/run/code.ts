import { isStepweaveError, StepweaveError } from "../api/errors.js";
import type { CodeRunner } from "../api/code.js";

/** Loads `stepweave/sandbox`. */
export type CodeSource = () => PromiseLike<{ readonly sandbox: CodeRunner }>;

let source: CodeSource = besideThisFile;
let runner: CodeRunner | undefined;
let loading: Promise<CodeRunner> | undefined;

/** @internal What runs code, if it is there already. */
export function codeRunnerNow(): CodeRunner | undefined {
  return runner;
}

/** @internal What runs code, loaded if it must be. */
export function codeRunnerLater(): Promise<CodeRunner> {
  if (runner !== undefined) return Promise.resolve(runner);
  // A failure is forgotten, so that the next call tries again.
  loading ??= load().finally(() => {
    loading = undefined;
  });
  return loading;
}

/** @internal What loading `stepweave/sandbox` does. */
export function setCodeRunner(given: CodeRunner): void {
  runner = given;
}

/** @internal How the sandbox is loaded by a program that says so, when the first code step runs. */
export function setCodeSource(given: CodeSource): void {
  source = given;
}

async function load(): Promise<CodeRunner> {
  try {
    const loaded = await source();
    runner ??= loaded.sandbox;
    return runner;
  } catch (error) {
    // A program that loads it itself may have said already what to do.
    if (isStepweaveError(error)) throw error;
    throw new StepweaveError("handler", "the sandbox of code steps cannot be loaded", {
      cause: error,
      hint: 'put an import of "stepweave/sandbox" into the program: bundles, Workers and edge functions do not load it by themselves',
    });
  }
}

function besideThisFile(file = "./sandbox.js"): ReturnType<CodeSource> {
  // The file's name is not written here, so that no bundler carries the interpreter into a program that has no code
  // step, or splits what cannot be split. In a bundle the file is not there: the hint says what to do.
  return import(/* webpackIgnore: true */ /* @vite-ignore */ file) as ReturnType<CodeSource>;
}
