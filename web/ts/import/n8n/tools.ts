// Tools of n8n's agents: the arguments that the model gives, and what is done with them.
import type { Json, ToolDocument } from "stepweave";
import { at, data, isData, list, text } from "../data";
import type { Draft } from "../draft";
import { failing } from "../placeholder";
import { key } from "../text";
import type { Names } from "./names";
import { piecesOf } from "./pieces";
import { requestOf } from "./request";
import { parsed } from "./schema";
import { kindOf, type Source } from "./source";

/** The key of the tool that a node is. */
export function toolOf(helper: Source, draft: Draft, names: Names): string {
  const { parameters } = helper;
  const described = text(parameters["toolDescription"]) || text(parameters["description"]) || text(parameters["name"]);
  const description = (described.startsWith("=") ? described.slice(1) : described) || (KNOWN[kindOf(helper)] ?? "");
  if (description.includes("{{")) draft.remark(helper.name, "Write its description anew: it read something.");
  const base: ToolDocument = description === "" ? {} : { description };
  const run = runOf(helper, draft, names);
  if (run !== undefined) return draft.tool(helper.name, { ...base, ...run });
  draft.remark(helper.name, `The tool fails until it has something to run: a request, code or a workflow (it was ${kindOf(helper)}).`);
  const says = `The tool “${helper.name}” was a ${kindOf(helper)} node, which an import cannot carry over: give it a request, code or a workflow.`;
  return draft.tool(helper.name, { ...base, run: failing(says) });
}

/** What tools are for that n8n describes to the model itself. */
const KNOWN: Readonly<Record<string, string>> = {
  toolCalculator: "Calculates: give it an expression such as 2 * (3 + 4).",
  toolSerpApi: "Searches the web.",
  toolThink: "A place to think: nothing is done with what you write.",
  toolWikipedia: "Searches Wikipedia, and gives the beginnings of the articles that it finds.",
};

/** What a tool does, and with which arguments; undefined where it has nothing that can be carried over. */
function runOf(helper: Source, draft: Draft, names: Names): Pick<ToolDocument, "input" | "run"> | undefined {
  const one = (name: string, description: string): Json => ({ type: "object", required: [name], properties: { [name]: { type: "string", description } } });
  switch (kindOf(helper)) {
    case "toolHttpRequest":
    case "httpRequestTool":
      return requested(helper, draft, names);
    case "toolCode":
      return coded(helper, draft);
    case "toolThink":
      return { input: one("thought", "What you think"), run: { code: "return state.thought;" } };
    case "toolCalculator":
      // Letters are names of functions, and everything else is a sign of arithmetic: nothing but numbers can come of it.
      return {
        input: one("expression", "What is calculated"),
        run: { code: 'const sum = String(state.expression).replaceAll("^", "**");\nif (!/^(?:[\\d\\s.,+\\-*/%()]|\\b(?:abs|ceil|cos|exp|floor|log|max|min|pow|round|sin|sqrt|tan|PI|E)\\b)*$/.test(sum)) throw new Error("This is no arithmetic.");\nreturn Function(`with (Math) return (${sum})`)();' },
      };
    case "toolWikipedia":
      return {
        input: one("query", "What is looked for"),
        run: { http: { url: "https://en.wikipedia.org/w/api.php", query: { action: "query", format: "json", origin: "*", generator: "search", gsrsearch: "{{ query }}", gsrlimit: "3", prop: "extracts", exintro: "1", explaintext: "1", exlimit: "3" } } },
      };
    case "toolSerpApi":
      draft.remark(helper.name, "Give its key the name SERPAPI_API_KEY, and its value where the workflow runs.");
      return { input: one("query", "What is looked for"), run: { http: { url: "https://serpapi.com/search.json", query: { engine: "google", q: "{{ query }}" }, auth: { query: { name: "api_key", value: { secret: "SERPAPI_API_KEY" } } } } } };
    default:
      return undefined;
  }
}

function coded(helper: Source, draft: Draft): Pick<ToolDocument, "input" | "run"> | undefined {
  const { parameters } = helper;
  const code = text(parameters["jsCode"]);
  if (text(parameters["language"]) === "python" || code === "") return undefined;
  const schema = parameters["specifyInputSchema"] === true ? parsed(helper, draft) : undefined;
  draft.remark(helper.name, schema === undefined ? "Its code ran in n8n: look whether it needs more than its argument `query`." : "Its code ran in n8n: try it once.");
  return { input: schema ?? { type: "object", properties: { query: { type: "string" } } }, run: { code: `const query = ${schema === undefined ? "state.query" : "{ ...state }"};\n${code}` } };
}

