import type { JsonObject } from "../api/document.js";
import { StepweaveError } from "../api/errors.js";
import { isObject } from "../api/json.js";
import type { StandardSchema } from "../api/schema.js";
import { checkStandard } from "../schema/standard.js";
import { loadValidator } from "../schema/validator.js";

/** What checks the state with which a run begins: a JSON Schema, or the schema of a library; a function is neither. */
export interface Judge {
  readonly schema: unknown;
  readonly library: StandardSchema | undefined;
}

/** What every run of a served workflow begins with by its `initialState`, and its `input` does not name: no caller can mend that. */
export class OwnState {
  readonly #workflow: string;
  readonly #initial: JsonObject;
  readonly #keys: readonly string[];
  readonly #judge: Judge;

  constructor(workflow: string, initial: JsonObject, members: ReadonlyMap<string, unknown>, judge: Judge) {
    this.#workflow = workflow;
    this.#initial = initial;
    this.#keys = Object.keys(initial).filter((key) => !members.has(key));
    this.#judge = judge;
  }

  /** Throws where it is known before any call that `input` refuses it: callers would be told of it at each call. */
  check(): void {
    if (this.#keys.length === 0) return;
    const { schema, library } = this.#judge;
    const own = Object.fromEntries(this.#keys.map((key) => [key, this.#initial[key]]));
    if (library !== undefined && faultsIn(library, own) > faultsIn(library, {})) throw this.#refusal(this.#keys);
    if (isObject(schema) && schema.additionalProperties === false && schema.patternProperties === undefined) throw this.#refusal(this.#keys);
  }

  /** The error of a run whose state its `input` has refused: the caller's, unless the workflow's own part of it is at fault. */
  async whose(misfit: StepweaveError, given: object): Promise<StepweaveError> {
    const begun = Object.keys(this.#initial).filter((key) => !Object.hasOwn(given, key));
    const refused = begun.filter((key) => misfit.problems?.some(({ path }) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`)));
    const keys = begun.filter((key) => this.#keys.includes(key));
    const own = refused.filter((key) => keys.includes(key));
    if (own.length > 0) return this.#refusal(own);
    if (refused.length > 0) return missing(refused);
    const rest = Object.fromEntries(Object.entries(this.#initial).filter(([key]) => !keys.includes(key)));
    return keys.length > 0 && (await this.#fits({ ...rest, ...given })) ? this.#refusal(keys) : misfit;
  }

  async #fits(state: object): Promise<boolean> {
    const { schema, library } = this.#judge;
    try {
      if (library !== undefined) return !("issues" in (await checkStandard(library, state)));
      if (schema === undefined) return false;
      const validator = await loadValidator([schema]);
      return validator.check(schema, validator.fill(schema, state), 1).length === 0;
    } catch {
      // What fails at this state fails for what the caller gave.
      return false;
    }
  }

  #refusal(keys: readonly string[]): StepweaveError {
    return new StepweaveError("document", `the workflow \`${this.#workflow}\` cannot be served: no run can begin, since its \`input\` refuses what its own initialState has: ${keys.map((key) => `\`${key}\``).join(", ")}`, {
      hint: "`input` is the schema of the whole state at the start: name the keys in it, or have it take others",
    });
  }
}

/** The error of a caller that has left out what the workflow begins with a place for; what stands there is not the caller's. */
function missing(keys: readonly string[]): StepweaveError {
  const names = keys.map((key) => `\`${key}\``).join(", ");
  return new StepweaveError("validation", `the input of the workflow does not fit its schema: ${names} ${keys.length === 1 ? "is" : "are"} missing, and what the workflow has instead does not fit`, { hint: `send ${names}` });
}

/** How much a library finds wrong with a state; nothing where it does not answer at once. */
function faultsIn(schema: StandardSchema, state: object): number {
  try {
    const checked = checkStandard(schema, state);
    if (!(checked instanceof Promise)) return "issues" in checked ? checked.issues.length : 0;
    checked.catch(() => {});
  } catch {
    // A check that throws here may do so for want of what callers give: each of their runs is told.
  }
  return 0;
}
