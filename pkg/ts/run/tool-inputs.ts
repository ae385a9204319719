import { isObject } from "../api/json.js";
import { inside } from "../schema/inside.js";
import type { CompiledSchema } from "../wasm/boundary.js";

/** A call that a person allows with another input. */
export interface Correction {
  readonly approved: true;
  readonly input: object;
}

/** Whether an answer would have a tool called with another input than the person was asked about. */
export function isCorrection(answer: unknown): answer is Correction {
  return isObject(answer) && (answer as Partial<Correction>).approved === true && isObject((answer as Partial<Correction>).input);
}

/** The schema of a tool's input in a plan, if it has one. */
export function inputOf(schemas: readonly CompiledSchema[], tool: string): CompiledSchema | undefined {
  return schemas.find(({ path }) => path === `tools.${tool}.input`);
}

/** The schema of what a person may answer about a call, with what the tool may be called with instead. */
export function decisionFor(decision: unknown, input: unknown): unknown {
  const [plain, { properties, ...rest }] = (decision as Decision).anyOf;
  return { anyOf: [plain, { ...rest, properties: { ...properties, input: inside(input, "#/anyOf/1/properties/input") } }] };
}

/** How the engine writes it. */
interface Decision {
  readonly anyOf: readonly [object, { readonly properties: object }];
}
