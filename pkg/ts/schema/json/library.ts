import type { StepweaveError } from "../../api/errors.js";
import { draftOf } from "./drafts.js";
import type { Draft, SchemaObject } from "./node.js";
import { join, member, steps } from "./pointer.js";
import { refused } from "./refused.js";

/** Addresses without a host are read against this one. */
const NOWHERE = "schema:///";

/** A schema, where it stands, and what is true of it because of that. */
export interface Position {
  readonly pointer: string;
  readonly schema: unknown;
  /** The address of the resource that it is in. */
  readonly base: string;
  readonly draft: Draft;
}

/** Where the addresses in a schema lead. */
export class Library {
  readonly #positions = new Map<string, Position>();
  readonly #resources = new Map<string, Position>();
  readonly #anchors = new Map<string, Position>();
  /** Addresses whose meaning depends on the way by which they are reached, and how many have the name. */
  readonly #dynamic = new Map<string, number>();

  root(schema: unknown, draft: Draft): Position {
    const position = { pointer: "", schema, base: NOWHERE, draft };
    this.#resources.set(NOWHERE, position);
    return position;
  }

  /** Registers a schema and its names; returns the position that its members belong to. */
  enter(position: Position & { readonly schema: SchemaObject }): Position {
    const { schema, pointer } = position;
    // In the older drafts what stands beside an address is not looked at.
    const home = position.draft <= 7 && Object.hasOwn(schema, "$ref") ? position : this.#identify(position);
    this.#positions.set(pointer, home);
    if (home.draft >= 2019) {
      for (const key of ["$anchor", "$dynamicAnchor"] as const) {
        const name = schema[key];
        if (typeof name === "string") this.#name(name, home);
        if (typeof name === "string" && key === "$dynamicAnchor") this.#count(name);
      }
      if (schema.$recursiveAnchor === true) this.#count("");
    }
    return home;
  }

  /** What an address in a schema leads to. */
  find(address: string, from: Position, pointer: string): Position {
    const { resource, fragment } = this.#split(address, from, pointer);
    const position = this.#resources.get(resource);
    const found = position === undefined ? undefined : this.#inside(position, fragment);
    if (found === undefined) throw unknown(address, pointer);
    const dynamic = pointer.endsWith("/$dynamicRef") || pointer.endsWith("/$recursiveRef");
    if (dynamic && (this.#dynamic.get(fragment) ?? 0) > 1) {
      throw refused(pointer, `may lead to more than one \`${fragment}\``, "use `$ref` with one of them");
    }
    return found;
  }

  #identify(position: Position & { readonly schema: SchemaObject }): Position {
    const { $id, $schema } = position.schema;
    if (typeof $id !== "string") return position;
    if ($id.startsWith("#") && position.draft <= 7) {
      this.#name($id.slice(1), position);
      return position;
    }
    const { resource, fragment } = this.#split($id, position, join(position.pointer, "$id"));
    if (fragment !== "") {
      throw refused(join(position.pointer, "$id"), "names a part of a schema", "use `$anchor` to name a part");
    }
    const home = { ...position, base: resource, draft: $schema === undefined ? position.draft : draftOf($schema) };
    const other = this.#resources.get(resource);
    // One object that is used twice is no second schema.
    if (other !== undefined && other.schema !== position.schema) {
      throw refused(join(position.pointer, "$id"), `is ${JSON.stringify($id)}, which stands there twice`, "give each schema an `$id` of its own");
    }
    this.#resources.set(resource, home);
    return home;
  }

  #name(name: string, position: Position): void {
    this.#anchors.set(`${position.base}#${name}`, position);
  }

  #count(name: string): void {
    this.#dynamic.set(name, (this.#dynamic.get(name) ?? 0) + 1);
  }

  #inside(resource: Position, fragment: string): Position | undefined {
    if (fragment === "") return resource;
    if (!fragment.startsWith("/")) return this.#anchors.get(`${resource.base}#${fragment}`);
    let position = resource;
    for (const step of steps(fragment)) {
      const schema = member(position.schema, step);
      if (schema === undefined) return undefined;
      const pointer = join(position.pointer, step);
      position = this.#positions.get(pointer) ?? { ...position, pointer, schema };
    }
    return position;
  }

  #split(address: string, from: Position, pointer: string): { resource: string; fragment: string } {
    try {
      const hash = address.indexOf("#");
      const [path, fragment] = hash < 0 ? [address, ""] : [address.slice(0, hash), address.slice(hash + 1)];
      return { resource: path === "" ? from.base : new URL(path, from.base).href, fragment: decodeURIComponent(fragment) };
    } catch {
      throw unknown(address, pointer);
    }
  }
}

function unknown(address: string, pointer: string): StepweaveError {
  const hint = "copy what it leads to under `$defs` and write `#/$defs/<name>`; nothing is fetched";
  return refused(pointer, `leads to ${JSON.stringify(address)}, which is not in the schema`, hint);
}
