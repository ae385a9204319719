import { StepweaveError } from "../../api/errors.js";
import { textFor } from "../../authoring/text.js";
import { quoted } from "../../schema/options.js";

/** An earlier input with what became of it. */
export interface Interaction {
  readonly input: any;
  /** By the names of the steps. */
  readonly results: { readonly [step: string]: any };
  readonly iteration: number;
  /** When it was put away, as ISO 8601. */
  readonly timestamp: string;
}

/** The latest interactions of an agent, the oldest first. */
export class History {
  #entries: readonly Interaction[] = [];
  #limit = 0;

  constructor(limit: number) {
    this.limitTo(limit);
  }

  get entries(): readonly Interaction[] {
    return this.#entries;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Keeps this many from now on. */
  limitTo(limit: number): void {
    if (!Number.isSafeInteger(limit) || limit < 0) {
      throw new StepweaveError("validation", `the size of a history is a whole number from 0, not ${quoted(limit)}`, {
        hint: "0 keeps nothing; 10 is what an agent has by itself",
      });
    }
    this.#limit = limit;
    this.#keep(this.#entries);
  }

  add(interaction: Interaction): void {
    this.#keep([...this.#entries, Object.freeze(interaction)]);
  }

  clear(): void {
    this.#entries = [];
  }

  /** The latest ones; all of them when no number from 1 is given. */
  recent(count = 0): readonly Interaction[] {
    return count > 0 ? this.#entries.slice(-count) : this.#entries;
  }

  // Counted from the front: slice(-0) would keep everything.
  #keep(entries: readonly Interaction[]): void {
    this.#entries = Object.freeze(entries.slice(Math.max(0, entries.length - this.#limit)));
  }
}

/** The text around interactions: instead of them when there are none, and after them. */
interface Frame {
  readonly none: string;
  readonly end: readonly string[];
}

/** While a query is being answered. */
export const ANSWERING: Frame = { none: "Nothing came before: this is the first query.", end: ["The current query follows."] };

/** While no query is answered. */
export const IDLE: Frame = { none: "Nothing was asked yet.", end: [] };

/** Interactions as a model reads them. */
export function textOfHistory(interactions: readonly Interaction[], { none, end }: Frame): string {
  if (interactions.length === 0) return none;
  const earlier = interactions.map(({ input, results, timestamp }, index) => {
    const lines = Object.entries(results).map(([name, value]) => `- ${name}: ${textFor(value)}`);
    return [`Interaction ${index + 1} (${timestamp})`, `Input: ${textFor(input)}`, "Results:", ...lines].join("\n");
  });
  return ["What came before:", ...earlier, ...end].join("\n\n");
}

