// One append as a line of a journal's file.
import { createHash, randomBytes } from "node:crypto";
import type { Batch } from "./check.js";

/** How every line begins: `size` is the number of bytes behind it. */
const HEAD = /^\{"stepweave":[12],"size":(\d+),/;
const FRONT = /^\{"stepweave":[12],"size":\d+,"after":"([0-9a-f]*)",(?:"id":("(?:[^"\\]|\\.)*"),)?"from":(\d+),/;
// In a summary no brace stands as it is, so that it cannot be taken for an entry, nor an entry for it. Lines of version 1 have none.
const BACK = /(?:,"summary":(\{[^{}]*\}))?,"to":(\d+),"by":"([0-9a-f]+)","sum":"([0-9a-f]{16})"\}$/;

/** How many bytes at the end of a line {@link sealOf} gives. */
export const SEAL_BYTES = 18;

/** Where a journal stands: so many entries, the last line of which has this sum. */
export interface Standing {
  readonly count: number;
  /** Empty before the first line. */
  readonly sum: string;
}

/** What a whole and undamaged line says. */
export interface Record {
  /** The sum of the line that it continues. */
  readonly after: string;
  /** The journal's id, on a line that begins one. */
  readonly id: string | undefined;
  /** The number of entries before it. */
  readonly from: number;
  /** The number of entries with its own. */
  readonly to: number;
  /** Different for every append there is. */
  readonly by: string;
  readonly sum: string;
  /** How the run stands with it, as JSON text. */
  readonly summary: string | undefined;
}

/** The line for entries, given as JSON text, that continue a journal, and the mark it bears. */
export function recordLine(id: string, standing: Standing, { text, length, summary }: Batch): { line: string; by: string } {
  const by = randomBytes(8).toString("hex");
  const begins = standing.count === 0 ? `"id":${JSON.stringify(id)},` : "";
  const content = `"after":"${standing.sum}",${begins}"from":${standing.count},"entries":${text},"summary":${flat({ id, ...summary })},"to":${standing.count + length},"by":"${by}"`;
  const size = Buffer.byteLength(content) + SEAL_BYTES + ',"sum":"'.length;
  const body = `{"stepweave":2,"size":${size},${content}`;
  return { line: `${body},"sum":"${sumOf(body)}"}`, by };
}

/**
 * What a line says. Without a return value it is `torn`: the beginning of a line whose append was cut off, by the end
 * of its process or, where zeros stand for blocks that never reached the disk, of the machine; or else `damaged`.
 */
export function readRecord(line: string): Record | "torn" | "damaged" {
  const front = FRONT.exec(line);
  const back = BACK.exec(line);
  if (front !== null && back !== null && sumOf(line.slice(0, line.lastIndexOf(',"sum":"'))) === back[4]) {
    const [, after, id, from] = front;
    const [, summary, to, by, sum] = back;
    return { after: after as string, id: id === undefined ? undefined : (JSON.parse(id) as string), from: Number(from), to: Number(to), by: by as string, sum: sum as string, summary };
  }
  if (line.startsWith("\0")) return "torn";
  return back === null && isCutOff(line) && !isJson(line) ? "torn" : "damaged";
}

/** The JSON text of the entries of a line that {@link readRecord} has read. */
export function entriesText(line: string): string {
  const { 0: front } = FRONT.exec(line) as RegExpExecArray;
  const { index } = BACK.exec(line) as RegExpExecArray;
  return line.slice(front.length + '"entries":'.length, index);
}

/**
 * The status of the run, by the last bytes of its file: of the last line, if that continues the one before it. Nothing if
 * the bytes do not show it: the line is longer, was cut off, or comes from a writer that came second.
 */
export function summaryIn(tail: string): string | undefined {
  const start = tail.lastIndexOf("\n");
  const [before, line] = [tail.slice(0, start), tail.slice(start + 1)];
  const front = FRONT.exec(line);
  const record = start < 0 || front === null ? "torn" : readRecord(line);
  if (typeof record !== "object") return undefined;
  const isNext = record.after === "" ? before === "" : before.endsWith(sealOf(record.after));
  return isNext ? record.summary : undefined;
}

/** How a line with this sum ends. */
export function sealOf(sum: string): string {
  return `${sum}"}`;
}

/** JSON text of an object of plain members without further braces. */
function flat(value: object): string {
  const escaped = JSON.stringify(value).slice(1, -1).replace(/[{}]/g, (brace) => (brace === "{" ? "\\u007b" : "\\u007d"));
  return `{${escaped}}`;
}

function isCutOff(line: string): boolean {
  const head = HEAD.exec(line);
  if (head !== null) return Buffer.byteLength(line) - head[0].length < Number(head[1]);
  return ['{"stepweave":1,"size":', '{"stepweave":2,"size":'].some((head) => head.startsWith(line)) || /^\{"stepweave":[12],"size":\d+$/.test(line);
}

/** No beginning of an object is JSON: it takes all of it. */
function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function sumOf(body: string): string {
  return createHash("sha256").update(body).digest("hex").slice(0, 16);
}
