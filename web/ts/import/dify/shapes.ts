// What each kind of node of Dify is in a tree of steps.
import type { Json, StepDocument } from "stepweave";
import type { Shape } from "../arrange";
import { at, data, list, text, type Data } from "../data";
import { modelOf, type Draft, type StepBody } from "../draft";
import { HELPERS, jinjaCode, piecesOf } from "./jinja";
import { bracketed, key, outputOf, quoted } from "../text";
import { asked } from "./form";
import { requestOf } from "./request";
import { isScript, loopVariables, orUndefined, type Block, type Selectors } from "./selectors";

export interface Making {
  readonly draft: Draft;
  readonly selectors: Selectors;
  /** The steps on the canvas of an iteration or a loop. */
  inside(parent: string): StepDocument[];
}

export function shapeOf(block: Block, making: Making): Shape {
  const { draft, selectors } = making;
  const name = selectors.nameOf(block);
  const own = block.data;
  const became = (words: string, step?: StepDocument): void => draft.became(block.id, { name: block.title, kind: block.kind }, words, "whole", step);
  const one = (body: StepBody, words: string): Shape => {
    const step = draft.step(name, body);
    became(`a step: ${words}`, step);
    const steps = [retried(step, own)];
    return withErrors(steps, block, making);
  };
  switch (block.kind) {
    case "start":
      inputs(own, draft);
      became("the input of the workflow");
      return { kind: "steps", steps: [] };
    case "iteration-start":
    case "loop-start":
      became("the beginning of its steps");
      return { kind: "steps", steps: [] };
    case "loop-end":
      return leave(block, making, became);
    case "llm":
      return agentShape(block, making);
    case "agent": {
      const given = data(own["agent_parameters"]);
      const value = (field: string): unknown => at(given, field, "value");
      const model = data(value("model"));
      const { instructions, before } = instructed(selectors.template(value("instruction"), block));
      const agent = draft.agent(block.title, { model: modelKey(block.id, { ...model, name: model["model"] }, draft), ...(instructions && { instructions }) });
      for (const tool of list(value("tools")).map(data)) draft.remark(block.id, `Give it the tool ${text(tool["tool_name"]) || text(tool["provider_name"]) || "that it had"} again.`);
      return one({ type: "agent", agent, inputFrom: before + (selectors.template(value("query"), block) || "{{ query | default('') }}") }, "agent");
    }
    case "parameter-extractor": {
      const fields = list(own["parameters"]).map(data).filter((field) => text(field["name"]) !== "" && text(field["name"]) !== "__proto__");
      const output: Json = { type: "object", required: fields.filter((field) => field["required"] === true).map((field) => text(field["name"])), properties: Object.fromEntries(fields.map((field) => [text(field["name"]), schemaOf(field)])) };
      const agent = draft.agent(block.title, { model: modelKey(block.id, data(own["model"]), draft), output, instructions: "You extract what is asked for from the text that you are given." });
      const instruction = selectors.template(own["instruction"], block);
      return one({ type: "agent", agent, inputFrom: `${instruction}${instruction && "\n\n"}{{ ${selectors.read(own["query"], block)} }}` }, "agent");
    }
    case "question-classifier":
      return classifier(block, making, became);
    case "if-else":
      return conditional(block, making, became);
    case "code":
      return codeShape(block, making, one);
    case "template-transform": {
      const set = templateOf(block, making);
      return set === undefined ? placeholder(block, making, "Write its template anew.") : one({ type: "function", run: { code: set } }, "code");
    }
    case "http-request":
      if (own["ssl_verify"] === false) draft.remark(block.id, "It took any certificate, which no request here does.");
      return one({ type: "http", http: requestOf(block, selectors, draft), ...within(own["timeout"]) }, "request");
    case "variable-aggregator":
    case "variable-assigner": {
      const first = (variables: unknown): string => list(variables).map((selector) => orUndefined(selectors.read(selector, block))).reduceRight((rest, read) => `${read} if ${bracketed(read)} is defined and ${bracketed(read)} is not none else ${rest === "none" ? rest : `(${rest})`}`, "none");
      const isGrouped = at(own, "advanced_settings", "group_enabled") === true;
      const groups = list(at(own, "advanced_settings", "groups")).map(data).map((group) => `${quoted(text(group["group_name"]))}: {'output': ${first(group["variables"])}}`);
      return one({ type: "function", run: { set: { [`${name}_output`]: isGrouped ? `{${groups.join(", ")}}` : first(own["variables"]) } } }, "function");
    }
    case "assigner": {
      return one({ type: "function", run: { set: assigned(block, making) } }, "function");
    }
    case "answer":
      return one({ type: "function", run: { code: answerCode(selectors.template(own["answer"], block), selectors.followsAnswer(block)) } }, "function");
    case "end": {
      const set: Record<string, string> = {};
      for (const output of list(own["outputs"]).map(data)) if (text(output["variable"]) !== "" && text(output["variable"]) !== "__proto__") set[text(output["variable"])] = selectors.read(output["value_selector"], block);
      return one({ type: "function", run: { set } }, "function");
    }
    case "iteration": {
      const items = selectors.read(own["iterator_selector"], block);
      const mode = { terminated: "stop", "continue-on-error": "null", "remove-abnormal-output": "drop" } as const;
      const onItemError = mode[text(own["error_handle_mode"]) as keyof typeof mode];
      const steps = making.inside(block.id);
      const [target, ...rest] = list(own["output_selector"]).map(text);
      const result = target === undefined ? undefined : selectors.expression([target, ...rest], { ...block, parent: block.id });
      if (own["flatten_output"] !== false && selectors.givesList([target ?? "", ...rest])) draft.remark(block.id, "Where its rounds gave lists, Dify made one list of them: here it is a list of lists.");
      const concurrency = own["is_parallel"] === true ? Math.max(1, Math.min(Number(own["parallel_nums"]) || 10, 100)) : 1;
      return one({ type: "foreach", items, as: selectors.itemOf(block), steps, ...(result && { result }), ...(concurrency > 1 && { concurrency }), ...(onItemError && onItemError !== "stop" && { onItemError }) }, "for each");
    }
    case "loop": {
      const left = selectors.leaving(block.id);
      const set = Object.fromEntries(loopVariables(block).map((row) => [text(row["label"]), text(row["value_type"]) === "variable" ? selectors.read(row["value"], block) : constant(row["value"])]));
      if (left !== undefined) set[left] = "false";
      const conditions = list(own["break_conditions"]).map((row) => comparison(data(row), { ...block, parent: block.id }, selectors));
      if (conditions.includes(undefined)) draft.remark(block.id, "Write the condition that ends it: until then it goes on to its last round.");
      const ends = conditions.length === 0 || conditions.includes(undefined) ? undefined : conditions.map((row) => `(${row})`).join(text(own["logical_operator"]) === "or" ? " or " : " and ");
      const until = [...(left === undefined ? [] : [key(left)]), ...(ends === undefined ? [] : [left === undefined ? ends : `(${ends})`])].join(" or ") || "false";
      const inner = making.inside(block.id);
      const before = Object.keys(set).length > 0 ? [draft.step(draft.nameOf(`${block.title}: begin`), { type: "function", run: { set } })] : [];
      const step = draft.step(name, { type: "loop", repeat: { until }, maxIterations: Math.max(1, Math.min(Number(own["loop_count"]) || 10, 1_000)), onMax: "continue", steps: inner });
      became("a step: loop", step);
      return { kind: "steps", steps: [...before, step] };
    }
    case "human-input":
      return asked(block, making, became);
    case "trigger-webhook":
    case "trigger-schedule":
    case "trigger-plugin":
      triggered(block, draft);
      became("the input of the workflow");
      return { kind: "steps", steps: [] };
    case "knowledge-retrieval":
      return placeholder(block, making, "Ask your own search with a request, and give a list of texts.");
    case "tool":
      return placeholder(block, making, `It called ${text(own["tool_label"]) || text(own["tool_name"]) || "a tool"} of ${text(own["provider_name"]) || "Dify"}: do it with a request, with code, or with a function of your program.`);
    default:
      return placeholder(block, making, "Do it with a request, with code, or with a function of your program.");
  }
}

