// Texts and names in the language of our documents.

/** A string as an expression. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A text as a template that prints just this text. */
export function literal(text: string): string {
  return text.replace(/\{\{|\{%|\{#/g, (open) => `{{ '${open}' }}`);
}

/** Pieces of a template as one. A brace that stands before an expression would be read as a part of it. */
export function joined(pieces: readonly string[]): string {
  return pieces.map((piece, index) => (piece.endsWith("{") && pieces[index + 1]?.startsWith("{{") === true ? `${piece.slice(0, -1)}{{ '{' }}` : piece)).join("");
}

/** An expression within a template. */
export function printed(expression: string): string {
  return `{{ ${expression} }}`;
}

/** A member of a value: `x.name`, or `x["any name"]`. */
export function member(of: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) && !WORDS.has(name) ? `${of}.${name}` : `${of}[${quoted(name)}]`;
}

/** A member of a value, or an item of a list. */
export function memberOf(of: string, name: string): string {
  return /^\d+$/.test(name) ? `${of}[${name}]` : member(of, name);
}

/** A key of the state. */
export function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) && !WORDS.has(name) ? name : `state[${quoted(name)}]`;
}

/** Whether an expression names a key and what lies in it, and does nothing else. */
export function isPath(expression: string): boolean {
  return /^[A-Za-z_]\w*(?:\.\w+|\[(?:\d+|"(?:[^"\\]|\\.)*")\])+$/.test(expression);
}

/** What a step gave. */
export function outputOf(step: string): string {
  return `steps[${quoted(step)}].output`;
}

/** A name as a key: letters, digits and underscores. */
export function slug(name: string, otherwise: string): string {
  const words = name.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 48);
  return words === "" ? otherwise : /^\d/.test(words) ? `n${words}` : words;
}

/** Names of which none is given twice. */
export class Taken {
  readonly #names = new Set<string>();
  /** The next number of each name, so that it is not counted from the beginning for each that is called the same. */
  readonly #next = new Map<string, number>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** A name that is not among them yet, and joins them: one that is taken has a number behind it. */
  unique(name: string, between: string): string {
    let own = name;
    let count = this.#next.get(name) ?? 2;
    for (; this.#names.has(own); count += 1) own = `${name}${between}${count}`;
    this.#next.set(name, count);
    this.#names.add(own);
    return own;
  }
}

/** Adds to the list under a key. */
export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}

/** Something that binds tighter than any operator. */
export function bracketed(expression: string): string {
  return /^(?:[A-Za-z_][\w.]*|\d+(?:\.\d+)?|"(?:[^"\\]|\\.)*"|'[^'\\]*'|steps\["(?:[^"\\]|\\.)*"\][\w.]*)$/.test(expression) ? expression : `(${expression})`;
}

/** Words of the language, which are no names. */
const WORDS = new Set("and or not in is if else elif for true false none True False None state steps loop set raw".split(" "));
