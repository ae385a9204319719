import type { Limits } from "../api/document.js";
import { isStepweaveError, StepweaveError } from "../api/errors.js";
import type { Handlers } from "../api/functions.js";
import { isObject } from "../api/json.js";
import type { OwnOrigins } from "../effects/reach.js";
import type { BoundSecret } from "../effects/secrets.js";
import { copyJson, copyPatch, EMPTY, TooLarge } from "../json/copy.js";
import { hasMoreValues } from "../json/count.js";
import { NotJson } from "../json/not-json.js";
import { jsonText } from "../json/size.js";
import { nearest } from "../schema/nearest.js";
import type { Instance } from "../wasm/instance.js";
import { Bus } from "./bus.js";
import { byName, type Functions } from "./functions.js";
import { boundsText } from "./limits.js";
import { NO_OPTIONS, settingsOf, type Settings } from "./options.js";
import { compile, type Plan } from "./plan.js";

/** Documents may be deeper than states, since each step inside a step is two levels. The engine has its own bound. */
const MAX_DOCUMENT_DEPTH = 1100;

/**
 * How many objects may stand in a document again, each counted with those inside of it: a few that share their members can be
 * more as text than any program has room for.
 */
const MAX_AGAIN = 100_000;

/** How much JSON a document may have: the largest that people have made with the builder is a tenth of it. */
const MAX_DOCUMENT_BYTES = 8_000_000;

/** How many values a document may have: very many small ones take much longer to read than their bytes explain. */
const MAX_DOCUMENT_VALUES = 500_000;

/** How many sets of bounds a program keeps plans for. */
const MAX_PLANS = 8;

/** A document and what code gives it. */
export interface Parts {
  readonly document: unknown;
  readonly functions: Functions;
  readonly secrets: ReadonlyMap<string, BoundSecret>;
  /** The addresses that code itself has named. */
  readonly origins: OwnOrigins;
  /** The tools of code that stand in the document as data. */
  readonly tools: ReadonlySet<string> | undefined;
}

/** What runs are made of: a document's text and the functions and secrets that belong to it. */
export class Program {
  readonly text: string;
  /** The document as plain frozen data; undefined when the text is no JSON. */
  readonly document: unknown;
  readonly functions: Functions;
  readonly secrets: ReadonlyMap<string, BoundSecret>;
  readonly origins: OwnOrigins;
  readonly tools: ReadonlySet<string> | undefined;
  /** Why no run can begin, when it is known already. */
  readonly broken: StepweaveError | undefined;
  readonly initialState: object;
  readonly bus: Bus;
  #settings: Settings | undefined;
  #handlers: Handlers | undefined;
  /** By the bounds that they keep. */
  readonly #plans = new Map<string, { readonly plan: Plan; readonly on: Instance }>();

  constructor({ document: source, functions, secrets, origins, tools }: Parts, bus = new Bus()) {
    this.bus = bus;
    this.functions = functions;
    this.secrets = secrets;
    this.origins = origins;
    this.tools = tools;
    let initialState = EMPTY;
    let broken: StepweaveError | undefined;
    let text = "";
    let document: unknown;
    try {
      document = typeof source === "string" ? parsed(source) : copyDocument(source);
      text = typeof source === "string" ? source : jsonText(document);
      initialState = stateOf(document);
    } catch (error) {
      broken = isStepweaveError(error) ? error : notData(error, origins === "all");
    }
    this.text = text;
    this.document = document;
    this.initialState = initialState;
    this.broken = broken;
  }

  get name(): string {
    const name = (this.document as { name?: unknown } | null | undefined)?.name;
    return typeof name === "string" ? name : "";
  }

