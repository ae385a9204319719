// What each kind of node of n8n is in a tree of steps.
import type { Json, StepDocument } from "stepweave";
import type { Edge, Shape } from "../arrange";
import { at, data, isData, list, text } from "../data";
import type { Draft, StepBody } from "../draft";
import { addTo, bracketed, key, quoted, slug } from "../text";
import { agentStep } from "./agents";
import { compare, conditionOf } from "./conditions";
import { codeOf, itemsCode, mergeCode } from "./code";
import { doneWithItems, isSplitting, splitField } from "./lists";
import { mailOf, sendsMail } from "./mail";
import { chosenInput, mergeOf } from "./merge";
import { requestOf } from "./request";
import { bodyPort, CHOOSING } from "./incoming";
import { NOT_SAID, type Names } from "./names";
import { givesRows, rowsCode } from "./rows";
import { serviceRequest } from "./services";
import { aggregateKey, fieldsOf, handsOnOthers, listKey, placeOf, together, wholeKey, writesHtml } from "./set";
import { isAsking, kindOf, type Source } from "./source";

export interface Making {
  readonly draft: Draft;
  readonly names: Names;
  readonly served: ReadonlyMap<string, Source[]>;
  readonly edges: readonly Edge[];
}

/** The steps of a node, and how the flow goes on behind it. */
export function shapeOf(source: Source, making: Making): Shape {
  const { draft } = making;
  const shape = forEach(source, making) ?? branching(source, making);
  if (shape) return shape;
  const { before, step, after } = stepsOf(source, making);
  if (source.onError !== "continueErrorOutput") return { kind: "steps", steps: [...before, step, ...after] };
  // What hangs on the port of errors is done when the step has no output.
  step.onError = "continue";
  const name = draft.nameOf(`Did ${source.name} succeed`);
  return { kind: "choice", ports: ["0", "1"], make: ([well = [], badly = []]) => [...before, step, draft.step(name, { type: "condition", condition: `steps[${quoted(step.name)}].output is defined`, steps: [...after, ...well], else: badly })] };
}

/** The step of a node, what makes ready for it, and what makes its items of what it gives. */
function stepsOf(source: Source, making: Making): { before: StepDocument[]; step: StepDocument; after: StepDocument[] } {
  const { draft, names } = making;
  const mail = sendsMail(source) && !source.disabled ? mailOf(source, names, draft) : undefined;
  const step = mail === undefined ? plainStep(source, making) : draft.step(names.of(source), { type: "http", http: mail.request });
  if (mail !== undefined) draft.became(source.name, { name: source.name, kind: kindOf(source) }, "a step: request", "whole", step);
  if (source.disabled) step.enabled = false;
  const attempted = step.type === "agent" || step.type === "http" || step.type === "function";
  if (source.retries > 0 && attempted) Object.assign(step, { retryCount: source.retries });
  if (source.onError === "continueRegularOutput") step.onError = "continue";
  const after = givesRows(source) ? [draft.step(draft.nameOf(`Rows of ${source.name}`), { type: "function", run: { code: rowsCode(source, listKey(names.of(source))) } })] : [];
  return { before: mail?.before ?? [], step, after };
}

