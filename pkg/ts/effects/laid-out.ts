import type { DomNode, FormatCallback, FormatOptions } from "html-to-text";

type BlockTextBuilder = Parameters<FormatCallback>[2];

/** Lists and quotations of a page in each other that are indented; what stands deeper in them is not indented further. */
const MAX_INDENTED = 10;

/** Rows or columns of a table that is laid out in columns: that takes the square of them. */
const MAX_PLACES = 1000;

/** Characters that the tables of a page may take in columns together: one long cell makes all rows of its table as long. */
const MAX_CHARACTERS = 4_000_000;

/** What stands between two columns of a table. */
const GAP = "   ";

/** The cells of a row, once they are text. */
type Row = readonly { readonly colspan: number; readonly rowspan: number; readonly text: string }[];

/**
 * How the parts of a page are written that are laid out: in so much time and text that it is in proportion to the page, however
 * they are nested and however far their cells reach. They belong to one page.
 */
export function layouts(): Record<"table" | "list" | "quotation", FormatCallback> {
  let room = MAX_CHARACTERS;
  let depth = 0;
  const inColumns = (rows: Row[]): boolean => {
    const size = sizeOf(rows);
    if (size > room) return false;
    room -= size;
    return true;
  };
  const indented = (write: FormatCallback): FormatCallback => (part, walk, builder, options) => {
    depth += 1;
    (depth > MAX_INDENTED ? itemByItem : write)(part, walk, builder, options);
    depth -= 1;
  };
  return {
    table: (table, walk, builder, options) => withTables(builder, inColumns, () => known("dataTable")(table, walk, builder, options)),
    list: indented((list, walk, builder, options) => (list.name === "ul" ? known("unorderedList") : numbered)(list, walk, builder, options)),
    quotation: indented(known("blockquote")),
  };
}

/** A formatter of the library by its name. */
function known(name: string): FormatCallback {
  return (part, walk, builder, options) => builder.options.formatters?.[name]?.(part, walk, builder, options);
}

/** A list with numbers. There are Roman ones from 1 to 3999. */
const numbered: FormatCallback = (list, walk, builder, options) => {
  const { type = "", start } = list.attribs ?? {};
  const [first, most] = [Number(start || 1), list.children?.length ?? 0];
  if (type.toLowerCase() === "i" && !(first >= 1 && first + most <= 4000)) list.attribs = { ...list.attribs, type: "1" };
  known("orderedList")(list, walk, builder, options);
};

/** Each item of a list, or all of a quotation, by itself. */
const itemByItem: FormatCallback = (part, walk, builder) => {
  const block = (children: DomNode[]): void => {
    builder.openBlock();
    walk(children, builder);
    builder.closeBlock();
  };
  const children = part.children ?? [];
  if (part.name === "blockquote") return block(children);
  for (const child of children) (child.name === "li" ? block : (one: DomNode[]): void => walk(one, builder))([child]);
};

/** Writes what has tables: those for which `inColumns` is false row by row. */
function withTables(builder: BlockTextBuilder, inColumns: (rows: Row[]) => boolean, write: () => void): void {
  // A table in a table finds this in place already.
  if (Object.hasOwn(builder, "closeTable")) return write();
  const { closeTable } = builder;
  builder.closeTable = (options: FormatOptions = {}): void => {
    const { tableToString } = options as { tableToString: (rows: Row[]) => string };
    closeTable.call(builder, { ...options, tableToString: (rows: Row[]) => (inColumns(rows) ? tableToString(rows) : rowByRow(rows)) } as never);
  };
  write();
  delete (builder as Partial<BlockTextBuilder>).closeTable;
}

function rowByRow(rows: Row[]): string {
  return rows.map((row) => row.map(({ text }) => text).join(GAP)).join("\n");
}

/** At most how many characters a table takes in columns; more than any page has room for where it is not to be laid out at all. */
function sizeOf(rows: Row[]): number {
  let [columns, pushed, height, lines, widest] = [0, 0, rows.length, 0, 0];
  for (const [index, row] of rows.entries()) {
    let places = 0;
    for (const { colspan, rowspan, text } of row) {
      if (!(colspan >= 1 && rowspan >= 1)) return Infinity;
      places += colspan;
      // A cell that reaches over rows moves what stands in these.
      if (rowspan > 1) pushed += colspan;
      height = Math.max(height, index + rowspan);
      const written = text.split("\n");
      lines += written.length;
      widest = written.reduce((most, { length }) => Math.max(most, length), widest);
    }
    columns = Math.max(columns, places);
  }
  columns += pushed;
  if (Math.max(height, columns) > MAX_PLACES) return Infinity;
  return (height + lines) * columns * (widest + GAP.length);
}
