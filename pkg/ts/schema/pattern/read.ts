import { ALL, DOT, propertyOf, setOf } from "./sets.js";

/** A pattern in the syntax of RE2, and how many instructions it takes at most. */
export interface Program {
  readonly source: string;
  readonly size: number;
}

/** Why a pattern cannot be used, and what to do. */
export interface PatternFault {
  /** Whether it is no regular expression, or one that is not among those that are matched here. */
  readonly kind: "syntax" | "subset";
  readonly message: string;
  readonly hint: string;
}

/** The longest pattern that is read, in UTF-16 units. */
export const MAX_LENGTH = 4096;
/** The most instructions that a pattern may take: each of them may be looked at for each character of a text. */
export const MAX_SIZE = 10_000;
/** How often something may be repeated, repetitions inside of repetitions multiplied. */
const MAX_TIMES = 1000;
/** How deep groups may be nested. */
const MAX_DEPTH = 250;

const LINEAR = "patterns are matched in time that grows with the text alone, so they have neither look-around nor back references: ";

/** A section of a pattern that has been read: its text, its instructions, and how often its innermost repetition may be repeated. */
interface Part {
  source: string;
  size: number;
  times: number;
}

interface Group {
  /** The alternatives before the one that is being read. */
  readonly closed: Part;
  readonly current: Part;
  /** What a quantifier would repeat. */
  last: Part | undefined;
}

/**
 * Reads a pattern of JSON Schema, which is a regular expression of JavaScript with the flag u.
 * Everything is taken that can be matched in linear time; the rest is a fault.
 */
export function readPattern(text: string): Program | PatternFault {
  if (text.length > MAX_LENGTH) {
    return { kind: "subset", message: `is longer than ${MAX_LENGTH} characters`, hint: "list words with `enum`, or split it into several patterns with `anyOf` or `allOf`" };
  }
  try {
    return new Reader(text).read();
  } catch (error) {
    if (error instanceof Refusal) return { kind: error.kind, message: error.message, hint: error.hint };
    throw error;
  }
}

class Refusal extends Error {
  readonly kind: PatternFault["kind"];
  readonly hint: string;

  constructor(message: string, hint: string, kind: PatternFault["kind"] = "subset") {
    super(message);
    this.kind = kind;
    this.hint = hint;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;
  readonly #groups: Group[] = [newGroup()];

  constructor(text: string) {
    this.#text = text;
  }

  read(): Program {
    while (this.#at < this.#text.length) this.#term();
    const group = this.#groups.pop() as Group;
    if (this.#groups.length > 0) throw this.#broken("a group is not closed", "close every ( with )");
    const { source, size } = whole(group);
    return { source, size: size + 1 };
  }

  #term(): void {
    const group = this.#groups.at(-1) as Group;
    const character = this.#next();
    switch (character) {
      case "(":
        return this.#open();
      case ")":
        return this.#close();
      case "|":
        return this.#alternative(group);
      case "^":
      case "$":
        return this.#assertion(character);
      case "*":
      case "+":
        return this.#repeat(group, character === "*" ? 0 : 1, Number.POSITIVE_INFINITY);
      case "?":
        return this.#repeat(group, 0, 1);
      case "{":
        return this.#counted(group);
      case "}":
      case "]":
        throw this.#broken(`\`${character}\` closes nothing`, `write \`\\${character}\` for the character itself`);
      case ".":
        return this.#atom(DOT);
      case "[":
        return this.#atom(this.#class());
      case "\\":
        return this.#escape();
      default:
        return this.#atom(literal(character));
    }
  }

  #open(): void {
    if (this.#groups.length > MAX_DEPTH) throw new Refusal(`nests more than ${MAX_DEPTH} groups`, "write what the groups hold without them");
    if (this.#text[this.#at] === "?") this.#kindOfGroup();
    this.#groups.push(newGroup());
  }

  #kindOfGroup(): void {
    const rest = this.#text.slice(this.#at, this.#at + 100);
    if (/^\?<?[=!]/.test(rest)) {
      throw new Refusal(
        `has look-around, \`(${/^\?<?[=!]/.exec(rest)?.[0]}…)\``,
        `${LINEAR}put \`not: { pattern: "…" }\` beside it for what must not match, or several patterns into \`allOf\``,
      );
    }
    const named = /^\?(?::|<[\p{ID_Start}$_][\p{ID_Continue}$]*>)/u.exec(rest);
    if (named === null) throw this.#broken(`\`(${rest.slice(0, 3)}\` begins no group`, "write `(…)`, `(?:…)` or `(?<name>…)`");
    this.#at += named[0].length;
  }

  #close(): void {
    if (this.#groups.length === 1) throw this.#broken("`)` closes nothing", "write `\\)` for the character itself");
    const { source, size, times } = whole(this.#groups.pop() as Group);
    this.#add({ source: `(?:${source})`, size: size + 1, times });
  }

  #alternative(group: Group): void {
    const { closed, current } = group;
    closed.source += `${current.source}|`;
    closed.size += current.size + 1;
    closed.times = Math.max(closed.times, current.times);
    Object.assign(current, nothing());
    group.last = undefined;
  }

  /** An assertion matches no character: it cannot be repeated. */
  #assertion(source: string): void {
    this.#add({ source, size: 1, times: 1 });
    (this.#groups.at(-1) as Group).last = undefined;
  }

  #atom(source: string): void {
    this.#add({ source, size: 1, times: 1 });
  }

  #add(part: Part): void {
    const group = this.#groups.at(-1) as Group;
    const { current } = group;
    current.source += part.source;
    current.size += part.size;
    current.times = Math.max(current.times, part.times);
    group.last = part;
    if (current.size > MAX_SIZE) throw tooLarge();
  }