function plainStep(source: Source, making: Making): StepDocument {
  const { draft, names } = making;
  const kind = kindOf(source);
  const say = (step: StepDocument, became = `a step: ${KINDS[step.type] ?? step.type}`): StepDocument => {
    draft.became(source.name, { name: source.name, kind }, became, "whole", step);
    return step;
  };
  const make = (body: StepBody): StepDocument => say(draft.step(names.of(source), body));
  const { parameters } = source;
  switch (kind) {
    case "httpRequest":
    case "httpRequestTool":
      return make({ type: "http", http: requestOf(source, names, draft), ...within(at(parameters, "options", "timeout")) });
    case "graphql": {
      const url = names.template(source, parameters["endpoint"]);
      const request = requestOf({ ...source, parameters: { ...parameters, url: parameters["endpoint"], method: "POST", jsonBody: undefined, body: undefined } }, names, draft);
      return make({ type: "http", http: { ...request, url: request.url || url, method: "POST", body: { json: { query: names.template(source, parameters["query"]) } } } });
    }
    case "rssFeedRead":
      return make({ type: "http", http: { ...requestOf({ ...source, parameters: { url: parameters["url"] } }, names, draft), response: "text" } });
    case "set":
      return make(setOf(source, names, draft));
    case "noOp":
      return make({ type: "function", run: { set: {} } });
    case "html": {
      if (!writesHtml(source)) break;
      // Its text reads what comes in without a sign of equality.
      return make({ type: "function", run: { set: { html: names.expression(source, `=${text(parameters["html"]).replace(/^=/, "")}`) } } });
    }
    case "merge": {
      const merged = mergeOf(source);
      if (merged !== undefined) return make({ type: "function", run: { code: mergeCode(source, making, merged) } });
      if (chosenInput(source) !== undefined) return make({ type: "function", run: { set: { [slug(names.of(source), "merged")]: names.rootOf(source) } } });
      const inputs = making.edges.filter(({ to }) => to === source.name).map(({ from }) => from);
      const given = [...new Set(inputs)].map((from) => names.incomingFrom(from));
      draft.remark(source.name, "It gives a list of what those of its branches gave that ran; look whether what follows reads the right one.");
      return make({ type: "function", run: { set: { [slug(names.of(source), "merged")]: whatRan(given) } } });
    }
    case "code":
    case "function":
    case "functionItem":
      return codeOf(source, making, make, say);
    case "wait":
      return make(waitOf(source, draft, names));
    case "respondToWebhook": {
      const body = parameters["responseBody"] ?? (text(parameters["respondWith"]) === "text" ? "" : undefined);
      const set = body === undefined || body === "" ? names.rootOf(source) : names.expression(source, body);
      return make({ type: "function", run: { set: { response: set } } });
    }
    case "stopAndError":
      return make({ type: "end", end: { status: "error", message: names.template(source, parameters["errorMessage"] ?? parameters["message"] ?? parameters["errorObject"] ?? "The workflow was stopped.") } });
    case "splitOut":
    case "itemLists":
    case "limit":
    case "sort":
    case "removeDuplicates":
    case "summarize":
    case "aggregate": {
      const split = splitField(source);
      if (names.rangeOf(source) === undefined && isSplitting(source) && names.goesOnForEach(source)) draft.remark(source.name, "It gives the list: wrap what follows in a “For each” over it.");
      if (split !== undefined && names.isPlainSplit(source)) return make({ type: "function", run: { set: { [listKey(names.of(source))]: names.field(source, split.path) } } });
      const done = doneWithItems(source);
      if (done !== undefined) return make({ type: "function", run: { code: itemsCode(source, names, done) } });
      if (kind !== "aggregate") break;
      draft.remark(source.name, "A “For each” gives the list of its results: read that one where this step stands.");
      return make({ type: "function", run: { set: { [aggregateKey(names.of(source))]: names.rootOf(source) } } });
    }
    case "form":
    case "formTrigger":
      return make({ type: "approval", message: names.template(source, parameters["formTitle"] ?? parameters["completionTitle"] ?? source.name), schema: formSchema(parameters) });
    case "stickyNote":
      break;
  }
  const agent = agentStep(source, making);
  if (agent) return say(agent);
  if (isAsking(source)) {
    const kindOfAnswer = text(parameters["responseType"]);
    const schema: Json | undefined = kindOfAnswer === "freeText" ? { type: "object", required: ["text"], properties: { text: { type: "string" } } } : kindOfAnswer === "customForm" ? formSchema(parameters) : undefined;
    return make({ type: "approval", message: names.template(source, parameters["message"] ?? parameters["subject"] ?? source.name), ...(schema !== undefined && { schema }) });
  }
  const request = serviceRequest(source, names, draft);
  if (request !== undefined) return make({ type: "http", http: request });
  const doing = [text(parameters["resource"]), text(parameters["operation"])].filter((word) => word !== "" && !word.startsWith("=")).join(": ");
  const what = doing === "" ? "" : ` (${doing})`;
  const step = draft.placeholder(names.of(source), `${kind}${what}`, "Do it with a request to the service's API, with code, or with a function of your program.");
  draft.became(source.name, { name: source.name, kind }, "a placeholder, which fails until you say what it does", "placeholder", step);
  return step;
}

