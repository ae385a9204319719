// Jinja's templates of Dify as JavaScript, as far as it says the same.

/** The code that makes the text of a template, in a list `out`; undefined for a template that says something else. `values` are its variables, in JavaScript. */
export function jinjaCode(template: string, values: ReadonlyMap<string, string>): string | undefined {
  try {
    return new Translation(template, values).code();
  } catch (error) {
    if (error instanceof Unsaid) return undefined;
    throw error;
  }
}

/** What there is no JavaScript for here. */
class Unsaid extends Error {}

/** What the code uses: Jinja takes what is empty for false, and prints nothing of what is missing. */
export const HELPERS = [
  'const show = (value) => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));',
  'const holds = (value) => (Array.isArray(value) || typeof value === "string" ? value.length > 0 : value !== null && typeof value === "object" ? Object.keys(value).length > 0 : Boolean(value));',
  'const all = (value) => (Array.isArray(value) ? value : typeof value === "string" ? [...value] : value === undefined || value === null ? [] : Object.keys(value));',
  "const has = (whole, part) => (Array.isArray(whole) || typeof whole === \"string\" ? whole.includes(part) : Object.hasOwn(whole ?? {}, part));",
  "const either = (one, two) => (holds(one) ? one : two()), both = (one, two) => (holds(one) ? two() : one);",
  'const plus = (one, two) => (Array.isArray(one) ? [...one, ...all(two)] : one + two);',
];

/** Filters over a value `it`, each with its arguments. */
const FILTERS: Readonly<Record<string, (it: string, of: readonly string[]) => string>> = {
  join: (it, [between = '""']) => `all(${it}).map(show).join(${between})`,
  length: (it) => `all(${it}).length`,
  count: (it) => `all(${it}).length`,
  upper: (it) => `show(${it}).toUpperCase()`,
  lower: (it) => `show(${it}).toLowerCase()`,
  trim: (it) => `show(${it}).trim()`,
  string: (it) => `show(${it})`,
  safe: (it) => it,
  list: (it) => `all(${it})`,
  first: (it) => `all(${it})[0]`,
  last: (it) => `all(${it}).at(-1)`,
  int: (it) => `Math.trunc(Number(${it}) || 0)`,
  float: (it) => `(Number(${it}) || 0)`,
  abs: (it) => `Math.abs(${it})`,
  round: (it, [digits = "0"]) => `Number(Number(${it}).toFixed(${digits}))`,
  replace: (it, [from = '""', to = '""']) => `show(${it}).replaceAll(${from}, ${to})`,
  tojson: (it) => `JSON.stringify(${it} ?? null)`,
  reverse: (it) => `[...all(${it})].reverse()`,
  sum: (it) => `all(${it}).reduce((sum, value) => sum + value, 0)`,
  default: (it, [value = '""']) => `(${it} ?? ${value})`,
  d: (it, [value = '""']) => `(${it} ?? ${value})`,
};

/** Calls of methods that Python has, over a value `it`. */
const METHODS: Readonly<Record<string, (it: string, of: readonly string[]) => string>> = {
  items: (it) => `Object.entries(${it} ?? {})`,
  keys: (it) => `Object.keys(${it} ?? {})`,
  values: (it) => `Object.values(${it} ?? {})`,
  get: (it, [name = '""', otherwise = "undefined"]) => `(${it}?.[${name}] ?? ${otherwise})`,
  split: (it, [by]) => (by === undefined ? `show(${it}).trim().split(/\\s+/)` : `show(${it}).split(${by})`),
  strip: (it) => `show(${it}).trim()`,
  upper: (it) => `show(${it}).toUpperCase()`,
  lower: (it) => `show(${it}).toLowerCase()`,
  replace: (it, [from = '""', to = '""']) => `show(${it}).replaceAll(${from}, ${to})`,
  startswith: (it, [part = '""']) => `show(${it}).startsWith(${part})`,
  endswith: (it, [part = '""']) => `show(${it}).endsWith(${part})`,
};

const TESTS: Readonly<Record<string, (it: string) => string>> = {
  defined: (it) => `(${it} !== undefined)`,
  undefined: (it) => `(${it} === undefined)`,
  none: (it) => `(${it} ?? null) === null`,
  string: (it) => `typeof ${it} === "string"`,
  number: (it) => `typeof ${it} === "number"`,
  mapping: (it) => `Object.prototype.toString.call(${it}) === "[object Object]"`,
  iterable: (it) => `["string", "object"].includes(typeof ${it})`,
};

/** Letters of a template, levels of its blocks and of an expression. */
const [MOST_LETTERS, MOST_DEEP] = [100_000, 40];

class Translation {
  readonly #template: string;
  /** What names stand for: those of the innermost block last. */
  readonly #scopes: Map<string, string>[];
  readonly #lines: string[] = [];
  #tokens: string[] = [];
  #at = 0;
  #loops = 0;
  #deep = 0;

