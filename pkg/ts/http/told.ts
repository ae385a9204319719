import { isStepweaveError, type StepweaveError } from "../api/errors.js";
import { isOfCaller } from "../api/public-error.js";

/**
 * Tells `onError`, or the console. An `onError` that throws itself takes nothing along, neither a response nor other runs:
 * then the console has what it was told, and what it threw.
 */
export function telling(onError: ((error: unknown, request: Request | undefined) => unknown) | undefined): (error: unknown, request?: Request) => Promise<void> {
  return async (error, request) => {
    if (onError === undefined) return console.error(isStepweaveError(error) && isOfCaller(error) ? lineOf(error) : error);
    try {
      await onError(error, request);
    } catch (thrown) {
      console.error(error);
      console.error("stepweave: the option `onError` threw:", thrown);
    }
  };
}

/** What a caller sent that does not fit: where in the program that was found helps nobody to mend it. */
function lineOf({ code, message, hint }: StepweaveError): string {
  return `stepweave: ${code}: ${message}${hint === undefined ? "" : ` (${hint})`}`;
}
