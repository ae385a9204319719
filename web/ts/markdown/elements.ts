// From the pieces of a Markdown text to elements of the page. What a model writes may be what a stranger had it write: HTML
// stays text, links lead to other sites alone, and nothing is loaded before a person presses it, images neither.
import MarkdownIt, { type Env, type Token } from "markdown-it";

const markdown = new MarkdownIt({ html: false });

/** A paragraph, a list, a table or whatever stands by itself. */
export interface Block {
  /** Its text; equal ones look equal. */
  readonly source: string;
  readonly tokens: readonly Token[];
}

/** What a text has of blocks, in order, and the names that its links may refer to. */
export function blocksOf(text: string): { readonly blocks: readonly Block[]; readonly references: string } {
  const environment: Env = {};
  const lines = text.split("\n");
  const blocks: Block[] = [];
  let open: Token[] = [];
  for (const token of markdown.parse(text, environment)) {
    open.push(token);
    if (token.level > 0 || token.nesting === 1) continue;
    const [first, last] = open[0]?.map ?? [0, 0];
    blocks.push({ source: lines.slice(first, last).join("\n"), tokens: open });
    open = [];
  }
  return { blocks, references: JSON.stringify(environment.references ?? {}) };
}

/** The element of a block. */
export function elementOf({ tokens }: Block): Node {
  const all = document.createDocumentFragment();
  append(all, tokens);
  return all.firstChild ?? document.createTextNode("");
}

function append(to: Node, tokens: readonly Token[]): void {
  let at = to;
  for (const token of tokens) {
    // The paragraphs in the items of a tight list.
    if (token.hidden) continue;
    if (token.nesting === -1) {
      at = at.parentNode ?? to;
    } else if (token.type === "inline") {
      append(at, token.children ?? []);
    } else {
      const made = nodeOf(token);
      at.appendChild(made);
      if (token.nesting === 1) at = made;
    }
  }
}

function nodeOf(token: Token): Node {
  const attribute = (name: string): string => String(token.attrs?.find(([key]) => key === name)?.[1] ?? "");
  switch (token.type) {
    case "text":
      return document.createTextNode(token.content);
    case "softbreak":
      return document.createTextNode("\n");
    case "heading_open":
      // The page's own headings are no place for those of an answer.
      return element("p", `heading heading-${token.tag.slice(1)}`);
    case "ordered_list_open": {
      const list = document.createElement("ol");
      list.start = Number(attribute("start") || 1);
      return list;
    }
    case "th_open":
    case "td_open": {
      const cell = document.createElement(token.tag);
      cell.style.textAlign = attribute("style").replace("text-align:", "");
      return cell;
    }
    case "link_open":
      return linkTo(attribute("href"));
    case "image": {
      const link = linkTo(attribute("src"));
      link.append(token.content || "image");
      return link;
    }
    case "code_inline":
      return element("code", "", token.content);
    case "fence":
    case "code_block":
      return codeOf(token.content);
    default:
      return document.createElement(ELEMENTS.has(token.tag) ? token.tag : "span");
  }
}

/** What else there is of elements: they have no attributes. */
const ELEMENTS = new Set(["p", "strong", "em", "s", "br", "hr", "blockquote", "ul", "li", "table", "thead", "tbody", "tr"]);

function element(tag: string, name: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (name !== "") made.className = name;
  made.textContent = text;
  return made;
}

/** Code that is wider than its place is scrolled, also by the keyboard. */
function codeOf(text: string): HTMLElement {
  const made = element("pre", "");
  made.tabIndex = 0;
  made.append(element("code", "", text));
  return made;
}

/** A link that says where it leads; what leads into the page, or is no address of another site, is no link. */
function linkTo(address: string): HTMLElement {
  if (!/^(https?:|mailto:)/i.test(address) || !URL.canParse(address)) return document.createElement("span");
  const link = document.createElement("a");
  link.href = address;
  link.title = link.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
}
