/** Texts that must not be shown. */
export interface Hidden {
  /** The texts themselves, as they are and as they are written inside of other texts. */
  readonly texts: readonly string[];
  redact(text: string): string;
  /** The same of a message that may have cut one. */
  redactMessage(message: string): string;
}

/**
 * A text that comes in pieces, without its secrets. The end of what has come is held back as long as it may be the
 * beginning of a secret: shown piece by piece, a secret would be there for whoever joins the pieces.
 */
export class Tail {
  readonly #hidden: Hidden;
  #held = "";

  constructor(hidden: Hidden) {
    this.#hidden = hidden;
  }

  /** Takes the next piece; gives what may be shown by now. */
  push(piece: string): string {
    const text = this.#held + piece;
    const position = this.#positionOf(text);
    this.#held = text.slice(position);
    return this.#hidden.redact(text.slice(0, position));
  }

  /** What was held back, when nothing more comes. */
  release(): string {
    const held = this.#held;
    this.#held = "";
    return this.#hidden.redact(held);
  }

  /** Where the first secret begins that may still be going on, or the text's end. */
  #positionOf(text: string): number {
    const { texts } = this.#hidden;
    const longest = texts.reduce((length, { length: other }) => Math.max(length, other), 0);
    let position = 0;
    while (position < text.length) {
      const rest = text.length - position;
      // The text is only looked at where it may begin a secret.
      if (rest < longest && texts.some((secret) => secret.length > rest && secret.startsWith(text.slice(position)))) return position;
      // What is whole is passed as a whole: its end may look like the beginning of another one.
      const whole = texts.find((secret) => text.startsWith(secret, position));
      position += whole?.length ?? 1;
    }
    return position;
  }
}
