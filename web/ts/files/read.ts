// Files that a person chooses or drops for a run. The page loads this with the first of them.
import { answerOf } from "../ended-worker.js";
import type { Outcome } from "../outcome.js";
import { holdBytes } from "./bytes.js";

/** How long a file may take: one that is made to be slow is not read. */
const PATIENCE_MS = 60_000;

/** Reads a file in a worker of its own: what a run takes of it, as JSON text, since its text is data of any kind. */
export async function read(file: File): Promise<Outcome> {
  await holdBytes();
  const worker = new Worker(new URL("./reader.ts", import.meta.url), { type: "module", name: "stepweave files" });
  return answerOf<Outcome>(worker, file, {
    patienceMs: PATIENCE_MS,
    late: { error: `“${file.name}” takes longer than a minute to read. Choose a smaller one.` },
    broken: { error: `“${file.name}” could not be read. Look whether you are online, and choose it again.` },
  });
}
