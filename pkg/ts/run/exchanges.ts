import { StepweaveError } from "../api/errors.js";
import { exchange } from "../effects/exchange.js";
import type { Sending } from "../effects/sending.js";
import { copyJson, TooLarge } from "../json/copy.js";
import { NotJson } from "../json/not-json.js";
import { tooLarge } from "./answers.js";
import type { HandlerContext } from "./context.js";
import type { Settings } from "./options.js";

/** The answer to a request of the document, frozen and without secrets; throws a StepweaveError. */
export async function exchanged(request: string, settings: Settings, contextOf: (callId: string | undefined) => HandlerContext, controller: AbortController): Promise<unknown> {
  const sending = JSON.parse(request) as Sending;
  const key = sending.once ? headerText(contextOf(sending.callId).idempotencyKey) : undefined;
  const answer = await exchange(sending, key, settings, controller);
  const { redact, own } = settings;
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
