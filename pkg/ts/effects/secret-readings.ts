/** A form of a secret, and what is shown in its place. */
export type Hidden = readonly (readonly [form: string, shown: string])[];

/** A way of writing in which marks stand for something else, or for nothing. */
interface Writing {
  readonly marks: RegExp;
  readonly meant: (mark: string) => string;
}

/** What HTML has names for and keys may hold. */
const NAMED: { readonly [name: string]: string } = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", plus: "+", equals: "=", sol: "/", bsol: "\\", lowbar: "_", hyphen: "-", dash: "-",
  colon: ":", semi: ";", comma: ",", period: ".", excl: "!", quest: "?", num: "#", dollar: "$", percnt: "%", ast: "*", midast: "*",
  commat: "@", lpar: "(", rpar: ")", lbrack: "[", lsqb: "[", rbrack: "]", rsqb: "]", lcub: "{", lbrace: "{", rcub: "}", rbrace: "}",
  verbar: "|", vert: "|", grave: "`", Hat: "^", tilde: "~",
};

const WRITINGS: readonly Writing[] = [
  // Writers of HTML differ in which characters they escape, and how.
  { marks: /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});?/gi, meant: characterOf },
  // Addresses and JSON may escape any character, and not only those that need it.
  { marks: /%[0-7][\da-f]|(?:%[89a-f][\da-f])+/gi, meant: lettersOf },
  { marks: /\\(?:u[\da-f]{4}|x[\da-f]{2})/gi, meant: (mark) => String.fromCharCode(Number.parseInt(mark.slice(2), 16)) },
  // Base64 in lines, as mail and many tools write it; also inside of JSON. What stands before is looked at last, since
  // engines look for the first character that a mark may have.
  { marks: /(?:\r?\n|(?:\\r)?\\n)(?<=[\w+/-]{16}(?:\r?\n|(?:\\r)?\\n))[ \t]{0,8}(?=[\w+/=-])/g, meant: () => "" },
];

/** The text without the forms, the longest of which come first: as they are, in escapes, and in lines. */
export function withoutForms(text: string, hidden: Hidden): string {
  // No way of writing makes a text longer.
  if (text.length < (hidden.at(-1)?.[0].length ?? Infinity)) return text;
  const shown = hidden.reduce((rest, [form, name]) => (rest.includes(form) ? rest.replaceAll(form, () => name) : rest), text);
  return WRITINGS.reduce((rest, writing) => withoutWritten(rest, writing, hidden), shown);
}

/** How many cuts of a text are looked at, the last ones: a message has one or two, and a text may be made of them. */
const MOST_CUTS = 20;

/** The text without the beginnings of forms before which it was cut, so many characters of them at least. */
export function withoutBeginnings(text: string, hidden: Hidden, least: number): string {
  if (hidden.length === 0) return text;
  // No character is written with more than ten.
  const most = 10 * (hidden[0]?.[0].length ?? 0);
  let shown = text;
  let next = -1;
  for (let cut = shown.lastIndexOf(CUT), looked = 0; cut >= 0 && looked < MOST_CUTS; cut = next, looked += 1) {
    next = cut === 0 ? -1 : shown.lastIndexOf(CUT, cut - 1);
    // No form goes over a cut, so each character is looked at for one of them.
    const from = Math.max(next + 1, cut - most);
    const before = shown.slice(from, cut);
    for (const writing of [AS_IT_IS, ...WRITINGS]) {
      const { plain, pieces } = read(writing === AS_IT_IS ? before : before.replace(HALF_A_MARK, ""), writing);
      const begun = longestBeginning(plain, hidden, least);
      if (begun === undefined) continue;
      const start = plain.length - begun.length;
      const at = from + standsFrom(pieceAt(pieces, start), start);
      shown = shown.slice(0, at) + begun.shown + shown.slice(cut);
      break;
    }
  }
  return shown;
}

/** What stands where a text was cut. */
const CUT = "…";

