import type { Run } from "../api/run.js";
import { isConflict } from "../journal/errors.js";
import { askingPage, sayingPage } from "./link-page.js";
import type { ApprovalLinks } from "./links.js";
import type { Settings } from "./options.js";
import { changed, failed, isForTheLog, isUnfit, ofRun, Refused } from "./problem.js";
import type { ServedRuns } from "./served-runs.js";

/** Answers that are given by links: each has a page, and the page's button gives it. */
export class Linked {
  readonly #runs: ServedRuns;
  readonly #settings: Settings;

  constructor(runs: ServedRuns, settings: Settings) {
    this.#runs = runs;
    this.#settings = settings;
  }

  /** The response to a request for a link: a page in any case, because a person reads it. `keep` receives what outlives it. */
  async respond(request: Request, token: string, links: ApprovalLinks, workflow: string, keep: (run: Promise<unknown>) => void): Promise<Response> {
    let id = "";
    try {
      const { runId, key, answer } = await links.read(token);
      id = runId;
      const { journal, pending, status, owner = "" } = await this.#runs.runOf(runId);
      const approval = pending.find((one) => one.key === key);
      if (status !== "suspended" || approval === undefined) throw await this.#runs.refusal(runId, [key]);
      if (request.method === "GET") return await askingPage(workflow, approval, answer);
      // Whoever has the link may give this answer, and no other: its signature is the permission. The run stays its owner's.
      const run = await this.#runs.start({ request, principal: owner }, { journal, answers: { [key]: answer } });
      keep(this.#runs.over(run));
      await taken(run).catch(async (error: unknown) => {
        // Another was faster, with an answer to this approval or to another one.
        throw isConflict(error) ? await this.#runs.refusal(runId, [key]) : error;
      });
      return await sayingPage(200, workflow, "Thank you: your answer has arrived.");
    } catch (thrown) {
      if (isForTheLog(thrown) || isUnfit(thrown)) await this.#settings.onError(ofRun(id, thrown), request);
      const error = isUnfit(thrown) ? changed() : thrown;
      return sayingPage(failed(error).status, workflow, error instanceof Refused ? `${error.message.slice(0, 1).toUpperCase()}${error.message.slice(1)}.` : "This answer could not be taken.");
    }
  }
}

/** Resolves once the journal has the answer; throws where it was not taken. The run goes on. */
async function taken(run: Run): Promise<void> {
  for await (const event of run.events) {
    if ("result" in event) {
      const { error } = event.result;
      if (error !== undefined) throw error;
      return;
    }
    // What is emitted anew follows from the answer, unless it says that the answer does not fit.
    if (event.replayed !== true && event.type !== "run.start" && event.type !== "run.warning" && event.type !== "step.start" && event.type !== "step.error") return;
  }
}
