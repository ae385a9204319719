import type { HttpFormPart, HttpRequestDocument } from "../api/http.js";
import { isObject } from "../api/json.js";
import { type Arguments, memberOf } from "./arguments.js";
import { LeftOut } from "./left-out.js";
import { entriesOf, type Part, shortened, textFrom, type ToolSchema } from "./part.js";
import { DELIMITERS, MAX_NAME, type Missing, written } from "./parameters.js";
import type { References } from "./references.js";
import { closed, type Schemas } from "./schemas.js";

/** The argument that is the body. */
export const BODY = "body";
/** A field is read several times, and written down for the model and for the request. */
const LOOKS_AT_FIELD = 5;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
/** What is said of a file to a model. */
const FILE = { description: "A file: its text, or { mediaType, data } with its bytes in base64.", anyOf: [{ type: "string" }, { type: "object", properties: { mediaType: { type: "string" }, data: { type: "string" } }, required: ["data"] }] };

/** How the bodies of a media type are written, in the order in which they are taken. */
const FORMS: readonly (readonly [RegExp, "json" | "form" | "multipart" | "text"])[] = [
  [/^(?:application\/json|\*\/\*|application\/\*)$/, "json"],
  [/^application\/[\w.-]+\+json$/, "json"],
  [/^application\/x-www-form-urlencoded$/, "form"],
  [/^multipart\/form-data$/, "multipart"],
  [/^text\/(?!event-stream|\*)|^application\/(?:[\w.-]+\+)?(?:xml|x?-?ndjson|x-yaml|yaml|sql|graphql)$/, "text"],
];

/** What a request sends, and which parts of it are left out. */
export interface Content {
  readonly body: HttpRequestDocument["body"];
  /** Headers that belong to it. */
  readonly headers: readonly [string, string][];
  readonly missing: readonly Missing[];
}

const NOTHING: Content = { body: undefined, headers: [], missing: [] };

/** What the request of an operation sends. Its argument is `body`, whatever else is called so. */
export function contentOf(given: unknown, method: string, references: References, schemas: Schemas, args: Arguments): Content {
  if (given === undefined) return NOTHING;
  const described = references.followed(given);
  const isRequired = described["required"] === true;
  if (method === "GET" || method === "HEAD") {
    if (isRequired) throw new LeftOut(`it is a ${method} that needs a body, which not every server gets to see`);
    return { ...NOTHING, missing: [{ part: "the body", reason: `is not sent with a ${method}` }] };
  }
  references.look(entriesOf(described["content"]).length * FORMS.length);
  const found = contentFrom(described);
  if (found === undefined) {
    const types = entriesOf(described["content"]).slice(0, 10).map(([type]) => shortened(type, 60));
    const reason = `is ${types.join(" or ") || "of no type"}, which requests do not write`;
    if (isRequired) throw new LeftOut(`its body ${reason}`);
    return { ...NOTHING, missing: [{ part: "the body", reason }] };
  }
  const [type, form, media] = found;
  const writing = new Writing(media, isRequired, textFrom(described["description"]), schemas, args);
  if (form === "json") {
    const isPlain = type === "application/json" || type.includes("*");
    return { ...NOTHING, body: { json: writing.json() }, headers: isPlain ? [] : [["content-type", isRequired ? type : `{{ '${type}' if ${BODY} | default(none) is not none else none }}`]] };
  }
  if (form === "text") return { ...NOTHING, body: { text: `{{ ${writing.whole("required", { type: "string" })} }}`, type } };
  return form === "form" ? writing.form() : writing.multipart();
}

function contentFrom({ content }: Part): [string, (typeof FORMS)[number][1], Part] | undefined {
  const types = entriesOf(content).map(([type, media]) => [(type.slice(0, 1000).split(";")[0] as string).trim().toLowerCase(), media] as const);
  for (const [pattern, form] of FORMS) {
    for (const [type, media] of types) if (pattern.test(type) && (MEDIA_TYPE.test(type) || form === "json")) return [type, form, isObject(media) ? media : {}];
  }
  return undefined;
}

/** One body as it is written down. */
class Writing {
  readonly #missing: Missing[] = [];

  constructor(
    readonly media: Part,
    readonly isRequired: boolean,
    readonly description: string | undefined,
    readonly schemas: Schemas,
    readonly args: Arguments,
  ) {}

  /** The argument that is the whole body. */
  whole(need: "required" | "optional", schema = this.schemas.schema(this.media["schema"] ?? {}, this.description)): string {
    this.args.addReserved(BODY, schema, need);
    return BODY;
  }

  /** A body of null is not sent. */
  json(): string {
    return this.isRequired ? `{{ ${this.whole("required")} }}` : `{{ ${this.whole("optional")} | default(none) }}`;
  }

