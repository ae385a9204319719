// Connections that a server has closed when a request was sent into them.
import { reasonOf } from "../api/errors.js";
import { isClosedMeanwhile } from "../effects/sent-again.js";
import type { Exchange, RecordedFailure } from "./exchange.js";

/** How Node says that it was closed. Recordings of earlier versions have nothing but this. */
const CLOSED = "fetch failed (other side closed)";

/** A request that had no answer, as it is recorded. */
export function failureOf(error: unknown): RecordedFailure {
  const failed = reasonOf(error);
  if (isClosedMeanwhile(error)) return { failed, connection: "kept" };
  return { failed, ...(failed === CLOSED && { connection: "new" }) };
}

/** What `fetch` throws of a failure that was recorded; `behind` is what was recorded of the same request after it. */
export function thrownFor({ failed, connection }: RecordedFailure, behind: Exchange | undefined): TypeError {
  const isKept = connection === "kept" || (connection === undefined && failed === CLOSED && behind !== undefined);
  if (!isKept) return new TypeError(failed);
  // As Node throws it, by which a run knows that it may send once more.
  const [, text = failed, why = ""] = /^(.*) \((.*)\)$/s.exec(failed) ?? [];
  return new TypeError(text, { cause: Object.assign(new Error(why), { code: "UND_ERR_SOCKET", socket: { bytesRead: 1 } }) });
}
