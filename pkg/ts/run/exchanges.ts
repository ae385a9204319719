import { StepweaveError } from "../api/errors.js";
import { prepared } from "../effects/exchange.js";
import type { Answer, Sending } from "../effects/sending.js";
import { copyJson, TooLarge } from "../json/copy.js";
import { NotJson } from "../json/not-json.js";
import { tooLarge } from "./answers.js";
import type { HandlerContext } from "./context.js";
import type { Settings } from "./options.js";

/** A request that may leave. */
export interface Exchange {
  /** Sends it, and gives its answer, frozen and without secrets; throws a StepweaveError. */
  readonly send: () => Promise<unknown>;
  /** What messages call it, if it must not be sent twice. */
  readonly once: string | undefined;
}

/** Has a request of the document leave; throws a StepweaveError where it may not. */
export async function exchangeOf(request: string, settings: Settings, contextOf: (callId: string | undefined) => HandlerContext, controller: AbortController): Promise<Exchange> {
  const sending = JSON.parse(request) as Sending;
  const { method, url, once, callId } = sending;
  const key = once ? headerText(contextOf(callId).idempotencyKey) : undefined;
  const send = await prepared(sending, key, settings, controller, (answer) => kept(answer, settings));
  return { send, once: once ? `${method} ${url.split(/[?#]/)[0]}` : undefined };
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
