import { StepweaveError, textOf } from "../api/errors.js";
import type { StandardSchema } from "../api/schema.js";

/** One thing that is wrong with a value, in the words of the library. */
export interface Issue {
  /** Where in the value, as a JSON Pointer; `""` is the value itself. */
  readonly at: string;
  readonly message: string;
}

/** What became of a value. */
export type Checked = { readonly value: unknown } | { readonly issues: readonly Issue[]; /** How many the library has, of which these are the first. */ readonly count: number };

const MAX_ISSUES = 50;

/** Keywords whose members are schemas by name. */
export const BY_NAME: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);
/** Keywords that hold values and no schemas. */
export const VALUES: ReadonlySet<string> = new Set(["const", "enum", "examples"]);

/** Whether this is a schema of a library, and no JSON Schema. Some libraries have functions for schemas. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  const standard: unknown = (schema as Partial<StandardSchema>)["~standard"];
  return (
    typeof standard === "object" &&
    standard !== null &&
    (standard as { version?: unknown }).version === 1 &&
    typeof (standard as { validate?: unknown }).validate === "function"
  );
}

/**
 * The value as the schema makes it, or what is wrong with it: at once where the library answers at once.
 * A validator that throws is a fault of the program: a `StepweaveError` with the code `handler`.
 */
export function checkStandard(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  const { vendor } = schema["~standard"];
  let answer: unknown;
  try {
    answer = validated(schema, value);
  } catch (error) {
    throw threw(vendor, error);
  }
  if (!isThenable(answer)) return checked(vendor, answer);
  return Promise.resolve(answer).then(
    (settled) => checked(vendor, settled),
    (error: unknown) => {
      throw threw(vendor, error);
    },
  );
}

// Schemas whose libraries answer later: they are asked once, when the value is needed.
const answeringLater = new WeakSet<StandardSchema>();

/** Whether a library takes a value as it is; false too where it does not answer at once. */
export function accepts(schema: StandardSchema, value: unknown): boolean {
  if (answeringLater.has(schema)) return false;
  try {
    const checked = checkStandard(schema, value);
    if (!(checked instanceof Promise)) return "value" in checked;
    answeringLater.add(schema);
    checked.catch(() => {});
  } catch {
    // Whoever needs the value is told.
  }
  return false;
}

/** Some libraries write what they fill in into lists that they were given; those of a run are frozen. */
function validated(schema: StandardSchema, value: unknown): unknown {
  try {
    return schema["~standard"].validate(value);
  } catch (error) {
    if (!(error instanceof TypeError) || !Object.isFrozen(value)) throw error;
    return schema["~standard"].validate(structuredClone(value));
  }
}

/**
 * The JSON Schema of what a library's schema accepts or gives. A part of it that has none, such as a date, allows everything.
 * `true`, which allows everything, where nothing can be known: a transform or a check in code has no JSON Schema.
 */
export function jsonSchemaOf(schema: StandardSchema, side: "input" | "output"): unknown {
  const whole = derived(schema, side, {});
  return whole === true ? derived(schema, side, LENIENT) : whole;
}

/** How zod and valibot are told to go on at a part that has no JSON Schema. */
const LENIENT = { unrepresentable: "any", errorMode: "ignore" };

function derived(schema: StandardSchema, side: "input" | "output", libraryOptions: object): unknown {
  const converter = (schema["~standard"] as { jsonSchema?: Record<string, unknown> }).jsonSchema;
  const own = schema as { toJSONSchema?: unknown; toJsonSchema?: unknown };
  const ways: (() => unknown)[] = ["draft-2020-12", "draft-07"].map((target) => () => call(converter, converter?.[side], { target, libraryOptions }));
  // Before the standard had a way, some libraries had their own.
  ways.push(() => call(schema, own.toJSONSchema, { io: side, ...libraryOptions }), () => (side === "input" ? call(schema, own.toJsonSchema) : undefined));
  for (const way of ways) {
    try {
      const found = way();
      if (typeof found === "object" && found !== null) return JSON.parse(JSON.stringify(found));
    } catch {
      // This way does not work for the schema.
    }
  }
  return true;
}

/**
 * What a library says of its schema, without the defaults: the library itself puts them in, and some are new each time.
 * What is left is for others to read and for what can be said of a value before.
 */
export function withoutDefaults(schema: unknown): unknown {
  return stripped(schema, true);
}

function stripped(part: unknown, isSchema: boolean): unknown {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((member) => stripped(member, isSchema));
  const members = Object.entries(part).filter(([key]) => !isSchema || key !== "default");
  const kept = members.map(([key, member]) => [key, isSchema && VALUES.has(key) ? member : stripped(member, !(isSchema && BY_NAME.has(key)))]);
  return Object.fromEntries(kept);
}

function call(home: unknown, method: unknown, ...given: unknown[]): unknown {
  return typeof method === "function" ? method.apply(home, given) : undefined;
}

function checked(vendor: string, answer: unknown): Checked {
  if (typeof answer !== "object" || answer === null) throw noAnswer(vendor);
  const { issues } = answer as { issues?: unknown };
  if (!issues) {
    if (!("value" in answer)) throw noAnswer(vendor);
    return { value: answer.value };
  }
  if (!Array.isArray(issues)) throw noAnswer(vendor);
  if (issues.length === 0) return { issues: [{ at: "", message: "is refused without a reason" }], count: 1 };
  // A library's lists may be of a special class, whose `map` makes more than the members.
  return { issues: [...issues].slice(0, MAX_ISSUES).map(issueOf), count: issues.length };
}

function issueOf(issue: { message?: unknown; path?: unknown }): Issue {
  const path: unknown[] = Array.isArray(issue?.path) ? [...issue.path] : [];
  const keys = path.map((step) => (typeof step === "object" && step !== null ? (step as { key?: unknown }).key : step));
  const at = keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return { at, message: typeof issue?.message === "string" ? issue.message : "is not valid" };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

function threw(vendor: string, error: unknown): StepweaveError {
  return new StepweaveError("handler", `the ${vendor} schema threw: ${textOf(error)}`, {
    cause: error,
    hint: "let checks and transforms in a schema report what is wrong instead of throwing",
  });
}

function noAnswer(vendor: string): StepweaveError {
  return new StepweaveError("handler", `the ${vendor} schema answered with neither a value nor issues`, {
    hint: "its `~standard.validate` must follow https://standardschema.dev",
  });
}
