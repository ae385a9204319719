import { StepweaveError } from "../../errors.js";
import type { Validator } from "../validator.js";
import { compile } from "./compile.js";
import type { Node } from "./node.js";
import { Walk } from "./walk.js";

// Schemas that are objects are the same one as long as they are the same object.
const known = new WeakMap<object, Node>();

export const validator: Validator = {
  prepare(schema) {
    nodeOf(schema);
  },
  check(schema, value) {
    const node = nodeOf(schema);
    const walk = new Walk(schema, value);
    try {
      walk.visit(node, value, undefined);
    } catch (error) {
      // How much fits onto the stack is the runtime's to say.
      if (error instanceof RangeError) throw new StepweaveError("limit", "the value is nested too deep for its schema", { cause: error });
      throw error;
    }
    return walk.violations();
  },
};

function nodeOf(schema: unknown): Node {
  if (typeof schema !== "object" || schema === null) return compile(schema);
  let node = known.get(schema);
  if (node === undefined) known.set(schema, (node = compile(schema)));
  return node;
}
