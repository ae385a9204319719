// What nodes of n8n do with all of their items, as JavaScript over the list `items`.
import { at, data, list, text } from "../data";
import { mergeOf } from "./merge";
import { givesRows } from "./rows";
import { isScript, kindOf, type Source } from "./source";

/** What a node does with its items: statements that end in one with `result`. Undefined: that cannot be said. */
export function doneWithItems(source: Source): string | undefined {
  if (source.disabled) return undefined;
  const { parameters } = source;
  const operation = text(parameters["operation"]);
  switch (kindOf(source)) {
    case "itemLists":
      return operation === "" || operation === "splitOutItems" ? splitOut(source) : (OF_LISTS[operation]?.(source));
    case "splitOut":
      return splitOut(source);
    case "limit":
      return limited(source);
    case "sort":
      return sorted(source);
    case "removeDuplicates":
      return operation === "" || operation === "removeDuplicateInputItems" ? once(source) : undefined;
    case "aggregate":
      return aggregated(source);
    case "summarize":
      return summarized(source);
    default:
      return undefined;
  }
}

/** Operations of the older node that did what several do now. */
const OF_LISTS: Readonly<Record<string, (source: Source) => string | undefined>> = {
  limit: limited,
  sort: sorted,
  removeDuplicates: once,
  concatenateItems: aggregated,
  aggregateItems: aggregated,
  summarize: summarized,
};

/** Whether a node splits a list into its items. */
export function isSplitting(source: Source): boolean {
  const operation = text(source.parameters["operation"]);
  return kindOf(source) === "splitOut" || (kindOf(source) === "itemLists" && (operation === "" || operation === "splitOutItems"));
}

/** The one list that a node splits: where it lies, and the name of an item of it that is no object; undefined where more goes along. */
export function splitField(source: Source): { readonly path: readonly string[]; readonly name: string } | undefined {
  if (!isSplitting(source)) return undefined;
  const { parameters } = source;
  const [field, ...others] = fieldNames(parameters["fieldToSplitOut"]);
  const include = text(parameters["include"]);
  if (field === undefined || others.length > 0 || !/^(?:=|noOtherFields|)$/.test(include)) return undefined;
  const path = pathOf(source, field);
  return { path, name: text(at(parameters, "options", "destinationFieldName")) || (path.at(-1) ?? field) };
}

/** Whether a node is given all items at once, where others run for each. */
export function collects(source: Source): boolean {
  if (source.disabled) return false;
  const { parameters, once } = source;
  if (once) return true;
  switch (kindOf(source)) {
    case "code":
      return text(parameters["mode"]) !== "runOnceForEachItem";
    case "itemLists":
      return !isSplitting(source);
    case "executeWorkflow":
      return text(parameters["mode"]) !== "each";
    case "html":
      return parameters["operation"] === "convertToHtmlTable";
    default:
      return COLLECTING.has(kindOf(source));
  }
}

const COLLECTING = new Set(["aggregate", "summarize", "merge", "limit", "sort", "removeDuplicates", "splitInBatches", "function", "convertToFile", "compareDatasets", "respondToWebhook", "chainSummarization"]);

/** Whether what a node gives is a list of items, each of which what follows is done for. */
export function makesList(source: Source): boolean {
  if (source.onError === "continueErrorOutput") return false;
  if (givesRows(source)) return true;
  if (doneWithItems(source) === undefined) return false;
  const operation = kindOf(source) === "itemLists" ? text(source.parameters["operation"]) : kindOf(source);
  return isSplitting(source) || operation === "sort" || operation === "removeDuplicates" || (operation === "limit" && mostOf(source) > 1);
}

/** Whether a node gives an item, or a list of them, under a key of its own. */
export function givesItems(source: Source): boolean {
  return isScript(source) || givesRows(source) || doneWithItems(source) !== undefined || mergeOf(source) !== undefined;
}

/** Names of fields, from a text with commas or from a table. */
function fieldNames(value: unknown): string[] {
  if (typeof value === "string") return value.replace(/^=/, "").split(",").map((name) => bare(name)).filter((name) => name !== "" && !name.includes("{{"));
  return list(at(value, "fields")).map((row) => bare(text(data(row)["fieldName"]))).filter(Boolean);
}

