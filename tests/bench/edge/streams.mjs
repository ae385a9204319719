// What a long answer costs that comes in pieces.
import { inRounds } from "../rounds.mjs";
import { median, ratio } from "../statistics.mjs";
import { measured, withModel } from "./processes.mjs";

const PIECES = 10_000;
const ROUNDS = 7;
/** Pieces of six characters. */
const LENGTH = 6 * PIECES;

const READERS = [
  { name: "stepweave", module: "./streams/stepweave.mjs" },
  { name: "openai", module: "../peers/streams/openai.mjs" },
  { name: "ai, @ai-sdk/openai", module: "../peers/streams/ai.mjs" },
];

/** Milliseconds of the processor for each library, and how many times those of Stepweave. */
export function streams() {
  return withModel(PIECES, async (origin) => {
    const rounds = await inRounds(ROUNDS, READERS, ({ module }) => measured(module, "stream", { origin, length: LENGTH }));
    return READERS.map(({ name }, place) => ({ name, cpuMs: median(rounds[place]), timesStepweave: ratio(rounds[place], rounds[0]) }));
  });
}
