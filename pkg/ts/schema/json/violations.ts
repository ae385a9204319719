import type { Violation } from "../violation.js";
import type { Rule } from "./node.js";
import { member, steps } from "./pointer.js";

/** How many are gathered, besides twice as many as will be reported, before the others are dropped. */
const GATHERED = 2000;

interface Found {
  readonly violation: Violation;
  /** The position in the value, as the number of members before it at each level. */
  readonly position: readonly number[];
  /** The same for the keyword in the schema. */
  readonly rulePosition: readonly number[];
}

/**
 * The first violations of a value.
 *
 * They are in the order of the value, a value before its members; for the same value in the order of the schema.
 * That order does not depend on the way in which they were found.
 */
export class ViolationList {
  readonly #schema: Order;
  readonly #value: Order;
  readonly #most: number;
  #found: Found[] = [];
  /** The last position of those that will be reported, once there are as many: what is behind it is not gathered any more. */
  #last: readonly number[] | undefined;

  /** `most` is how many are reported. */
  constructor(schema: unknown, value: unknown, most: number) {
    this.#most = most;
    this.#schema = new Order(schema);
    this.#value = new Order(value);
  }

  /** `at` is the pointer that the steps of `path` make. */
  add(at: string, path: readonly (string | number)[], rule: Rule, missing: string | undefined): void {
    const position = this.#value.position(path);
    if (this.#last !== undefined && compare(position, this.#last) > 0) return;
    const { keyword, pointer } = rule;
    const violation = { at, keyword, rule: pointer };
    this.#found.push({
      violation: missing === undefined ? violation : { ...violation, missing },
      position,
      rulePosition: this.#schema.position(steps(pointer)),
    });
    if (this.#found.length >= GATHERED + 2 * this.#most) this.#settle();
  }

  first(): Violation[] {
    this.#settle();
    return this.#found.map(({ violation }) => violation);
  }

  #settle(): void {
    const kept = new Map<string, Found>();
    for (const found of this.#found.sort((a, b) => compare(a.position, b.position) || compare(a.rulePosition, b.rulePosition))) {
      const { at, rule, missing } = found.violation;
      const name = JSON.stringify([at, rule, missing]);
      if (!kept.has(name)) kept.set(name, found);
      if (kept.size === this.#most) break;
    }
    this.#found = [...kept.values()];
    if (kept.size === this.#most) this.#last = this.#found.at(-1)?.position;
  }
}

/** The order in which the members of a value stand. */
class Order {
  readonly #root: unknown;
  readonly #keys = new Map<object, Map<string, number>>();

  constructor(root: unknown) {
    this.#root = root;
  }

  position(path: readonly (string | number)[]): number[] {
    let value = this.#root;
    return path.map((step) => {
      const at = this.#index(value, step);
      value = member(value, String(step));
      return at;
    });
  }

  #index(value: unknown, step: string | number): number {
    if (typeof value !== "object" || value === null) return 0;
    if (Array.isArray(value)) return Number(step);
    let keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, (keys = new Map(Object.keys(value).map((key, index) => [key, index]))));
    return keys.get(String(step)) ?? keys.size;
  }
}

function compare(left: readonly number[], right: readonly number[]): number {
  for (const [index, position] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (position !== other) return position - other;
  }
  return left.length - right.length;
}
