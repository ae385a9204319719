import { StepweaveError } from "../api/errors.js";

/** A function of the program that ends no message: where it throws, or answers later, `instead` answers, and the console has why, once. */
export function guarded<Given, Said>(name: string, call: (given: Given) => Said, instead: (given: Given) => Said): (given: Given) => Said {
  let hasThrown = false;
  return (given) => {
    try {
      const said = call(given);
      if (typeof (said as { then?: unknown } | null | undefined)?.then !== "function") return said;
      // Nobody waits for it: as a value it would be true, whatever it becomes.
      Promise.resolve(said).catch(() => {});
      throw new StepweaveError("validation", `the option \`${name}\` is asked while the message is written, and gave a promise`, { hint: "let it answer at once: find out beforehand what it needs to know" });
    } catch (thrown) {
      if (!hasThrown) report(name, thrown);
      hasThrown = true;
      return instead(given);
    }
  };
}

/** Says on the console what an option of a message stream threw: its reader learns nothing of it, or no more than is public. */
export function report(name: string, thrown: unknown): void {
  console.error(`stepweave: the option \`${name}\` of a message stream threw:`, thrown);
}