/** How long a request may take, where the file says so in seconds. */
function within(timeout: unknown): { timeoutMs?: number } {
  const seconds = ["max_connect_timeout", "max_read_timeout", "max_write_timeout"].map((field) => Number(data(timeout)[field] ?? 0));
  const sum = seconds.reduce((all, each) => all + each, 0);
  // A part that is not said has the server's own bound.
  return seconds.every((each) => each > 0) && Number.isFinite(sum) ? { timeoutMs: Math.floor(sum * 1000) } : {};
}

/** The keys that a trigger brings. */
function triggered({ id, kind, data: own }: Block, draft: Draft): void {
  const rows = ["variables", "params", "body", "headers"].flatMap((field) => list(own[field])).map(data);
  for (const row of rows) {
    // A header is a variable under a name that is one.
    const name = (text(row["variable"]) || text(row["name"])).replace(/-/g, "_");
    if (name !== "" && name !== "__proto__" && name !== "_webhook_raw") draft.input(name, schemaOf({ type: text(row["value_type"]) || text(row["type"]) }), row["required"] === true);
  }
  draft.remark(id, kind === "trigger-schedule" ? "A schedule is no part of a workflow: start runs from a scheduled job." : "A run begins when your program starts it: give it what the trigger would bring.");
}

/** A loop is left by a key that it looks at after its round, which ends here. */
function leave(block: Block, { draft, selectors }: Making, became: (words: string, step?: StepDocument) => void): Shape {
  const left = selectors.leaving(block.parent);
  const end = draft.step(selectors.nameOf(block), { type: "end", end: { scope: "round" } });
  became(left === undefined ? "a step: end of the round" : "two steps: the loop is left, and its round ends", end);
  return { kind: "steps", steps: left === undefined ? [end] : [draft.step(draft.nameOf(`${block.title}: leave`), { type: "function", run: { set: { [left]: "true" } } }), end] };
}