/** What is done for each of the many items that a node makes. */
function forEach(source: Source, making: Making): Shape | undefined {
  const { draft, names } = making;
  const within = names.rangeOf(source);
  if (within === undefined) return undefined;
  const result = names.resultOf(source);
  const loop = { type: "foreach", as: names.itemOf(source), ...(result !== undefined && { result }) } as const;
  const split = splitField(source);
  if (split !== undefined && names.isPlainSplit(source)) {
    const items = names.field(source, split.path);
    const make = (steps: StepDocument[]): StepDocument[] => {
      const step = draft.step(names.of(source), { ...loop, items, steps });
      draft.became(source.name, { name: source.name, kind: kindOf(source) }, "a step: for each", "whole", step);
      return [step];
    };
    return { kind: "each", body: "0", strict: false, within, make };
  }
  const { before, step, after } = stepsOf(source, making);
  const items = key(listKey(names.of(source)));
  return { kind: "each", body: "0", strict: false, within, make: (steps) => [...before, step, ...after, draft.step(names.eachOf(source), { ...loop, items, steps })] };
}

function branching(source: Source, making: Making): Shape | undefined {
  const { draft, names } = making;
  const kind = kindOf(source);
  const { parameters } = source;
  const name = names.of(source);
  const say = (body: StepBody, became: string): StepDocument => {
    const step = draft.step(name, body);
    draft.became(source.name, { name: source.name, kind }, became, "whole", step);
    return step;
  };
  const orNever = (condition: string | undefined): string => {
    // What cannot be said is a text, and a text is true.
    if (condition?.includes(NOT_SAID) === false) return condition;
    draft.remark(source.name, "Write its condition: until then it is never true.");
    return "false";
  };
  if (source.disabled && CHOOSING.has(kind)) {
    const step = say({ type: "function", run: { set: {} } }, "a step that is switched off");
    step.enabled = false;
    draft.remark(source.name, "It was switched off: the flow goes on at its first output.");
    return { kind: "choice", ports: ["0"], make: ([first = []]) => [step, ...first] };
  }
  switch (kind) {
    case "if":
    case "filter": {
      const condition = orNever(conditionOf(source, names, parameters["conditions"], text(parameters["combineOperation"]) || text(parameters["combineConditions"])));
      return { kind: "choice", ports: ["0", "1"], make: ([yes = [], no = []]) => [say({ type: "condition", condition, steps: yes, ...(no.length > 0 && { else: no }) }, "a step: condition")] };
    }
    case "switch": {
      const { cases, fallback } = casesOf(source, names, making.edges);
      if (at(parameters, "options", "allMatchingOutputs") === true) draft.remark(source.name, "It took every output that fits: here the first one is taken.");
      const otherwise = otherwiseOf(source);
      if (cases.some(({ port }) => port === otherwise)) draft.remark(source.name, `What no rule fits went to output ${otherwise}: widen its condition.`);
      return {
        kind: "choice",
        ports: [...cases.map(({ port }) => port), fallback],
        make: (arms) => [say({ type: "switch", cases: cases.map(({ when }, index) => ({ when: orNever(when), steps: arms[index] ?? [] })), default: arms[cases.length] ?? [] }, "a step: switch")],
      };
    }
    case "splitInBatches": {
      const size = Number(parameters["batchSize"] ?? 1);
      if (size > 1) draft.remark(source.name, `It took ${size} items at a time: here each item is a round of its own.`);
      draft.remark(source.name, "Look at the list that it goes through.");
      const items = names.listFor(source);
      return { kind: "each", body: bodyPort(source), strict: source.version < 3, make: (inside) => [say({ type: "foreach", items, as: names.itemOf(source), steps: inside }, "a step: for each")] };
    }
    case "textClassifier":
    case "sentimentAnalysis": {
      const given = list(at(parameters, "categories", "categories")).map((row) => text(data(row)["category"]));
      const categories = kind === "sentimentAnalysis" ? (text(at(parameters, "options", "categories")) || "Positive, Neutral, Negative").split(",").map((word) => word.trim()) : given;
      const agent = agentStep(source, making);
      if (agent === undefined) return undefined;
      if (categories.length === 0) {
        draft.became(source.name, { name: source.name, kind }, "a step: agent", "whole", agent);
        draft.remark(source.name, "Write its categories, and what is done for each: the flow goes on at its first output.");
        return { kind: "choice", ports: ["0"], make: ([first = []]) => [agent, ...first] };
      }
      draft.became(source.name, { name: source.name, kind }, "two steps: an agent and a switch", "whole", agent);
      const choice = draft.nameOf(`${source.name}: which`);
      return {
        kind: "choice",
        ports: [...categories.map((_, index) => String(index)), String(categories.length)],
        make: (arms) => [agent, draft.step(choice, { type: "switch", cases: categories.map((category, index) => ({ when: `steps[${quoted(agent.name)}].output.category == ${quoted(category)}`, steps: arms[index] ?? [] })), default: arms[categories.length] ?? [] })],
      };
    }
    default:
      return undefined;
  }
}

