import { afterTurn } from "../effects/clock.js";
import { bytesOf } from "../json/size.js";
import { tooLarge, yieldOf, type Taking } from "./answers.js";
import type { Spot } from "./executions.js";
import type { Voice } from "./voice.js";

/** How long a generator that never waits may keep the thread, in milliseconds. */
const TURN_MS = 10;

/** What a generator gave. */
export class Yielded {
  constructor(
    readonly returned: unknown,
    readonly parts: unknown,
  ) {}
}

/** Whose generator it is, and what is done with what it yields. */
export interface Yielding {
  readonly voice: Voice;
  readonly spot: Spot;
  /** In words for an error. */
  readonly who: string;
  readonly taking: Taking;
  /** The values that a tool yields do not belong to its step's answer, and are emitted as a whole. */
  readonly isTool: boolean;
  /** Whether anyone still waits for it. */
  isAwaited(): boolean;
}

/** Runs a generator to its end, emitting the values that it yields; returns a {@link Yielded} if it yielded anything. */
export async function drained(generator: Generator | AsyncGenerator, { voice, spot, who, taking, isTool, isAwaited }: Yielding): Promise<unknown> {
  const yielded: unknown[] = [];
  let room = taking.maxBytes;
  let text = "";
  let began = Date.now();
  // The caller registers the operation before the first value comes.
  await undefined;
  try {
    while (isAwaited()) {
      const { done, value } = await generator.next();
      if (!isAwaited()) break;
      if (done === true) {
        text += voice.releaseText(spot);
        return yielded.length === 0 ? value : new Yielded(value, collected(yielded, text));
      }
      const part = yieldOf(value, who, taking);
      room -= typeof part === "string" ? part.length : bytesOf(part);
      if (room < 0) throw tooLarge(who, taking.maxBytes);
      yielded.push(part);
      if (isTool) {
        if (typeof part === "string") text += part;
      } else if (typeof part === "string") {
        // Not the redacted text: a secret may be spread over several chunks.
        text += voice.emitText(spot, value as string);
      } else {
        text += voice.releaseText(spot);
        voice.emitDelta(spot, part);
      }
      if (Date.now() - began > TURN_MS) {
        // One that never waits must not keep the thread: it can be cancelled, and others go on.
        await new Promise<void>(afterTurn);
        began = Date.now();
      }
    }
  } catch (error) {
    if (isAwaited()) voice.releaseText(spot);
    await close(generator);
    throw error;
  }
  await close(generator);
  return undefined;
}

/** Texts make one text, anything else a list. */
function collected(parts: unknown[], text: string): unknown {
  return parts.every((part) => typeof part === "string") ? text : Object.freeze(parts);
}

/** Lets a generator end that is not read any more; one that ended by itself does nothing. */
async function close(generator: Generator | AsyncGenerator): Promise<void> {
  await (generator as { return?: (value: undefined) => unknown }).return?.(undefined);
}
