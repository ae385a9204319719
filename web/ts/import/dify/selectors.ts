// What the variables of Dify stand for in our language.
import type { WorkflowDocument } from "stepweave";
import type { Edge } from "../arrange";
import { at, data, list, text, type Data } from "../data";
import type { Draft } from "../draft";
import { addTo, key, joined, literal, member, outputOf, printed } from "../text";

/** A node as the file has it. */
export interface Block {
  readonly id: string;
  readonly data: Data;
  readonly kind: string;
  readonly title: string;
  readonly parent: string;
}

/** Nodes whose one output is the step's output itself. */
const WHOLE: Record<string, readonly string[]> = {
  llm: ["text", "output"], agent: ["text", "output"], "template-transform": ["output"], iteration: ["output"], "variable-aggregator": ["output"], "variable-assigner": ["output"],
  "document-extractor": ["text"], "knowledge-retrieval": ["result"], "question-classifier": [], "list-operator": ["result"],
};

/** What nodes give there and has no name here. */
const UNKNOWN: Record<string, readonly string[]> = {
  "question-classifier": ["class_id", "usage"], "parameter-extractor": ["__is_success", "__reason", "__usage"], "http-request": ["files"], "human-input": ["__rendered_content"],
};

/** What nodes give under another name here. */
const RENAMED: Record<string, Readonly<Record<string, string>>> = { "question-classifier": { class_name: "category" }, "human-input": { __action_id: "action" } };

/** Nodes whose step is a function that sets its answer as a key of the state, as other steps do by themselves. Outputs of two may have one name. */
const SETTING = new Set(["template-transform", "variable-aggregator", "variable-assigner"]);

export class Selectors {
  readonly #blocks: ReadonlyMap<string, Block>;
  readonly #names = new Map<string, string>();
  readonly #draft: Draft;
  /** Variables of the environment whose values are left behind, by the keys that they have in the state. */
  readonly #secrets = new Map<string, string>();
  /** Nodes behind one that answers. */
  readonly #answered: ReadonlySet<string>;

  constructor(blocks: readonly Block[], edges: readonly Edge[], draft: Draft) {
    this.#blocks = new Map(blocks.map((block) => [block.id, block]));
    this.#answered = behind(blocks.filter(({ kind }) => kind === "answer"), edges);
    this.#draft = draft;
    for (const block of blocks) this.#names.set(block.id, draft.nameOf(block.title));
  }

  nameOf(block: Block): string {
    return this.#names.get(block.id) ?? block.title;
  }

  conversation(name: string): string {
    return `conversation_${name}`;
  }

  environment(name: string): string {
    return `env_${name}`;
  }

  /** A variable of the environment is a key: nobody should write its value into the state. */
  keepSecret(name: string): void {
    this.#secrets.set(this.environment(name), name);
  }

  /** The name of the key that a template is, maybe behind the word that says how it signs in. */
  secretIn(template: string): string | undefined {
    const [, read = ""] = /^\s*(?:[a-z]+\s+)?\{\{\s*(\w+)\s*\}\}\s*$/i.exec(template) ?? [];
    return this.#secrets.get(read);
  }

