import { convert } from "html-to-text";
import { layouts } from "./laid-out.js";

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
    formatters: { ...layouts() },
    limits: { ellipsis: cut, maxInputLength: MAX_LENGTH, maxDepth: MAX_DEPTH, maxBaseElements: 1, maxChildNodes: MAX_CHILDREN },
    selectors: [
      { selector: "a", options: { ignoreHref: true } },
      ...HIDDEN.map((selector) => ({ selector, format: "skip" })),
      ...["img", "nav", "footer", "button", "noscript", "svg", "template"].map((selector) => ({ selector, format: "skip" })),
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: "table", format: "table", options: { uppercaseHeaderCells: false } },
      ...["ul", "ol"].map((selector) => ({ selector, format: "list" })),
      { selector: "blockquote", format: "quotation" },
    ],
  }).trim();
  const whole = part.length < text.length ? `${converted}\n\n${cut}` : converted;
  const heading = title === undefined ? "" : convert(`<p>${title}</p>`, { wordwrap: false }).trim();
  return heading === "" || whole.startsWith(heading) ? whole : `${heading}\n\n${whole}`;
}

/**
 * A page up to where it has more elements, comments and lines that are kept than one has, or more elements are open: what reads
 * it takes a kilobyte for each, and the square of those that are open.
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
  for (const { index, 1: end, 2: tag } of text.matchAll(/<(\/?)([a-z!?][a-z0-9]*)|\n/gi)) {
    if (tag === undefined) {
      // Where lines are kept, each is as much as an element that breaks one.
      if ((counts.get("pre") ?? 0) > 0 && (nodes += 1) > MAX_NODES) return text.slice(0, index);
      continue;
    }
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

/** Elements, comments and lines that are kept of a page: the longest that people read have some ten thousand. */
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

/** Characters of HTML that are read: more are read for longer than anything else should wait. */
const MAX_LENGTH = 8 * 1024 * 1024;

/** How deep a page may nest. What is deeper is left out. */
const MAX_DEPTH = 200;

/** How many members of one element are read. */
const MAX_CHILDREN = 100_000;
