// Files that a person chooses or drops for a run. The page loads this with the first of them.
import { holdBytes } from "./bytes.js";

/** What a run takes of a file, as JSON text, since its text is data of any kind; or why it cannot be read. */
export type Reading = { readonly file: string } | { readonly error: string };

/** How long a file may take: one that is made to be slow is not read. */
const PATIENCE_MS = 60_000;

/** Reads a file in a worker of its own, so that none can stop the page. */
export async function read(file: File): Promise<Reading> {
  await holdBytes();
  const worker = new Worker(new URL("./reader.ts", import.meta.url), { type: "module", name: "stepweave files" });
  const { port1, port2 } = new MessageChannel();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise((done) => {
      port1.onmessage = ({ data }: MessageEvent<Reading>) => done(data);
      worker.onerror = () => done({ error: `“${file.name}” could not be read. Look whether you are online, and choose it again.` });
      timer = setTimeout(() => done({ error: `“${file.name}” takes longer than a minute to read. Choose a smaller one.` }), PATIENCE_MS);
      worker.postMessage(file, [port2]);
    });
  } finally {
    clearTimeout(timer);
    port1.close();
    worker.terminate();
  }
}
