/// <reference types="node" />
import { kindOf } from "../schema/options.js";
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { StepweaveError } from "../api/errors.js";
import type { JournalEntry, JournalStore, ListedRun, RunFilter, RunSummary } from "../api/journal.js";
import { type Batch, batchOf, checkId, entriesOfText } from "./check.js";
import { cursorAt, wrongCursor } from "./cursor.js";
import { conflict, unlessDamaged, unusable } from "./errors.js";
import { pageOf, type Row } from "./list.js";
import { BEGINNING, type Place, idIn, isAt, walk } from "./log.js";
import { Recent } from "./recent.js";
import { entriesText, recordLine, summaryIn } from "./record.js";
import { journalOf, standingOf } from "./summary.js";

/** How many bytes at the end of a file are looked at for its last line. */
const TAIL = 16 * 1024;

const EXTENSION = ".jsonl";
const FILE_NAME = /-[0-9a-f]{32}\.jsonl$/;
/** The name of a file that this store makes, without its extension. */
const POSITION = /^[0-9a-z_-]{1,40}-[0-9a-f]{32}$/;

/**
 * Keeps each journal in a file of a folder, in Node, Deno and Bun: a line of JSON for each append, on the disk when the
 * append resolves. Any number of processes may use the folder, on a file system of their own machine: of those that
 * continue the same journal at the same moment exactly one does, and the others get a `conflict`.
 *
 * ```ts
 * import { fileStore } from "stepweave/stores/node";
 *
 * const store = fileStore("./journals");
 * await workflow.run({ journal: "order-17", store }); // again after a crash: resumes
 * ```
 */
export function fileStore(folder: string): JournalStore {
  if (typeof folder !== "string" || folder === "") throw new StepweaveError("validation", `fileStore() needs a folder, and its path is ${kindOf(folder)}`, { hint: 'write fileStore("./journals")' });
  return new FileStore(resolve(folder));
}

/**
 * No process ever locks another out. Lines are only appended, each says by a sum which line it continues, and the first
 * that continues a line is the one that counts: who has lost sees it when it reads on. What a crash leaves of a line
 * stays behind as a line that nothing continues.
 */
class FileStore implements JournalStore {
  readonly #folder: string;
  /** Where journals ended when they were last looked at. Everything before is known to be right. */
  readonly #places = new Recent<Place>(1000);
  /** Files that are known to be found again after a power failure. */
  readonly #lasting = new Recent<true>(1000);

  constructor(folder: string) {
    this.#folder = folder;
  }

