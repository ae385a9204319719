import { convert, type DomNode, type FormatCallback } from "html-to-text";

/**
 * The text of a page of HTML that a person would read; any other text as it is. Nothing of it is run, and nothing fetched.
 * `cut` stands in place of what is beyond the bounds of a page.
 */
export function readable(text: string, mediaType: string, cut = "..."): string {
  if (mediaType !== "text/html" && mediaType !== "application/xhtml+xml" && !(mediaType === "" && text.trimStart().startsWith("<"))) return text;
  const title = titleOf(text);
  const part = bounded(text.slice(0, MAX_LENGTH));
  const converted = convert(part, {
    wordwrap: false,
    // Where a page says what its content is, the rest is menus.
    baseElements: { selectors: ["main", "article", "[role=main]", "body"], returnDomByDefault: true },
    formatters: { boundedTable },
    limits: { ellipsis: cut, maxInputLength: MAX_LENGTH, maxDepth: MAX_DEPTH, maxBaseElements: 1, maxChildNodes: MAX_CHILDREN },
    selectors: [
      { selector: "a", options: { ignoreHref: true } },
      ...HIDDEN.map((selector) => ({ selector, format: "skip" })),
      ...["img", "nav", "footer", "button", "noscript", "svg", "template"].map((selector) => ({ selector, format: "skip" })),
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: "table", format: "boundedTable", options: { uppercaseHeaderCells: false } },
    ],
  }).trim();
  const whole = part.length < text.length ? `${converted}\n\n${cut}` : converted;
  const heading = title === undefined ? "" : convert(`<p>${title}</p>`, { wordwrap: false }).trim();
  return heading === "" || whole.startsWith(heading) ? whole : `${heading}\n\n${whole}`;
}

/** A table, in which cells reach over others only where that makes no large table of a small text. */
const boundedTable: FormatCallback = (table, walk, builder, options) => {
  const cells = cellsOf(table);
  const places = cells.reduce((sum, { attribs }) => sum + placesOf(attribs?.["colspan"]) * placesOf(attribs?.["rowspan"]), 0);
  if (places > Math.max(MAX_PLACES, 2 * cells.length)) for (const cell of cells) cell.attribs = {};
  builder.options.formatters?.["dataTable"]?.(table, walk, builder, options);
};

/** The cells of a table, also of those in it. */
function cellsOf(table: DomNode): DomNode[] {
  const cells: DomNode[] = [];
  const open = [table];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.name === "td" || node.name === "th") cells.push(node);
    for (const child of node.children ?? []) open.push(child);
  }
  return cells;
}

function placesOf(span: string | undefined): number {
  return Math.abs(Number(span)) || 1;
}

/** Places that the cells of a table may take together, unless it has half as many cells. */
const MAX_PLACES = 10_000;

/**
 * A page up to where it has more elements and comments than one has, or more are open: what reads it takes a kilobyte for
 * each, and the square of those that are open.
 */
function bounded(text: string): string {
  const open: string[] = [];
  const counts = new Map<string, number>();
  const count = (name: string, more: number): void => void counts.set(name, (counts.get(name) ?? 0) + more);
  const close = (): string | undefined => {
    const name = open.pop();
    if (name !== undefined) count(name, -1);
    return name;
  };
  let nodes = 0;
  for (const { index, 1: end, 2: tag = "" } of text.matchAll(/<(\/?)([a-z!?][a-z0-9]*)/gi)) {
    const name = tag.toLowerCase();
    if (end !== "" && (counts.get(name) ?? 0) > 0) {
      // An end closes what is open inside of its element; one of nothing that is open may still make an element.
      while (close() !== name);
    } else if ((nodes += 1) > MAX_NODES) {
      return text.slice(0, index);
    } else if (end === "" && !EMPTY.has(name) && !/^[!?]/.test(name)) {
      const closed = CLOSES[name] ?? (BLOCKS.has(name) ? PARAGRAPH : []);
      while (closed.includes(open.at(-1) ?? "")) close();
      open.push(name);
      count(name, 1);
    }
    if (open.length > MAX_OPEN) return text.slice(0, index);
  }
  return text;
}

const PARAGRAPH = ["p"];
const TERM = ["dt", "dd"];
const SECTION = ["thead", "tbody"];

/** What an element closes where it begins, for what reads the page: pages may leave out these ends. */
const CLOSES: Readonly<Record<string, readonly string[] | undefined>> = {
  li: ["li"],
  dt: TERM,
  dd: TERM,
  tr: ["td", "th", "tr"],
  td: ["td", "th", "thead"],
  th: ["th"],
  tbody: SECTION,
  tfoot: SECTION,
  option: ["option"],
  optgroup: ["option", "optgroup"],
};

/** What closes a paragraph where it begins. */
const BLOCKS = new Set(["p", "address", "article", "aside", "blockquote", "details", "div", "dl", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "ol", "pre", "section", "table", "ul"]);

/** What a person is not shown. */
const HIDDEN = ["[hidden]", ...["display:none", "display: none", "visibility:hidden", "visibility: hidden"].map((style) => `[style*="${style}" i]`)];

/** Elements without an end. */
const EMPTY = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);

/** Elements and comments of a page: the longest that people read have some ten thousand. */
const MAX_NODES = 100_000;

/** Elements that are open at once, also those whose end a page may leave out. */
const MAX_OPEN = 10_000;

/** What a page calls itself, with its entities. Each tag is looked for once, from the one before it on. */
function titleOf(text: string): string | undefined {
  const open = text.search(/<title[\s>]/i);
  const from = open === -1 ? -1 : text.indexOf(">", open);
  const to = from === -1 ? -1 : text.indexOf("<", from);
  const title = text.slice(from + 1, Math.max(from + 1, to));
  return title === "" || title.length > MAX_TITLE || !/^<\/title/i.test(text.slice(to, to + 7)) ? undefined : title;
}

/** Characters of a title; a longer one is none. */
const MAX_TITLE = 300;

/** Characters of HTML that are read: bytes were bounded before. */
const MAX_LENGTH = 32 * 1024 * 1024;

/** How deep a page may nest. What is deeper is left out. */
const MAX_DEPTH = 200;

/** How many members of one element are read. */
const MAX_CHILDREN = 100_000;
