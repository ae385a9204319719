import { StepweaveError } from "../../api/errors.js";
import type { Problem } from "../../api/document.js";
import { isObject } from "../../api/json.js";
import { type Pattern, type PatternFault, patternOf } from "../pattern.js";
import { draftOf, keywordsOf, leftoversOf } from "./drafts.js";
import { Library, type Position } from "./library.js";
import { type Draft, type Keyword, type Node, type SchemaObject, type Site } from "./node.js";
import { join } from "./pointer.js";
import { refused, where } from "./refused.js";

/** How deep schemas may be nested. */
const MAX_DEPTH = 256;
/** How many schemas may be in one. */
const MAX_SCHEMAS = 50_000;
/** How long the pointers to all of them may be together: the key of an object stands in those of everything in it. */
const MAX_LETTERS = 20_000_000;
/** How many patterns may be in one, and how many instructions they may take together. */
const MAX_PATTERNS = 1000;
const MAX_INSTRUCTIONS = 100_000;
const KEEPERS = ["$defs", "definitions"];

/** Reads a schema with everything in it; throws a `StepweaveError` if it cannot be used. */
export function compile(schema: unknown): Node {
  return new Compiler().compile(schema);
}

interface Task {
  readonly position: Position;
  readonly depth: number;
}

class Compiler {
  readonly #library = new Library();
  readonly #nodes = new Map<string, Node>();
  readonly #tasks: Task[] = [];
  readonly #references: (() => void)[] = [];
  readonly #patterns = new Map<string, Pattern>();
  readonly #problems: Problem[] = [];
  #letters = 0;
  #instructions = 0;