/** A mark of any writing that was cut itself. */
const HALF_A_MARK = /(?:(?:%[c-f][\da-f](?:%[89ab][\da-f]){0,2})?(?:%[\da-f]?)?|\\(?:u[\da-f]{0,3}|x[\da-f]?)?|&(?:#?x?[\da-f]{0,7}|[a-z]{0,8}))$/i;

const AS_IT_IS: Writing = { marks: /(?!)/g, meant: (mark) => mark };

/** With the beginning of which form a text ends, and of how many characters. */
function longestBeginning(text: string, hidden: Hidden, least: number): { readonly length: number; readonly shown: string } | undefined {
  const end = text.slice(-least);
  if (end.length < least) return undefined;
  let longest: { readonly length: number; readonly shown: string } | undefined;
  for (const [form, shown] of hidden) {
    for (let at = form.indexOf(end); at >= 0; at = form.indexOf(end, at + 1)) {
      const length = at + least;
      if (length > (longest?.length ?? 0) && text.endsWith(form.slice(0, length))) longest = { length, shown };
    }
  }
  return longest;
}

function characterOf(mark: string): string {
  const name = mark.slice(1).replace(";", "");
  if (!name.startsWith("#")) return Object.hasOwn(NAMED, name) ? (NAMED[name] as string) : mark;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : mark;
}

const UTF_8 = new TextDecoder();

function lettersOf(escapes: string): string {
  return UTF_8.decode(Uint8Array.from(escapes.slice(1).split("%"), (digits) => Number.parseInt(digits, 16)));
}

/** A piece of a text: where it begins in what it means, and from where to where it stands in the text. */
interface Piece {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly isMark: boolean;
}

/** What a text means, and where in it that stands. */
function read(text: string, { marks, meant }: Writing): { readonly plain: string; readonly pieces: readonly Piece[] } {
  const pieces: Piece[] = [];
  let plain = "";
  let end = 0;
  for (const { 0: mark, index } of text.matchAll(marks)) {
    pieces.push({ at: plain.length, from: end, to: index, isMark: false });
    plain += text.slice(end, index);
    end = index + mark.length;
    pieces.push({ at: plain.length, from: index, to: end, isMark: true });
    plain += meant(mark);
  }
  pieces.push({ at: plain.length, from: end, to: text.length, isMark: false });
  return { plain: plain + text.slice(end), pieces };
}

/** How many different marks of a text are remembered. */
const MOST_KNOWN = 1000;

/** What a text means. */
function meaningOf(text: string, { marks, meant }: Writing): string {
  const known = new Map<string, string>();
  return text.replace(marks, (mark) => {
    const before = known.get(mark);
    if (before !== undefined) return before;
    const now = meant(mark);
    if (known.size < MOST_KNOWN) known.set(mark, now);
    return now;
  });
}

function withoutWritten(text: string, writing: Writing, hidden: Hidden): string {
  // Where its marks are is only looked for in a text that has a form: of a text of marks alone that is many times its size.
  const meaning = meaningOf(text, writing);
  if (meaning === text || !hidden.some(([form]) => meaning.includes(form))) return text;
  const { plain, pieces } = read(text, writing);
  const found: { from: number; to: number; shown: string }[] = [];
  for (const [form, shown] of hidden) {
    for (let at = plain.indexOf(form); at >= 0; at = plain.indexOf(form, at + form.length)) {
      const last = at + form.length - 1;
      found.push({ from: standsFrom(pieceAt(pieces, at), at), to: standsTo(pieceAt(pieces, last), last), shown });
    }
  }
  return replaced(text, found);
}

/** The last piece that begins there or before. */
function pieceAt(pieces: readonly Piece[], offset: number): Piece {
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pieces[middle] as Piece).at <= offset) low = middle;
    else high = middle - 1;
  }
  return pieces[low] as Piece;
}

function standsFrom({ at, from, isMark }: Piece, offset: number): number {
  return isMark ? from : from + offset - at;
}

function standsTo({ at, from, to, isMark }: Piece, offset: number): number {
  return isMark ? to : from + offset - at + 1;
}

function replaced(text: string, found: readonly { readonly from: number; readonly to: number; readonly shown: string }[]): string {
  let result = "";
  let done = 0;
  for (const { from, to, shown } of [...found].sort((one, other) => one.from - other.from || other.to - one.to)) {
    if (from >= done) result += text.slice(done, from) + shown;
    done = Math.max(done, to);
  }
  return result + text.slice(done);
}
