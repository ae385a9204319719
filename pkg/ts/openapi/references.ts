import { StepweaveError } from "../api/errors.js";
import { isPart, type Part, shortened } from "./part.js";
import { LeftOut } from "./left-out.js";

/** A part and the pointer under which it stands; none for what stands where it is used. */
export interface Found {
  readonly part: Part;
  readonly pointer: string | undefined;
}

/** How often parts of one description are looked up: large ones of real services need some ten thousand. */
const MAX_LOOKUPS = 1_000_000;
/** References that lead from one to the next. */
const MAX_CHAIN = 100;

/** The `$ref`s of a description, which lead to other parts of the same text and nowhere else. */
export class References {
  readonly #root: Part;
  #lookups = 0;

  constructor(root: Part) {
    this.#root = root;
  }

  /** The part that this is, or that its references lead to. */
  followed(part: unknown): Part {
    return this.found(part).part;
  }

  found(part: unknown): Found {
    this.#lookups += 1;
    if (this.#lookups > MAX_LOOKUPS) throw new StepweaveError("limit", `the parts of the OpenAPI description refer to each other more than ${MAX_LOOKUPS} times`, { hint: "take fewer operations, with `include`" });
    const seen = new Set<string>();
    let found: Found = { part: partFrom(part, "what it describes"), pointer: undefined };
    for (let ref = found.part["$ref"]; typeof ref === "string"; ref = found.part["$ref"]) {
      if (seen.has(ref)) throw new LeftOut(`the reference ${shown(ref)} leads to itself`);
      seen.add(ref);
      if (seen.size > MAX_CHAIN) throw new LeftOut(`its references lead through more than ${MAX_CHAIN} others, to ${shown(ref)}`);
      found = { part: partFrom(this.#at(ref), shown(ref)), pointer: ref };
    }
    return found;
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

function partFrom(value: unknown, what: string): Part {
  if (isPart(value)) return value;
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