  #counted(group: Group): void {
    const found = /^(\d+)(,(\d*))?\}/.exec(this.#text.slice(this.#at, this.#at + 40));
    if (found === null) throw this.#broken("`{` begins no count", "write `{2}`, `{2,}` or `{2,5}`, or `\\{` for the character itself");
    const [all, least = "", more, most = ""] = found;
    this.#at += all.length;
    const from = Number(least);
    const to = more === undefined ? from : most === "" ? Number.POSITIVE_INFINITY : Number(most);
    if (from > to) throw this.#broken(`\`{${all} counts down`, "write the smaller number first");
    this.#repeat(group, from, to);
  }

  #repeat(group: Group, from: number, to: number): void {
    const { last, current } = group;
    if (last === undefined) throw this.#broken("a quantifier stands behind nothing that can be repeated", "write `\\*`, `\\+` or `\\?` for the character itself");
    // Whether it takes as little as it can makes no difference to whether it matches.
    if (this.#text[this.#at] === "?") this.#at += 1;
    const count = Number.isFinite(to) ? to : from;
    const times = last.times * Math.max(count, 1);
    if (times > MAX_TIMES) {
      throw new Refusal(`repeats something more than ${MAX_TIMES} times`, "use `minLength` and `maxLength` for the length of a text");
    }
    // What stands there a number of times is written out so often.
    const size = last.size * Math.max(count + (Number.isFinite(to) ? 0 : 1), 1) + count + 1;
    current.source += quantifier(from, to);
    current.size += size - last.size;
    current.times = Math.max(current.times, times);
    group.last = undefined;
    if (current.size > MAX_SIZE) throw tooLarge();
  }

  #escape(): void {
    const character = this.#next();
    if (character === "b" || character === "B") return this.#assertion(`\\${character}`);
    if (/[1-9k]/.test(character)) {
      throw new Refusal(`has a back reference, \`\\${character}\``, `${LINEAR}write out what may stand there`);
    }
    const set = this.#set(character);
    this.#atom(set === undefined ? literal(this.#character(character)) : `[${set}]`);
  }

  /** What an escape that stands for several characters allows, as the inside of a class. */
  #set(character: string): string | undefined {
    if (character !== "p" && character !== "P") return setOf(character);
    const found = /^\{([\w=]+)\}/.exec(this.#text.slice(this.#at, this.#at + 80));
    const property = found === null ? undefined : propertyOf(found[1] as string, character === "P");
    if (found === null || property === undefined) {
      throw new Refusal(
        `has \`\\${character}${found?.[0] ?? ""}\`, which is not known here`,
        "of Unicode's properties the general categories by their short names can be used, and scripts: `\\p{L}`, `\\p{Lu}`, `\\p{Script=Greek}`",
      );
    }
    this.#at += found[0].length;
    return property;
  }

  /** The character that an escape stands for. */
  #character(character: string): string {
    const control = CONTROLS[character];
    if (control !== undefined) return control;
    const rest = this.#text.slice(this.#at, this.#at + 12);
    const found = (ESCAPES[character] ?? []).map((form) => form.exec(rest)).find((match) => match !== null);
    if (found !== undefined) {
      this.#at += found[0].length;
      return fromEscape(character, found);
    }
    if (/[\^$\\.*+?()[\]{}|/]/.test(character)) return character;
    throw this.#broken(`\`\\${character}\` is no escape`, "write the character without a backslash, or its number as `\\u{…}`");
  }

  #class(): string {
    let inside = "";
    const isNegated = this.#text[this.#at] === "^";
    if (isNegated) this.#at += 1;
    for (let member = this.#member(); member !== undefined; member = this.#member()) {
      const { set, character } = member;
      const isRange = this.#text[this.#at] === "-" && this.#at + 1 < this.#text.length && this.#text[this.#at + 1] !== "]";
      if (!isRange) {
        inside += set ?? literal(character);
        continue;
      }
      this.#at += 1;
      const end = this.#member();
      if (end === undefined || set !== undefined || end.set !== undefined) throw this.#broken("a range in a class begins or ends with more than one character", "write `\\-` for the character itself");
      if ((end.character.codePointAt(0) as number) < (character.codePointAt(0) as number)) throw this.#broken("a range in a class counts down", "write the smaller character first");
      inside += `${literal(character)}-${literal(end.character)}`;
    }
    if (inside !== "") return `[${isNegated ? "^" : ""}${inside}]`;
    return `[${isNegated ? "" : "^"}${ALL}]`;
  }

  /** The next member of a class; undefined at its end. */
  #member(): { readonly set: string | undefined; readonly character: string } | undefined {
    if (this.#at >= this.#text.length) throw this.#broken("a class is not closed", "close every [ with ]");
    const character = this.#next();
    if (character === "]") return undefined;
    if (character !== "\\") return { set: undefined, character };
    const escaped = this.#next();
    if (escaped === "b") return { set: undefined, character: "\b" };
    if (escaped === "-") return { set: undefined, character: "-" };
    const set = this.#set(escaped);
    return { set, character: set === undefined ? this.#character(escaped) : "" };
  }

  #next(): string {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) throw this.#broken("it ends with a backslash", "write `\\\\` for the character itself");
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }

  #broken(what: string, advice: string): Refusal {
    return new Refusal(`${what}, at character ${this.#at}`, advice, "syntax");
  }
}