  form(): Content {
    const fields: [string, string][] = [];
    for (const [name, value, property] of this.#fields()) {
      if (this.#isFile(property, name)) this.#leaveOut(name, "is a file, which a form without files does not take");
      else if (this.#isDeep(property, name)) this.#leaveOut(name, "is written in the style deepObject");
      else fields.push([name, this.#listed(value, property, name)]);
    }
    this.#argument(fields.map(([name]) => name), false);
    return { ...NOTHING, body: { form: Object.fromEntries(fields) }, missing: this.#missing };
  }

  /** A value of a form. A list repeats its name, unless its encoding says that it stands there once. */
  #listed(value: string, property: unknown, name: string): string {
    const { style = "form", explode = style === "form" } = this.#encodingOf(name);
    const delimiter = DELIMITERS.get(style);
    if (explode !== false || delimiter === undefined || !this.schemas.typesOf(property).has("array")) return `{{ ${value} | default(none) }}`;
    return written(value, `join('${delimiter}')`);
  }

  multipart(): Content {
    const parts: HttpFormPart[] = [];
    for (const [name, value, property] of this.#fields()) {
      const type = this.#typeOf(name);
      const typed = type === undefined ? {} : { type };
      if (this.#isFile(property, name)) parts.push({ name, file: `${value} | default(none)`, ...typed });
      else parts.push({ name, text: `{{ ${value} | default(none) }}`, ...typed });
    }
    this.#argument(parts.map(({ name }) => name), true);
    return { ...NOTHING, body: { multipart: parts }, missing: this.#missing };
  }

  /** The fields of a form: each with the expression of its value, and its schema. */
  *#fields(): Generator<[string, string, unknown]> {
    const properties = this.schemas.propertiesOf(this.media["schema"]);
    if (properties.size === 0) throw new LeftOut("its body is a form whose fields are not known");
    this.schemas.look(properties.size * LOOKS_AT_FIELD);
    for (const [name, property] of properties) {
      if (/\p{Cc}/u.test(name) || name === "" || name.length > MAX_NAME) this.#leaveOut(name, "has a name that no form holds");
      else yield [name, memberOf(this.isRequired ? BODY : `(${BODY} | default({}))`, name), property];
    }
  }

  /** The body's argument, with the fields that are sent. Files are described as models can give them. */
  #argument(names: readonly string[], hasFiles: boolean): void {
    const properties = this.schemas.propertiesOf(this.media["schema"]);
    const schemaOf = (name: string): ToolSchema => {
      const property = properties.get(name);
      if (!hasFiles || !this.#isFile(property, name)) return this.schemas.schema(property);
      return this.schemas.typesOf(property).has("array") ? { type: "array", items: FILE } : FILE;
    };
    const required = this.schemas.requiredIn(this.media["schema"]);
    const sent = new Set(names);
    const missing = required.find((name) => properties.has(name) && !sent.has(name));
    if (missing !== undefined) throw new LeftOut(`the field \`${shortened(missing, 80)}\` of its body, which is required, ${this.#missing.find(({ part }) => part.includes(`\`${shortened(missing, 80)}\``))?.reason ?? "cannot be sent"}`);
    this.whole(this.isRequired ? "required" : "optional", closed(names.map((name) => [name, schemaOf(name)]), required, this.description));
  }

  #leaveOut(name: string, reason: string): void {
    this.#missing.push({ part: `the field \`${shortened(name, 80)}\` of the body`, reason });
  }

  #isFile(property: unknown, name: string): boolean {
    if (!isObject(property)) return false;
    const list = this.schemas.followed(property);
    const schema = isObject(list["items"]) && this.schemas.typesOf(list).has("array") ? this.schemas.followed(list["items"]) : list;
    // OpenAPI 3.1 says no format: a file has a media type, or no type at all.
    const isBinary = schema["format"] === "binary" || typeof schema["contentMediaType"] === "string";
    return isBinary || /^(?:image|audio|video)\/|octet-stream/.test(this.#typeOf(name) ?? "");
  }

  #isDeep(property: unknown, name: string): boolean {
    const types = this.schemas.typesOf(property);
    return this.#encodingOf(name)["style"] === "deepObject" && (types.has("object") || types.has("array"));
  }

  /** The one media type that a field is said to have. */
  #typeOf(name: string): string | undefined {
    const type = textFrom(this.#encodingOf(name)["contentType"]);
    return type !== undefined && MEDIA_TYPE.test(type) ? type : undefined;
  }

  #encodingOf(name: string): Part {
    const encodings = this.media["encoding"];
    const encoding = isObject(encodings) && Object.hasOwn(encodings, name) ? encodings[name] : undefined;
    return isObject(encoding) ? encoding : {};
  }
}
