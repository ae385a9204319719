// What Set nodes of n8n write, in all their versions.
import { at, data, isData, list, text } from "../data";
import { addTo, quoted, slug } from "../text";
import { kindOf, type Source } from "./source";

export interface Field {
  readonly name: string;
  readonly value: unknown;
  readonly type: string;
}

/** The fields that a node writes; undefined where one expression gives all of them. */
export function fieldsOf(source: Source): Field[] | undefined {
  const { parameters } = source;
  const fields: Field[] = [];
  const put = (name: string, value: unknown, type: string): unknown => name !== "" && name !== "__proto__" && fields.push({ name: name.replace(/^=/, ""), value, type });
  for (const row of list(at(parameters, "assignments", "assignments"))) put(text(data(row)["name"]), data(row)["value"], text(data(row)["type"]));
  for (const row of list(at(parameters, "fields", "values"))) {
    const { name, ...rest } = data(row);
    put(text(name), Object.entries(rest).find(([field]) => field.endsWith("Value"))?.[1], text(rest["type"]).replace("Value", ""));
  }
  for (const [type, rows] of Object.entries(data(parameters["values"]))) for (const row of list(rows)) put(text(data(row)["name"]), data(row)["value"], type);
  const raw = parameters["jsonOutput"];
  if (raw === undefined || raw === "") return fields;
  const value = typeof raw === "string" ? safeJson(raw) : raw;
  if (!isData(value)) return undefined;
  for (const [name, inner] of Object.entries(value)) put(name, typeof inner === "string" && inner.includes("{{") ? `=${inner}` : inner, "");
  return fields;
}

/** Where a field lies in others, as `repo.owner` and `list[0].name` say it. */
export function placeOf({ parameters }: Source, name: string): readonly string[] {
  if (at(parameters, "options", "dotNotation") === false || !/^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])+$/.test(name)) return [name];
  return name.split(/\.|\[(\d+)\]\.?/).filter((part) => part !== undefined && part !== "");
}

/** Expressions of fields that lie in each other, as the expression of each outermost one. */
export function together(fields: readonly (readonly [readonly string[], string])[]): Record<string, string> {
  const rooted = new Map<string, [readonly string[], string][]>();
  for (const [[first = "", ...rest], said] of fields) addTo(rooted, first, [rest, said]);
  return Object.fromEntries([...rooted].map(([first, inner]) => [first, valueOf(inner)]));
}

/** What is written last of a field counts; a list has the items that are written. */
function valueOf(fields: readonly (readonly [readonly string[], string])[]): string {
  const whole = fields.findLastIndex(([path]) => path.length === 0);
  const inner = fields.slice(whole + 1);
  if (inner.length === 0) return fields[whole]?.[1] ?? "none";
  const found = Object.entries(together(inner));
  return found.every(([name], index) => name === String(index)) ? `[${found.map(([, said]) => said).join(", ")}]` : `{${found.map(([name, said]) => `${quoted(name)}: ${said}`).join(", ")}}`;
}

/** The key under which a node sets what one expression gives. */
export function wholeKey(step: string): string {
  return slug(step, "value");
}

/** The key under which a node sets a list: that of other outputs, which code reads. */
export function listKey(step: string): string {
  return `${step}_output`;
}

/** The key under which a node sets the list of what was done for each item. */
export function aggregateKey(step: string): string {
  return slug(step, "aggregated");
}

/** Whether a node fills in a page, which it sets as the key `html`. */
export function writesHtml(source: Source): boolean {
  const { parameters } = source;
  return kindOf(source) === "html" && /^(?:generateHtmlTemplate|)$/.test(text(parameters["operation"])) && text(parameters["html"]) !== "";
}

/** Whether a node hands on the fields that it does not write. */
export function handsOnOthers({ parameters, version }: Source): boolean {
  if (version < 3) return parameters["keepOnlySet"] !== true;
  if (version < 3.3) return (parameters["include"] ?? "all") !== "none";
  return parameters["includeOtherFields"] === true || at(parameters, "options", "includeOtherFields") === true;
}

function safeJson(raw: string): unknown {
  try {
    return JSON.parse(raw.replace(/^=/, ""));
  } catch {
    return undefined;
  }
}
