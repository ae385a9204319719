// What names and expressions of n8n stand for in our language.
import type { Edge } from "../arrange";
import { at, data, list, text } from "../data";
import type { Draft } from "../draft";
import { mayLook, pathOf, translate, type Syntax } from "../javascript";
import { bracketed, joined, key, literal, member, memberOf, outputOf, printed, quoted } from "../text";
import { inAnswer } from "./answers";
import { BROUGHT, CHOOSING, Incoming, isPassing, type Given } from "./incoming";
import { collects, givesItems, isSplitting, splitField } from "./lists";
import { isExpression, piecesOf } from "./pieces";
import { fieldsOf, handsOnOthers, listKey, placeOf, wholeKey } from "./set";
import { isTrigger, kindOf, type Source } from "./source";

/** What the file's names stand for. */
export class Names {
  readonly #steps = new Map<string, string>();
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #incoming: Incoming;
  readonly #draft: Draft;
  readonly #workflow: string;
  /** Nodes whose answer has fields. */
  readonly #structured: ReadonlySet<string>;
  /** The steps for each item, of nodes that make many besides. */
  readonly #each = new Map<string, string>();
  readonly #edges: readonly Edge[];

  constructor(workflow: string, sources: readonly Source[], edges: readonly Edge[], structured: ReadonlySet<string>, draft: Draft) {
    this.#workflow = workflow;
    this.#sources = new Map(sources.map((source) => [source.name, source]));
    this.#structured = structured;
    this.#draft = draft;
    for (const source of sources) if (!isTrigger(source)) this.#steps.set(source.name, draft.nameOf(source.name));
    this.#incoming = new Incoming(this.#sources, edges, (source) => (this.#incoming.ranges.has(source.name) ? outputOf(this.eachOf(source)) : this.#givenBy(source)));
    this.#edges = edges;
  }

  /** The name of a node's step. */
  of(source: Source): string {
    return this.#steps.get(source.name) ?? source.name;
  }

