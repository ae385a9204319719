import { StepweaveError } from "../api/errors.js";
import { isObject } from "../api/json.js";
import { type Part, shortened } from "./part.js";
import { LeftOut } from "./left-out.js";

/** A part and the pointer under which it stands; none for what stands where it is used. */
export interface Found {
  readonly part: Part;
  readonly pointer: string | undefined;
}

/** How often parts of one description are looked up: large ones of real services need some ten thousand. */
const MAX_LOOKUPS = 1_000_000;
/** Parts of schemas that are written down for all operations of one description: large ones of real services need some ten thousand. */
const MAX_WRITTEN = 400_000;
/** References that lead from one to the next. */
const MAX_CHAIN = 100;

/** The `$ref`s of a description, which lead to other parts of the same text and nowhere else. */
export class References {
  readonly #root: Part;
  /** What each reference leads to, or why it leads nowhere: the same one stands in many operations. */
  readonly #known = new Map<string, Found | LeftOut>();
  /** What was made of a part once, or why nothing was. */
  readonly #made = new WeakMap<Part, unknown>();
  #lookups = 0;
  #written = 0;

  constructor(root: Part) {
    this.#root = root;
  }

  /** The part that this is, or that its references lead to. */
  followed(part: unknown): Part {
    return this.found(part).part;
  }

  found(part: unknown): Found {
    this.look(1);
    const given = partFrom(part, "what it describes");
    const ref = given["$ref"];
    if (typeof ref !== "string") return { part: given, pointer: undefined };
    const known = this.#known.get(ref) ?? tried(() => this.#end(ref));
    this.#known.set(ref, known);
    if (known instanceof LeftOut) throw known;
    return known;
  }

  /** Counts parts that are looked at to see how requests are written, which nothing stands in for: too many are an error. */
  look(count: number): void {
    this.#lookups += count;
    if (this.#lookups > MAX_LOOKUPS) throw new StepweaveError("limit", `the parts of the OpenAPI description refer to each other more than ${MAX_LOOKUPS} times`, { hint: "take fewer operations, with `include`" });
  }

  /** Counts parts of schemas that are written down. */
  write(count: number): void {
    this.#written += count;
  }

  /** Whether so much was written that the rest is cut. */
  get isSpent(): boolean {
    return this.#written > MAX_WRITTEN;
  }

  /** What is made of a part, which is the same for all operations and not made again for each. */
  once<Made>(part: Part, make: (part: Part) => Made): Made {
    const known = (this.#made.get(part) as Made | LeftOut | undefined) ?? tried(() => make(part));
    this.#made.set(part, known);
    if (known instanceof LeftOut) throw known;
    return known;
  }

  /** Where references end that lead from one to the next. */
  #end(first: string): Found {
    const seen = new Set<string>();
    for (let ref = first; ; ) {
      if (seen.has(ref)) throw new LeftOut(`the reference ${shown(ref)} leads to itself`);
      seen.add(ref);
      if (seen.size > MAX_CHAIN) throw new LeftOut(`its references lead through more than ${MAX_CHAIN} others, to ${shown(ref)}`);
      this.look(1);
      const part = partFrom(this.#at(ref), shown(ref));
      const next = part["$ref"];
      if (typeof next !== "string") return { part, pointer: ref };
      ref = next;
    }
  }

  #at(ref: string): unknown {
    if (ref !== "#" && !ref.startsWith("#/")) throw new LeftOut(`it refers to another file, ${shown(ref)}, and nothing is fetched: put all files into one first, as \`npx @redocly/cli bundle\` does`);
    let value: unknown = this.#root;
    for (const step of ref.split("/").slice(1)) {
      const key = keyOf(step);
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) throw new LeftOut(`its reference ${shown(ref)} leads to nothing`);
      value = (value as Part)[key];
    }
    return value;
  }
}

/** A value, or why there is none. */
function tried<Value>(make: () => Value): Value | LeftOut {
  try {
    return make();
  } catch (error) {
    if (error instanceof LeftOut) return error;
    throw error;
  }
}

function partFrom(value: unknown, what: string): Part {
  if (isObject(value)) return value;
  throw new LeftOut(`${what} is no object`);
}

/** A step of a JSON Pointer in a URL. */
function keyOf(step: string): string {
  const plain = /%[0-9a-f]{2}/i.test(step) ? decoded(step) : step;
  return plain.replaceAll("~1", "/").replaceAll("~0", "~");
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function shown(ref: string): string {
  return shortened(ref, 80);
}
