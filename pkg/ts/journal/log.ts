// Walks the lines of a journal's file and distinguishes those that count from those that do not.
import type { FileHandle } from "node:fs/promises";
import { damaged } from "./errors.js";
import { type Record, SEAL_BYTES, type Standing, readRecord, sealOf } from "./record.js";

const CHUNK = 64 * 1024;
const LINE_END = 10;
const HINT = "put back the file as it was, from a backup for example, or delete it and start the run anew";

/** The end of a line that counts. */
export interface Place extends Standing {
  /** Bytes up to there. */
  readonly offset: number;
  /** The number of that line, as editors count. */
  readonly line: number;
}

/** Before anything is written. */
export const BEGINNING: Place = { count: 0, sum: "", offset: 0, line: 1 };

/**
 * Visits every line from a position on that continues the journal, and returns the position where it ends. Lines that nothing
 * continues come from an interrupted append, or from a writer that came second. Any other unexpected line is damage.
 */
export async function walk(
  file: FileHandle,
  from: Place,
  journal: { path: string; id: string },
  take: (record: Record, line: string, number: number) => void,
): Promise<Place> {
  let place = from;
  let torn: number | undefined;
  for await (const { text, number, end } of linesFrom(file, from)) {
    const at = `${journal.path}, line ${number},`;
    const record = readRecord(text);
    if (record === "damaged") throw damaged(at, "is not what was written there", HINT);
    if (record === "torn") {
      torn ??= number;
    } else if (record.from === place.count && record.after === place.sum) {
      if (record.id !== undefined && record.id !== journal.id) {
        throw damaged(at, `begins the journal \`${record.id}\`, not \`${journal.id}\``, "give the file its old name back");
      }
      take(record, text, number);
      place = { count: record.to, sum: record.sum, offset: end, line: number };
      torn = undefined;
    } else if (record.from >= place.count) {
      // It continues something that is gone: a line that looks cut off was once whole.
      if (torn !== undefined) throw damaged(`${journal.path}, line ${torn},`, "is not what was written there", HINT);
      throw damaged(at, "does not continue what stands before it: lines are missing, or come from another file", HINT);
    }
  }
  return place;
}

/** The id of the journal that begins in this file, if one does. */
export async function idIn(file: FileHandle): Promise<string | undefined> {
  for await (const { text } of linesFrom(file, BEGINNING)) {
    const record = readRecord(text);
    if (typeof record === "object") return record.id;
  }
  return undefined;
}

/** Whether this file is unchanged up to a position since the position was found: a sum covers everything before it. */
export async function isAt(file: FileHandle, place: Place): Promise<boolean> {
  if (place.offset === 0) return true;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SEAL_BYTES), 0, SEAL_BYTES, place.offset - SEAL_BYTES);
  return buffer.toString("latin1", 0, bytesRead) === sealOf(place.sum);
}

interface Line {
  readonly text: string;
  readonly number: number;
  /** Bytes of the file up to its end. */
  readonly end: number;
}

/**
 * The lines from a position on, the last of which may still be being written. Empty ones are left out. Zeros, which no
 * line has, end one too: a machine that stops can leave them instead of the text that came next.
 */
async function* linesFrom(file: FileHandle, { offset, line }: Place): AsyncGenerator<Line> {
  let number = line;
  let position = offset;
  for await (const bytes of rawLines(file, offset)) {
    const zero = bytes.indexOf(0);
    const cuts = zero < 0 ? [0, bytes.length] : [0, zero, bytes.length];
    for (const [index, start] of cuts.slice(0, -1).entries()) {
      const end = cuts[index + 1] as number;
      if (end > start) yield { text: bytes.toString("utf8", start, end), number, end: position + end };
    }
    position += bytes.length + 1;
    number += 1;
  }
}

async function* rawLines(file: FileHandle, offset: number): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  for (let position = offset; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let rest = buffer.subarray(0, bytesRead);
    for (let stop = rest.indexOf(LINE_END); stop >= 0; stop = rest.indexOf(LINE_END)) {
      yield Buffer.concat([...pieces, rest.subarray(0, stop)]);
      pieces = [];
      rest = rest.subarray(stop + 1);
    }
    pieces.push(rest);
  }
  yield Buffer.concat(pieces);
}