/** A request over the arguments. */
function requested(helper: Source, draft: Draft, names: Names): Pick<ToolDocument, "input" | "run"> | undefined {
  const given = new Arguments(helper.parameters["placeholderDefinitions"]);
  const parameters = kindOf(helper) === "toolHttpRequest" ? asRequest(helper, given, draft) : (marked(helper.parameters, (said) => given.asked(said)) as Source["parameters"]);
  // No tool here goes where the model says.
  if (/^=?\s*(?:https?:\/\/)?[^/?#]*\ue000/.test(text(parameters["url"]))) {
    draft.remark(helper.name, "The model gave the address of its request: name the origins that it may reach.");
    return undefined;
  }
  const http = requestOf({ ...helper, parameters }, names, draft);
  if (http.url === "" || http.url.startsWith("{{") || http.origins !== undefined) return undefined;
  const request = marked(http, (said) => given.printed(plain(said))) as typeof http;
  if (JSON.stringify(http).includes("{{")) draft.remark(helper.name, "Say in its input which arguments the model gives, and use them in the request.");
  const input = given.schema();
  return { ...(input !== undefined && { input }), run: { http: request } };
}

/** A tool's request knows its arguments only, no state: what read the state is a question mark. */
function plain(template: string): string {
  return template.replace(/\{\{[\s\S]*?\}\}/g, "?");
}

/** The settings of n8n's request for models, as those of its request for flows. */
function asRequest(helper: Source, given: Arguments, draft: Draft): Source["parameters"] {
  const { parameters } = helper;
  const table = (field: string): Data | undefined => {
    const rows = list(at(parameters, field, "values")).map(data);
    const values = rows.map((row) => {
      const [name, provider] = [text(row["name"]), text(row["valueProvider"]) || "modelRequired"];
      return { name, value: provider === "fieldValue" ? given.held(row["value"]) : given.mark(name, provider === "modelOptional") };
    });
    return values.length === 0 ? undefined : { parameters: values };
  };
  for (const field of ["specifyQuery", "specifyHeaders", "specifyBody"]) {
    if (parameters[field] === "model") draft.remark(helper.name, "The model wrote a part of its request as it liked: name the arguments of that in its input.");
  }
  const json = (field: string): unknown => (typeof parameters[field] === "string" ? withQuotes(given.held(parameters[field]) as string) : parameters[field]);
  return {
    ...parameters,
    url: given.held(parameters["url"]),
    queryParameters: table("parametersQuery"),
    headerParameters: table("parametersHeaders"),
    bodyParameters: table("parametersBody"),
    jsonQuery: json("jsonQuery"),
    jsonHeaders: json("jsonHeaders"),
    jsonBody: json("jsonBody"),
    body: undefined,
  };
}

type Data = Source["parameters"];

/** A value with other texts in it. */
function marked(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((inner) => marked(inner, change));
  return isData(value) ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, marked(inner, change)])) : value;
}

/** JSON in which an argument that stands where a value does is a text of it. */
function withQuotes(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\ue000[\w-]+\ue000/gs, (piece) => (piece.startsWith('"') ? piece : `"${piece}"`));
}

/** `$fromAI('name', 'description', 'type', …)`: a value that the model gives. */
const FROM_AI = /^\s*(?:\/\*.*?\*\/\s*)?\$fromAI\(\s*(["'`])([\w-]{1,64})\1\s*(?:,\s*(["'`])((?:\\.|(?!\3).)*)\3\s*(?:,\s*(["'`])(\w*)\5\s*(,.*)?)?)?\)\s*$/is;

/** The arguments of a tool. In texts, a mark stands for one until they are templates. */
class Arguments {
  readonly #defined: ReadonlyMap<string, Data>;
  readonly #properties: Record<string, Json> = {};
  readonly #required = new Set<string>();

  constructor(definitions: unknown) {
    this.#defined = new Map(list(at(definitions, "values")).map((row) => [text(data(row)["name"]), data(row)]));
  }

  /** The mark of an argument, which joins the others. */
  mark(name: string, isOptional: boolean, about = this.#defined.get(name)): string {
    const own = name.replace(/[^\w-]/g, "_").slice(0, 64);
    if (own === "" || own === "__proto__") return "";
    const type = TYPES[text(about?.["type"])];
    const description = text(about?.["description"]);
    this.#properties[own] ??= { ...(type !== undefined ? { type } : text(about?.["type"]) === "json" ? {} : { type: "string" }), ...(description !== "" && { description }) };
    if (!isOptional) this.#required.add(own);
    return `\ue000${own}\ue000`;
  }

  /** A text whose `{name}` stand for arguments. */
  held(value: unknown): unknown {
    return typeof value === "string" ? value.replace(/(?<!\{)\{([\w-]{1,64})\}(?!\})/g, (_, name: string) => this.mark(name, false)) : value;
  }

  /** A text whose `$fromAI(…)` stand for arguments. */
  asked(value: string): string {
    if (!value.includes("$fromAI(")) return value;
    const pieces = piecesOf(value).map(({ text: said, code }) => {
      const [, , name, , description, , type, otherwise] = FROM_AI.exec(code ?? "") ?? [];
      return code === undefined ? said : name === undefined ? `{{${code}}}` : this.mark(name, otherwise !== undefined, { description, type: (type ?? "").toLowerCase() });
    });
    const whole = (value.startsWith("=") ? "=" : "") + pieces.join("");
    return /^=?\s*[{[]/.test(whole) ? withQuotes(whole) : whole;
  }

  /** A text with what prints the arguments in the place of their marks. */
  printed(said: string): string {
    return said.replace(/\ue000([\w-]+)\ue000/g, (_, name: string) => `{{ ${key(name)}${this.#required.has(name) ? "" : " | default('')"} }}`);
  }

  schema(): Json | undefined {
    if (Object.keys(this.#properties).length === 0) return undefined;
    return { type: "object", ...(this.#required.size > 0 && { required: [...this.#required] }), properties: this.#properties };
  }
}

const TYPES: Readonly<Record<string, string>> = { string: "string", number: "number", boolean: "boolean" };
