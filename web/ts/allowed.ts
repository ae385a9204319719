// The addresses that a person has allowed runs of a workflow for good. They are kept on this device alone, under the id that the
// workflow has here, which no document, link, export or copy brings along, and for the requests that it had then: whoever
// changes one, or has another document take the place of this one, is asked again.
import { placeOfAllowed } from "./store/allowed-place.js";

/** For how many states of a workflow's requests they are kept: taking a change back brings them back. */
const MOST_STATES = 8;

/** The keys of a document whose values say where something is sent, and what. */
const SENDS = new Set(["http", "mcp", "baseUrl"]);

/** What was allowed to a workflow with these requests. */
interface Allowed {
  readonly requests: string;
  readonly origins: readonly string[];
}

/** Where the browser stores nothing it holds for one visit. */
const ofVisit = new Map<string, string>();

/** Where the runs of this document may always send something, as a part of this workflow. */
export function allowedTo(workflow: string, document: string): readonly string[] {
  const requests = requestsIn(document);
  return read(workflow).find((one) => one.requests === requests)?.origins ?? [];
}

/** Allows one for good. */
export function allow(workflow: string, document: string, origin: string): void {
  const requests = requestsIn(document);
  const others = read(workflow).filter((one) => one.requests !== requests);
  const origins = [...new Set([...allowedTo(workflow, document), origin])];
  write(workflow, [{ requests, origins }, ...others].slice(0, MOST_STATES));
}

/** All that were allowed to a workflow, of which this one is no longer. */
export function allAllowed(workflow: string, without?: string): readonly string[] {
  const before = read(workflow);
  const left = before.map(({ requests, origins }) => ({ requests, origins: origins.filter((one) => one !== without) })).filter(({ origins }) => origins.length > 0);
  if (without !== undefined) write(workflow, left);
  return [...new Set(left.flatMap(({ origins }) => origins))].toSorted();
}

/** What a document sends, as it is written there. */
function requestsIn(document: string): string {
  const found: unknown[] = [];
  JSON.parse(document, (key, value: unknown) => {
    if (SENDS.has(key)) found.push(value);
    return value;
  });
  return JSON.stringify(found);
}

function read(workflow: string): readonly Allowed[] {
  try {
    return JSON.parse(ofVisit.get(workflow) ?? localStorage.getItem(placeOfAllowed(workflow)) ?? "[]") as readonly Allowed[];
  } catch {
    return [];
  }
}

function write(workflow: string, all: readonly Allowed[]): void {
  const text = JSON.stringify(all);
  try {
    localStorage.setItem(placeOfAllowed(workflow), text);
  } catch {
    ofVisit.set(workflow, text);
  }
}
