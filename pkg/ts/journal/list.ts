import { StepweaveError } from "../api/errors.js";
import type { ListedRun, RunFilter, RunPage, RunSummary } from "../api/journal.js";
import { optionsFrom, quoted, reading } from "../schema/options.js";
import { cursorAt, positionAt } from "./cursor.js";
import { STATUSES } from "./summary.js";

const DEFAULT_LIMIT = 100;

/** A run and its position in the order of a store. */
export interface Row {
  /** Names the position, and nothing of where the run is kept; later runs come after it. */
  readonly at: string;
  readonly run: ListedRun;
}

/** The runs that match a filter, as far as a page goes. `rows` returns those after a position, in order. */
export async function pageOf(filter: RunFilter | undefined, rows: (after: string | undefined) => AsyncIterable<Row>): Promise<RunPage> {
  const { limit, ...wanted } = checkedFilter(filter);
  const runs: ListedRun[] = [];
  let last: string | undefined;
  for await (const { at, run } of rows(wanted.after)) {
    if (!fits(run, wanted)) continue;
    if (runs.length === limit) return { runs, ...(last !== undefined && { cursor: cursorAt(last) }) };
    runs.push(run);
    last = at;
  }
  return { runs };
}

/** A summary, seen to be one and copied. */
export function checkedSummary(given: RunSummary): RunSummary {
  const { status, wakeAt, owner, documentName, updatedAt } = reading("the summary of an append", () => ({ ...given }) as Partial<RunSummary>);
  const isTime = (time: unknown): boolean => typeof time === "number" && Number.isFinite(time);
  if (!STATUSES.includes(status as never)) throw wrongSummary("status", `one of ${STATUSES.join(", ")}`);
  if (typeof documentName !== "string") throw wrongSummary("documentName", "a text");
  if (!isTime(updatedAt)) throw wrongSummary("updatedAt", "a time in milliseconds");
  if (wakeAt !== undefined && !isTime(wakeAt)) throw wrongSummary("wakeAt", "a time in milliseconds, or left out");
  if (owner !== undefined && typeof owner !== "string") throw wrongSummary("owner", "a text, or left out");
  return { status: status as RunSummary["status"], ...(wakeAt !== undefined && { wakeAt }), ...(owner !== undefined && { owner }), documentName, updatedAt: updatedAt as number };
}

function wrongSummary(key: string, what: string): StepweaveError {
  return new StepweaveError("validation", `the summary of an append must have \`${key}\`: ${what}`, {
    hint: 'pass how the run stands behind the entries; summaryOf(entries) of "stepweave/stores" tells it of a whole journal',
  });
}

/** A filter as it is applied: with the position behind which a page begins. */
interface Wanted extends Omit<RunFilter, "cursor"> {
  readonly limit: number;
  readonly after: string | undefined;
}

function checkedFilter(filter: RunFilter = {}): Wanted {
  const wanted = optionsFrom(filter, ["status", "owner", "wakeBefore", "cursor", "limit"], "the list of a store");
  const { status, owner, wakeBefore, cursor, limit = DEFAULT_LIMIT } = wanted;
  if (status !== undefined && !STATUSES.includes(status)) throw wrongFilter("status", status, `use one of ${STATUSES.join(", ")}`);
  if (owner !== undefined && typeof owner !== "string") throw wrongFilter("owner", owner, "pass the owner as runs were given it");
  if (wakeBefore !== undefined && typeof wakeBefore !== "number") throw wrongFilter("wakeBefore", wakeBefore, "pass milliseconds since 1970, such as Date.now()");
  if (!Number.isSafeInteger(limit) || limit < 1) throw wrongFilter("limit", limit, "pass how many runs a page may have, at least 1");
  return { status, owner, wakeBefore, limit, after: cursor === undefined ? undefined : positionAt(cursor) };
}

function wrongFilter(key: string, value: unknown, hint: string): StepweaveError {
  return new StepweaveError("validation", `\`${key}\` of the list is ${quoted(value)}`, { hint });
}

function fits(run: ListedRun, { status, owner, wakeBefore }: RunFilter): boolean {
  if (status !== undefined && run.status !== status) return false;
  if (owner !== undefined && run.owner !== owner) return false;
  return wakeBefore === undefined || (run.wakeAt !== undefined && run.wakeAt <= wakeBefore);
}