function placeholder(block: Block, making: Making, what: string): Shape {
  const step = making.draft.placeholder(making.selectors.nameOf(block), block.kind, what);
  making.draft.became(block.id, { name: block.title, kind: block.kind }, "a placeholder, which fails until you say what it does", "placeholder", step);
  return withErrors([step], block, making);
}

/** What hangs on the port of failures is done when the step has no output. */
function withErrors(steps: StepDocument[], block: Block, making: Making): Shape {
  const strategy = text(block.data["error_strategy"]);
  const [step] = steps;
  if (step === undefined || strategy === "" || strategy === "none") return { kind: "steps", steps };
  step.onError = "continue";
  if (strategy === "default-value") making.draft.remark(block.id, "Where it failed it gave a value of its own: give that by `| default(…)` where its answer is read.");
  if (strategy !== "fail-branch") return { kind: "steps", steps };
  const name = making.draft.nameOf(`Did ${block.title} succeed`);
  return { kind: "choice", ports: ["source", "success-branch", "fail-branch"], make: ([plain = [], well = [], badly = []]) => [step, making.draft.step(name, { type: "condition", condition: `steps[${quoted(step.name)}].output is defined`, steps: [...plain, ...well], else: badly })] };
}

function retried(step: StepDocument, own: Data): StepDocument {
  const retry = data(own["retry_config"]);
  if (retry["retry_enabled"] === true && (step.type === "http" || step.type === "agent" || step.type === "function")) step.retryCount = Math.max(0, Math.min(Math.floor(Number(retry["max_retries"]) || 0), 10));
  return step;
}

/** The keys that a run is given. */
function inputs(own: Data, draft: Draft): void {
  const types: Record<string, Json> = { number: { type: "number" }, checkbox: { type: "boolean" }, "file-list": { type: "array" }, file: {} };
  for (const row of list(own["variables"]).map(data)) {
    const name = text(row["variable"]);
    if (name === "" || name === "__proto__") continue;
    const base = (types[text(row["type"])] ?? { type: "string" }) as { [name: string]: Json };
    const given = defaultOf(row, base["type"]);
    const options = list(row["options"]).map(text);
    // What need not be chosen may be nothing.
    draft.input(name, { ...base, ...(options.length > 0 && { enum: [...new Set([...options, ...(given === "" ? [""] : [])])] }), description: text(row["label"]) || name, ...(given !== undefined && { default: given }) }, row["required"] === true);
  }
}

/** What a field has that nobody fills in: its own default, or where it may stay empty the nothing of its type. */
function defaultOf(row: Data, type: Json | undefined): Json | undefined {
  const own = row["default"];
  const isOptional = row["required"] !== true;
  if (type === "string") return typeof own === "string" && own !== "" ? own : isOptional ? "" : undefined;
  if (type === "number") return own !== null && own !== "" && Number.isFinite(Number(own ?? NaN)) ? Number(own) : undefined;
  if (type === "boolean") return typeof own === "boolean" ? own : isOptional ? false : undefined;
  return type === "array" && isOptional ? [] : undefined;
}

