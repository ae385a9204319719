import type { RunEvent } from "../api/events.js";
import type { PublicEvent } from "../api/public-event.js";
import { checkKeys } from "./input.js";
import type { Beginning, Protocol } from "./protocol.js";
import { isOfAnswers } from "./shown.js";

/** What a run takes back when it goes on: in its replay these events are elsewhere, or nowhere. */
const PASSING: readonly string[] = ["step.suspended", "run.suspended"];

/**
 * The events themselves. Their ids number what remains of a run: `seq` also counts what a suspension leaves behind and warnings,
 * which a replay of the run does not repeat. An event without an id leaves a reader at the one before.
 */
export const OWN_EVENTS: Protocol = {
  read(state, input) {
    checkKeys(input, state);
    return { state };
  },
  writer({ after = -1, resumed }) {
    let last = -1;
    let isRefused = false;
    return {
      headers: {},
      write(event, whole) {
        isRefused ||= mayRefuse(event, resumed);
        if (isRefused || PASSING.includes(event.type) || breaksOff(whole)) return last < after ? "" : frameOf(event);
        last += 1;
        return last > after ? `id: ${last}\n${frameOf(event)}` : "";
      },
    };
  },
};

/** Whether an answer may not have fitted. The run then waits for another one, and what it has emitted since is taken back. */
function mayRefuse(event: PublicEvent, resumed: Beginning["resumed"]): boolean {
  if (resumed === undefined || event.type !== "step.error" || event.retryInMs !== undefined) return false;
  return isOfAnswers(event, Object.keys(resumed.answers));
}

/** Whether a run ends here without an end in its journal, since another was faster to continue that, or its store failed: it goes on elsewhere. */
function breaksOff(event: RunEvent): boolean {
  const { journal } = "result" in event ? event.result : {};
  return journal !== undefined && journal.entries.at(-1)?.key !== "end";
}

function frameOf(event: PublicEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