/** The cases of a switch, of all its versions, each with its port. */
function casesOf(source: Source, names: Names, edges: readonly Edge[]): { cases: { when: string | undefined; port: string }[]; fallback: string } {
  const { parameters } = source;
  const last = Math.max(-1, ...edges.filter(({ from }) => from === source.name).map(({ port }) => Number(port)));
  const rules = list(at(parameters, "rules", "values") ?? at(parameters, "rules", "rules"));
  let cases = rules.map((rule, index) => {
    const { conditions, operation, value2, output } = data(rule);
    const when = isData(conditions)
      ? conditionOf(source, names, conditions, "and")
      : compare(names.expression(source, parameters["value1"]), text(operation) || "equal", names.expression(source, value2), text(parameters["dataType"]));
    return { when, port: String(typeof output === "number" ? output : index) };
  });
  // A switch that an expression decides gives the number of its port.
  if (cases.length === 0) {
    const chosen = names.expression(source, parameters["output"]);
    cases = Array.from({ length: last + 1 }, (_, port) => ({ when: `(${chosen}) == ${port}`, port: String(port) }));
  }
  const used = new Set(cases.map(({ port }) => port));
  // A port of its own for each case: two rules may lead to the same one.
  const byPort = new Map<string, (string | undefined)[]>();
  for (const { port, when } of cases) addTo(byPort, port, when);
  const apart = [...byPort].map(([port, same]) => {
    return { port, when: same.includes(undefined) ? undefined : same.length === 1 ? same[0] : same.map((when) => `(${when})`).join(" or ") };
  });
  const spare = Array.from({ length: last + 2 }, (_, port) => String(port)).filter((port) => !used.has(port));
  const fallback = spare.find((port) => port === otherwiseOf(source)) ?? spare.find((port) => Number(port) === last && last >= 0) ?? `${last + 1}`;
  for (const port of spare.slice(0, -1).filter((port) => Number(port) < last && port !== fallback)) apart.push({ port, when: undefined });
  // A switch has a case, also where nobody has written one yet.
  return { cases: apart.length > 0 ? apart : [{ port: "0", when: undefined }], fallback: apart.length > 0 ? fallback : "1" };
}

/** The port of what no rule fits, where a switch names one. */
function otherwiseOf({ parameters }: Source): string | undefined {
  const port = at(parameters, "options", "fallbackOutput") ?? parameters["fallbackOutput"];
  return typeof port === "number" && port >= 0 ? String(port) : undefined;
}

