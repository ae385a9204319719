import { StepweaveError } from "../../api/errors.js";
import { loadPatterns } from "../pattern.js";
import type { Validator } from "../violation.js";
import { compile } from "./compile.js";
import { fill } from "./fill.js";
import type { Node } from "./node.js";
import { Walk } from "./walk.js";

export { loadPatterns };

/** How many violations are reported by default. */
const MAX_VIOLATIONS = 50;

// Schemas that are objects are the same one as long as they are the same object.
const known = new WeakMap<object, Node>();

export const validator: Validator = {
  prepare(schema) {
    nodeOf(schema);
  },
  check(schema, value, most = MAX_VIOLATIONS) {
    const node = nodeOf(schema);
    const walk = new Walk(schema, value, most);
    onStack(() => walk.visit(node, value, undefined));
    return walk.violations();
  },
  fill(schema, value) {
    const walk = new Walk(schema, value, 0);
    return onStack(() => fill(nodeOf(schema), value, (steps) => walk.pay(steps)));
  },
};

/** What the work gives; how much of it fits onto the stack is the runtime's to say. */
function onStack<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw new StepweaveError("limit", "the value is nested too deep for its schema", { cause: error });
    throw error;
  }
}

function nodeOf(schema: unknown): Node {
  if (typeof schema !== "object" || schema === null) return compile(schema);
  let node = known.get(schema);
  if (node === undefined) known.set(schema, (node = compile(schema)));
  return node;
}
