import { StepweaveError } from "../api/errors.js";
import { prepared } from "../effects/exchange.js";
import type { Answer, Sending } from "../effects/sending.js";
import { copyJson, TooLarge } from "../json/copy.js";
import { NotJson } from "../json/not-json.js";
import { tooLarge } from "./answers.js";
import type { HandlerContext } from "./context.js";
import type { Settings } from "./options.js";

/** Sends a request of the document that may leave; gives its answer, frozen and without secrets. Both throw a StepweaveError. */
export async function exchangeOf(request: string, settings: Settings, contextOf: (callId: string | undefined) => HandlerContext, controller: AbortController): Promise<() => Promise<unknown>> {
  const sending = JSON.parse(request) as Sending;
  const key = sending.once ? headerText(contextOf(sending.callId).idempotencyKey) : undefined;
  return prepared(sending, key, settings, controller, (answer) => kept(answer, settings));
}

function kept(answer: Answer, { redact, own }: Settings): unknown {
  try {
    return copyJson(answer, "answer", undefined, redact, own.maxResultBytes);
  } catch (error) {
    if (error instanceof TooLarge) throw tooLarge("the answer of a request", error.most);
    if (!(error instanceof NotJson)) throw error;
    throw new StepweaveError("validation", `the answer of a request cannot be kept: ${error.message}`, { hint: 'take it as it is with response: "text"', retryable: false });
  }
}

/** Names of steps may be in any script; headers hold no such letters. */
function headerText(key: string): string {
  return encodeURI(key);
}
