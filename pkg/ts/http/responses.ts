import type { RunStatus } from "../api/journal.js";
import type { PublicResult } from "../api/public-event.js";

/** How a run stands, in a response about it: its result, or as much of it as there is yet, or as is for the caller. */
export interface HttpRun extends Pick<PublicResult, "runId">, Partial<Omit<PublicResult, "runId" | "status">> {
  readonly status: RunStatus;
  /** Where a run is looked at again: when it began, and when its last entry came. */
  readonly startedAt?: number;
  readonly updatedAt?: number;
  /** The keys of answers that came too late. */
  readonly ignored?: readonly string[];
}

/** A run in a list. */
export interface ListedHttpRun {
  readonly runId: string;
  readonly status: RunStatus;
  readonly updatedAt: number;
  /** When it can go on without an answer. */
  readonly wakeAt?: number;
}

/** A page of runs. */
export interface HttpRuns {
  readonly runs: readonly ListedHttpRun[];
  /** Leads to the next page, if there is one. */
  readonly cursor?: string;
}
