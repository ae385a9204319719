import type { RunEvent } from "../api/events.js";
import type { PublicEvent } from "../api/public-event.js";
import { checkKeys } from "./input.js";
import type { Beginning, Protocol } from "./protocol.js";
import { isOfAnswers } from "./shown.js";

/** What a run takes back when it goes on: in its replay these events are elsewhere, or nowhere. */
const PASSING: readonly string[] = ["step.suspended", "run.suspended"];

/**
 * The events themselves. Their ids number what remains of a run: `seq` also counts what a suspension leaves behind and warnings,
 * which a replay of the run does not repeat. An event without an id leaves a reader at the one before. An id has besides a mark of
 * everything up to it. A reader whose id the run has not, or no longer, has read something else than the run has now, such as
 * half an answer that came anew: the stream begins again for that one, and none gets the rest of another one.
 */
export const OWN_EVENTS: Protocol = {
  async read(state, input) {
    await checkKeys(input, state);
    return { state };
  },
  writer({ after, resumed }) {
    let number = -1;
    let mark = 0;
    let isRefused = false;
    // What the reader has, as long as it is not known whether it is that.
    let held: string[] | undefined = after === undefined ? undefined : [];
    const rest = (): string => {
      const frames = held?.join("") ?? "";
      held = undefined;
      return frames;
    };
    return {
      headers: {},
      write(event, whole) {
        isRefused ||= mayRefuse(event, resumed);
        const stays = !isRefused && !PASSING.includes(event.type) && !breaksOff(whole);
        if (stays) [number, mark] = [number + 1, marked(mark, event)];
        const id = `${number}-${mark.toString(36)}`;
        const frame = stays ? `id: ${id}\n${frameOf(event)}` : frameOf(event);
        if (held === undefined) return frame;
        if (stays && id === after) held = undefined;
        else held.push(frame);
        return number < parseInt(after as string, 10) ? "" : rest();
      },
      rest,
    };
  },
};

/** Whether a text may be the id of an event; a number alone is one of earlier versions, which no event has now. */
export function isEventId(text: string): boolean {
  return /^\d+(?:-[0-9a-z]+)?$/.test(text);
}

/** The mark of a run up to an event, made of that up to the one before: two that have read different things have different ones. */
function marked(before: number, event: PublicEvent): number {
  const { type, step, attempt, callId, text, value } = event as Partial<Record<string, unknown>> & { readonly step?: { readonly key: string } };
  let mark = before;
  // FNV-1a.
  for (const letter of JSON.stringify([type, step?.key, attempt, callId, text, value])) mark = Math.imul(mark ^ (letter.codePointAt(0) as number), 0x01000193) >>> 0;
  return mark;
}

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