const CONTROLS: Readonly<Record<string, string | undefined>> = { t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" };

/** How an escape continues, by its character. */
const ESCAPES: Readonly<Record<string, readonly RegExp[] | undefined>> = {
  "0": [/^(?!\d)/],
  c: [/^([A-Za-z])/],
  x: [/^([\dA-Fa-f]{2})/],
  u: [/^([Dd][89ABab][\dA-Fa-f]{2})\\u([Dd][C-Fc-f][\dA-Fa-f]{2})/, /^([\dA-Fa-f]{4})/, /^\{(0*(?:10|[\dA-Fa-f])?[\dA-Fa-f]{1,4})\}/],
};

function fromEscape(letter: string, [, first = "0", second]: RegExpExecArray): string {
  if (letter === "c") return String.fromCodePoint((first.codePointAt(0) as number) % 32);
  const code = Number.parseInt(first, 16);
  return second === undefined ? String.fromCodePoint(code) : String.fromCharCode(code, Number.parseInt(second, 16));
}

function tooLarge(): Refusal {
  return new Refusal(
    `takes more than ${MAX_SIZE} instructions when its repetitions are written out`,
    "repeat less: use `minLength` and `maxLength` for the length of a text, or several patterns in `allOf`",
  );
}

function nothing(): Part {
  return { source: "", size: 1, times: 1 };
}

function newGroup(): Group {
  return { closed: nothing(), current: nothing(), last: undefined };
}

function whole({ closed, current }: Group): Part {
  return { source: closed.source + current.source, size: closed.size + current.size, times: Math.max(closed.times, current.times) };
}

/** A character as RE2 reads it, whatever it would mean there. */
function literal(character: string): string {
  return /^[A-Za-z\d]$/.test(character) ? character : `\\x{${(character.codePointAt(0) as number).toString(16)}}`;
}

function quantifier(from: number, to: number): string {
  if (!Number.isFinite(to)) return from === 0 ? "*" : from === 1 ? "+" : `{${from},}`;
  return from === to ? `{${from}}` : `{${from},${to}}`;
}
