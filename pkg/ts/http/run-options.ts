import { isStepweaveError, StepweaveError, textOf } from "../api/errors.js";
import { CHECK, type Run, type RunOptions } from "../api/run.js";
import type { Deployed } from "../journal/documents.js";
import { RUN_OPTIONS } from "../run/option-names.js";
import { optionsFrom, withoutUndefined } from "../schema/options.js";
import { isUnfit } from "./problem.js";

/** What of a run's options its server decides. Callers decide about the input alone. */
export type ServedRunOptions = Omit<RunOptions, "state" | "signal" | "journal" | "store" | "replay" | "from" | "owner" | "answers">;

/** The options of all runs of a server, or a function that gives those of one run. */
export type OptionsOfRuns = ServedRunOptions | ((principal: string, request: Request | undefined) => ServedRunOptions | PromiseLike<ServedRunOptions>);

/** What a request and the server itself decide about a run. */
const TAKEN = ["state", "signal", "journal", "store", "replay", "from", "owner", "answers"];
const KNOWN = RUN_OPTIONS.filter((name) => !TAKEN.includes(name));

/** How it is said that what a caller sent cannot be the state or the answers of a run. */
const OF_THE_BODY = /^(?:the option `state` |an answer is not plain JSON)/;

/** The options that a server gives its runs, checked by their names; throws `validation`. What is undefined is as if left out: it replaces nothing. */
export function runOptionsFrom(given: ServedRunOptions, of: string): ServedRunOptions {
  return withoutUndefined(optionsFrom(given, KNOWN, `\`run\` of ${of}`));
}

/** Checks the options of all runs as each of them would; throws `validation`. Whether one has a journal is decided for each. */
export function checkRunOptions(workflow: Deployed, run: OptionsOfRuns | undefined): void {
  if (typeof run === "object") (workflow as { [CHECK]?(options: RunOptions): void })[CHECK]?.({ ...run, journal: true });
}

/** The options that a server gives the run of this principal, who is its user where nothing else is said. */
export async function runOptionsFor({ authorize, run }: { readonly authorize?: unknown; readonly run?: OptionsOfRuns | undefined }, principal: string, request: Request | undefined): Promise<ServedRunOptions> {
  // Of everyone nobody is known: what they share is no user.
  const user = authorize === undefined ? {} : { userId: principal };
  return { ...user, ...(await givenBy(run, principal, request)) };
}

async function givenBy(run: OptionsOfRuns | undefined, principal: string, request: Request | undefined): Promise<ServedRunOptions | undefined> {
  if (typeof run !== "function") return run;
  const given = await run(principal, request);
  try {
    return given === undefined ? undefined : runOptionsFrom(given, "the server");
  } catch (error) {
    throw ofTheServer(error);
  }
}

/** Throws where a run was refused because of the options that its server gave. Every other end of it is for whoever reads it. */
export async function checkBegun({ events }: Run): Promise<void> {
  try {
    await events[Symbol.asyncIterator]().next();
  } catch (error) {
    if (isStepweaveError(error) && error.code === "validation" && !isUnfit(error) && !OF_THE_BODY.test(error.message)) throw ofTheServer(error);
  }
}

/** No caller can mend it, and its words are for nobody but the server. */
function ofTheServer(error: unknown): StepweaveError {
  return new StepweaveError("handler", `a run cannot begin with the option \`run\` of its server: ${textOf(error)}`, { cause: error, hint: "give options of a run, such as { secrets, limits }" });
}
