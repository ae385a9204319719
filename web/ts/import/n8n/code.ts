// Code of n8n, and code that does what nodes of n8n do with their items.
import type { StepDocument } from "stepweave";
import { text } from "../data";
import type { StepBody } from "../draft";
import { itemAround } from "./answers";
import type { Given } from "./incoming";
import type { Names } from "./names";
import { givesItems } from "./lists";
import { aggregateKey, fieldsOf, handsOnOthers, listKey, placeOf, wholeKey, writesHtml } from "./set";
import type { Making } from "./shapes";
import { isScript, kindOf, type Source } from "./source";

/** The step of a node that is code. */
export function codeOf(source: Source, { draft, names }: Making, make: (body: StepBody) => StepDocument, say: (step: StepDocument, became?: string) => StepDocument): StepDocument {
  const { parameters } = source;
  const code = text(parameters["jsCode"]) || text(parameters["functionCode"]);
  if (!isScript(source)) {
    const python = text(parameters["pythonCode"]);
    const isPython = python !== "" || text(parameters["language"]).startsWith("python");
    const step = draft.placeholder(names.of(source), kindOf(source), isPython ? "Its Python cannot run here: write it as JavaScript." : "The file has no code of it: write it anew.");
    if (python !== "") step.notes = `${step.notes}\n\n${python.slice(0, 8_000)}`;
    say(step);
    draft.became(source.name, { name: source.name, kind: kindOf(source) }, "a placeholder, which fails until you say what it does", "placeholder", step);
    return step;
  }
  const outside = /\$helpers|\bthis\.helpers|\brequire\(|\bfetch\(|\$getWorkflowStaticData|\bprocess\.|\bDateTime\b|\bBuffer\b|\bsetTimeout\(|\$(?:now|today|execution|vars|env|jmespath|runIndex|itemIndex|prevNode|binary)\b|\bDate\.now|new Date\(\)|Math\.random/.exec(code)?.[0];
  if (outside) draft.remark(source.name, `Its code uses ${outside.replace("(", "")}, which code steps do not have.`);
  const others = [...code.matchAll(/\$(?:node\[|\(|items\()\s*(["'])(.*?)\1/g)].map((match) => match[2] ?? "");
  draft.remark(source.name, "Its code runs in a sandbox: try it once.");
  const given = names.incoming(source.name);
  if (given === undefined) draft.remark(source.name, "Say what it reads: what comes in there has no name here.");
  const outputs = [...new Set(others)].map((name) => [name, itemOf(names.givenBy(name), names)] as const);
  return make({ type: "function", run: { code: shim(itemOf(given, names), outputs, listKey(names.of(source)), runOf(source, code)) } });
}

/** Set nodes behind each other whose fields are put together; what more of them hand on is found in the state. */
const MOST_SETS = 4;

/** The item that comes of some nodes, in JavaScript over the state: what the first of them gave that ran, and nothing where none did. */
function itemOf(given: Given | undefined, names: Names, sets = 0): string {
  if (given === undefined) return "undefined";
  if (given.kind === "state") return "state";
  if (given.kind === "item") return itemIn(given);
  const steps = given.sources.map((source) => (given.kind === "list" ? `state[${JSON.stringify(`${names.eachOf(source)}_output`)}]` : itemOfStep(source, names, sets)));
  return [...steps, ...(given.otherwise ? [itemOf(given.otherwise, names)] : [])].join(" ?? ");
}

/** The item of a loop, which n8n gives under a name where it is no object. */
function itemIn({ root, field }: Given): string {
  const item = `state.${root}`;
  return field === undefined ? item : `(${item} !== null && typeof ${item} === "object" ? ${item} : { ${JSON.stringify(field)}: ${item} })`;
}

/** The item of n8n that a node gives, nothing where its step did not run. */
function itemOfStep(source: Source, names: Names, sets: number): string {
  const own = (key: string): string => `state[${JSON.stringify(key)}]`;
  // These set a key that is not called after them.
  if (writesHtml(source)) return `(state.html === undefined ? undefined : { html: state.html })`;
  if (kindOf(source) === "aggregate" && !givesItems(source)) return own(aggregateKey(names.of(source)));
  if (kindOf(source) !== "set") return itemAround(source, own(`${names.of(source)}_output`));
  const keys = fieldsOf(source)?.map(({ name }) => placeOf(source, name)[0] ?? name);
  if (keys === undefined) return own(wholeKey(names.of(source)));
  // A step that sets keys has no output in the state besides them.
  const fields = [...new Set(keys)].map((name) => `${JSON.stringify(name)}: ${own(name)}`);
  if (handsOnOthers(source)) fields.unshift(`...(${sets < MOST_SETS ? itemOf(names.incoming(source.name), names, sets + 1) : "state"})`);
  const item = `{ ${fields.join(", ")} }`;
  return keys[0] === undefined ? item : `(${own(keys[0])} === undefined ? undefined : ${item})`;
}

/** What runs code: once for all items, or for each of them, where an older node has the fields themselves as its item. */
function runOf(source: Source, code: string): string[] {
  const isOld = kindOf(source) === "functionItem";
  if (!isOld && text(source.parameters["mode"]) !== "runOnceForEachItem") return ["const result = await (async () => {", code, "})();"];
  return [
    "const one = async (item, $input, $json) => {",
    code,
    "};",
    "const result = [];",
    `for (const each of items) result.push(await one(${isOld ? "each.json" : "each"}, { ...$input, item: each }, each.json));`,
  ];
}

/** The names that code of n8n uses, over the state; what it gives is the key `list`. */
function shim(given: string, others: readonly (readonly [string, string])[], list: string, run: readonly string[]): string {
  const outputs = others.map(([name, item]) => `${JSON.stringify(name)}: () => (${item})`).join(", ");
  return [
    "// What n8n's code finds under its names, and the code itself.",
    "const asItems = (value) => JSON.parse(JSON.stringify((Array.isArray(value) ? value.flat(Infinity).filter((each) => each !== null) : value === undefined ? [] : [value]).map((json) => ({ json: json ?? {} }))));",
    "const access = (list) => ({ all: () => list, first: () => list[0], last: () => list[list.length - 1], item: list[0], json: list[0]?.json });",
    `const items = asItems(${given}), item = items[0], $input = access(items), $json = items[0]?.json;`,
    `const outputs = { ${outputs} };`,
    "const $ = (name) => access(asItems(outputs[name]?.())), $node = new Proxy({}, { get: (_, name) => $(name) }), $items = (name) => (name ? $(name).all() : items);",
    ...run,
    "const plain = (each) => (each && typeof each === 'object' && each.json && typeof each.json === 'object' ? each.json : each);",
    "const given = Array.isArray(result) ? (result.length === 1 && plain(result[0]) && typeof plain(result[0]) === 'object' ? plain(result[0]) : result.map(plain)) : result && typeof result === 'object' ? plain(result) : { value: result ?? null };",
    `return { ${JSON.stringify(list)}: given };`,
  ].join("\n");
}


/** Code that does something with all items that come in. */
export function itemsCode(source: Source, names: Names, done: string): string {
  return [
    "// What comes in, as the list of items that n8n has.",
    `const given = ${itemOf(names.incoming(source.name), names)};`,
    `const items = ${LIST};`,
    done,
    `return { ${JSON.stringify(listKey(names.of(source)))}: result };`,
  ].join("\n");
}

/** Code that puts the items of several inputs together. */
export function mergeCode(source: Source, { names, edges }: Making, merged: string): string {
  const into = edges.filter(({ to }) => to === source.name);
  const inputs = Array.from({ length: Math.min(Math.max(2, ...into.map(({ input = 0 }) => input + 1)), 10) }, (_, at) => into.filter(({ input }) => input === at).map(({ from }) => itemOf(names.givenBy(from), names)));
  return [
    "// What comes in at each input, as the list of items that n8n has.",
    `const inputs = [${inputs.map((given) => `[${given.join(", ")}]`).join(", ")}].map((given) => ${LIST});`,
    merged,
    `return { ${JSON.stringify(listKey(names.of(source)))}: result.length === 1 ? result[0] : result };`,
  ].join("\n");
}

/** What is given, as a list of items. */
const LIST = "[given].flat(Infinity).filter((item) => item !== undefined && item !== null)";