/** Settings of models that are taken along. */
const TAKEN_PARAMS = new Set(["temperature", "max_tokens", "top_p"]);

/** The key of the model that a node names, with what is left of it to a person. */
export function modelKey(id: string, model: Data, draft: Draft): string {
  const given = data(model["completion_params"]);
  const params: Record<string, Json> = {};
  if (typeof given["temperature"] === "number") params["temperature"] = given["temperature"];
  if (typeof given["max_tokens"] === "number" && given["max_tokens"] >= 1) params["maxOutputTokens"] = Math.floor(given["max_tokens"]);
  if (typeof given["top_p"] === "number") params["top_p"] = given["top_p"];
  for (const name of Object.keys(given)) if (!TAKEN_PARAMS.has(name)) draft.remark(id, `The setting \`${name.slice(0, 60)}\` of its model is not taken along.`);
  const { settings, known } = modelOf(text(model["provider"]), text(model["name"]), params);
  if (!known) draft.remark(id, `Choose its model: it was ${text(model["name"]).slice(0, 60) || "none"}, and until then an offline simulation answers.`);
  return draft.model(settings);
}

function agentShape(block: Block, making: Making): Shape {
  const { draft, selectors } = making;
  const own = block.data;
  const context = at(own, "context", "enabled") === true ? selectors.read(at(own, "context", "variable_selector"), block) : undefined;
  const raw = own["prompt_template"];
  const messages = Array.isArray(raw) ? raw.map(data) : [{ role: "user", text: text(data(raw)["text"]) } as Data];
  const says = (role: string): string[] => messages.filter((message) => (text(message["role"]) || "user") === role).map((message) => (text(message["edition_type"]) === "jinja2" ? jinja(message["jinja2_text"], at(own, "prompt_config", "jinja2_variables"), block, selectors) : selectors.template(message["text"], block, context))).filter((part) => part.trim() !== "");
  const system = says("system").join("\n\n");
  const question = says("user").join("\n\n");
  if (says("assistant").length > 0) draft.remark(block.id, "Its examples of answers are left out: put them into the instructions.");
  const { instructions, before } = instructed(system);
  const memory = own["memory"] !== undefined && own["memory"] !== null;
  const schema = own["structured_output_enabled"] === true ? at(own, "structured_output", "schema") : undefined;
  const agent = draft.agent(block.title, { model: modelKey(block.id, data(own["model"]), draft), ...(instructions && { instructions }), ...(schema !== undefined && { output: schema as Json }) });
  // A conversation goes on with what the person writes, in the words that the file has for it.
  const asked = text(at(own, "memory", "query_prompt_template"));
  const isPlain = asked === "" || asked.trim() === "{{#sys.query#}}";
  const query = memory && !isPlain ? selectors.template(asked, block) : memory || question === "" ? "{{ query | default('') }}" : "";
  const isAsked = isPlain && /\{\{ query\b/.test(question);
  const prompt = before + [question, isAsked ? "" : query].filter((part) => part !== "").join("\n\n");
  const step = draft.step(selectors.nameOf(block), { type: "agent", agent, inputFrom: prompt, ...(memory && { history: { key: "conversation" } }) });
  draft.became(block.id, { name: block.title, kind: block.kind }, "a step: agent", "whole", step);
  if (at(own, "vision", "enabled") === true) draft.remark(block.id, "It looked at pictures: choose them under “Files” of the step.");
  return withErrors([retried(step, own)], block, making);
}

/** Instructions are a plain text, the same in every run: those that read something stand before what an agent is asked. */
function instructed(template: string): { instructions?: string; before: string } {
  if (template.trim() === "") return { before: "" };
  if (/\{[{%]/.test(template.replace(/\{\{ '\{[{%#]' \}\}/g, ""))) return { before: `${template}\n\n` };
  return { instructions: template.replace(/\{\{ '(\{[{%#])' \}\}/g, "$1"), before: "" };
}

/** A template of Jinja is one of ours, in which its variables are set first. */
function jinja(template: unknown, variables: unknown, block: Block, selectors: Selectors): string {
  const set = list(variables).map(data).map((row) => `{% set ${text(row["variable"])} = ${selectors.read(row["value_selector"], block)} %}`);
  return set.join("") + text(template);
}

/** What an assigner writes, one after the other. */
function assigned(block: Block, { draft, selectors }: Making): Record<string, string> {
  const own = block.data;
  // Older files have one variable.
  const old = { variable_selector: own["assigned_variable_selector"], operation: own["write_mode"], input_type: "variable", value: own["input_variable_selector"] };
  const items = own["assigned_variable_selector"] === undefined ? list(own["items"]).map(data) : [old as Data];
  const set: Record<string, string> = {};
  for (const item of items) {
    const target = list(item["variable_selector"]).map(text);
    const into = target[0] === "conversation" && target[1] ? selectors.conversation(target[1]) : (target[1] ?? "");
    if (into === "" || into === "__proto__") continue;
    const before = set[into] === undefined ? `state[${quoted(into)}]` : bracketed(set[into]);
    const value = (): string => (text(item["input_type"]) === "constant" ? constant(item["value"]) : selectors.read(item["value"], block));
    const said = operated(text(item["operation"]), before, value, draft.state[into]);
    if (said === undefined) draft.remark(block.id, `Write anew how it changes ${into}: it was “${text(item["operation"]).slice(0, 40)}”.`);
    set[into] = said ?? before;
  }
  return set;
}

/** What a variable is after an operation, which begins with its first value. */
function operated(operation: string, before: string, value: () => string, first: Json | undefined): string | undefined {
  switch (operation) {
    case "over-write": case "overwrite": case "set": case "": return value();
    case "append": return `${before} + [${value()}]`;
    case "extend": case "+=": return `${before} + ${bracketed(value())}`;
    case "-=": case "*=": case "/=": return `${before} ${operation.charAt(0)} ${bracketed(value())}`;
    case "remove-first": return `${before}[1:]`;
    case "remove-last": return `${before}[:-1]`;
    case "clear": return Array.isArray(first) ? "[]" : typeof first === "string" ? "''" : typeof first === "number" ? "0" : typeof first === "boolean" ? "false" : first ? "{}" : "none";
    default: return undefined;
  }
}

function classifier(block: Block, making: Making, became: (words: string, step?: StepDocument) => void): Shape {
  const { draft, selectors } = making;
  const classes = list(block.data["classes"]).map(data);
  const names = classes.map((each) => text(each["name"]) || text(each["id"]));
  const output: Json = { type: "object", required: ["category"], properties: { category: { type: "string", ...(names.length > 0 && { enum: [...new Set(names)] }) } } };
  const { instructions: extra, before } = instructed(selectors.template(block.data["instructions"] ?? block.data["instruction"], block));
  const agent = draft.agent(block.title, { model: modelKey(block.id, data(block.data["model"]), draft), output, instructions: `You decide to which category a text belongs.${extra ? `\n${extra}` : ""}` });
  const step = draft.step(selectors.nameOf(block), { type: "agent", agent, inputFrom: `${before}{{ ${selectors.read(block.data["query_variable_selector"], block)} }}` });
  became("two steps: an agent and a switch", step);
  const name = draft.nameOf(`${block.title}: which`);
  return {
    kind: "choice",
    ports: classes.map((each) => text(each["id"])),
    make: (arms) => [step, draft.step(name, { type: "switch", cases: names.map((category, index) => ({ when: `${outputOf(step.name)}.category == ${quoted(category)}`, steps: arms[index] ?? [] })), default: [] })],
  };
}

function conditional(block: Block, making: Making, became: (words: string, step?: StepDocument) => void): Shape {
  const { draft, selectors } = making;
  const own = block.data;
  const raw = list(own["cases"]).length > 0 ? list(own["cases"]).map(data) : [{ case_id: "true", conditions: own["conditions"], logical_operator: own["logical_operator"] } as Data];
  const cases = raw.map((each) => {
    const rows = list(each["conditions"]).map((row) => comparison(data(row), block, selectors));
    if (rows.length === 0 || rows.includes(undefined)) draft.remark(block.id, "Write its condition: until then it is never true.");
    const when = rows.length === 0 || rows.includes(undefined) ? "false" : rows.length === 1 ? (rows[0] ?? "false") : rows.map((row) => `(${row})`).join(text(each["logical_operator"]) === "or" ? " or " : " and ");
    return { when, port: text(each["case_id"]) || text(each["id"]) };
  });
  const name = selectors.nameOf(block);
  return {
    kind: "choice",
    ports: [...cases.map(({ port }) => port), "false"],
    make: (arms) => {
      const otherwise = arms[cases.length] ?? [];
      const [only] = cases;
      const step = cases.length === 1 && only
        ? draft.step(name, { type: "condition", condition: only.when, steps: arms[0] ?? [], ...(otherwise.length > 0 && { else: otherwise }) })
        : draft.step(name, { type: "switch", cases: cases.map(({ when }, index) => ({ when, steps: arms[index] ?? [] })), default: otherwise });
      became(cases.length === 1 ? "a step: condition" : "a step: switch", step);
      return [step];
    },
  };
}

function comparison(row: Data, block: Block, selectors: Selectors): string | undefined {
  const left = selectors.expression(list(row["variable_selector"]).map(text), block);
  if (left === undefined) return undefined;
  // Conditions on the files of a list have no words here.
  if (list(at(row, "sub_variable_condition", "conditions")).length > 0) return undefined;
  const one = bracketed(left);
  const raw = row["value"];
  const whole = /^\{\{#([^{}]+)#\}\}$/.exec(text(raw))?.[1];
  const right = whole !== undefined ? selectors.expression(whole.split("."), block) : isNumeric(row) && text(raw) !== "" && Number.isFinite(Number(raw)) ? String(Number(raw)) : Array.isArray(raw) ? constant(raw) : typeof raw === "boolean" ? String(raw) : quoted(text(raw));
  if (right === undefined) return undefined;
  const two = bracketed(right);
  switch (text(row["comparison_operator"])) {
    case "contains": return `${two} in ${one}`;
    case "not contains": return `${two} not in ${one}`;
    case "start with": return `(${one} | string)[:${two} | length] == ${two}`;
    case "end with": return `(${one} | string)[-(${two} | length):] == ${two}`;
    case "is": case "=": return `${one} == ${two}`;
    case "is not": case "≠": return `${one} != ${two}`;
    case "empty": case "null": case "not exists": return `not (${orUndefined(one)} | default(none))`;
    case "not empty": case "not null": case "exists": return `not not (${orUndefined(one)} | default(none))`;
    case ">": case "<": return `${one} ${text(row["comparison_operator"])} ${two}`;
    case "≥": return `${one} >= ${two}`;
    case "≤": return `${one} <= ${two}`;
    case "in": return `${one} in ${two}`;
    case "not in": return `${one} not in ${two}`;
    default: return undefined;
  }
}

/** Whether a comparison is one of numbers; older files say so by its operator alone. */
function isNumeric(row: Data): boolean {
  return /number|integer/i.test(text(row["varType"])) || /^[=≠<>≤≥]$/.test(text(row["comparison_operator"]));
}

function codeShape(block: Block, making: Making, one: (body: StepBody, words: string) => Shape): Shape {
  const { draft, selectors } = making;
  const code = text(block.data["code"]);
  if (!isScript(block)) {
    const made = placeholder(block, making, "Its Python cannot run here: write it as JavaScript.");
    const step = made.kind === "steps" ? made.steps[0] : undefined;
    if (step && code !== "") step.notes = `${step.notes ?? ""}\n\n${code.slice(0, 8_000)}`;
    return made;
  }
  draft.remark(block.id, "Its code runs in a sandbox: try it once.");
  const given = list(block.data["variables"]).map(data).map((row) => [text(row["variable"]), list(row["value_selector"]).map(text)] as const);
  const values = given.map(([name, selector]) => `${JSON.stringify(name)}: ${inCode(selectors.expression(selector, block))}`);
  return one({ type: "function", run: { code: `${code}\nreturn { ${JSON.stringify(`${selectors.nameOf(block)}_output`)}: await main({ ${values.join(", ")} }) };` } }, "code");
}

/** An expression that names something, as JavaScript over the state; each member may be missing. */
function inCode(expression: string | undefined): string {
  if (expression === undefined) return "undefined";
  const named = /^steps\[("(?:[^"\\]|\\.)*")\]\.output(.*)$/s.exec(expression);
  if (named) {
    const name = JSON.parse(named[1] ?? '""') as string;
    const rest = (named[2] ?? "").replace(/\.(?=\w)/g, "?.").replace(/\[/g, "?.[");
    return `state[${JSON.stringify(`${name}_output`)}]${rest}`;
  }
  const keyed = /^state\["(?:[^"\\]|\\.)*"\]/.exec(expression)?.[0];
  if (keyed !== undefined) return keyed + expression.slice(keyed.length).replace(/\.(?=\w)/g, "?.").replace(/\[/g, "?.[");
  return expression === "state" ? expression : `state${/^\w/.test(expression) ? `.${expression.replace(/\./g, "?.").replace(/\[/g, "?.[")}` : ""}`;
}

/** Jinja's templates: their variables become locals of the step. */
function templateOf(block: Block, making: Making): string {
  const { draft, selectors } = making;
  const template = text(block.data["template"]);
  const variables = list(block.data["variables"]).map(data).map((row) => [text(row["variable"]), list(row["value_selector"]).map(text)] as const);
  const named = new Map(variables.map(([name, selector]) => [name, inCode(selectors.expression(selector, block))]));
  const key = JSON.stringify(`${selectors.nameOf(block)}_output`);
  // What is printed as it is, and what lies in it.
  const isPlain = (piece: string): boolean => named.has(/^\{\{-?\s*(\w+)(?:\.\w+|\[["'\w]+\])*\s*-?\}\}$/.exec(piece)?.[1] ?? "");
  const pieces = piecesOf(template);
  const others = pieces.filter((piece, index) => index % 2 === 1 && !piece.startsWith("{#") && !isPlain(piece));
  const said = others.length === 0 ? undefined : jinjaCode(template, named);
  if (said !== undefined) return [...HELPERS, "const out = [];", said, `return { ${key}: out.join("") };`].join("\n");
  for (const piece of new Set(others)) draft.remark(block.id, `Write this of its template anew: ${piece.replace(/\s+/g, " ").slice(0, 100)}`);
  const parts = pieces.flatMap((piece, index) => {
    if (index % 2 === 0) return piece === "" ? [] : [JSON.stringify(piece)];
    const name = /^\{\{\s*(\w+)/.exec(piece)?.[1] ?? "";
    const path = /^\{\{\s*\w+((?:\.\w+|\[["'\w]+\])*)/.exec(piece)?.[1] ?? "";
    const value = named.get(name);
    return value === undefined ? [] : [`show(${value}${path.replace(/\./g, "?.").replace(/\[/g, "?.[")})`];
  });
  return `${HELPERS[0] ?? ""}\nreturn { ${key}: [${parts.join(", ")}].join("") };`;
}

/** The text that a person gets: parts of it come from the state. What is answered later stands below. */
function answerCode(template: string, follows: boolean): string {
  const pieces = template.split(/(\{\{ [\s\S]*? \}\})/).filter((piece) => piece !== "");
  const parts = pieces.map((piece) => {
    const inner = /^\{\{ ([\s\S]*) \}\}$/.exec(piece)?.[1];
    if (inner === undefined) return JSON.stringify(piece);
    // What is not there is shown as nothing anyway.
    if (inner.endsWith(" | default('')")) return `show(${inCode(inner.slice(0, -" | default('')".length))})`;
    return inner.startsWith("'") ? JSON.stringify(inner.slice(1, -1)) : `show(${inCode(inner)})`;
  });
  return `${HELPERS[0] ?? ""}\nreturn { answer: ${follows ? 'show(state.answer) + (state.answer ? "\\n" : "") + ' : ""}[${parts.join(", ")}].join("") };`;
}

function schemaOf(field: Data): Json {
  const type = text(field["type"]);
  const inner = /^array\[(\w+)\]$/.exec(type)?.[1];
  const base: { [name: string]: Json } = inner ? { type: "array", items: { type: inner === "file" ? "object" : inner } } : { type: type === "number" ? "number" : type === "bool" || type === "boolean" ? "boolean" : type === "object" ? "object" : "string" };
  const options = list(field["options"]).map(text);
  return { ...base, ...(options.length > 0 && { enum: [...new Set(options)] }), ...(text(field["description"]) !== "" && { description: text(field["description"]) }) };
}

function constant(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value)) return `[${value.map(constant).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([name, inner]) => `${quoted(name)}: ${constant(inner)}`).join(", ")}}`;
  return typeof value === "string" ? quoted(value) : String(value);
}

