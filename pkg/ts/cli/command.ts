import type { Flags, Given } from "./arguments.js";
import type { Io } from "./io.js";

/** What `stepweave <name>` does. */
export interface Command {
  readonly name: string;
  /** In a line of the help. */
  readonly about: string;
  /** What it takes besides flags: `<needed>`, `[left out]`, `[any number…]`. */
  readonly places: readonly string[];
  readonly flags: Flags;
  /** A call to learn from. */
  readonly example: string;
  /** Does it, and gives the exit code. What is thrown is shown with its hint. */
  run(given: Given, io: Io): Promise<number>;
}
