import type { RunOptions } from "../api/run.js";
import type { EngineRun } from "./engine-run.js";
import type { Spot } from "./executions.js";
import type { Settings } from "./options.js";
import type { Outcome } from "./outcome.js";
import type { Port } from "./port.js";
import type { RunRecord } from "./record.js";

/** What a run waits for outside of the engine. */
export interface UnderWay {
  /** Whether nothing is waited for. */
  readonly isIdle: boolean;
  /** The requests that were sent, have no answer, and must not be sent twice. */
  readonly unanswered: readonly (readonly [what: string, spot: Spot])[];
  /** Gives everything up. */
  abortAll(reason: unknown): void;
}

/** What a run is made of: what its ending, its voice, its replay and its loop work on. */
export interface RunParts {
  readonly id: string;
  /** The workflow's name. */
  readonly name: string;
  /** As they were given. */
  readonly options: RunOptions;
  readonly settings: Settings;
  readonly record: RunRecord;
  /** The requests of the engine, and the journal, where one is kept. */
  readonly port: Port;
  readonly engine: EngineRun;
  readonly outcome: Outcome;
  /** There once the run has begun. */
  operations: UnderWay | undefined;
}
