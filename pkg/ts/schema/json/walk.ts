import { StepweaveError } from "../../api/errors.js";
import type { Pattern } from "../pattern.js";
import type { Violation } from "../violation.js";
import type { Node, Rule, Seen, Walk as Way } from "./node.js";
import { join } from "./pointer.js";
import { ViolationList } from "./violations.js";

/** How deep a value may be nested where a schema looks. */
const MAX_DEPTH = 512;
/** How many schemas may be at work inside each other: as many as every runtime's stack holds. */
const MAX_NESTED = 1280;
/**
 * The work that one value may take: a step is a key that is looked up, or some characters that are compared. It ends unions
 * of unions whose work doubles with each level, and all else that grows faster than the value.
 */
const MAX_STEPS = 50_000_000;
/** Steps that applying a schema takes, and that going to a member for it takes besides. */
const ASKING = 5;
const ENTERING = 5;
/** Steps that listing a key takes, and noting one. */
const LISTING = 20;
const NOTING = 10;
/** Steps that reporting a violation takes, and how many characters of its paths are as much as one of them. */
const TELLING = 200;
const LETTERS = 4;

/** One way through a value along its schema. */
export class Walk implements Way {
  readonly #list: ViolationList;
  readonly #path: (string | number)[] = [];
  #nested = 0;
  #steps = 0;
  /** Above zero where only the verdict counts. */
  #silent = 0;

  constructor(schema: unknown, value: unknown, most: number) {
    this.#list = new ViolationList(schema, value, most);
  }

  /** How much work has been done. */
  get steps(): number {
    return this.#steps;
  }

  violations(): Violation[] {
    return this.#list.first();
  }

  visit(node: Node, value: unknown, seen: Seen | undefined): boolean {
    if (++this.#nested > MAX_NESTED) throw this.#tooDeep();
    this.pay(ASKING);
    const own = node.leftovers.length === 0 ? seen : new Set<string | number>();
    let valid = this.#all(node.checks, value, own);
    // When a key has been reported as wrong, it need not be reported as unexpected too.
    if (valid && node.leftovers.length > 0) {
      valid = this.#all(node.leftovers, value, own);
      if (seen !== undefined && own !== undefined) this.note(own, seen);
    }
    this.#nested -= 1;
    return valid;
  }

  enter(key: string | number, node: Node, value: unknown): boolean {
    if (this.#path.push(key) > MAX_DEPTH) {
      throw new StepweaveError("limit", `the value is nested deeper than ${MAX_DEPTH} levels at ${join("", ...this.#path.slice(0, 3))}/…`, {
        hint: "keep values flatter, or leave the schema's depth open with `true`",
      });
    }
    this.pay(ENTERING);
    const valid = this.visit(node, value, undefined);
    this.#path.pop();
    return valid;
  }

  judge(node: Node, value: unknown, seen: Seen | undefined): boolean {
    this.#silent += 1;
    const valid = this.visit(node, value, seen);
    this.#silent -= 1;
    return valid;
  }

  judgeMember(key: string | number, node: Node, value: unknown): boolean {
    this.#silent += 1;
    const valid = this.enter(key, node, value);
    this.#silent -= 1;
    return valid;
  }

  pay(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw tooMuch();
  }

  keysOf(value: object): string[] {
    const keys = Object.keys(value);
    this.pay(keys.length * LISTING);
    return keys;
  }

  note(looked: Seen, seen: Seen): void {
    this.pay(looked.size * NOTING);
    for (const key of looked) seen.add(key);
  }

  finds(pattern: Pattern, text: string): boolean {
    this.pay(pattern.workFor(text));
    return pattern.isIn(text);
  }

  fail(rule: Rule, missing?: string): false {
    if (this.#silent > 0) return false;
    const at = join("", ...this.#path);
    this.pay(TELLING + (at.length + rule.pointer.length) / LETTERS);
    this.#list.add(at, this.#path, rule, missing);
    return false;
  }

  failAt(key: string | number, rule: Rule): false {
    this.pay(1);
    if (this.#silent === 0) {
      this.#path.push(key);
      this.fail(rule);
      this.#path.pop();
    }
    return false;
  }

  #all(checks: Node["checks"], value: unknown, seen: Seen | undefined): boolean {
    let valid = true;
    for (const check of checks) {
      if (check(value, this, seen)) continue;
      valid = false;
      if (this.#silent > 0) break;
    }
    return valid;
  }

  #tooDeep(): StepweaveError {
    return new StepweaveError("limit", `more than ${MAX_NESTED} schemas are at work inside each other at ${join("", ...this.#path.slice(0, 3)) || "the value"}`, {
      hint: "keep values flatter, or nest fewer anyOf, allOf and $ref in each other",
    });
  }
}

function tooMuch(): StepweaveError {
  return new StepweaveError("limit", `the value takes more than ${MAX_STEPS} steps to check`, {
    hint: "make the members of anyOf and oneOf differ early, such as by a `const`, use fewer and shorter patterns, or check less at once",
  });
}