  /** Takes the keys out of the state that nothing else in the document reads. */
  forgetSecrets({ initialState, ...rest }: WorkflowDocument): void {
    const read = JSON.stringify(rest);
    for (const key of this.#secrets.keys()) if (!read.includes(key)) delete (initialState as Record<string, unknown> | undefined)?.[key];
  }

  /** The expression of a selector such as `["1742", "text"]`. Undefined: it names nothing that is there. */
  expression(selector: readonly string[], user: Block): string | undefined {
    const [first, ...rest] = selector;
    if (first === undefined) return undefined;
    if (first === "sys") return this.#system(rest);
    if (rest[0] === "sys" || rest[0]?.startsWith("sys.")) return this.#system(rest[0] === "sys" ? rest.slice(1) : [rest[0].slice(4)]);
    if (first === "conversation") return this.#variable(rest, (name) => this.conversation(name));
    if (first === "env") return this.#variable(rest, (name) => this.environment(name));
    const block = this.#blocks.get(first);
    if (block === undefined) return undefined;
    // What a run is given, and what a person is answered or gets in the end, are keys of the state.
    if (block.kind === "start" || block.kind === "answer" || block.kind === "end" || block.kind.startsWith("trigger")) {
      const [name, ...deeper] = rest;
      return name === undefined ? "state" : deeper.reduce(member, key(name));
    }
    // The variables of a loop are keys of the state, also behind it.
    if (block.kind === "loop") {
      const [name, ...deeper] = rest;
      return name !== undefined && loopVariables(block).some((row) => row["label"] === name) ? deeper.reduce(member, key(name)) : undefined;
    }
    // Within an iteration its item; outside the list of results.
    if (block.kind === "iteration" && this.#isInside(user, block.id) && rest[0] !== "output") {
      const item = this.itemOf(block);
      return rest[0] === "index" ? `${item}_index` : rest.slice(1).reduce(member, item);
    }
    const output = SETTING.has(block.kind) || isScript(block) ? key(`${this.nameOf(block)}_output`) : outputOf(this.nameOf(block));
    // Why a node failed has no name here.
    if (rest[0] === "error_message" || rest[0] === "error_type" || UNKNOWN[block.kind]?.includes(rest[0] ?? "")) return undefined;
    const own = RENAMED[block.kind]?.[rest[0] ?? ""];
    if (own !== undefined) return [own, ...rest.slice(1)].reduce(member, output);
    if (rest[0] !== undefined && WHOLE[block.kind]?.includes(rest[0])) return rest.slice(1).reduce(member, output);
    if (block.kind === "llm" || block.kind === "agent") return rest[0] === "structured_output" ? rest.slice(1).reduce(member, output) : rest.length === 0 ? output : undefined;
    if (block.kind === "tool" && rest[0] === "text") return output;
    return rest.reduce(member, output);
  }

  /** Whether a person has got an answer before, on a way to this node. */
  followsAnswer(block: Block): boolean {
    return this.#answered.has(block.id);
  }

  /** Whether a selector leads to a list, as its node says. */
  givesList([id = "", field = ""]: readonly string[]): boolean {
    const block = this.#blocks.get(id);
    const said = block?.kind === "parameter-extractor" ? list(block.data["parameters"]).map(data).find(({ name }) => name === field)?.["type"] : at(block?.data, "outputs", field, "type");
    return block?.kind === "iteration" || text(said).startsWith("array");
  }

  /** The key that says that a loop is left; undefined where nothing in it leaves it. */
  leaving(loop: string): string | undefined {
    const block = this.#blocks.get(loop);
    const isLeft = [...this.#blocks.values()].some(({ kind, parent }) => kind === "loop-end" && parent === loop);
    return block?.kind === "loop" && isLeft ? `${this.nameOf(block)}_left` : undefined;
  }

  /** What the item of an iteration is called: one within another has a name of its own. */
  itemOf(block: Block): string {
    let depth = 1;
    for (let here = this.#blocks.get(block.parent); here !== undefined && depth < 50; here = this.#blocks.get(here.parent)) if (here.kind === "iteration") depth += 1;
    return depth === 1 ? "item" : `item_${depth}`;
  }

  /** A variable of the file and what lies in it. */
  #variable([name, ...rest]: readonly string[], keyOf: (name: string) => string): string | undefined {
    return name !== undefined && Object.hasOwn(this.#draft.state, keyOf(name)) ? rest.reduce(member, key(keyOf(name))) : undefined;
  }

  #system(rest: readonly string[]): string | undefined {
    if (rest[0] === "query") this.#draft.input("query", { type: "string", description: "What the person writes" }, false);
    return rest[0] === "query" || rest[0] === "files" || rest[0] === "user_id" || rest[0] === "conversation_id" ? rest[0] : undefined;
  }

  #isInside(block: Block, parent: string): boolean {
    let here: Block | undefined = block;
    for (let depth = 0; here !== undefined && depth < 50; depth += 1) {
      if (here.parent === parent) return true;
      here = this.#blocks.get(here.parent);
    }
    return false;
  }

  /** A text with `{{#node.field#}}` as a template of ours. */
  template(source: unknown, user: Block, otherwise?: string): string {
    return joined(
      text(source).split(/(\{\{#[^{}]*?#\}\})/).map((piece) => {
        if (!/^\{\{#[^{}]*#\}\}$/.test(piece)) return literal(piece);
        const path = piece.slice(3, -3).trim();
        if (path === "context") return otherwise === undefined ? "" : printed(otherwise);
        const said = this.expression(splitSelector(path, this.#blocks), user);
        if (said === undefined) return this.#unknown(user, piece);
        // What Dify itself knows of a run may be left out here, and prints nothing then.
        return printed(path.startsWith("sys.") && path !== "sys.query" ? `${said} | default('')` : said);
      }),
    );
  }

  #unknown(user: Block, piece: string): string {
    this.#draft.remark(user.id, `Write this anew: ${piece.slice(0, 100)}`);
    return literal(`(was: ${piece.slice(3, -3)})`);
  }

  /** A selector, or a remark and nothing. */
  read(selector: unknown, user: Block): string {
    const path = list(selector).map(text);
    const said = this.expression(path, user);
    if (said === undefined) this.#draft.remark(user.id, `Choose again what it reads${path.length > 0 ? `: it was ${path.join(".").slice(0, 80)}` : ""}.`);
    return said ?? "none";
  }
}

/** The nodes to which edges lead from these. */
function behind(blocks: readonly Block[], edges: readonly Edge[]): Set<string> {
  const out = new Map<string, string[]>();
  for (const { from, to } of edges) addTo(out, from, to);
  const found = new Set<string>();
  const open = blocks.flatMap(({ id }) => out.get(id) ?? []);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    for (const to of out.get(id) ?? []) open.push(to);
  }
  return found;
}

/** The variables of a loop, as rows of the file. */
export function loopVariables(block: Block): Data[] {
  return list(block.data["loop_variables"]).map(data).filter((row) => text(row["label"]) !== "" && text(row["label"]) !== "__proto__");
}

/** Whether a node is code that can run here. */
export function isScript({ kind, data: own }: Block): boolean {
  return kind === "code" && /^javascript$/i.test(text(own["code_language"]));
}

/** What a path reads, or undefined and no failure where its step has not run. */
export function orUndefined(path: string): string {
  const [whole, root] = /^(steps\["(?:[^"\\]|\\.)*"\]\.output|state\["(?:[^"\\]|\\.)*"\]|[A-Za-z_]\w*)(?:\.\w+|\["(?:[^"\\]|\\.)*"\])+$/.exec(path) ?? [];
  if (whole === undefined || root === undefined) return path;
  const names = whole.slice(root.length).match(/\.\w+|\["(?:[^"\\]|\\.)*"\]/g) ?? [];
  return names.reduce((of, name) => `(${of} | default({}))${name}`, root);
}

/** Points that are looked for in an id: a selector is put together anew for each. */
const MOST_POINTS = 50;

function splitSelector(path: string, blocks: ReadonlyMap<string, Block>): string[] {
  const parts = path.split(".");
  // Ids of nodes may have points.
  for (let count = Math.min(parts.length, MOST_POINTS); count > 1; count -= 1) {
    const id = parts.slice(0, count).join(".");
    if (blocks.has(id)) return [id, ...parts.slice(count)];
  }
  return parts;
}
