import { isStepweaveError, StepweaveError, textOf } from "../api/errors.js";

/** What an option decides that is a function; throws an error that names the option where that throws. */
export async function decidedBy<Value>(option: string, decide: () => Value | PromiseLike<Value>): Promise<Value> {
  try {
    return await decide();
  } catch (error) {
    // Who throws such an error says in its own words what to do.
    if (isStepweaveError(error)) throw error;
    throw new StepweaveError("handler", `the option \`${option}\` threw: ${textOf(error) || "an error without a message"}`, {
      cause: error,
      hint: `nothing was sent: see \`cause\`, and mend the function that is passed as \`${option}\` where the run starts`,
      retryable: false,
    });
  }
}