  /** What a node's step gives. What code gives is a key of the state, so that two of them may have fields of one name. */
  #givenBy(source: Source): string {
    return givesItems(source) ? key(listKey(this.of(source))) : outputOf(this.of(source));
  }

  /** The nodes that run for each of the many items that a node makes; undefined for any other node. */
  rangeOf(source: Source): ReadonlySet<string> | undefined {
    return this.#incoming.ranges.get(source.name);
  }

  /** Whether what a node splits is one list that is there already, so that its step goes through that. */
  isPlainSplit(source: Source): boolean {
    const kind = this.#incoming.at(source.name)?.kind;
    return splitField(source) !== undefined && kind !== undefined && kind !== "list";
  }

  /** Whether what follows a node runs for each of its items. */
  goesOnForEach(source: Source): boolean {
    return this.#edges.some(({ from, to }) => from === source.name && this.#sources.get(to) !== undefined && !collects(this.#sources.get(to) as Source));
  }

  /** The name of the step that is done for each item of a node. */
  eachOf(source: Source): string {
    if (this.rangeOf(source) === undefined || this.isPlainSplit(source)) return this.of(source);
    const known = this.#each.get(source.name) ?? this.#draft.nameOf(`Each of ${this.of(source)}`);
    this.#each.set(source.name, known);
    return known;
  }

  /** What comes of each item of a node, for what is given all of them; undefined where nothing is. */
  resultOf(source: Source): string | undefined {
    const range = this.rangeOf(source);
    const last = new Set(this.#edges.filter(({ from, to }) => range?.has(from) === true && !range.has(to)).map(({ from }) => from));
    const roots = [...last].flatMap((name) => {
      const inner = this.#incoming.around(name, range);
      return inner === undefined ? (this.givenBy(name)?.root ?? []) : outputOf(this.eachOf(inner));
    });
    if (roots.length === 0) return undefined;
    // An item that took another way brings nothing.
    const isSure = [...(range ?? [])].every((name) => !CHOOSING.has(kindOf(this.#sources.get(name) as Source)));
    return [...new Set(roots), ...(isSure ? [] : ["none"])].map((root, index) => (index === 0 ? root : `default(${root})`)).join(" | ");
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

  /** What comes in at a node; undefined where we have no name for it. Of several that may have run, a person has to choose. */
  incoming(name: string, reader = name): Given | undefined {
    const given = this.#incoming.at(name);
    if (given !== undefined && given.mixed.length > 0) this.#draft.remark(reader, `It got what ${given.mixed.slice(0, 5).map((each) => `“${each}”`).join(" and ")} gave: here it reads only the first of them that ran.`);
    return given;
  }

  /** All of what comes in at a node. */
  rootOf(source: Source): string {
    const given = this.incoming(source.name);
    if (given === undefined) this.#draft.remark(source.name, "Say what it reads: what comes in there has no name here.");
    return given?.root ?? "none";
  }

  /** The items that a loop goes through: the list that a node before it made, or what comes in. */
  listFor(loop: Source): string {
    const root = this.rootOf(loop);
    const { kind, sources } = this.incoming(loop.name) ?? {};
    const [only, ...others] = sources ?? [];
    return kind !== "value" || only === undefined || others.length > 0 || !givesItems(only) ? root : `${root} if ${root} is sequence else [${root}]`;
  }

  /** The item of a loop around a reader that came of a node, which n8n pairs with what is read of that. */
  #paired(source: Source, reader: string): Given | undefined {
    const loop = this.#incoming.loopAround(reader, (each) => {
      const given = this.#incoming.at(each.name);
      return !isSplitting(each) && given?.kind === "value" && given.sources.length === 1 && given.sources[0] === source && givesItems(source);
    });
    return loop && this.#incoming.itemIn(loop);
  }

  /** A field of what comes in at a node. */
  field(source: Source, path: readonly string[]): string {
    const said = this.#along(this.incoming(source.name), path);
    if (said === undefined) this.#draft.remark(source.name, `Write this expression anew: ${path.join(".")}`);
    return said ?? "none";
  }

  /** What a node gives, or hands on. */
  incomingFrom(name: string): string {
    return this.givenBy(name)?.root ?? "state";
  }

  /** The same, with the nodes whose steps give it. */
  givenBy(name: string): Given | undefined {
    const source = this.#sources.get(name);
    return source && this.#outOf(source, name);
  }

  /** The step that a node of this name is. */
  stepOf(name: string): string | undefined {
    return this.#steps.get(name);
  }

  /** What the item of a loop is called. */
  itemOf(loop: Source): string {
    return this.#incoming.itemOf(loop);
  }

  /** What a node gives, or hands on to a reader. */
  #outOf(source: Source, reader: string): Given | undefined {
    if (isTrigger(source)) return BROUGHT;
    const isLoop = this.#incoming.isLoop(source);
    if (isLoop && this.#incoming.isInside(reader, source)) return this.#incoming.itemIn(source);
    if (isLoop) return { root: this.rangeOf(source) ? outputOf(this.eachOf(source)) : this.#givenBy(source), kind: "list", sources: [source], mixed: [] };
    if (this.#incoming.isShut(source.name, reader)) return undefined;
    return isPassing(source) ? this.incoming(source.name, reader) : { root: this.#givenBy(source), kind: "value", sources: [source], mixed: [] };
  }

  /** What names lead to in what is given; undefined where ours does not have it. */
  #along(given: Given | undefined, path: readonly string[]): string | undefined {
    const [first, ...rest] = path;
    if (given === undefined || !mayLook()) return undefined;
    if (first === undefined) return given.root;
    // Which of the list it is about is for a person to say.
    if (given.kind === "list") return undefined;
    if (given.kind === "state") return rest.reduce(memberOf, key(first));
    if (given.field === first) return rest.reduce(memberOf, `(${member(given.root, first)} if ${given.root} is mapping and ${quoted(first)} in ${given.root} else ${given.root})`);
    const [only] = given.sources;
    if (given.sources.some((source) => this.#isHandedOn(source, first))) {
      return only && given.root === this.#givenBy(only) ? this.#along(this.incoming(only.name), path) : undefined;
    }
    const ways = given.sources.map((source) => kindOf(source) === "set" && fieldsOf(source) === undefined ? [wholeKey(this.of(source)), ...path] : inAnswer(source, path, this.#structured.has(source.name)));
    const [names = path] = ways;
    return ways.some((way) => way?.join("\0") !== names.join("\0")) ? undefined : names.reduce(memberOf, bracketed(given.root));
  }

  /** Whether a field comes from before a Set node, which does not write it. */
  #isHandedOn(source: Source, field: string): boolean {
    if (kindOf(source) !== "set" || !handsOnOthers(source)) return false;
    const fields = fieldsOf(source);
    return fields !== undefined && !fields.some(({ name }) => placeOf(source, name)[0] === field);
  }

  /** What `$json`, `$('Name')` and the like stand for. */
  resolver(name: string): (root: Syntax, path: readonly string[]) => string | undefined {
    const outOf = (node: string, isPaired = false): Given | undefined => {
      const source = this.#sources.get(node);
      return source && ((isPaired ? this.#paired(source, name) : undefined) ?? this.#outOf(source, name));
    };
    return (root, path) => {
      if (root.type === "Identifier") {
        if (root["name"] === "$json") return this.#along(this.incoming(name), path);
        if (root["name"] === "$input" && path[0] === "item" && path[1] === "json") return this.#along(this.incoming(name), path.slice(2));
        if (root["name"] === "$workflow" && path.length === 1 && path[0] === "name") return quoted(this.#workflow);
        if (root["name"] === "$node" && /^(?:json|data)$/.test(path[1] ?? "")) return this.#along(outOf(path[0] ?? "", true), path.slice(2));
        return undefined;
      }
      // `$('Name').item.json.x`, `$('Name').first().json.x`, `$input.first().json.x`
      const rest = [...path];
      let call = root;
      const chain = pathOf(call["callee"] as Syntax);
      let of: Given | undefined;
      if (chain?.root.type === "Identifier" && chain.root["name"] === "$" && chain.names.length === 0) {
        of = outOf(text((list(call["arguments"])[0] as Syntax | undefined)?.["value"]), rest[0] === "item");
        if (rest[0] === "item") rest.shift();
      } else if (chain?.root["name"] === "$item" && chain.names.length === 0 && rest[0] === "$node" && rest[2] === "json") {
        // `$item(0).$node["Name"].json.x`
        return this.#along(outOf(rest[1] ?? "", true), rest.slice(3));
      } else if (chain?.root["name"] === "$items" && chain.names.length === 0 && rest[0] === "0") {
        const [named] = list(call["arguments"]) as Syntax[];
        of = named === undefined ? this.incoming(name) : outOf(text(named["value"]));
        rest.shift();
      } else if (chain?.root["name"] === "$input" && (/^(?:first|last)$/.test(chain.names[0] ?? "") || (chain.names[0] === "all" && rest[0] === "0"))) {
        of = this.incoming(name);
        if (rest[0] === "0") rest.shift();
      } else if (chain?.root.type === "CallExpression" && (/^(?:first|last)$/.test(chain.names[0] ?? "") || (chain.names[0] === "all" && rest[0] === "0"))) {
        if (rest[0] === "0") rest.shift();
        call = chain.root;
        const inner = pathOf(call["callee"] as Syntax);
        if (inner?.root["name"] === "$") of = outOf(text((list(call["arguments"])[0] as Syntax | undefined)?.["value"]));
      }
      return of === undefined || rest[0] !== "json" ? undefined : this.#along(of, rest.slice(1));
    };
  }

  /** A parameter as a template of ours. What cannot be said stays as text, and is listed. */
  template(source: Source, value: unknown): string {
    const raw = typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
    if (!isExpression(raw)) return literal(raw.replace(/^=/, ""));
    return joined(piecesOf(raw).map((piece) => (piece.code === undefined ? literal(piece.text) : printed(this.#said(source, piece.code)))));
  }

  /** A parameter as an expression of ours. */
  expression(source: Source, value: unknown): string {
    if (typeof value !== "string") return this.#valueOf(source, value);
    if (!isExpression(value)) return this.#draft.constant(value.replace(/^=/, ""));
    const pieces = piecesOf(value);
    const [only] = pieces;
    if (pieces.length === 1 && only) return only.code === undefined ? this.#draft.constant(only.text) : this.#said(source, only.code);
    const said = pieces.map((piece) => (piece.code === undefined ? undefined : `(${this.#said(source, piece.code)})`));
    // Expressions are short: what is long of a text stands in the state.
    for (const most of [400, 20]) {
      const together = pieces.map((piece, index) => said[index] ?? this.#draft.constant(piece.text, most)).join(" ~ ") || "''";
      if (together.length < 1_900) return together;
    }
    this.#draft.remark(source.name, "Build this long text anew, in a template of the step that reads it.");
    return this.#draft.constant(value);
  }

  /** Values of a file as expressions. Those in JSON read something without a sign of equality. */
  #valueOf(source: Source, value: unknown): string {
    const said = ((): string => {
      if (value === null || value === undefined) return "none";
      if (Array.isArray(value)) return `[${value.map((inner) => this.#valueOf(source, inner)).join(", ")}]`;
      if (typeof value === "object") return `{${Object.entries(value).map(([name, inner]) => `${quoted(name)}: ${this.#valueOf(source, inner)}`).join(", ")}}`;
      if (typeof value !== "string") return String(value);
      return value.includes("{{") ? this.expression(source, `=${value.replace(/^=/, "")}`) : this.#draft.constant(value);
    })();
    if (said.length < 1_500) return said;
    if (JSON.stringify(value).includes("{{")) this.#draft.remark(source.name, "Build this long value anew: what it read is not read.");
    return this.#draft.constant(JSON.stringify(value));
  }

  #said(source: Source, code: string): string {
    const said = translate(code.trim(), this.resolver(source.name));
    if (said !== undefined && said.length < 1_500) return said;
    const short = code.trim().replace(/\s+/g, " ").slice(0, 120);
    this.#draft.remark(source.name, `Write this expression anew: ${short}`);
    return `${NOT_SAID}${quoted(`${short})`).slice(1)}`;
  }
}

/** How the text begins that stands for an expression that cannot be said. */
export const NOT_SAID = '"(was: ';
