import { StepweaveError } from "../../errors.js";
import { draftOf, keywordsOf, leftoversOf } from "./drafts.js";
import { Library, type Place } from "./library.js";
import { isObject, type Keyword, type Node, type SchemaObject, type Site } from "./node.js";
import { join } from "./pointer.js";

/** How deep schemas may be nested. */
const MAX_DEPTH = 256;
/** How many schemas may be in one. */
const MAX_SCHEMAS = 50_000;
const KEEPERS = ["$defs", "definitions"];

/** Reads a schema with everything in it; throws a `StepweaveError` if it cannot be used. */
export function compile(schema: unknown): Node {
  return new Compiler().compile(schema);
}

interface Task {
  readonly place: Place;
  readonly depth: number;
}

class Compiler {
  readonly #library = new Library();
  readonly #nodes = new Map<string, Node>();
  readonly #tasks: Task[] = [];
  readonly #references: (() => void)[] = [];

  compile(schema: unknown): Node {
    const draft = isObject(schema) && schema.$schema !== undefined ? draftOf(schema.$schema) : 2020;
    const root = this.#want(this.#library.root(schema, draft), 0);
    this.#work();
    // Addresses are looked up when everything that can have one is known. What they lead to may have addresses itself.
    for (let resolve = this.#references.pop(); resolve !== undefined; resolve = this.#references.pop()) {
      resolve();
      this.#work();
    }
    refuseEndless([...this.#nodes.values()]);
    return root;
  }

  #work(): void {
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) this.#read(task);
  }

  /** The node of a schema, which is read later. */
  #want(place: Place, depth: number): Node {
    const { pointer } = place;
    let node = this.#nodes.get(pointer);
    if (node === undefined) {
      if (depth > MAX_DEPTH) throw new StepweaveError("limit", `the schema is nested deeper than ${MAX_DEPTH} schemas at ${pointer.slice(0, 60)}…`);
      if (this.#nodes.size === MAX_SCHEMAS) throw new StepweaveError("limit", `the schema holds more than ${MAX_SCHEMAS} schemas`);
      node = { pointer, checks: [], leftovers: [], inPlace: [] };
      this.#nodes.set(pointer, node);
      this.#tasks.push({ place, depth });
    }
    return node;
  }

  #read({ place, depth }: Task): void {
    const { pointer, schema } = place;
    const node = this.#nodes.get(pointer) as Node;
    if (schema === true) return;
    if (schema === false) {
      node.checks.push((_, walk) => walk.fail({ keyword: "false", pointer }));
      return;
    }
    if (!isObject(schema)) {
      throw new StepweaveError("validation", `${where(pointer)} is no schema`, { hint: "write an object, true or false" });
    }
    const home = this.#library.enter(place as Place & { schema: SchemaObject });
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

  #site(home: Place, node: Node, schema: SchemaObject, keyword: string, depth: number): Site {
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
      part,
      inPlace: (member, ...steps) => inPlace(part(member, ...steps)),
      beside: (name) =>
        Object.hasOwn(schema, name)
          ? inPlace(this.#want({ ...home, pointer: join(node.pointer, name), schema: schema[name] }, depth + 1))
          : undefined,
      refer: (address) => {
        let target: Node | undefined;
        this.#references.push(() => {
          // An address may lead deep into the schema; what it leads to begins anew.
          target = inPlace(this.#want(this.#library.find(address, home, pointer), 0));
        });
        return () => target as Node;
      },
      refuse: (expected) => {
        throw new StepweaveError("validation", `${where(pointer)} is not what \`${keyword}\` takes`, { hint: `write ${expected}` });
      },
    };
  }
}

function where(pointer: string): string {
  return pointer === "" ? "the schema" : `the schema's ${pointer}`;
}

/** A schema that asks itself about the same value would never come to an end. */
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
