import type { Pattern } from "../pattern.js";

/** A compiled schema. */
export interface Node {
  /** Where it stands, as a JSON Pointer. */
  readonly pointer: string;
  readonly checks: Check[];
  /** Checks for the members of the value that no other keyword looked at. */
  readonly leftovers: Check[];
  /** Schemas that apply to the very same value. */
  readonly inPlace: Node[];
  readonly defaults: Defaults;
}

/** The defaults of missing keys, and which subschemas may have more. */
export interface Defaults {
  /** The members that it names, each with its schema and with what stands for it where that is said. */
  readonly members: (readonly [key: string, node: Node, preset: Preset | undefined])[];
  heads: readonly Node[];
  items: Node | undefined;
  /** The schemas of the very same value, which are known when all has been read. */
  readonly same: (() => Node)[];
}

/** A way through a value: what checks need of it. */
export interface Walk {
  /** Whether the value is valid; reports violations. */
  visit(node: Node, value: unknown, seen: Seen | undefined): boolean;
  /** The same for a member of the value. */
  enter(key: string | number, node: Node, value: unknown): boolean;
  /** Whether the value is valid; reports nothing. */
  judge(node: Node, value: unknown, seen: Seen | undefined): boolean;
  /** The same for a member of the value. */
  judgeMember(key: string | number, node: Node, value: unknown): boolean;
  /** Counts work that is about to be done. */
  pay(steps: number): void;
  /** The keys of a value. */
  keysOf(value: object): string[];
  /** Notes as looked at what another has looked at. */
  note(looked: Seen, seen: Seen): void;
  /** Whether a pattern is found in a text. */
  finds(pattern: Pattern, text: string): boolean;
  /** Reports that the value violates a keyword. */
  fail(rule: Rule, missing?: string): false;
  /** The same for a member of the value. */
  failAt(key: string | number, rule: Rule): false;
}

/** Whether a value satisfies a keyword. A violation is reported to the walk. */
export type Check = (value: unknown, walk: Walk, seen: Seen | undefined) => boolean;

/** The keys and indices of a value that a schema has looked at; collected only if something depends on it. */
export type Seen = Set<string | number>;

/** A keyword and where it stands. */
export interface Rule {
  readonly keyword: string;
  readonly pointer: string;
}

/** What reads a keyword gets besides the keyword's value. */
export interface Site {
  /** The schema that the keyword stands in. */
  readonly schema: SchemaObject;
  readonly rule: Rule;
  readonly draft: Draft;
  readonly defaults: Defaults;
  /** The subschema at the end of some steps from the keyword on, for a member of the value. */
  part(schema: unknown, ...steps: readonly (string | number)[]): Node;
  /** The same, for the value itself. */
  inPlace(schema: unknown, ...steps: readonly (string | number)[]): Node;
  /** A schema beside the keyword, for the value itself. */
  beside(keyword: string): Node | undefined;
  /** A schema that is found by its address. */
  refer(address: string): () => Node;
  /** A compiled pattern of the keyword; the steps lead to it from the keyword on. */
  pattern(text: string, ...steps: readonly string[]): Pattern;
  refuse(expected: string): never;
}

/** What stands for a member that is missing. */
export interface Preset {
  /** Frozen, and of no one else. */
  readonly value: unknown;
  /** How many characters it has as JSON. */
  readonly letters: number;
}

export type Draft = 6 | 7 | 2019 | 2020;
export type SchemaObject = Readonly<Record<string, unknown>>;

/** Reads a keyword; returns nothing if it requires nothing. */
export type Keyword = (argument: unknown, site: Site) => Check | undefined;

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((member) => typeof member === "string");
}