  /** Every function that the document names, by its name. */
  get handlers(): Handlers {
    return (this.#handlers ??= byName(this.functions));
  }

  /** The settings of runs without options, which share them; throws `validation`. */
  get settings(): Settings {
    return (this.#settings ??= settingsOf(NO_OPTIONS, this));
  }

  /** Another document, with the secrets of this program; who listens here hears its runs too. */
  over(parts: Parts): Program {
    return new Program({ ...parts, secrets: new Map([...parts.secrets, ...this.secrets]) }, this.bus);
  }

  /** The document, compiled for this instance within these bounds, perhaps with other pins; throws `document`. */
  planOn(instance: Instance, limits: Limits | undefined, pins: object | false): Plan {
    if (this.broken !== undefined) throw this.broken;
    const bounds = boundsText(limits);
    const { document, functions } = this;
    // What is no object is refused as it is.
    const isPinned = pins !== false && isObject(document);
    const text = isPinned ? jsonText({ ...document, pins }) : this.text;
    const key = pins === false ? bounds : `${bounds} ${jsonText(pins)}`;
    const known = this.#plans.get(key);
    // An instance that dies takes its plans with it; the next one compiles its own.
    if (known?.on === instance) return known.plan;
    const plan = compile(instance, { text, document, functions }, bounds);
    if (this.#plans.size >= MAX_PLANS) this.#plans.clear();
    this.#plans.set(key, { plan, on: instance });
    return plan;
  }
}

/** The JSON text of a document; throws `document` when it holds something else than data. */
export function textOfDocument(source: unknown): string {
  if (typeof source === "string") return source;
  try {
    return jsonText(copyDocument(source));
  } catch (error) {
    throw notData(error, false);
  }
}

/** A frozen copy of a document; throws {@link NotJson}, `limit`, and {@link TooLarge} and {@link TooMany} beyond what it may have. */
export function copyDocument(source: unknown, maxBytes?: number, maxValues = Infinity): unknown {
  const copy = copyJson(source, "document", MAX_DOCUMENT_DEPTH, undefined, maxBytes);
  refuseRepeated(copy, maxValues);
  return copy;
}

/**
 * A document that somebody gives, before anything else reads it: its text, or a frozen copy. Throws `document` for more than
 * a document may have; what is no data is left as it is, for what reads it to say so.
 */
export function documentWithin(source: unknown): unknown {
  if (typeof source === "string") {
    if (source.length > MAX_DOCUMENT_BYTES) throw tooLarge(`${MAX_DOCUMENT_BYTES} bytes of JSON`);
    if (hasMoreValues(source, MAX_DOCUMENT_VALUES)) throw tooLarge(`${MAX_DOCUMENT_VALUES} values`);
    return source;
  }
  try {
    return copyDocument(source, MAX_DOCUMENT_BYTES, MAX_DOCUMENT_VALUES);
  } catch (error) {
    if (error instanceof TooLarge) throw tooLarge(`${error.most} bytes of JSON`);
    if (error instanceof TooMany) throw tooLarge(`${error.most} values`);
    return source;
  }
}

/** A document that has more values than it may have. */
class TooMany extends Error {
  constructor(readonly most: number) {
    super(`it has more than ${most} values`);
  }
}

function tooLarge(most: string): StepweaveError {
  const message = `the document has more than ${most}`;
  const hint = "give large values to a run by its option `state`, and keep files in a store";
  return new StepweaveError("document", message, { hint, problems: [{ path: "", code: "too_large", message, hint, severity: "error" }] });
}

function refuseRepeated(document: unknown, maxValues: number): void {
  const known = new Map<object, number>();
  let again = 0;
  let values = 0;
  const objectsIn = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0;
    const counted = known.get(value);
    again += counted ?? 0;
    if (again > MAX_AGAIN) {
      throw new StepweaveError("limit", `the workflow has more than ${MAX_AGAIN} objects that stand in it several times`, {
        hint: "write a schema that others share under its `$defs` once, and refer to it: { $ref: \"#/$defs/address\" }",
      });
    }
    if (counted !== undefined) return counted;
    const members = Object.values(value);
    values += Math.max(members.length, 1);
    if (values > maxValues) throw new TooMany(maxValues);
    let objects = 1;
    for (const member of members) objects += objectsIn(member);
    known.set(value, objects);
    return objects;
  };
  objectsIn(document);
}

/** The keys of steps that take functions. */
const TAKING = ["run", "inputFrom", "condition", "approved", "items", "files"];

/** What to write where a function stands that nothing takes there. */
function functionHint(place: string, isCode: boolean): string {
  if (!isCode) return "name it, as in { handler: \"name\" }, and pass it in `handlers`; or write the workflow with new Workflow({ … })";
  if (place.endsWith("]")) return "no function is taken here: a step that is one is { name: \"…\", run: (state) => ({ … }) }";
  const [, holding] = /^steps\[.*\.(\w+)(?:\[\d+\])?\.run$/.exec(place) ?? [];
  if (holding !== undefined) return `\`${holding}\` holds no steps: those of a step stand in its \`steps\``;
  const [, key] = /(?:^|[\].])(?:steps|parallel|else|default|expired)\[\d+\]\.(\w+)$/.exec(place) ?? [];
  if (key === undefined || TAKING.includes(key)) return "no function is taken here: write what it gives, or a template or expression over the state";
  const meant = nearest(key, TAKING);
  return meant === undefined ? `functions of a step stand under ${TAKING.join(", ")}` : `did you mean \`${meant}\`?`;
}

function notData(error: unknown, isCode: boolean): StepweaveError {
  if (!(error instanceof NotJson)) throw error;
  const { path, fault, message } = error;
  const place = path.replace(/^document\.?/, "");
  const hint = fault === "is a function" ? functionHint(place, isCode) : place === "" && fault === "is a Workflow" ? "pass the document of the workflow: workflow.toDocument()" : error.hintTo("write");
  return new StepweaveError("document", `the workflow cannot be run: ${message}`, {
    hint,
    problems: [{ path: place, code: "not_json", message: `${place || "the document"} ${fault}`, hint, severity: "error" }],
    cause: error.cause,
  });
}

/** Undefined when the text is no JSON: the engine says so in its own words. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function stateOf(document: unknown): object {
  const state = (document as { initialState?: unknown } | null | undefined)?.initialState;
  if (typeof state !== "object" || state === null || Array.isArray(state)) return EMPTY;
  try {
    return copyPatch(state, "initialState");
  } catch (error) {
    throw notData(error, false);
  }
}
