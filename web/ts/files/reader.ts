// The worker in which a file is read that a person chose. It reads one, and is ended.
import { memoryBytes, readFiles, type ReadFile } from "stepweave/files";
import type { Outcome } from "../outcome.js";
import { storedBytes } from "./bytes.js";

addEventListener("message", ({ data, ports: [answer] }: MessageEvent<File>) => {
  void reading(data).then((read) => answer?.postMessage(read));
});

async function reading(file: File): Promise<Outcome> {
  try {
    return { value: JSON.stringify(await read(file)) };
  } catch (error) {
    return { error: wordsOf(error) };
  }
}

async function read(file: File): Promise<ReadFile | undefined> {
  const bytes = memoryBytes();
  const [one] = await readFiles([file], { store: bytes });
  // A text is in the state.
  if (one === undefined || one.type === "text") return one;
  try {
    await storedBytes.put(one.digest, (await bytes.get(one.digest)) ?? new Uint8Array());
    return one;
  } catch {
    // A browser that stores nothing, or has no room left: then they are in the state too.
    return (await readFiles([file]))[0];
  }
}

/** What is wrong, for the person who chose the file: the bounds and the packages are the page's. */
function wordsOf(error: unknown): string {
  const { code, message = String(error), hint } = error as { code?: string; message?: string; hint?: string };
  if (code === "handler") return "A file of the builder that reads it did not come. Look whether you are online, and choose it again.";
  const advice = code === "limit" ? "choose a smaller one" : hint;
  const said = advice === undefined ? message : `${message}: ${advice}`;
  return `${said.replace(/`([^`]*)`/g, "“$1”")}.`;
}
