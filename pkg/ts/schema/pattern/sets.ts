// What stands for several characters means in JavaScript something else than in RE2: here it is written out.

type Range = readonly [from: number, to: number];

const LAST = 0x10ffff;
const DIGITS: readonly Range[] = [[0x30, 0x39]];
const WORD: readonly Range[] = [[0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const SPACE: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

const SETS: Readonly<Record<string, string | undefined>> = {
  d: written(DIGITS),
  D: written(others(DIGITS)),
  w: written(WORD),
  W: written(others(WORD)),
  s: written(SPACE),
  S: written(others(SPACE)),
};

/** Any character but those that end a line. */
export const DOT = "[^\\x{a}\\x{d}\\x{2028}\\x{2029}]";

/** Every character, as the inside of a class. */
export const ALL = "\\x{0}-\\x{10ffff}";

const CATEGORIES = /^(?:L[ultmoC]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfs]?)$/;

/** What `\d`, `\D`, `\w`, `\W`, `\s` and `\S` stand for, as the inside of a class. */
export function setOf(letter: string): string | undefined {
  return SETS[letter];
}

/** What `\p{…}` or `\P{…}` stands for, as the inside of a class; undefined where that is not known. */
export function propertyOf(name: string, isNegated: boolean): string | undefined {
  const [, key, value = name] = /^(\w+)=(\w+)$/.exec(name) ?? [];
  const letter = isNegated ? "P" : "p";
  if (key === undefined || key === "gc" || key === "General_Category") return CATEGORIES.test(value) ? `\\${letter}{${value}}` : undefined;
  return (key === "sc" || key === "Script") && isScript(value) ? `\\${letter}{${value}}` : undefined;
}

function isScript(name: string): boolean {
  // Short names such as `Grek` are not known to RE2.
  if (name.length < 5 && !["Han", "Lao", "Yi", "Nko", "Vai", "Cham", "Lisu", "Thai"].includes(name)) return false;
  try {
    new RegExp(`\\p{Script=${name}}`, "u");
    return true;
  } catch {
    return false;
  }
}

function others(ranges: readonly Range[]): readonly Range[] {
  const ends = [...ranges, [LAST + 1, LAST + 1] as const];
  return ends.map(([from], index) => [index === 0 ? 0 : (ranges[index - 1] as Range)[1] + 1, from - 1] as const);
}

function written(ranges: readonly Range[]): string {
  return ranges.map(([from, to]) => `\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`).join("");
}
