// The nodes of n8n's files: what they are called, and what their names stand for in our language.
import type { Edge } from "../arrange";
import { at, data, list, text, type Data } from "../data";
import type { Draft } from "../draft";
import { pathOf, translate, type Syntax } from "../javascript";
import { addTo, key, literal, member, outputOf, printed, quoted } from "../text";

/** A node as the file has it. */
export interface Source {
  readonly name: string;
  readonly type: string;
  readonly version: number;
  /** What it is set to, without keys, and the names of the fields that lost one. */
  readonly parameters: Data;
  readonly lost: readonly string[];
  readonly disabled: boolean;
  readonly onError: string;
  readonly retries: number;
  readonly hasCredentials: boolean;
}

/** The last word of a node's type: `httpRequest`. */
export function kindOf(source: Source): string {
  return source.type.slice(source.type.lastIndexOf(".") + 1);
}

/** What hands on what it was given. */
const PASSING = new Set(["if", "switch", "filter", "noOp", "wait", "limit", "respondToWebhook", "sort", "removeDuplicates", "splitInBatches", "merge"]);

/** What the file's names stand for. */
export class Names {
  readonly #steps = new Map<string, string>();
  readonly #before = new Map<string, string[]>();
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #draft: Draft;

  constructor(sources: readonly Source[], edges: readonly Edge[], draft: Draft) {
    this.#sources = new Map(sources.map((source) => [source.name, source]));
    this.#draft = draft;
    for (const source of sources) if (!this.isTrigger(source)) this.#steps.set(source.name, draft.nameOf(source.name));
    for (const { from, to } of edges) addTo(this.#before, to, from);
  }

  /** The name of a node's step. */
  of(source: Source): string {
    return this.#steps.get(source.name) ?? source.name;
  }

  isTrigger(source: Source): boolean {
    return /trigger$/i.test(source.type) || /\.(?:webhook|start|cron|interval|emailReadImap|manualChatTrigger)$/.test(source.type);
  }

  /** The keys that a run gets where a trigger stood. */
  inputOf(trigger: Source): void {
    const kind = kindOf(trigger);
    const any = {};
    if (kind === "webhook") for (const name of ["body", "query", "headers", "params"]) this.#draft.input(name, { type: "object" }, false);
    else if (/chattrigger/i.test(kind)) this.#draft.input("chatInput", { type: "string", description: "What the person writes" }, false);
    else if (kind === "formTrigger") for (const field of list(at(trigger.parameters, "formFields", "values"))) this.#draft.input(text(data(field)["fieldLabel"]) || "field", any, false);
    else if (kind === "executeWorkflowTrigger") for (const field of list(at(trigger.parameters, "workflowInputs", "values"))) this.#draft.input(text(data(field)["name"]) || "input", any, false);
    else if (!/manualTrigger|scheduleTrigger|cron|interval|start/.test(kind)) this.#draft.remark(trigger.name, "A run begins when your program starts it: give it what the trigger would bring.");
    if (/scheduleTrigger|cron|interval/.test(kind)) this.#draft.remark(trigger.name, "A schedule is no part of a workflow: start runs from a scheduled job.");
  }

  /** What comes in at a node, as one of our expressions; the whole state where a trigger brings it. */
  incoming(name: string): { root: string; isState: boolean } {
    let here = name;
    for (let steps = 0; steps < 200; steps += 1) {
      const before = this.#before.get(here)?.[0];
      const source = before === undefined ? undefined : this.#sources.get(before);
      if (source === undefined || this.isTrigger(source)) return { root: "state", isState: true };
      if (kindOf(source) === "splitInBatches") return this.loops(source) ? { root: "item", isState: false } : { root: outputOf(this.of(source)), isState: false };
      if (!PASSING.has(kindOf(source))) return { root: outputOf(this.of(source)), isState: false };
      here = source.name;
    }
    return { root: "state", isState: true };
  }

  /** What a node gives, or hands on. */
  incomingFrom(name: string): string {
    const source = this.#sources.get(name);
    if (source === undefined || this.isTrigger(source)) return "state";
    return PASSING.has(kindOf(source)) ? this.incoming(name).root : outputOf(this.of(source));
  }

  /** The step that a node of this name is. */
  stepOf(name: string): string | undefined {
    return this.#steps.get(name);
  }

  /** Whether what hangs on a loop comes back to it. */
  loops(source: Source): boolean {
    return (this.#before.get(source.name)?.length ?? 0) > 0;
  }

  /** What `$json`, `$('Name')` and the like stand for. */
  resolver(name: string): (root: Syntax, path: readonly string[]) => string | undefined {
    const along = (of: { root: string; isState: boolean }, path: readonly string[]): string => {
      const [first, ...rest] = path;
      if (first === undefined) return of.root;
      return rest.reduce(memberOf, of.isState ? key(first) : memberOf(of.root, first));
    };
    const outOf = (node: string): { root: string; isState: boolean } | undefined => {
      const source = this.#sources.get(node);
      if (source === undefined) return undefined;
      if (this.isTrigger(source)) return { root: "state", isState: true };
      return PASSING.has(kindOf(source)) ? this.incoming(node) : { root: outputOf(this.of(source)), isState: false };
    };
    return (root, path) => {
      if (root.type === "Identifier") {
        const names = [...path];
        if (root["name"] === "$json") return along(this.incoming(name), names);
        if (root["name"] === "$input" && names[0] === "item" && names[1] === "json") return along(this.incoming(name), names.slice(2));
        if (root["name"] === "$workflow" && names[0] === "name") return quoted("this workflow");
        if (root["name"] === "$node" && names[1] === "json") {
          const of = outOf(names[0] ?? "");
          return of && along(of, names.slice(2));
        }
        return undefined;
      }
      // `$('Name').item.json.x`, `$('Name').first().json.x`, `$input.first().json.x`
      const rest = [...path];
      let call = root;
      const chain = pathOf(call["callee"] as Syntax);
      let of: { root: string; isState: boolean } | undefined;
      if (chain?.root.type === "Identifier" && chain.root["name"] === "$" && chain.names.length === 0) {
        of = outOf(text((list(call["arguments"])[0] as Syntax | undefined)?.["value"]));
        if (rest[0] === "item") rest.shift();
      } else if (chain?.root.type === "Identifier" && chain.root["name"] === "$input" && /^(?:first|last)$/.test(chain.names[0] ?? "")) {
        of = this.incoming(name);
      } else if (chain?.root.type === "CallExpression" && /^(?:first|last)$/.test(chain.names[0] ?? "")) {
        call = chain.root;
        const inner = pathOf(call["callee"] as Syntax);
        if (inner?.root["name"] === "$") of = outOf(text((list(call["arguments"])[0] as Syntax | undefined)?.["value"]));
      }
      if (of === undefined || rest[0] !== "json") return undefined;
      return along(of, rest.slice(1));
    };
  }

  /** A parameter as a template of ours. What cannot be said stays as text, and is listed. */
  template(source: Source, value: unknown): string {
    const raw = typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
    if (!isExpression(raw)) return literal(raw);
    return piecesOf(raw).map((piece) => (piece.code === undefined ? literal(piece.text) : printed(this.#said(source, piece.code)))).join("");
  }

  /** A parameter as an expression of ours. */
  expression(source: Source, value: unknown): string {
    if (typeof value !== "string") return valueOf(value, this.#draft);
    if (!isExpression(value)) return this.#draft.constant(value);
    const pieces = piecesOf(value);
    const [only] = pieces;
    if (pieces.length === 1 && only) return only.code === undefined ? this.#draft.constant(only.text) : this.#said(source, only.code);
    const joined = pieces.map((piece) => (piece.code === undefined ? this.#draft.constant(piece.text) : `(${this.#said(source, piece.code)})`)).join(" ~ ") || "''";
    if (joined.length < 1_900) return joined;
    this.#draft.remark(source.name, "Build this long text anew, in a template of the step that reads it.");
    return this.#draft.constant(value);
  }

  #said(source: Source, code: string): string {
    const said = translate(code.trim(), this.resolver(source.name));
    if (said !== undefined && said.length < 1_500) return said;
    const short = code.trim().replace(/\s+/g, " ").slice(0, 120);
    this.#draft.remark(source.name, `Write this expression anew: ${short}`);
    return quoted(`(was: ${short})`);
  }
}

function memberOf(of: string, name: string): string {
  return /^\d+$/.test(name) ? `${of}[${name}]` : member(of, name);
}

/** Values of a file as expressions. */
function valueOf(value: unknown, draft: Draft): string {
  const said = ((): string => {
    if (value === null || value === undefined) return "none";
    if (Array.isArray(value)) return `[${value.map((inner) => valueOf(inner, draft)).join(", ")}]`;
    if (typeof value === "object") return `{${Object.entries(value).map(([name, inner]) => `${quoted(name)}: ${valueOf(inner, draft)}`).join(", ")}}`;
    return typeof value === "string" ? draft.constant(value) : String(value);
  })();
  return said.length < 1_500 ? said : draft.constant(JSON.stringify(value));
}

export function isExpression(value: string): boolean {
  return (value.startsWith("=") && value.includes("{{")) || /\{\{[^}]*\$(?:json|node|input|\()/.test(value);
}

/** A text with `{{ }}`, in its pieces. */
function piecesOf(value: string): { text: string; code?: string }[] {
  const pieces: { text: string; code?: string }[] = [];
  const body = value.startsWith("=") ? value.slice(1) : value;
  let from = 0;
  for (let open = body.indexOf("{{"); open >= 0; open = body.indexOf("{{", from)) {
    let close = body.indexOf("}}", open + 2);
    // An object in the expression ends in braces too.
    while (close >= 0 && body[close + 2] === "}") close += 1;
    if (close < 0) break;
    if (open > from) pieces.push({ text: body.slice(from, open) });
    pieces.push({ text: "", code: body.slice(open + 2, close) });
    from = close + 2;
  }
  if (from < body.length) pieces.push({ text: body.slice(from) });
  return pieces;
}


