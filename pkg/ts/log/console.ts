import type { EventOf, RunEvent } from "../api/events.js";
import { StepweaveError } from "../api/errors.js";
import { ownUsage } from "../json/usage.js";
import { optionsFrom, quoted, reading } from "../schema/options.js";

/** How much is logged: each level has those after it too. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** What lines are written to; `console` is one. */
export interface LogTarget {
  debug(line: string): unknown;
  info(line: string): unknown;
  warn(line: string): unknown;
  error(line: string): unknown;
}

/** The options of {@link consoleLogger}. */
export interface LoggerOptions {
  /** `info` by default: how runs begin and end, and each step. `debug` adds the beginnings of steps and the calls of tools; `warn` has warnings and repeated attempts, `error` failures alone. */
  readonly level?: LogLevel | undefined;
  /** What lines are written to; the console by default. */
  readonly target?: LogTarget | undefined;
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/**
 * A listener that writes a line for each event, without states, answers and arguments: names, times, tokens and the messages
 * of errors.
 *
 * ```ts
 * import { consoleLogger } from "stepweave/log";
 *
 * workflow.on("*", consoleLogger({ level: "debug" }));
 * ```
 */
export function consoleLogger(options: LoggerOptions = {}): (event: RunEvent) => void {
  const { level = "info", target = console } = optionsFrom(options, ["level", "target"], "consoleLogger()");
  const least = LEVELS.indexOf(level);
  if (least < 0) throw new StepweaveError("validation", `consoleLogger() has no level ${quoted(level)}`, { hint: `use ${LEVELS.join(", ")}` });
  if (reading("the option `target` of consoleLogger()", () => LEVELS.some((name) => typeof (Object(target) as Record<string, unknown>)[name] !== "function"))) throw new StepweaveError("validation", "the option `target` of consoleLogger() has not all of debug(), info(), warn() and error()", { hint: "pass console, or a logger of yours" });
  return (event) => {
    // What a journal has was logged when it happened.
    const line = "replayed" in event && event.replayed === true && event.type !== "run.start" ? undefined : lineOf(event);
    if (line === undefined || LEVELS.indexOf(line[0]) < least) return undefined;
    // A target that answers later fails as a listener does.
    return target[line[0]](`[${event.runId.slice(0, 8)}] ${oneLine(line[1])}`);
  };
}

function lineOf(event: RunEvent): readonly [LogLevel, string] | undefined {
  switch (event.type) {
    case "run.start":
      return ["info", `${event.workflow} ${event.replayed === true ? "goes on" : "begins"}`];
    case "step.start":
      return ["debug", `${event.step.name} begins${event.attempt > 1 ? `, attempt ${event.attempt}` : ""}`];
    case "tool.start":
      return ["debug", `${event.step.name} calls ${event.tool}`];
    case "tool.done":
      return ["debug", `${event.tool} answered in ${event.durationMs} ms`];
    case "tool.error":
      return ["warn", `${event.tool} failed: ${event.error.code}: ${event.error.message}`];
    case "step.done":
      return ["info", `${event.step.name} done in ${event.durationMs} ms${usageOf(ownUsage(event))}`];
    case "step.error":
      return event.retryInMs === undefined ? ["error", `${event.step.name} failed: ${event.error.code}: ${event.error.message}`] : ["warn", `${event.step.name} failed, again in ${event.retryInMs} ms: ${event.error.code}: ${event.error.message}`];
    case "step.skipped":
      return ["debug", `${event.step.name} skipped: ${event.reason}`];
    case "step.suspended":
      return ["info", `${event.step.name} waits`];
    case "run.warning":
      return ["warn", `${event.code}: ${event.message}`];
    case "run.error":
    case "run.budget":
      return ["error", `run ends ${event.result.status}: ${event.result.error.code}: ${event.result.error.message}`];
    case "run.done":
    case "run.suspended":
    case "run.cancelled":
      return ["info", `run ends ${event.result.status}${usageOf(ownUsage(event.result))}`];
    default:
      return undefined;
  }
}

function usageOf(usage: EventOf<"step.done">["usage"]): string {
  return usage === undefined || usage.inputTokens + usage.outputTokens === 0 ? "" : `, ${usage.inputTokens} + ${usage.outputTokens} tokens`;
}

/** An event is one line, whatever a message holds: nobody writes a second one, or moves the cursor. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").slice(0, 2000);
}
