// What became of a file that another tool wrote.

/** What became of one node. */
export interface Became {
  /** Its name in the file, and what kind of node it is there. */
  readonly name: string;
  readonly kind: string;
  /** What it is now, in words: "a step: condition", "a setting of `Answer`". */
  readonly became: string;
  /** The step that it is now; absent where it is a part of another one or of the workflow. */
  readonly step?: string;
  /** `placeholder`: a step that fails and says what it stood for. `part`: it works, and something of it is left to do. */
  readonly state: "whole" | "part" | "placeholder";
  /** What a person has to look at. */
  readonly notes: readonly string[];
}

/** What became of one connection. */
export interface Connection {
  readonly from: string;
  readonly to: string;
  /** Why it is lost; absent where it is kept. */
  readonly lost?: string;
}

/** What became of every node and every connection. */
export interface Report {
  /** The tool that wrote the file. */
  readonly tool: string;
  readonly nodes: readonly Became[];
  readonly connections: readonly Connection[];
  /** What holds for all of it. */
  readonly notes: readonly string[];
}

/** What a report says once of a file that held keys. */
export const HELD_KEYS = "The file held keys of services: they are removed. Name them as keys of endpoints or requests.";

/** A file that cannot be taken over, with what to do. */
export class Unreadable extends Error {}

/** What a file may have, so that a hostile one ends in a sentence. */
export const MOST = { bytes: 10_000_000, nodes: 3_000, connections: 12_000, depth: 64 } as const;
