import type { RecordedRequest } from "./request.js";

/** How many differences are listed. */
const MAX_LISTED = 5;
/** How much of a value is shown. */
const SHOWN = 80;
const MAX_DEPTH = 100;

/** Where two requests differ, in words; the closer they are, the fewer. */
export function differences(recorded: RecordedRequest, sent: RecordedRequest): readonly string[] {
  const found: string[] = [];
  compare("method", recorded.method, sent.method, found, 0);
  compare("url", recorded.url, sent.url, found, 0);
  compare("body", recorded.json ?? recorded.body, sent.json ?? sent.body, found, 0);
  return found;
}

/** The recorded request that is closest to a request, with the differences; undefined when nothing is recorded. */
export function nearest(recorded: readonly RecordedRequest[], sent: RecordedRequest): readonly string[] | undefined {
  let least: { readonly lines: readonly string[]; readonly distance: number } | undefined;
  for (const one of recorded) {
    const lines = differences(one, sent);
    // Another address is another question, however much of the rest is the same.
    const distance = lines.length + (one.url === sent.url ? 0 : 1000);
    if (least === undefined || distance < least.distance) least = { lines, distance };
  }
  return least?.lines;
}

/** Differences as lines of a message. */
export function lined(lines: readonly string[]): string {
  const more = lines.length - MAX_LISTED;
  return [...lines.slice(0, MAX_LISTED), ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `\n  ${line}`).join("");
}

function compare(path: string, recorded: unknown, sent: unknown, found: string[], depth: number): void {
  if (recorded === sent) return;
  if (depth < MAX_DEPTH && isObject(recorded) && isObject(sent) && Array.isArray(recorded) === Array.isArray(sent)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(sent)])) {
      const at = Array.isArray(sent) ? `${path}[${key}]` : `${path}.${key}`;
      compare(at, Object.hasOwn(recorded, key) ? recorded[key] : undefined, Object.hasOwn(sent, key) ? sent[key] : undefined, found, depth + 1);
    }
    return;
  }
  const [before, now] = typeof recorded === "string" && typeof sent === "string" ? around(recorded, sent) : [shown(recorded), shown(sent)];
  found.push(`${path}: recorded ${before}, asked ${now}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** Two strings, from a little before the position where they differ. */
function around(one: string, other: string): readonly [string, string] {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const start = Math.max(0, at - SHOWN / 4);
  const part = (text: string): string => `${start > 0 ? "…" : ""}${shown(text.slice(start))}`;
  return [part(one), part(other)];
}