/** The name in `['a name']`. */
function bare(name: string): string {
  return /^\s*\[\s*(["'])(.*)\1\s*\]\s*$/.exec(name)?.[2] ?? name.trim();
}

function pathOf(source: Source, field: string): string[] {
  return at(source.parameters, "options", "disableDotNotation") === true ? [field] : field.split(".");
}

function said(value: unknown): string {
  return JSON.stringify(value);
}

/** `of(item, path)` reads what lies along a path. */
const OF = "const of = (item, path) => path.reduce((value, name) => value?.[name], item);";

function splitOut(source: Source): string | undefined {
  const { parameters } = source;
  const fields = fieldNames(parameters["fieldToSplitOut"]);
  if (fields.length === 0) return undefined;
  const names = fieldNames(at(parameters, "options", "destinationFieldName"));
  const rows = fields.map((field, index) => [pathOf(source, field), names[index] ?? pathOf(source, field).at(-1)]);
  const include = text(parameters["include"]);
  const others = include === "allOtherFields" ? "const others = (item) => Object.fromEntries(Object.entries(item).filter(([name]) => !fields.some(([path]) => path[0] === name)));"
    : include === "selectedOtherFields" ? `const others = (item) => Object.fromEntries(${said(fieldNames(parameters["fieldsToInclude"]))}.map((name) => [name, item[name]]));`
    : "const others = () => ({});";
  return [
    OF,
    `const fields = ${said(rows)};`,
    others,
    "const result = items.flatMap((item) => {",
    "  const lists = fields.map(([path]) => Object.values(of(item, path) ?? []));",
    "  return Array.from({ length: Math.max(...lists.map((each) => each.length)) }, (_, index) => {",
    "    const [value] = lists.map((each) => each[index]);",
    `    if (fields.length === 1 && ${said(!/Fields$/.test(include) || include === "noOtherFields")} && value !== null && typeof value === "object") return value;`,
    "    return { ...others(item), ...Object.fromEntries(fields.map(([, name], at) => [name, lists[at][index]])) };",
    "  });",
    "});",
  ].join("\n");
}

function mostOf({ parameters }: Source): number {
  const most = Number(parameters["maxItems"] ?? 1);
  return Number.isFinite(most) && most >= 1 ? Math.floor(most) : 1;
}

function limited(source: Source): string | undefined {
  const { parameters } = source;
  if (typeof parameters["maxItems"] === "string") return undefined;
  const most = mostOf(source);
  const some = parameters["keep"] === "lastItems" ? `items.slice(-${most})` : `items.slice(0, ${most})`;
  return `const result = ${most === 1 ? `${some}[0]` : some};`;
}

function sorted(source: Source): string | undefined {
  const { parameters } = source;
  const rows = list(at(parameters, "sortFieldsUi", "sortField")).map(data).filter((row) => text(row["fieldName"]) !== "");
  if (!/^(?:simple|)$/.test(text(parameters["type"])) || rows.length === 0) return undefined;
  const fields = rows.map((row) => [pathOf(source, bare(text(row["fieldName"]))), row["order"] === "descending" ? -1 : 1]);
  return [
    OF,
    'const low = (value) => (typeof value === "string" ? value.toLowerCase() : value);',
    "const result = [...items].sort((one, other) => {",
    `  for (const [path, way] of ${said(fields)}) {`,
    "    const [a, b] = [low(of(one, path)), low(of(other, path))];",
    "    if (a < b) return -way;",
    "    if (a > b) return way;",
    "  }",
    "  return 0;",
    "});",
  ].join("\n");
}

function once(source: Source): string {
  const { parameters } = source;
  const compare = text(parameters["compare"]);
  const fields = fieldNames(parameters[compare === "allFieldsExcept" ? "fieldsToExclude" : "fieldsToCompare"]).map((field) => pathOf(source, field));
  const same = compare === "selectedFields" ? `${said(fields)}.map((path) => of(item, path))`
    : compare === "allFieldsExcept" ? `Object.entries(item).filter(([name]) => !${said(fields.map(([first]) => first))}.includes(name)).sort()`
    : "Object.entries(item).sort()";
  return [
    ...(compare === "selectedFields" ? [OF] : []),
    "const seen = new Set();",
    "const result = items.filter((item) => {",
    `  const same = JSON.stringify(${same});`,
    "  return !seen.has(same) && seen.add(same);",
    "});",
  ].join("\n");
}

function aggregated(source: Source): string | undefined {
  const { parameters } = source;
  if (parameters["aggregate"] === "aggregateAllItemData") {
    const include = text(parameters["include"]);
    const [some, except] = [fieldNames(parameters["fieldsToInclude"]), fieldNames(parameters["fieldsToExclude"])];
    const each = include === "specifiedFields" ? `items.map((item) => Object.fromEntries(${said(some)}.map((name) => [name, item[name]])))`
      : include === "allFieldsExcept" ? `items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => !${said(except)}.includes(name))))`
      : "items";
    return `const result = { ${said(text(parameters["destinationFieldName"]) || "data")}: ${each} };`;
  }
  const rows = list(at(parameters, "fieldsToAggregate", "fieldToAggregate")).map(data).filter((row) => text(row["fieldToAggregate"]) !== "");
  if (rows.length === 0) return undefined;
  const fields = rows.map((row) => {
    const path = pathOf(source, bare(text(row["fieldToAggregate"])));
    return [path, (row["renameField"] === true && text(row["outputFieldName"])) || path.at(-1)];
  });
  const isFlat = at(parameters, "options", "mergeLists") === true;
  const isWhole = at(parameters, "options", "keepMissing") === true;
  return [
    OF,
    `const all = (path) => items.map((item) => of(item, path)${isWhole ? " ?? null" : ""})${isWhole ? "" : ".filter((value) => value !== undefined && value !== null)"}${isFlat ? ".flat()" : ""};`,
    `const result = Object.fromEntries(${said(fields)}.map(([path, name]) => [name, all(path)]));`,
  ].join("\n");
}

/** What a field of a summary is called, and how it is found of the values that there are. */
const SUMMARIES: Readonly<Record<string, readonly [string, string]>> = {
  append: ["appended_", "values"],
  average: ["average_", "values.reduce((sum, value) => sum + Number(value), 0) / values.length"],
  concatenate: ["concatenated_", "values.join(between)"],
  count: ["count_", "values.length"],
  countUnique: ["unique_count_", "new Set(values.map((value) => JSON.stringify(value))).size"],
  max: ["max_", "values.reduce((most, value) => (most === undefined || value > most ? value : most), undefined)"],
  min: ["min_", "values.reduce((least, value) => (least === undefined || value < least ? value : least), undefined)"],
  sum: ["sum_", "values.reduce((sum, value) => sum + Number(value), 0)"],
};

function summarized(source: Source): string | undefined {
  const { parameters } = source;
  const rows = list(at(parameters, "fieldsToSummarize", "values")).map(data).filter((row) => text(row["field"]) !== "");
  const by = fieldNames(parameters["fieldsToSplitBy"]).map((field) => pathOf(source, field));
  if (rows.length === 0 || at(parameters, "options", "outputFormat") === "singleItem") return undefined;
  const found = rows.map((row) => {
    const field = bare(text(row["field"]));
    const [before, how] = SUMMARIES[text(row["aggregation"]) || "count"] ?? [];
    if (before === undefined) return undefined;
    const between = { "": ", ", ",": ",", "\\n": "\n", "\n": "\n", " ": " ", other: text(row["customSeparator"]) }[text(row["separateBy"])] ?? text(row["separateBy"]);
    const isWhole = row["includeEmpty"] === true;
    return `    ${said(before + field.replace(/[.\s[\]]+/g, "_"))}: ((values, between) => ${how})(group.map((item) => of(item, ${said(pathOf(source, field))}))${isWhole ? "" : '.filter((value) => value !== undefined && value !== null && value !== "")'}, ${said(between)}),`;
  });
  if (found.includes(undefined)) return undefined;
  const one = ["const summary = (group) => ({", ...by.map((path) => `    ${said(path.join("_"))}: of(group[0], ${said(path)}),`), ...found, "});"];
  if (by.length === 0) return [OF, ...one, "const result = summary(items);"].join("\n");
  return [
    OF,
    ...one,
    "const groups = new Map();",
    "for (const item of items) {",
    `  const key = JSON.stringify(${said(by)}.map((path) => of(item, path)));`,
    "  groups.set(key, [...(groups.get(key) ?? []), item]);",
    "}",
    "const result = [...groups.values()].map(summary);",
  ].join("\n");
}