  async load(id: string) {
    checkId(id);
    const path = this.#pathOf(id);
    return this.#reporting(`the journal file ${path} cannot be read`, async () => {
      const file = await opened(path, constants.O_RDONLY);
      if (file === undefined) return undefined;
      try {
        const entries: JournalEntry[] = [];
        const place = await walk(file, BEGINNING, { path, id }, (_, line, number) => {
          for (const entry of entriesOfText(entriesText(line), `${path}, line ${number}`)) entries.push(entry);
        });
        this.#places.put(path, place);
        return entries.length === 0 ? undefined : journalOf(id, entries);
      } finally {
        await file.close();
      }
    });
  }

  async append(id: string, entries: readonly JournalEntry[], expectedSeq: number, summary: RunSummary) {
    const batch = batchOf(id, entries, expectedSeq, summary);
    const path = this.#pathOf(id);
    await this.#reporting(`the journal file ${path} cannot be written`, async () => {
      const file = await this.#openedToAppend(path, expectedSeq);
      if (file === undefined) throw conflict(id, 0, expectedSeq);
      try {
        const place = await this.#endOf(file, { path, id });
        if (place.count !== expectedSeq) throw conflict(id, place.count, expectedSeq);
        if (batch.length > 0) await this.#write(file, place, { path, id, batch });
      } finally {
        await file.close();
      }
    });
  }

  list(filter?: RunFilter) {
    return this.#reporting(`the folder ${this.#folder} cannot be read`, () => pageOf(filter, (after) => this.#rows(after)));
  }

  async *#rows(after: string | undefined): AsyncGenerator<Row> {
    if (after !== undefined && !POSITION.test(after)) throw wrongCursor(cursorAt(after));
    const names = (await namesIn(this.#folder)).filter((name) => FILE_NAME.test(name)).map((name) => name.slice(0, -EXTENSION.length));
    for (const at of names.sort()) {
      // Positions are compared and never opened: nobody's cursor leads out of the folder.
      if (after !== undefined && at <= after) continue;
      const run = await this.#runIn(`${at}${EXTENSION}`);
      if (run !== undefined) yield { at, run };
    }
  }

  async #runIn(name: string): Promise<ListedRun | undefined> {
    const file = await opened(join(this.#folder, name), constants.O_RDONLY);
    if (file === undefined) return undefined;
    let known: string | undefined;
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, TAIL)), 0, Math.min(size, TAIL), Math.max(0, size - TAIL));
      const summary = summaryIn(buffer.toString("utf8", 0, bytesRead));
      if (summary !== undefined) return JSON.parse(summary) as ListedRun;
      known = await idIn(file);
    } finally {
      await file.close();
    }
    // If the file's end does not show it, the whole file does.
    const id = known;
    const journal = id === undefined ? undefined : await unlessDamaged(() => this.load(id));
    return journal === undefined ? undefined : { id: journal.id, ...standingOf(journal.entries) };
  }

  async delete(id: string) {
    checkId(id);
    const path = this.#pathOf(id);
    await this.#reporting(`the journal file ${path} cannot be deleted`, async () => {
      this.#places.forget(path);
      this.#lasting.forget(path);
      try {
        await unlink(path);
      } catch (error) {
        if (isMissing(error)) return;
        throw error;
      }
      await syncFolder(this.#folder);
    });
  }

  async #write(file: FileHandle, place: Place, what: { path: string; id: string; batch: Batch }): Promise<void> {
    const { path, id, batch } = what;
    const { line, by } = recordLine(id, place, batch);
    // Begun with the end of a line: what somebody else was cut off in the middle of does not run into it.
    const bytes = Buffer.from(`\n${line}`);
    // In one go, so that nobody else's comes in between.
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes could be written`);
    await file.sync();
    if (this.#lasting.get(path) === undefined) await syncFolder(this.#folder);
    this.#lasting.put(path, true);
    let mine = false;
    const end = await walk(file, place, { path, id }, (record) => {
      mine ||= record.by === by;
    });
    this.#places.put(path, end);
    if (!mine) throw conflict(id, end.count, place.count);
  }

  async #endOf(file: FileHandle, what: { path: string; id: string }): Promise<Place> {
    const known = this.#places.get(what.path);
    // Somebody may have deleted the journal and begun another one.
    const start = known !== undefined && (await isAt(file, known)) ? known : BEGINNING;
    return walk(file, start, what, () => {});
  }

  async #openedToAppend(path: string, expectedSeq: number): Promise<FileHandle | undefined> {
    const { O_APPEND, O_CREAT, O_RDWR } = constants;
    if (expectedSeq > 0) return opened(path, O_RDWR | O_APPEND);
    const file = await opened(path, O_RDWR | O_APPEND | O_CREAT);
    if (file !== undefined) return file;
    await makeFolder(this.#folder);
    return open(path, O_RDWR | O_APPEND | O_CREAT);
  }

  /** For people, as much of the id as any file system takes; for the rest, a hash of it. */
  #pathOf(id: string): string {
    const readable = id.slice(0, 40).replace(/[^A-Za-z0-9-]/g, "_").toLowerCase();
    const hash = createHash("sha256").update(id, "utf16le").digest("hex").slice(0, 32);
    return join(this.#folder, `${readable}-${hash}${EXTENSION}`);
  }

  async #reporting<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StepweaveError) throw error;
      throw unusable(what, error, `check that there is room, and that this program may read and write in ${this.#folder}`);
    }
  }
}

/** The file, if there is one. */
async function opened(path: string, flags: number): Promise<FileHandle | undefined> {
  try {
    return await open(path, flags);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Makes the folder, and those above it that are missing, so that they are there after a power failure too. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Only then is a file found in its folder after a power failure. Windows sees to it by itself, and refuses. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === "ENOENT";
}