  constructor(template: string, values: ReadonlyMap<string, string>) {
    if (template.length > MOST_LETTERS) throw new Unsaid();
    this.#template = template;
    this.#scopes = [new Map(values)];
  }

  code(): string {
    const blocks: string[] = [];
    const pieces = piecesOf(this.#template);
    pieces.forEach((piece, index) => {
      const isTag = index % 2 === 1;
      if (isTag && piece.startsWith("{#")) return;
      if (isTag && piece.startsWith("{%")) this.#statement(piece.slice(2, -2).replace(/^-|-$/g, "").trim(), blocks);
      else if (isTag) this.#lines.push(`out.push(show(${this.#whole(piece.slice(2, -2).replace(/^-|-$/g, ""))}));`);
      else {
        const before = /-[%}]\}$/.test(pieces[index - 1] ?? "") ? piece.trimStart() : piece;
        const said = /^\{[%{]-/.test(pieces[index + 1] ?? "") ? before.trimEnd() : before;
        if (said !== "") this.#lines.push(`out.push(${JSON.stringify(said)});`);
      }
    });
    if (blocks.length > 0) throw new Unsaid();
    return this.#lines.join("\n");
  }

  #statement(said: string, blocks: string[]): void {
    const [, word = "", rest = ""] = /^(\w+)\s*([\s\S]*)$/.exec(said) ?? [];
    if (word === "for") {
      const [, names = "", list = ""] = /^([\w\s,]+?)\s+in\s+([\s\S]+)$/.exec(rest) ?? [];
      const own = names.split(",").map((name) => name.trim());
      if (own.length > 2 || own.some((name) => !/^[A-Za-z_]\w*$/.test(name)) || this.#scopes.length > MOST_DEEP) throw new Unsaid();
      const id = (this.#loops += 1);
      this.#lines.push(`const list${id} = all(${this.#whole(list)});`, `for (const [at${id}, each${id}] of list${id}.entries()) {`, `const loop${id} = { index: at${id} + 1, index0: at${id}, first: at${id} === 0, last: at${id} === list${id}.length - 1, length: list${id}.length };`);
      this.#scopes.push(new Map([...own.map((name, index): [string, string] => [name, own.length === 1 ? `each${id}` : `each${id}[${index}]`]), ["loop", `loop${id}`]]));
      blocks.push("for");
    } else if (word === "if") {
      if (this.#scopes.length > MOST_DEEP) throw new Unsaid();
      this.#lines.push(`if (holds(${this.#whole(rest)})) {`);
      this.#scopes.push(new Map());
      blocks.push("if");
    } else if ((word === "elif" || word === "else") && blocks.at(-1) === "if") {
      this.#lines.push(word === "else" ? "} else {" : `} else if (holds(${this.#whole(rest)})) {`);
    } else if (word === "set" && this.#scopes.length === 1) {
      // Within a block a name is its own there, which a person may not have meant.
      const [, name = "", value = ""] = /^([A-Za-z_]\w*)\s*=\s*([\s\S]+)$/.exec(rest) ?? [];
      if (name === "") throw new Unsaid();
      const id = (this.#loops += 1);
      this.#lines.push(`const set${id} = ${this.#whole(value)};`);
      this.#scopes[0]?.set(name, `set${id}`);
    } else if ((word === "endfor" && blocks.at(-1) === "for") || (word === "endif" && blocks.at(-1) === "if")) {
      blocks.pop();
      this.#scopes.pop();
      this.#lines.push("}");
    } else throw new Unsaid();
  }

  /** An expression, to its end. */
  #whole(source: string): string {
    const tokens = source.match(/\s+|\d+(?:\.\d+)?|[A-Za-z_]\w*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\/|\*\*|[=!<>]=|[-+*/%~|.,()[\]<>]|[\s\S]/g) ?? [];
    const [before, at] = [this.#tokens, this.#at];
    this.#tokens = tokens.filter((token) => token.trim() !== "");
    this.#at = 0;
    const said = this.#choice();
    if (this.#at < this.#tokens.length) throw new Unsaid();
    [this.#tokens, this.#at] = [before, at];
    return said;
  }

  #next(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  /** What lies in something, as deep as that may be. */
  #within(said: () => string): string {
    if ((this.#deep += 1) > MOST_DEEP) throw new Unsaid();
    const inner = said();
    this.#deep -= 1;
    return inner;
  }

  #choice(): string {
    return this.#within(() => {
      const value = this.#either();
      if (!this.#next("if")) return value;
      const condition = this.#either();
      return `(holds(${condition}) ? ${value} : ${this.#next("else") ? this.#choice() : '""'})`;
    });
  }

  #either(): string {
    let said = this.#both();
    while (this.#next("or")) said = `either(${said}, () => ${this.#both()})`;
    return said;
  }

  #both(): string {
    let said = this.#not();
    while (this.#next("and")) said = `both(${said}, () => ${this.#not()})`;
    return said;
  }

  #not(): string {
    return this.#next("not") ? `!holds(${this.#within(() => this.#not())})` : this.#compared();
  }

  #compared(): string {
    const left = this.#sum();
    for (const [sign, ours] of [["==", "==="], ["!=", "!=="], ["<=", "<="], [">=", ">="], ["<", "<"], [">", ">"]] as const) {
      if (this.#next(sign)) return `(${left} ${ours} ${this.#sum()})`;
    }
    if (this.#next("in")) return `has(${this.#sum()}, ${left})`;
    if (this.#tokens[this.#at] === "not" && this.#tokens[this.#at + 1] === "in") {
      this.#at += 2;
      return `!has(${this.#sum()}, ${left})`;
    }
    if (!this.#next("is")) return left;
    const isNot = this.#next("not");
    const test = TESTS[this.#word()];
    if (test === undefined) throw new Unsaid();
    return `${isNot ? "!" : ""}(${test(left)})`;
  }

  #sum(): string {
    let said = this.#product();
    for (;;) {
      if (this.#next("+")) said = `plus(${said}, ${this.#product()})`;
      else if (this.#next("-")) said = `(${said} - ${this.#product()})`;
      else if (this.#next("~")) said = `(show(${said}) + show(${this.#product()}))`;
      else return said;
    }
  }

  #product(): string {
    let said = this.#signed();
    for (;;) {
      if (this.#next("*")) said = `(${said} * ${this.#signed()})`;
      else if (this.#next("/")) said = `(${said} / ${this.#signed()})`;
      else if (this.#next("//")) said = `Math.floor(${said} / ${this.#signed()})`;
      else if (this.#next("%")) said = `(${said} % ${this.#signed()})`;
      else return said;
    }
  }

  #signed(): string {
    return this.#next("-") ? `-(${this.#within(() => this.#signed())})` : this.#filtered();
  }

  #filtered(): string {
    let said = this.#member();
    while (this.#next("|")) {
      const filter = FILTERS[this.#word()];
      if (filter === undefined) throw new Unsaid();
      said = filter(said, this.#next("(") ? this.#list(")") : []);
    }
    return said;
  }

  #member(): string {
    let said = this.#atom();
    for (;;) {
      if (this.#next(".")) {
        const name = this.#word();
        if (this.#next("(")) {
          const method = METHODS[name];
          if (method === undefined) throw new Unsaid();
          said = method(said, this.#list(")"));
        } else said = `${said}?.[${JSON.stringify(name)}]`;
      } else if (this.#next("[")) {
        const inner = this.#choice();
        if (!this.#next("]")) throw new Unsaid();
        said = `${said}?.[${inner}]`;
      } else return said;
      if (said.length > MOST_LETTERS) throw new Unsaid();
    }
  }

  #atom(): string {
    const token = this.#tokens[this.#at] ?? "";
    this.#at += 1;
    if (/^\d/.test(token)) return token;
    if (/^["']/.test(token)) return JSON.stringify(unescaped(token.slice(1, -1)));
    if (token === "(") {
      const inner = this.#choice();
      if (!this.#next(")")) throw new Unsaid();
      return `(${inner})`;
    }
    if (token === "[") return `[${this.#list("]").join(", ")}]`;
    const word = { true: "true", True: "true", false: "false", False: "false", none: "null", None: "null" }[token];
    if (word !== undefined) return word;
    const scope = this.#scopes.findLast((names) => names.has(token));
    const value = scope?.get(token);
    if (value === undefined) throw new Unsaid();
    return value;
  }

  #list(end: string): string[] {
    const values: string[] = [];
    while (!this.#next(end)) {
      values.push(this.#choice());
      if (!this.#next(",") && this.#tokens[this.#at] !== end) throw new Unsaid();
    }
    return values;
  }

  #word(): string {
    const word = this.#tokens[this.#at] ?? "";
    if (!/^[A-Za-z_]\w*$/.test(word)) throw new Unsaid();
    this.#at += 1;
    return word;
  }
}

/** A template in its texts and tags, which take turns. What begins a tag and does not end is a text. */
export function piecesOf(template: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (let at = template.indexOf("{"); at >= 0; at = template.indexOf("{", at + 1)) {
    const end = { "{": "}}", "%": "%}", "#": "#}" }[template[at + 1] ?? ""];
    if (end === undefined) continue;
    const close = template.indexOf(end, at + 2);
    // Where this one does not end, no later one does.
    if (close < 0) break;
    pieces.push(template.slice(from, at), template.slice(at, close + 2));
    from = close + 2;
    at = close + 1;
  }
  return [...pieces, template.slice(from)];
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, letter: string) => ({ n: "\n", t: "\t", r: "\r" })[letter] ?? letter);
}
