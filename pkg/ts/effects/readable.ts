import { convert } from "html-to-text";

/** The text of a page of HTML that a person would read; any other text as it is. Nothing of it is run, and nothing fetched. */
export function readable(text: string, mediaType: string): string {
  if (mediaType !== "text/html" && mediaType !== "application/xhtml+xml" && !(mediaType === "" && text.trimStart().startsWith("<"))) return text;
  const title = /<title[^>]*>([^<]{1,300})<\/title>/i.exec(text)?.[0];
  const converted = convert(text, {
    wordwrap: false,
    // Where a page says what its content is, the rest is menus.
    baseElements: { selectors: ["main", "article", "[role=main]", "body"], returnDomByDefault: true },
    limits: { maxInputLength: MAX_LENGTH, maxDepth: MAX_DEPTH, maxBaseElements: 1, maxChildNodes: MAX_CHILDREN },
    selectors: [
      { selector: "a", options: { ignoreHref: true } },
      ...["img", "nav", "footer", "form", "button", "noscript", "svg", "template"].map((selector) => ({ selector, format: "skip" })),
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: "table", format: "dataTable", options: { uppercaseHeaderCells: false } },
    ],
  }).trim();
  const heading = title === undefined ? "" : convert(title.replace(/title/gi, "p"), { wordwrap: false }).trim();
  return heading === "" || converted.startsWith(heading) ? converted : `${heading}\n\n${converted}`;
}

/** Characters of HTML that are read: bytes were bounded before. */
const MAX_LENGTH = 32 * 1024 * 1024;

/** How deep a page may nest. What is deeper is left out. */
const MAX_DEPTH = 200;

/** How many members of one element are read. */
const MAX_CHILDREN = 100_000;
