// How requests fail that have no answer, as far as a run makes something of it.
import { reasonOf } from "../api/errors.js";
import { isClosedMeanwhile } from "../effects/sent-again.js";
import { codeOf } from "../effects/unsent.js";
import type { Exchange, RecordedFailure } from "./exchange.js";

/** How Node says that a server has closed the connection. Recordings of earlier versions have nothing but this. */
const CLOSED = "fetch failed (other side closed)";

/** A request that had no answer, as it is recorded. */
export function failureOf(error: unknown): RecordedFailure {
  const code = codeOf(error);
  return { failed: reasonOf(error), ...(code !== "" && { code }), ...(isClosedMeanwhile(error) && { connection: "kept" }) };
}

/** What `fetch` throws of a failure that was recorded; `behind` is what was recorded of the same request after it. */
export function thrownFor({ failed, code, connection }: RecordedFailure, behind: Exchange | undefined): TypeError {
  const isKept = connection === "kept" || (code === undefined && failed === CLOSED && behind !== undefined);
  if (code === undefined && !isKept) return new TypeError(failed);
  // As Node throws it, by which a run knows whether anything was sent, and whether it may send once more.
  const [, text = failed, why = ""] = /^(.*?) \((.*)\)$/s.exec(failed) ?? [];
  return new TypeError(text, { cause: Object.assign(new Error(why), { code: code ?? "UND_ERR_SOCKET", ...(isKept && { socket: { bytesRead: 1 } }) }) });
}
