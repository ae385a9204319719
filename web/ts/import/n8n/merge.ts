// How Merge nodes of n8n put the items of their inputs together, as JavaScript over the lists `inputs`.
import { at, data, list, text } from "../data";
import { kindOf, type Source } from "./source";

/** What a Merge makes of its inputs: statements that end in one with `result`. Undefined: it hands on what comes in. */
export function mergeOf(source: Source): string | undefined {
  if (kindOf(source) !== "merge" || source.disabled) return undefined;
  const { parameters, version } = source;
  const mode = text(parameters["mode"]);
  const way = text(parameters["combineBy"]) || text(parameters["combinationMode"]);
  const clash = text(at(parameters, "options", "clashHandling", "values", "resolveClash"));
  // Fields of two names for what is called the same would have to be known before.
  if (clash === "addSuffix") return undefined;
  const both = clash === "preferInput1" ? "({ ...two, ...one })" : "({ ...one, ...two })";
  const paired = (fields: readonly (readonly [string, string])[], rows: string): string | undefined =>
    fields.length === 0 ? undefined : [
      "const of = (item, path) => path.split(\".\").reduce((value, name) => value?.[name], item);",
      `const fields = ${JSON.stringify(fields)};`,
      "const fits = (one, two) => fields.every(([first, second]) => of(one, first) !== undefined && of(one, first) === of(two, second));",
      `const both = (one, two) => ${both};`,
      "const [ones, twos] = inputs;",
      `const result = ${rows};`,
    ].join("\n");
  const position = (length: string): string => [
    `const both = (one, two) => ${both};`,
    "const lengths = inputs.map((items) => items.length);",
    `const result = Array.from({ length: ${length} }, (_, index) => inputs.map((items) => items[index]).reduce(both, {}));`,
  ].join("\n");
  if (mode === "mergeByIndex") return position(({ inner: "Math.min(...lengths)", outer: "Math.max(...lengths)" } as const)[text(parameters["join"])] ?? "lengths[0]");
  if (mode === "mergeByKey") return paired(keys(parameters), "ones.map((one) => both(one, twos.find((two) => fits(one, two))))");
  if (mode === "keepKeyMatches") return paired(keys(parameters), "ones.filter((one) => twos.some((two) => fits(one, two)))");
  if (mode === "removeKeyMatches") return paired(keys(parameters), "ones.filter((one) => !twos.some((two) => fits(one, two)))");
  if (mode === "multiplex" || (mode === "combine" && /^(?:multiplex|combineAll)$/.test(way))) return `const both = (one, two) => ${both};\nconst result = inputs.reduce((ones, twos) => ones.flatMap((one) => twos.map((two) => both(one, two))));`;
  if (mode !== "combine" || version < 2) return undefined;
  if (/ByPosition$/.test(way)) return position(at(parameters, "options", "includeUnpaired") === true ? "Math.max(...lengths)" : "Math.min(...lengths)");
  return /^(?:mergeByFields|combineByFields|)$/.test(way) ? paired(matched(parameters), ROWS[text(parameters["joinMode"]) || "keepMatches"]?.(text(parameters["outputDataFrom"]) || "both") ?? "ones") : undefined;
}

/** Which of its inputs a Merge hands on, counted from none; undefined where it hands on all of them. */
export function chosenInput(source: Source): number | undefined {
  if (kindOf(source) !== "merge" || source.disabled) return undefined;
  const { parameters, version } = source;
  const mode = text(parameters["mode"]);
  if (mode !== "passThrough" && mode !== "chooseBranch") return undefined;
  const given = version < 3 ? (text(parameters["output"]) || "input1").replace("input", "") : text(parameters["useDataOfInput"]) || "1";
  return /^\d$/.test(given) ? Number(given) - 1 : undefined;
}

/** Which pairs, and which items that have none, come out. */
const ROWS: Readonly<Record<string, (from: string) => string>> = {
  keepMatches: (from) => (from === "input1" ? "ones.filter((one) => twos.some((two) => fits(one, two)))" : from === "input2" ? "twos.filter((two) => ones.some((one) => fits(one, two)))" : "ones.flatMap((one) => twos.filter((two) => fits(one, two)).map((two) => both(one, two)))"),
  keepNonMatches: (from) => [...(from === "input2" ? [] : ["...ones.filter((one) => !twos.some((two) => fits(one, two)))"]), ...(from === "input1" ? [] : ["...twos.filter((two) => !ones.some((one) => fits(one, two)))"])].join(", ").replace(/^.*$/, "[$&]"),
  enrichInput1: () => "ones.map((one) => both(one, twos.find((two) => fits(one, two))))",
  enrichInput2: () => "twos.map((two) => both(ones.find((one) => fits(one, two)), two))",
  keepEverything: () => "[...ones.map((one) => both(one, twos.find((two) => fits(one, two)))), ...twos.filter((two) => !ones.some((one) => fits(one, two)))]",
};

function keys(parameters: Source["parameters"]): [string, string][] {
  const [one, two] = [text(parameters["propertyName1"]), text(parameters["propertyName2"])];
  return one === "" || two === "" ? [] : [[one, two]];
}

/** The fields by which two items fit each other. */
function matched(parameters: Source["parameters"]): [string, string][] {
  const same = text(parameters["fieldsToMatchString"]).split(",").map((name) => name.trim()).filter(Boolean);
  if (same.length > 0) return same.map((name) => [name, name]);
  const rows = list(at(parameters, "mergeByFields", "values")).map(data);
  return rows.map((row): [string, string] => [text(row["field1"]), text(row["field2"]) || text(row["field1"])]).filter(([one]) => one !== "");
}
