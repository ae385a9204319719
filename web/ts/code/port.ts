// What a field of code asks the builder's wasm, which knows the language: positions are those of JavaScript's strings.

/** What a field holds. */
export type Language = "template" | "expression" | "json" | "javascript";

/** A piece of the text that is wrong. */
export interface Flaw {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  readonly severity: "error" | "warning";
}

/** What the pieces of a text are, three numbers each (begin, end, kind), and what is wrong with it. */
export interface Reading {
  readonly words: readonly number[];
  readonly flaws: readonly Flaw[];
}

/** Something that can be written next. */
export interface Offer {
  readonly label: string;
  readonly text: string;
  /** What is written behind it, with the caret in its first quotes or brackets. */
  readonly arguments: string;
  /** Whether it is a value that one reads as a whole. */
  readonly whole: boolean;
  readonly about: string;
}

/** What can be written between `from` and the caret. */
export interface Offers {
  readonly from: number;
  readonly offers: readonly Offer[];
}

/** Where a name comes from, and its last value. */
export interface About {
  readonly from: number;
  readonly to: number;
  readonly origin: string;
  readonly value: string;
}

/** The functions of the wasm behind one field. */
export interface Port {
  read(text: string): Reading;
  offers(text: string, at: number): Offers | undefined;
  /** What is to be said of the name at a position; the steps that give it are lit. */
  about(text: string, at: number): About | undefined;
  /** The field has the focus now, or no longer. */
  entered(isIn: boolean): void;
}
