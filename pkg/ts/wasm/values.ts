import { isStepweaveError, textOf, type StepweaveError } from "../api/errors.js";
import type { StandardSchema } from "../api/schema.js";
import { copyJson, type Redact } from "../json/copy.js";
import { diff, join, merge, mergeAll, sharedKeys } from "../json/patch.js";
import { bytesOf, jsonText } from "../json/size.js";
import { bytesOfWide, plain } from "../json/wide.js";
import { checkBeside } from "../schema/beside.js";
import { accepts } from "../schema/standard.js";
import type { Validator, Violation } from "../schema/violation.js";
import type { CompiledSchema, EngineError } from "./boundary.js";

/** The values of a run, as the engine works with them: it holds references and leaves the rest to this side. */
export class Values {
  /** What finds faults in values; there when the plan has schemas. */
  validator: Validator | undefined;
  schemas: readonly CompiledSchema[] = [];
  /** Values that are refused whatever their schema says of them, and why. */
  readonly refused = new WeakMap<object, StepweaveError>();
  /** Why the value that is checked next was not filled in. */
  #unfilled: unknown;
  /** Takes secrets out of texts, where there are any. */
  redact: Redact;

  merge(state: object, patch: object): object {
    return merge(state, patch);
  }

  mergeAll(state: object, patches: readonly object[]): object {
    return mergeAll(state, patches);
  }

  join(state: object, ends: readonly object[]): object | undefined {
    return join(state, ends);
  }

  diff(before: object, after: object): object {
    return diff(before, after);
  }

  sharedKeys(patches: readonly object[]): string | undefined {
    const shared = sharedKeys(patches);
    return shared.length === 0 ? undefined : jsonText(shared);
  }

  json(value: unknown): string {
    return jsonText(plain(value));
  }

  adopt(value: unknown): unknown {
    return copyJson(value, "value", Number.POSITIVE_INFINITY, this.redact);
  }

  bytes(value: unknown): number {
    return bytesOfWide(value) ?? bytesOf(value);
  }

  violations(schema: number, value: unknown, most: number): string {
    try {
      const refused = this.#unfilled ?? this.refused.get(Object(value) as object);
      this.#unfilled = undefined;
      if (refused !== undefined) throw refused;
      const validator = this.validator as Validator;
      const { schema: own, beside, library } = this.schemas[schema] as CompiledSchema;
      const whole = plain(value);
      const violations = library === undefined ? validator.check(own, whole, most) : violationsFor(library, whole, () => validator.check(own, whole, most));
      if (violations.length === 0 && beside !== undefined) checkBeside(validator, beside.tool, beside.schema, whole);
      return jsonText({ violations });
    } catch (error) {
      const { code, message, hint } = isStepweaveError(error) ? error : { code: "internal" as const, message: textOf(error), hint: undefined };
      return jsonText({ error: { code, message, hint } satisfies EngineError });
    }
  }

  filled(schema: number, value: unknown): unknown {
    try {
      const whole = plain(value);
      const filled = (this.validator as Validator).fill(this.schemas[schema]?.schema, whole);
      return filled === whole ? undefined : filled;
    } catch (error) {
      // What cannot be filled in is checked next, and is refused then.
      this.#unfilled = error;
      return undefined;
    }
  }

  timeOf(text: string): number {
    return Date.parse(text);
  }
}

/** What is wrong with a value that a library does not take as it is. What the library says of its schema may be more than is understood here. */
function violationsFor(library: StandardSchema, value: unknown, check: () => Violation[]): Violation[] {
  if (accepts(library, value)) return [];
  try {
    return check();
  } catch {
    return [];
  }
}
