import { FreeNames } from "./names.js";
import type { ToolSchema } from "./part.js";

/** What is a word of the language of templates, and so no name of an argument. */
const WORDS = ["state", "steps", "loop", "true", "false", "none", "True", "False", "None", "and", "or", "not", "in", "is", "if", "else"];

/** The arguments of a tool. Their names are names in templates too. */
export class Arguments {
  readonly #names = new FreeNames(WORDS);
  readonly #properties: [string, ToolSchema][] = [];
  readonly #required: string[] = [];

  /** Keeps a name for an argument that is added later. */
  reserve(name: string): void {
    this.#names.keep(name);
  }

  /** An argument of this name, or of one like it, and what it is called. */
  add(wanted: string, schema: ToolSchema, need: "required" | "optional"): string {
    const name = this.#free(wanted);
    this.#put(name, schema, need);
    return name;
  }

  /** The argument whose name was reserved. */
  addReserved(name: string, schema: ToolSchema, need: "required" | "optional"): void {
    this.#put(name, schema, need);
  }

  #put(name: string, schema: ToolSchema, need: "required" | "optional"): void {
    this.#names.keep(name);
    this.#properties.push([name, schema]);
    if (need === "required") this.#required.push(name);
  }

  /** What a model may send, with what the schemas refer to. */
  schema(definitions: Record<string, ToolSchema> | undefined): Record<string, unknown> {
    return {
      type: "object",
      properties: Object.fromEntries(this.#properties),
      ...(this.#required.length > 0 && { required: this.#required }),
      ...(definitions !== undefined && { $defs: definitions }),
      additionalProperties: false,
    };
  }

  #free(wanted: string): string {
    // What is longer than any name is not read to its end for each operation.
    const plain = wanted.slice(0, 1000).replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 60) || "value";
    const begun = /^[A-Za-z]/.test(plain) ? plain : `_${plain}`;
    return this.#names.take(begun);
  }
}

/** A member of a value in an expression; the value is an object or missing. */
export function memberOf(base: string, name: string): string {
  const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !WORDS.includes(name);
  return isName ? `${base}.${name}` : `${base}[${JSON.stringify(name)}]`;
}
