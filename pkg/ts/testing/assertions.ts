import { isStepweaveError, StepweaveError } from "../api/errors.js";
import type { RunResult } from "../api/results.js";
import { isEqual } from "../json/equal.js";
import { nearest } from "../schema/nearest.js";
import { loadValidator } from "../schema/validator.js";
import { evaluated, holds } from "./evaluate.js";
import { judged, type Judging } from "./judge.js";

/**
 * What has to be true of a run when it has ended. `of` is an expression over the final state, such as `draft_output` or
 * `order.items[0].price`; the whole state when absent. `not: true` turns it around.
 *
 * ```ts
 * const assertions: Assertion[] = [
 *   { equals: "people", of: "queue" },
 *   { contains: "Ada", of: "draft_output" },
 *   { regex: "^Dear ", of: "draft_output" },
 *   { schema: { type: "object", required: ["queue"] } },
 *   { expression: "urgent and words < 100" },
 *   { cost: 0.01 },
 *   { "llm-rubric": "The answer is polite and promises nothing.", of: "draft_output" },
 * ];
 * ```
 */
export type Assertion = {
  /** An expression over the final state. */
  readonly of?: string | undefined;
  readonly not?: boolean | undefined;
} & { [Key in keyof Assertable]: Pick<Assertable, Key> & { readonly [Other in Exclude<keyof Assertable, Key>]?: undefined } }[keyof Assertable];

/** What can be asserted: one of these in each assertion. */
export interface Assertable {
  /** The value is this one. */
  readonly equals: unknown;
  /** The text has this in it, or the list this item. */
  readonly contains: unknown;
  /** The text has this pattern in it: a pattern of JSON Schema, without look-around and back references, matched in linear time. */
  readonly regex: string;
  /** The value is JSON text. */
  readonly "is-json": true;
  /** The value fits this JSON Schema. */
  readonly schema: unknown;
  /** This expression over the final state is true. */
  readonly expression: string;
  /** The run cost at most so many US dollars. */
  readonly cost: number;
  /** The run took at most so many milliseconds; a recorded one, as long as it took then. */
  readonly latency: number;
  /** A model judges that the value is as this text says. */
  readonly "llm-rubric": string;
}

/** What an assertion came to. */
export interface Asserted {
  readonly passed: boolean;
  /** What was asserted and, where it did not hold, what was there. */
  readonly message: string;
}

/** A run that is looked at. */
export interface Ended {
  readonly result: RunResult;
  readonly durationMs: number;
}

type Kind = keyof Assertable;
const KINDS: readonly Kind[] = ["equals", "contains", "regex", "is-json", "schema", "expression", "cost", "latency", "llm-rubric"];

/** Refuses what is no assertion, before anything is run. */
export function checkAssertion(given: unknown, where: string): asserts given is Assertion {
  const wrong = (message: string, hint: string): StepweaveError => new StepweaveError("validation", `${where} ${message}`, { hint });
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw wrong("is no object", 'write { "equals": "people", "of": "queue" }');
  const known = [...KINDS, "of", "not"];
  const stranger = Object.keys(given).find((key) => !known.includes(key));
  if (stranger !== undefined) throw wrong(`has no key \`${stranger}\``, `did you mean \`${nearest(stranger, known) ?? KINDS.join("`, `")}\`?`);
  const kinds = KINDS.filter((kind) => Object.hasOwn(given, kind));
  if (kinds.length !== 1) throw wrong(`asserts ${kinds.length === 0 ? "nothing" : kinds.join(" and ")}`, `write one of ${KINDS.join(", ")}`);
  const { of, not, ...rest } = given as Record<string, unknown>;
  const kind = kinds[0] as Kind;
  const value = rest[kind];
  if (of !== undefined && typeof of !== "string") throw wrong("has an `of` that is no text", 'write an expression over the final state, such as "draft_output"');
  if (of !== undefined && ["expression", "cost", "latency"].includes(kind)) throw wrong(`has an \`of\`, and \`${kind}\` is about the whole run`, "leave `of` out");
  if (not !== undefined && typeof not !== "boolean") throw wrong("has a `not` that is neither true nor false", "write not: true");
  if (["regex", "expression", "llm-rubric"].includes(kind) && typeof value !== "string") throw wrong(`has a \`${kind}\` that is no text`, `write { "${kind}": "…" }`);
  if (["cost", "latency"].includes(kind) && !(typeof value === "number" && value >= 0)) throw wrong(`has a \`${kind}\` that is no number`, kind === "cost" ? "write US dollars" : "write milliseconds");
  if (kind === "is-json" && value !== true) throw wrong("has an `is-json` that is not true", "write not: true beside it to turn it around");
}

/** Whether an assertion holds; what cannot be found out does not, with or without `not`. */
export async function asserted(assertion: Assertion, ended: Ended, judging: Judging): Promise<Asserted> {
  const kind = KINDS.find((one) => Object.hasOwn(assertion, one)) as Kind;
  const wanted = (assertion as Record<string, unknown>)[kind];
  const said = `${assertion.of === undefined ? "" : `${assertion.of} `}${assertion.not === true ? "not " : ""}${kind} ${shown(wanted)}`;
  try {
    const { holds: isSo, found } = await check(kind, wanted, assertion.of, ended, judging);
    if (isSo !== (assertion.not === true)) return { passed: true, message: said };
    return { passed: false, message: `${said}: ${found}` };
  } catch (error) {
    if (!isStepweaveError(error)) throw error;
    return { passed: false, message: `${said}: ${error.message}${error.hint === undefined ? "" : ` (${error.hint})`}` };
  }
}

interface Found {
  readonly holds: boolean;
  /** What was there. */
  readonly found: string;
}

async function check(kind: Kind, wanted: unknown, of: string | undefined, { result, durationMs }: Ended, judging: Judging): Promise<Found> {
  switch (kind) {
    case "cost": {
      const { cost, inputTokens, outputTokens } = result.usage;
      if (cost === undefined && inputTokens + outputTokens > 0) throw new StepweaveError("validation", "no price is known of a model", { hint: "write its price into the document" });
      return { holds: (cost ?? 0) <= (wanted as number), found: `it cost ${cost ?? 0}` };
    }
    case "latency":
      return { holds: durationMs <= (wanted as number), found: `it took ${durationMs} ms` };
    case "expression":
      return { holds: await holds(wanted as string, result.state), found: "it is not so" };
    default:
  }
  const value: unknown = of === undefined ? result.state : await evaluated(of, result.state);
  const found = `it is ${shown(value)}`;
  switch (kind) {
    case "equals":
      return { holds: isEqual(value, wanted), found };
    case "contains":
      return { holds: typeof value === "string" ? value.includes(typeof wanted === "string" ? wanted : JSON.stringify(wanted)) : Array.isArray(value) && value.some((item) => isEqual(item, wanted)), found };
    case "is-json":
      return { holds: isJson(value), found };
    case "llm-rubric":
      return judged(wanted as string, value, judging);
    default: {
      // A pattern is matched as in schemas, with their bounds: an expression of a stranger cannot take the thread.
      const schema = kind === "regex" ? { type: "string", pattern: wanted } : wanted;
      const violations = (await loadValidator([schema])).check(schema, value, 3);
      return { holds: violations.length === 0, found: kind === "regex" ? found : violations.map(({ at, keyword }) => `${at === "" ? "the value" : at} does not fit \`${keyword}\``).join("; ") };
    }
  }
}

function isJson(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