  compile(schema: unknown): Node {
    const draft = isObject(schema) && schema.$schema !== undefined ? draftOf(schema.$schema) : 2020;
    refuseStranger(schema, draft);
    const root = this.#want(this.#library.root(schema, draft), 0);
    this.#work();
    // Addresses are looked up when everything that can have one is known. What they lead to may have addresses itself.
    for (let resolve = this.#references.pop(); resolve !== undefined; resolve = this.#references.pop()) {
      resolve();
      this.#work();
    }
    refuseEndless([...this.#nodes.values()]);
    const [first] = this.#problems;
    if (first !== undefined) throw new StepweaveError("validation", first.message, { hint: first.hint, problems: this.#problems });
    return root;
  }

  #work(): void {
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) this.#read(task);
  }

  /** The node of a schema, which is read later. */
  #want(position: Position, depth: number): Node {
    const { pointer } = position;
    let node = this.#nodes.get(pointer);
    if (node === undefined) {
      if (depth > MAX_DEPTH) throw new StepweaveError("limit", `the schema is nested deeper than ${MAX_DEPTH} schemas at ${pointer.slice(0, 60)}…`, { hint: "make it flatter, or let what contains itself be a `$ref`" });
      this.#letters += pointer.length;
      if (this.#letters > MAX_LETTERS) throw new StepweaveError("limit", `the schema's keys are too long for as many schemas as are inside of them, at ${pointer.slice(0, 60)}…`, { hint: "keep what is repeated under `$defs`, and refer to it" });
      if (this.#nodes.size === MAX_SCHEMAS) throw new StepweaveError("limit", `the schema holds more than ${MAX_SCHEMAS} schemas`, { hint: "keep what is repeated under `$defs`, and refer to it" });
      node = { pointer, checks: [], leftovers: [], inPlace: [], defaults: { members: [], heads: [], items: undefined, same: [] } };
      this.#nodes.set(pointer, node);
      this.#tasks.push({ position, depth });
    }
    return node;
  }

  #read({ position, depth }: Task): void {
    const { pointer, schema } = position;
    const node = this.#nodes.get(pointer) as Node;
    if (schema === true) return;
    if (schema === false) {
      node.checks.push((_, walk) => walk.fail({ keyword: "false", pointer }));
      return;
    }
    if (!isObject(schema)) {
      throw refused(pointer, "is no schema", "write an object, true or false");
    }
    const home = this.#library.enter(position as Position & { schema: SchemaObject });
    for (const keeper of KEEPERS) {
      const kept = schema[keeper];
      if (!Object.hasOwn(schema, keeper) || !isObject(kept)) continue;
      for (const [key, member] of Object.entries(kept)) this.#want({ ...home, pointer: join(pointer, keeper, key), schema: member }, depth + 1);
    }
    // In the older drafts an address stands for the whole schema.
    const alone = home.draft <= 7 && Object.hasOwn(schema, "$ref");
    const ask = (list: readonly (readonly [string, Keyword])[], into: Node["checks"]): void => {
      for (const [keyword, read] of list) {
        if (!Object.hasOwn(schema, keyword) || (alone && keyword !== "$ref")) continue;
        const check = read(schema[keyword], this.#site(home, node, schema, keyword, depth));
        if (check !== undefined) into.push(check);
      }
    };
    ask(keywordsOf(home.draft), node.checks);
    ask(leftoversOf(home.draft), node.leftovers);
  }

  /** Compiles a pattern of the schema. Its faults are reported when the whole schema has been read. */
  #pattern(text: string, keyword: string, pointer: string): Pattern {
    const known = this.#patterns.get(text);
    if (known !== undefined) return known;
    const read = patternOf(text);
    const pattern = "message" in read ? ANYTHING : read;
    if ("message" in read) this.#problems.push(patternProblem(read, text, keyword, pointer));
    this.#patterns.set(text, pattern);
    this.#instructions += pattern.size;
    if (this.#patterns.size > MAX_PATTERNS || this.#instructions > MAX_INSTRUCTIONS) {
      throw new StepweaveError("limit", `the schema's patterns are more than ${MAX_PATTERNS}, or take more than ${MAX_INSTRUCTIONS} instructions`, {
        hint: "list words with `enum`, and use `minLength` and `maxLength` for the length of a text",
      });
    }
    return pattern;
  }

  #site(home: Position, node: Node, schema: SchemaObject, keyword: string, depth: number): Site {
    const pointer = join(node.pointer, keyword);
    const part = (member: unknown, ...steps: readonly (string | number)[]): Node =>
      this.#want({ ...home, pointer: join(pointer, ...steps), schema: member }, depth + 1);
    const inPlace = (found: Node): Node => {
      node.inPlace.push(found);
      return found;
    };
    return {
      schema,
      draft: home.draft,
      rule: { keyword, pointer },
      defaults: node.defaults,
      part,
      inPlace: (member, ...steps) => inPlace(part(member, ...steps)),
      beside: (name) =>
        Object.hasOwn(schema, name)
          ? inPlace(this.#want({ ...home, pointer: join(node.pointer, name), schema: schema[name] }, depth + 1))
          : undefined,
      refer: (address) => {
        let target: Node | undefined;
        this.#references.push(() => {
          // An address may lead deep into the schema; compiling starts again at its target.
          target = inPlace(this.#want(this.#library.find(address, home, pointer), 0));
        });
        return () => target as Node;
      },
      pattern: (text, ...steps) => this.#pattern(text, keyword, join(pointer, ...steps)),
      refuse: (expected) => {
        throw refused(pointer, `is not what \`${keyword}\` takes`, `write ${expected}`);
      },
    };
  }
}

/** Stands for a pattern that cannot be used while the rest of its schema is read. */
const ANYTHING = patternOf("") as Pattern;

function patternProblem({ kind, message, hint }: PatternFault, text: string, keyword: string, path: string): Problem {
  const form = keyword === "pattern" ? "a regular expression as JavaScript reads it" : "regular expressions as keys, as JavaScript reads them";
  return kind === "subset"
    ? { path, code: "pattern", message: `${where(path)} ${message}`, hint, severity: "error" }
    : { path, code: "pattern", message: `${where(path)} is not what \`${keyword}\` takes`, hint: `write ${form} with the flag u (\`${text}\` is none: ${message}); ${hint}`, severity: "error" };
}

/** Keywords that require nothing, by what they begin with. */
const NOTES = /^(?:\$|x-|title|description|default|example|deprecated|readOnly|writeOnly|format|content|nullable|definitions|m(?:in|ax)Contains|discriminator|externalDocs|xml)/;

/** Whatever has no keyword at all would let everything through, and is mostly the properties of an object without the rest. */
function refuseStranger(schema: unknown, draft: Draft): void {
  const keys = isObject(schema) ? Object.keys(schema) : [];
  const isKnown = (key: string): boolean => NOTES.test(key) || [...keywordsOf(draft), ...leftoversOf(draft)].some(([keyword]) => keyword === key);
  const [first] = keys;
  if (first === undefined || keys.some(isKnown)) return;
  throw refused("", `has no keyword of JSON Schema, but \`${first.slice(0, 60)}\``, `write { type: "object", properties: { ${first.slice(0, 60)}: { type: "string" }, … } }, or a schema of zod, valibot or arktype`);
}

/** A schema that applies itself to the same value would never end. */
function refuseEndless(nodes: readonly Node[]): void {
  const done = new Set<Node>();
  for (const first of nodes) {
    const open = new Set<Node>();
    const stack = [first];
    for (let node = stack.at(-1); node !== undefined; node = stack.at(-1)) {
      if (done.has(node)) {
        stack.pop();
      } else if (open.has(node)) {
        stack.pop();
        open.delete(node);
        done.add(node);
      } else {
        open.add(node);
        const again = node.inPlace.find((next) => open.has(next));
        if (again !== undefined) {
          throw new StepweaveError("limit", `${where(again.pointer)} leads back to itself without end`, {
            hint: "let a `$ref` back stand under a keyword that looks into the value, such as `properties` or `items`",
          });
        }
        stack.push(...node.inPlace.filter((next) => !done.has(next)));
      }
    }
  }
}
