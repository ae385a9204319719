import { isPart, type Part, shortened } from "./part.js";
import { LeftOut } from "./left-out.js";

/** A part and the pointer under which it stands; none for what stands where it is used. */
export interface Found {
  readonly part: Part;
  readonly pointer: string | undefined;
}

/** The `$ref`s of a description, which lead to other parts of the same text and nowhere else. */
export class References {
  readonly #root: Part;

  constructor(root: Part) {
    this.#root = root;
  }

  /** The part that this is, or that its references lead to. */
  followed(part: unknown): Part {
    return this.found(part).part;
  }

  found(part: unknown): Found {
    const seen = new Set<string>();
    let found: Found = { part: partFrom(part, "what it describes"), pointer: undefined };
    for (let ref = found.part["$ref"]; typeof ref === "string"; ref = found.part["$ref"]) {
      if (seen.has(ref)) throw new LeftOut(`the reference ${shown(ref)} leads to itself`);
      seen.add(ref);
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
