// Nodes of n8n that read the rows of a Google Sheet.
import { at, data, isData, list, text } from "../data";
import { isExpression } from "./pieces";
import { kindOf, type Source } from "./source";

/** Whether a node gives the rows of a table, each of which is an item. */
export function givesRows(source: Source): boolean {
  const { parameters, version } = source;
  return !source.disabled && kindOf(source) === "googleSheets" && version >= 3 && /^(?:sheet|)$/.test(text(parameters["resource"])) && /^(?:read|)$/.test(text(parameters["operation"])) && idOf(parameters["documentId"], SHEET) !== undefined && tabOf(parameters["sheetName"]) !== undefined;
}

/** The rows of an answer of Google Sheets, whose first one has the names, as items: code over the key of the answer. */
export function rowsCode({ parameters }: Source, key: string): string {
  const wanted = list(at(parameters, "filtersUI", "values")).map((row) => [text(data(row)["lookupColumn"]), text(data(row)["lookupValue"])]).filter(([, value]) => !isExpression(value ?? ""));
  const together = parameters["combineFilters"] === "OR" ? "some" : "every";
  return [
    "// The first row has the names of the fields of all others.",
    `const [names = [], ...rows] = state[${JSON.stringify(key)}]?.values ?? [];`,
    'const items = rows.map((row, index) => ({ row_number: index + 2, ...Object.fromEntries(names.map((name, at) => [name, row[at] ?? ""])) }));',
    ...(wanted.length === 0 ? [] : [`const wanted = ${JSON.stringify(wanted)};`]),
    `return { ${JSON.stringify(key)}: ${wanted.length === 0 ? "items" : `items.filter((item) => wanted.${together}(([name, value]) => String(item[name]) === value))`} };`,
  ].join("\n");
}

/** What names a spreadsheet in its address. */
export const SHEET = /\/spreadsheets\/d\/([\w-]+)/;

/** What a person picked, or the id in an address. */
export function idOf(given: unknown, address?: RegExp): string | undefined {
  const mode = text(data(given)["mode"]);
  const value = text(isData(given) ? given["value"] : given).trim();
  if (value === "" || value === "=") return undefined;
  if (mode !== "url" && !/^https?:/.test(value)) return value;
  return address === undefined || isExpression(value) ? undefined : address.exec(value)?.[1];
}

/** The name of a sheet, which its number does not say. */
export function tabOf(given: unknown): string | undefined {
  if (!isData(given)) return text(given) || undefined;
  if (text(given["mode"]) === "name") return text(given["value"]) || undefined;
  return text(given["cachedResultName"]) || undefined;
}
