// A place that shows Markdown, such as the answer of a model. The page loads this with the first of them.
import { blocksOf, elementOf } from "./elements.js";

/** A longer text is shown as it is. */
const LONGEST = 200_000;

/** How much of the time may go into a text that is still arriving: one part in so many. */
const SHARE = 10;

/** A place whose text may still grow. */
export class MarkdownPlace {
  readonly #place: HTMLElement;
  /** The blocks that are shown. */
  #shown: readonly string[] = [];
  #references = "";
  #text = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauseMs = 0;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  /** Shows this text, soon. */
  show(text: string): void {
    this.#text = text;
    this.#timer ??= setTimeout(() => this.#draw(), this.#pauseMs);
  }

  #draw(): void {
    this.#timer = undefined;
    const text = this.#text;
    if (text.length > LONGEST) {
      this.#place.textContent = text;
      this.#place.classList.add("plain");
      this.#shown = [];
      return;
    }
    const before = performance.now();
    const { blocks, references } = blocksOf(text);
    const sources = blocks.map(({ source }) => source);
    const changed = sources.findIndex((source, index) => source !== this.#shown[index]);
    const same = changed === -1 ? sources.length : changed;
    // Any block may have a link whose address stands in another.
    const kept = references === this.#references ? same : 0;
    this.#place.classList.remove("plain");
    // What has not changed stays, and with it what a person has selected there.
    while (this.#place.childNodes.length > kept) this.#place.lastChild?.remove();
    this.#place.append(...blocks.slice(kept).map(elementOf));
    this.#shown = sources;
    this.#references = references;
    this.#pauseMs = (performance.now() - before) * SHARE;
  }
}
