import type { StepweaveError } from "../api/errors.js";
import type { RunEvent } from "../api/events.js";
import { publicError, type PublicError } from "../api/public-error.js";
import { publicEvent, type PublicEvent, type PublicPending, type PublicResult } from "../api/public-event.js";
import type { RunResult, SuspendedResult } from "../api/results.js";
import { executionOf } from "../journal/execution.js";
import { isConflict } from "../journal/errors.js";
import { totalOf } from "../json/usage.js";

/** What a run waits for that the reader may answer, as that one sees it; nothing where that is nothing. */
export type Asked = (result: SuspendedResult) => Promise<readonly PublicPending[] | undefined>;

/** The answers of people, by the keys of what they answer. */
export type Answers = Readonly<Record<string, unknown>>;

/** The event that a reader may see; nothing where it is not for that one. */
export type Shown = (event: RunEvent) => Promise<PublicEvent | undefined>;

/** What of a run somebody who has answered it for another may see. */
export interface Entrusted extends Pick<PublicResult, "runId" | "status" | "pending" | "wakeAt"> {
  /** Why the answer itself was not taken. */
  readonly error?: StepweaveError;
}

const FAILED: PublicError = { code: "internal", message: "the run has failed, and why is for the one whose run it is" };

/** The events as whoever the run belongs to sees them. */
export function shownToOwner(asked: Asked): Shown {
  return async (event) => {
    const shown = publicEvent(event);
    if (shown?.type !== "run.suspended" || event.type !== "run.suspended") return shown;
    const pending = await asked(event.result as SuspendedResult);
    return pending === undefined ? shown : { ...shown, result: { ...shown.result, pending: wholeOf(shown.result.pending, pending) } };
  };
}

/** What a run waits for, as its owner sees it: as a whole what that one may answer, and of the rest the public form. */
export function wholeOf(shown: readonly PublicPending[] = [], asked: readonly PublicPending[]): readonly PublicPending[] {
  return shown.map((one) => asked.find(({ key }) => key === one.key) ?? one);
}

/** The events as somebody sees them who has answered for another: that the run goes on, and how it stands then. */
export function shownToAnswerer(asked: Asked, answers: Answers): Shown {
  let seq = 0;
  return async (event) => {
    const shown = event.type === "run.start" || "result" in event ? publicEvent(event) : undefined;
    if (shown === undefined) return undefined;
    // Their own numbers would say how much there is between them.
    const numbered = { ...shown, seq: seq++ };
    if (!("result" in event)) return numbered;
    const { error, ...standing } = await entrustedOf(event.result, asked, answers);
    const isFailed = event.type === "run.error" || event.type === "run.budget";
    const result: PublicResult = { ...standing, state: {}, stepResults: [], usage: totalOf([]), errors: [], ...(isFailed && { error: error === undefined ? FAILED : publicError(error) }) };
    return { ...numbered, result } as PublicEvent;
  };
}

/** How a run stands, for somebody who has answered it for another: everything else of it belongs to its owner. */
export async function entrustedOf(result: RunResult, asked: Asked, answers: Answers): Promise<Entrusted> {
  const { runId, status, wakeAt, error } = result;
  // One for whom there is nothing more to answer is not told what others are asked.
  const pending = status === "suspended" ? await asked(result) : undefined;
  const isOwn = error !== undefined && (isConflict(error) || isOfAnswers(error, unkeptOf(result, answers)));
  return { runId, status, ...(pending !== undefined && { pending }), ...(wakeAt !== undefined && { wakeAt }), ...(isOwn && { error }) };
}

/** The keys of the answers that a run has not taken: those that came too late, for example. */
export function unkeptOf({ journal }: RunResult, answers: Answers): readonly string[] {
  const taken = new Set(journal?.entries.map(({ key }) => key));
  return Object.keys(answers).filter((key) => !taken.has(`${key}/answer`));
}

/** Whether an error says of one of these answers that it does not fit. */
export function isOfAnswers({ step }: { readonly step?: { readonly key: string } | undefined }, keys: readonly string[]): boolean {
  return keys.some((key) => executionOf(`${key}/answer`) === step?.key);
}