function setOf(source: Source, names: Names, draft: Draft): StepBody {
  const fields = fieldsOf(source);
  const said: [readonly string[], string][] = [];
  for (const { name, value, type } of fields ?? []) {
    // A list or an object is written as JSON there.
    const isJson = (type === "array" || type === "object") && typeof value === "string";
    const written = isJson ? jsonOf(value.replace(/^=/, "")) : undefined;
    if (isJson && written === undefined && !/^=\s*\{\{(?:(?!\}\}\s*\S)[\s\S])*\}\}\s*$/.test(value)) draft.remark(source.name, `“${name.slice(0, 80)}” is put together of pieces, and a text here: write its JSON anew.`);
    const field = names.expression(source, written ?? value);
    const number = /^"(-?\d+(?:\.\d+)?)"$/.exec(field)?.[1];
    said.push([placeOf(source, name), type === "number" && number !== undefined ? number : type === "boolean" && /^"(?:true|false)"$/.test(field) ? field.slice(1, -1) : field]);
    if (name.includes("{{")) draft.remark(source.name, `Choose the name of a field: it was ${name.slice(0, 80)}`);
  }
  const set = together(said);
  for (const [first, whole] of Object.entries(set)) {
    const inner = said.filter(([path]) => path[0] === first && path.length > 1);
    // What a request brought is read by other steps too, and is not written over by a part of it.
    if (inner.length === 0 || (whole.length < 1_950 && !/^(?:body|query|headers|params)$/.test(first))) continue;
    Reflect.deleteProperty(set, first);
    for (const [path, field] of said.filter(([path]) => path[0] === first)) set[path.join(".")] = field;
    draft.remark(source.name, `“${first.slice(0, 80)}” has fields in it: set it as a whole.`);
  }
  if (fields === undefined) {
    const raw = text(source.parameters["jsonOutput"]).trim();
    if (!/^=?\s*\{\{(?:(?!\}\}\s*\S)[\s\S])*\}\}\s*$/.test(raw)) draft.remark(source.name, "Its JSON is put together of pieces, and a text here: set its fields one by one.");
    set[wholeKey(names.of(source))] = names.expression(source, raw);
  }
  if (source.version >= 3.3 && handsOnOthers(source)) draft.remark(source.name, "It handed on the other fields too: the state keeps them, under the steps that gave them.");
  return { type: "function", run: { set } };
}

/** The list or the object that a text of JSON is. */
function jsonOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Values that there may be, as a list of those that there are. */
function whatRan(roots: readonly string[]): string {
  const lists = roots.map((root) => `([${root}] if ${bracketed(root)} is defined else [])`).join(" + ");
  return lists.length < 1_900 ? lists || "[]" : `[${roots.map((root) => `${root} | default(none)`).join(", ")}]`;
}

/** How long a request may take, where the file says so. */
function within(timeout: unknown): { timeoutMs?: number } {
  return typeof timeout === "number" && timeout >= 1 ? { timeoutMs: Math.floor(timeout) } : {};
}

/** A hundred years, in milliseconds. */
const MOST_WAITED = 3_155_760_000_000;

function waitOf(source: Source, draft: Draft, names: Names): StepBody {
  const { parameters } = source;
  const resume = text(parameters["resume"]);
  if (resume === "webhook" || resume === "form") return { type: "approval", message: `“${source.name}” waited for a call: answer to go on.` };
  if (resume === "specificTime") return { type: "wait", wait: { until: names.expression(source, parameters["dateTime"]) } };
  const unit = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }[text(parameters["unit"]) || (source.version < 1.1 ? "hours" : "seconds")] ?? 1_000;
  const amount = Number(parameters["amount"] ?? (source.version < 1.1 ? 1 : 5));
  if (!Number.isFinite(amount)) draft.remark(source.name, "Say how long it waits.");
  return { type: "wait", wait: { ms: Math.min(Math.max(0, Math.round((Number.isFinite(amount) ? amount : 1) * unit)), MOST_WAITED) } };
}

function formSchema(parameters: Source["parameters"]): Json {
  const fields = list(at(parameters, "formFields", "values")).map((row) => text(data(row)["fieldLabel"])).filter((name) => name !== "" && name !== "__proto__");
  return { type: "object", properties: Object.fromEntries(fields.map((name) => [name, {}])) };
}

/** What people call the kinds of steps. */
const KINDS: Record<string, string> = { agent: "agent", function: "function", http: "request", wait: "wait", approval: "approval", end: "end" };
