import { isObject } from "../api/json.js";
import { patternOf } from "../schema/pattern.js";
import { withoutCircles } from "./circles.js";
import { LeftOut } from "./left-out.js";
import { FreeNames } from "./names.js";
import { entriesOf, itemsOf, type Part, shortened, textFrom, type ToolSchema } from "./part.js";
import type { References } from "./references.js";

/** Characters that the schema of one tool may have, about: a model pays for each of them with every call. */
const MAX_SIZE = 48_000;
/** Characters of a description inside of a schema. */
const MAX_DESCRIPTION = 300;
/** Characters that are taken over in the time of one part of a schema. */
const CHARACTERS_AT_ONCE = 256;
/** Items of an `enum`. More of them are no help to a model. */
const MAX_WORDS = 500;

/** Types that a schema may list: there are seven. */
const MAX_TYPES = 50;
const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];
const SIZES = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];

/** What in a schema has more in it than a word or a number. */
const COMPOUND = ["properties", "items", "prefixItems", "additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "not", "$ref"];

/** An object of these properties and of no others: what else a model sent would be lost without a word. */
export function closed(properties: readonly (readonly [string, ToolSchema])[], required: readonly string[], description: string | undefined): Record<string, unknown> {
  const names = new Set(properties.map(([name]) => name));
  const wanted = [...new Set(required.filter((name) => names.has(name)))];
  return {
    type: "object",
    ...(description !== undefined && { description: shortened(description, MAX_DESCRIPTION) }),
    properties: Object.fromEntries(properties),
    ...(wanted.length > 0 && { required: wanted }),
    additionalProperties: false,
  };
}

/**
 * The schemas of one tool: those of a description in JSON Schema 2020-12. What is referred to stands once under `$defs`, so
 * that no cycle is followed. Schemas are written breadth first: where one becomes too large, what is deep takes any value.
 */
export class Schemas {
  readonly #references: References;
  readonly #isOld: boolean;
  readonly #names = new Map<string, string>();
  readonly #free = new FreeNames();
  readonly #open: [string, Part][] = [];
  readonly #defs: [string, ToolSchema][] = [];
  #left = MAX_SIZE;
  #lacks = false;

  constructor(references: References, isOld: boolean) {
    this.#references = references;
    this.#isOld = isOld;
  }

  /** Whether some of it was left out since it is too large, or since those of all operations together are. */
  get isCut(): boolean {
    return this.#left <= 0 || this.#lacks;
  }

  /** Whether there is no room for what comes now, which is left out then. */
  #isFull(): boolean {
    this.#lacks ||= this.#left <= 0 || this.#references.isSpent;
    return this.#lacks;
  }

  /** A schema of what is sent, with these words about it where it has none of its own. */
  schema(given: unknown, description?: string): ToolSchema {
    const made = this.#converted(given);
    if (description === undefined || made === false) return made;
    const about = { description: shortened(description, MAX_DESCRIPTION) };
    return made === true ? about : { ...made, ...about };
  }

  /** What the schemas refer to. It is called after all of them. */
  definitions(): Record<string, ToolSchema> | undefined {
    // The list grows while it is gone through.
    for (const [name, part] of this.#open) this.#defs.push([name, this.#isFull() ? {} : this.#written(part)]);
    this.#open.length = 0;
    return this.#defs.length === 0 ? undefined : Object.fromEntries(withoutCircles(this.#defs, this.#free));
  }

  /** Counts what is looked at to see how a request is written. */
  look(count: number): void {
    this.#references.look(count);
  }

  /** The schema that a reference leads to. */
  followed(given: unknown): Part {
    return this.#references.followed(given);
  }

  /** The types that a value of a schema may have; none where the schema does not say. */
  typesOf(given: unknown): ReadonlySet<string> {
    const types = new Set<string>();
    for (const schema of this.#madeOf(given, (schema) => (ownTypes(schema).length > 0 ? [] : ["allOf", "anyOf", "oneOf"]))) {
      const own = ownTypes(schema);
      for (const type of own) types.add(type);
      if (own.length === 0 && isObject(schema["properties"])) types.add("object");
    }
    return types;
  }

  /** The properties of an object that are sent, also those that it has by `allOf`. */
  propertiesOf(given: unknown): Map<string, unknown> {
    const all = this.#madeOf(given, () => ["allOf"]).flatMap((schema) => entriesOf(schema["properties"]));
    this.#references.look(all.length);
    return new Map(all.filter(([, property]) => !this.#isReadOnly(property)));
  }

  /** The properties that an object must have, also by `allOf`. */
  requiredIn(given: unknown): string[] {
    const all = this.#madeOf(given, () => ["allOf"]).flatMap((schema) => itemsOf(schema["required"]));
    this.#references.look(all.length);
    return all.filter((name) => typeof name === "string");
  }

  /** The schema of the items of a list. */
  itemsOf(given: unknown): unknown {
    return isObject(given) ? this.#references.followed(given)["items"] : undefined;
  }

  /** A schema behind all that it is made of by these keywords, each once: parts that name each other are in many others. */
  #madeOf(given: unknown, keywords: (schema: Part) => readonly string[]): Part[] {
    const found = new Set<Part>();
    const open = [given];
    for (const next of open) {
      if (!isObject(next)) continue;
      const schema = this.#references.followed(next);
      if (found.has(schema)) continue;
      found.add(schema);
      for (const keyword of keywords(schema)) for (const inner of [...itemsOf(schema[keyword])].reverse()) open.push(inner);
    }
    return [...found].reverse();
  }

  #converted(given: unknown): ToolSchema {
    if (typeof given === "boolean") return given;
    this.#references.write(1);
    if (!isObject(given) || this.#isFull()) return {};
    if (typeof given["$ref"] !== "string") return this.#written(given);
    const { part, pointer } = this.#references.found(given);
    const own = this.#isOld ? {} : this.#written(given);
    if (!COMPOUND.some((key) => part[key] !== undefined)) return { ...this.#written(part), ...own };
    const description = textFrom(given["description"]);
    return { $ref: `#/$defs/${this.#named(pointer as string, part)}`, ...own, ...(description === undefined ? {} : { description: this.#short(description) }) };
  }

  /** The name of a part under `$defs`. */
  #named(pointer: string, part: Part): string {
    const known = this.#names.get(pointer);
    if (known !== undefined) return known;
    const last = pointer.slice(pointer.lastIndexOf("/") + 1).slice(0, 100);
    const plain = shortened(last.replace(/[^A-Za-z0-9_.-]/g, "_"), 60).replace("…", "_") || "part";
    const name = this.#free.take(plain);
    this.#names.set(pointer, name);
    this.#open.push([name, part]);
    return name;
  }

  #written(schema: Part): Record<string, unknown> {
    const { entries: own, paid } = this.#references.once(schema, aboutItself);
    this.#pay(paid);
    const entries: [string, unknown][] = [...own, ...this.#members(schema), ...this.#branches(schema)];
    for (const [key, value] of entries) this.#left -= key.length + (typeof value === "object" ? 4 : String(value).length + 4);
    return this.#nullable(schema, Object.fromEntries(entries));
  }

  *#members(schema: Part): Generator<[string, unknown]> {
    const given = entriesOf(schema["properties"]);
    this.#references.write(given.length);
    const properties = new Map<string, ToolSchema>();
    const dropped = new Set<string>();
    for (const [name, property] of given) {
      if (this.#isFull()) break;
      if (this.#isReadOnly(property)) dropped.add(name);
      else properties.set(this.#paid(name), this.#converted(property));
    }
    const isWhole = properties.size + dropped.size === given.length;
    if (isObject(schema["properties"])) yield ["properties", Object.fromEntries(properties)];
    const listed = itemsOf(schema["required"]);
    this.#references.write(listed.length);
    const required = listed.filter((name) => typeof name === "string" && (isWhole ? !dropped.has(name) : properties.has(name)));
    if (required.length > 0) yield ["required", this.#paid([...new Set(required)])];
    const more = schema["additionalProperties"];
    // Properties that are left out would be additional ones, and refused.
    if (isWhole && (typeof more === "boolean" || isObject(more))) yield ["additionalProperties", this.#converted(more)];
    const rest = typeof schema["items"] === "boolean" || isObject(schema["items"]) ? this.#converted(schema["items"]) : undefined;
    const first = this.#listed(schema["prefixItems"]);
    if (rest !== undefined && first.isWhole) yield ["items", rest];
    if (first.made.length > 0) yield ["prefixItems", first.made];
  }

  *#branches(schema: Part): Generator<[string, unknown]> {
    const all = this.#listed(schema["allOf"]).made;
    // Branches of `oneOf` often overlap without meaning to, and endpoints take the first that fits.
    const [any, one] = [this.#anyOf(schema["anyOf"]), this.#anyOf(schema["oneOf"])];
    if (any.length > 0 && one.length > 0) all.push({ anyOf: one });
    if (any.length + one.length > 0) yield ["anyOf", any.length > 0 ? any : one];
    if (all.length > 0) yield ["allOf", all];
    if (!isObject(schema["not"])) return;
    const not = this.#converted(schema["not"]);
    // What takes any value would refuse every one here.
    if (!this.#isFull()) yield ["not", not];
  }

  /** The schemas of a list as far as there is room for them, and whether these are all. */
  #listed(list: unknown): { made: ToolSchema[]; isWhole: boolean } {
    const given = itemsOf(list);
    this.#references.write(given.length);
    const made: ToolSchema[] = [];
    for (const one of given) {
      if (this.#isFull()) break;
      made.push(this.#converted(one));
    }
    return { made, isWhole: made.length === given.length };
  }

  /** Branches of which one has to fit: where some are left out, any value does. */
  #anyOf(list: unknown): ToolSchema[] {
    const { made, isWhole } = this.#listed(list);
    return isWhole ? made : [...made, {}];
  }

  /** In OpenAPI 3.0 null is allowed by a word beside the type. */
  #nullable(schema: Part, made: Record<string, unknown>): Record<string, unknown> {
    if (!this.#isOld || schema["nullable"] !== true) return made;
    const { description, type, ...rest } = made;
    const about = description === undefined ? {} : { description };
    const isCompound = ["allOf", "anyOf", "const", "not", "$ref"].some((key) => key in rest);
    if (isCompound) return { ...about, anyOf: [{ ...(type === undefined ? {} : { type }), ...rest }, { type: "null" }] };
    const types = type === undefined ? {} : { type: [...new Set([...itemsOf(type), ...(typeof type === "string" ? [type] : []), "null"])] };
    const words = Array.isArray(rest["enum"]) ? { enum: rest["enum"].includes(null) ? rest["enum"] : [...rest["enum"], null] } : {};
    return { ...types, ...about, ...rest, ...words };
  }

  #isReadOnly(property: unknown): boolean {
    if (!isObject(property)) return false;
    return property["readOnly"] === true || (typeof property["$ref"] === "string" && this.#references.followed(property)["readOnly"] === true);
  }

  #short(text: string): string {
    return shortened(text, MAX_DESCRIPTION);
  }

  /** A value that is taken over as it is. */
  #paid<Value>(value: Value): Value {
    this.#pay(sizeOf(value));
    return value;
  }

  #pay(size: number): void {
    this.#left -= size;
    this.#references.write(size / CHARACTERS_AT_ONCE);
  }
}

/** What a schema says of the value itself, which is the same in each operation, and how many characters of it are taken over. */
interface About {
  readonly entries: readonly [string, unknown][];
  readonly paid: number;
}

function aboutItself(schema: Part): About {
  const entries = [...said(schema), ...bounds(schema)];
  const taken = entries.filter(([key]) => key === "enum" || key === "const").map(([, value]) => sizeOf(value));
  return { entries, paid: taken.reduce((sum, size) => sum + size, 0) };
}

function* said(schema: Part): Generator<[string, unknown]> {
  const types = ownTypes(schema).filter((type) => TYPES.includes(type));
  if (types.length > 0) yield ["type", types.length === 1 ? types[0] : [...new Set(types)]];
  const words = [textFrom(schema["description"]) ?? textFrom(schema["title"]), defaultOf(schema)].filter((text) => text !== undefined).join(" ");
  if (words !== "") yield ["description", shortened(words, MAX_DESCRIPTION)];
  const values = itemsOf(schema["enum"]);
  if (values.length > 0 && values.length <= MAX_WORDS) yield ["enum", values];
  if (schema["const"] !== undefined) yield ["const", schema["const"]];
  const format = textFrom(schema["format"]);
  if (format !== undefined && format.length <= 40) yield ["format", format];
  const pattern = schema["pattern"];
  // A pattern that is not matched in linear time is none that a check here may have.
  if (typeof pattern === "string" && !("message" in patternOf(pattern))) yield ["pattern", pattern];
  if (schema["uniqueItems"] === true) yield ["uniqueItems", true];
}

function* bounds(schema: Part): Generator<[string, unknown]> {
  const { multipleOf, minimum, maximum } = schema;
  if (typeof multipleOf === "number" && multipleOf > 0) yield ["multipleOf", multipleOf];
  // In OpenAPI 3.0 a bound is exclusive by a word beside it.
  for (const [key, exclusive, limit] of [["minimum", "exclusiveMinimum", minimum], ["maximum", "exclusiveMaximum", maximum]] as const) {
    if (schema[exclusive] === true && typeof limit === "number") yield [exclusive, limit];
    else if (typeof limit === "number") yield [key, limit];
    if (typeof schema[exclusive] === "number") yield [exclusive, schema[exclusive]];
  }
  for (const key of SIZES) if (Number.isSafeInteger(schema[key]) && (schema[key] as number) >= 0) yield [key, schema[key]];
}

/** Characters of a value as JSON. */
function sizeOf(value: unknown): number {
  // Nothing is written down only to find that it is too long: the same value may stand in every operation.
  let letters = 0;
  for (const text of Array.isArray(value) ? value : [value]) if (typeof text === "string") letters += text.length;
  const size = letters > MAX_SIZE ? letters : (JSON.stringify(value) ?? "").length;
  if (size > MAX_SIZE) throw new LeftOut("its schema has a value that is larger than a model can be shown");
  return size;
}

/** The types that a schema names itself, as one word or as a list. */
function ownTypes({ type }: Part): string[] {
  return itemsOf(typeof type === "string" ? [type] : type).slice(0, MAX_TYPES).filter((one) => typeof one === "string");
}

/** Defaults are words for the model: one that is filled in would be sent, and means more than what is left out. */
function defaultOf(schema: Part): string | undefined {
  const preset = schema["default"];
  if (preset === undefined || preset === null || typeof preset === "object") return undefined;
  return `Default: ${shortened(String(preset), 60)}.`;
}
