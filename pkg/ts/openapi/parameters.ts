import { isObject } from "../api/json.js";
import { type Arguments, memberOf } from "./arguments.js";
import { LeftOut } from "./left-out.js";
import { entriesOf, itemsOf, type Part, shortened, textFrom, type ToolSchema } from "./part.js";
import type { References } from "./references.js";
import { closed, type Schemas } from "./schemas.js";

/** Headers that whoever sends a request writes, or that OpenAPI gives no meaning as parameters. */
const OF_SENDER = /^(?:accept|content-type|authorization|host|connection|content-length|transfer-encoding|accept-encoding|expect|te|trailer|upgrade|via|origin|referer|date|forwarded|keep-alive|set-cookie|idempotency-key|x-(?:http-)?method-override|x-http-method|proxy-.*|sec-.*|x-forwarded-.*|access-control-.*)$/i;
/** What the name of a header has in it whose value is a key: those are secrets, and no arguments. */
const OF_KEY = /key|token|secret|password|cookie|authorization/i;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

const STYLES: Readonly<Record<string, string>> = { path: "simple", header: "simple", query: "form" };
/** What stands between the items of a list, by the style. */
export const DELIMITERS: ReadonlyMap<unknown, string> = new Map([["form", ","], ["spaceDelimited", " "], ["pipeDelimited", "|"]]);

/** A parameter is read several times, and written down for the model and for the request. */
const LOOKS_AT_PARAMETER = 9;

/** Characters that a name in a request may have. */
export const MAX_NAME = 200;

/** Where parameters of an operation go. */
export interface Places {
  readonly path: Map<string, string>;
  readonly query: Map<string, string>;
  readonly headers: Map<string, string>;
}

/** A parameter that is left out, and why. */
export interface Missing {
  readonly part: string;
  readonly reason: string;
}

/** What the parameters are made of. */
export interface Making {
  readonly references: References;
  readonly schemas: Schemas;
  readonly args: Arguments;
  /** A header or a parameter that has a secret as its value, in lower case. */
  readonly secret: string | undefined;
}

/** Turns the parameters of an operation into arguments and templates; says which optional ones are left out. */
export function placed(parameters: readonly Part[], making: Making): { places: Places; missing: Missing[] } {
  const places: Places = { path: new Map(), query: new Map(), headers: new Map() };
  const missing: Missing[] = [];
  for (const parameter of parameters) {
    making.references.look(LOOKS_AT_PARAMETER);
    try {
      place(parameter, places, making);
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      const part = `the ${String(parameter["in"])} parameter \`${shortened(String(parameter["name"]), 80)}\``;
      if (isRequired(parameter)) throw new LeftOut(`${part}, which is required, ${error.reason}`);
      missing.push({ part, reason: error.reason });
    }
  }
  return { places, missing };
}

/** The parameters of an operation and those of its path, each followed. */
export function parametersOf(definition: Part, item: Part, references: References): Part[] {
  const found = new Map<string, Part>();
  for (const given of [...itemsOf(item["parameters"]), ...itemsOf(definition["parameters"])]) {
    const parameter = references.followed(given);
    if (typeof parameter["name"] === "string" && parameter["name"] !== "") found.set(`${String(parameter["in"])} ${keyOf(parameter["in"], parameter["name"].slice(0, 1000))}`, parameter);
  }
  return [...found.values()];
}

/** What tells a name from others at a place: capitals do, but not in those of headers. */
function keyOf(place: unknown, name: string): string {
  return place === "header" ? name.toLowerCase() : name;
}

function isRequired(parameter: Part): boolean {
  return parameter["required"] === true || parameter["in"] === "path";
}

function place(parameter: Part, places: Places, making: Making): void {
  const name = parameter["name"] as string;
  switch (parameter["in"]) {
    case "path":
      places.path.set(name, pathTemplate(parameter, name, making));
      return;
    case "query":
      if (name.length > MAX_NAME) throw new LeftOut("has a name that is longer than requests take");
      if (making.secret === name.toLowerCase()) return;
      for (const [key, template] of queryTemplates(parameter, name, places.query, making)) {
        if (key.length > MAX_NAME) throw new LeftOut("has a name that is longer than requests take");
        places.query.set(key, template);
      }
      return;
    case "header":
      if (name.length > MAX_NAME) throw new LeftOut("is no name of a header");
      if (making.secret === name.toLowerCase() || OF_SENDER.test(name)) return;
      if (!HEADER.test(name)) throw new LeftOut("is no name of a header");
      if (OF_KEY.test(name)) throw new LeftOut("is a key by its name: give it as `auth: { header: … }`");
      places.headers.set(name, headerTemplate(parameter, name, making));
      return;
    case "cookie":
      throw new LeftOut("is a cookie, and requests carry none");
    default:
      throw new LeftOut("is at no place that is known");
  }
}

/** What is known of a parameter: its schema, and how its value is written. */
function formOf(parameter: Part, making: Making) {
  const [content] = entriesOf(parameter["content"]);
  const schema = content === undefined ? parameter["schema"] : isObject(content[1]) ? content[1]["schema"] : undefined;
  if (content !== undefined && !/[/+]json\b/i.test(content[0])) throw new LeftOut(`is written as ${shortened(content[0], 60)}`);
  const style = textFrom(parameter["style"]) ?? (STYLES[parameter["in"] as string] as string);
  const explode = typeof parameter["explode"] === "boolean" ? parameter["explode"] : style === "form";
  const types = making.schemas.typesOf(schema);
  return { schema, style, explode, types, isJson: content !== undefined };
}

function pathTemplate(parameter: Part, name: string, making: Making): string {
  const { schema, style, types, isJson } = formOf(parameter, making);
  if (style !== "simple" || isJson) throw new LeftOut(`is written in the style ${isJson ? "of JSON" : style}`);
  const isList = isOneList(schema, types, making);
  const made = making.schemas.schema(schema, textFrom(parameter["description"]));
  const argument = making.args.add(name, isList ? { ...filled(made, "minItems"), items: filled(itemsIn(made), "minLength") } : filled(made, "minLength"), "required");
  return isList ? `{{ ${argument} | join(',') }}` : `{{ ${argument} }}`;
}

/** Nothing at a place of the path would be the address of something else, often of all there is: whatever the schema is made of, it needs one. */
function filled(schema: ToolSchema, bound: "minItems" | "minLength"): Record<string, unknown> {
  if (typeof schema !== "object") return schema ? { [bound]: 1 } : { not: {} };
  const { type, enum: values, [bound]: least } = schema;
  if (type === "integer" || type === "number" || type === "boolean" || (Array.isArray(values) && !values.includes(""))) return schema;
  return { ...schema, [bound]: typeof least === "number" && least > 1 ? least : 1 };
}

function itemsIn(schema: ToolSchema): ToolSchema {
  return typeof schema === "object" && schema["items"] !== undefined ? (schema["items"] as ToolSchema) : true;
}

function headerTemplate(parameter: Part, name: string, making: Making): string {
  const { schema, style, types, isJson } = formOf(parameter, making);
  if (style !== "simple") throw new LeftOut(`is written in the style ${style}`);
  const isList = !isJson && isOneList(schema, types, making);
  const argument = argumentFor(parameter, name, schema, making);
  if (isJson) return written(argument, "tojson");
  return isList ? written(argument, "join(',')") : `{{ ${argument} | default(none) }}`;
}

function* queryTemplates(parameter: Part, name: string, taken: Taken, making: Making): Generator<[string, string]> {
  const { schema, style, explode, types, isJson } = formOf(parameter, making);
  if (isJson) {
    refuseTaken([name], taken);
    yield [name, written(argumentFor(parameter, name, schema, making), "tojson")];
    return;
  }
  if (style === "deepObject" || (types.has("object") && style === "form" && explode)) {
    yield* memberTemplates(parameter, name, schema, types, style === "deepObject", taken, making);
    return;
  }
  refuseTaken([name], taken);
  const delimiter = DELIMITERS.get(style);
  if (delimiter === undefined) throw new LeftOut(`is written in the style ${style}`);
  // A list repeats the name by itself.
  const isWritten = !explode && isOneList(schema, types, making);
  if (explode) mayBeList(schema, types, making);
  const argument = argumentFor(parameter, name, schema, making);
  yield [name, isWritten ? written(argument, `join('${delimiter}')`) : `{{ ${argument} | default(none) }}`];
}

/** The names that other parameters are written with. */
type Taken = Pick<ReadonlyMap<string, string>, "has">;

/** The one would stand in the place of the other. It is refused before there is an argument for it. */
function refuseTaken(keys: readonly string[], taken: Taken): void {
  const again = keys.find((key) => taken.has(key));
  if (again !== undefined) throw new LeftOut(`is written as \`${shortened(again, 60)}\`, and so is another one`);
}

/** An object of which each property is a parameter. */
function* memberTemplates(parameter: Part, name: string, schema: unknown, types: ReadonlySet<string>, isDeep: boolean, taken: Taken, making: Making): Generator<[string, string]> {
  const properties = [...making.schemas.propertiesOf(schema)];
  making.references.look(properties.length * LOOKS_AT_PARAMETER);
  const isOnlyObject = [...types].every((type) => type === "object" || type === "null");
  if (properties.length === 0 || !isOnlyObject) throw new LeftOut("may be an object whose properties are not known, or another value");
  for (const [key, property] of properties) {
    const inner = making.schemas.typesOf(property);
    if (inner.has("object") || (isDeep && inner.has("array"))) throw new LeftOut(`has objects or lists inside of an object (\`${shortened(key, 60)}\`)`);
  }
  const writtenAs = (property: string): string => (isDeep ? `${name}[${property}]` : property);
  refuseTaken(properties.map(([key]) => writtenAs(key)), taken);
  const members = properties.map(([key, property]) => [key, making.schemas.schema(property)] as const);
  const object = closed(members, making.schemas.requiredIn(schema), textFrom(parameter["description"]));
  const argument = making.args.add(name, types.has("null") ? { ...object, type: ["object", "null"] } : object, isRequired(parameter) ? "required" : "optional");
  for (const [key] of properties) {
    yield [writtenAs(key), `{{ ${memberOf(`(${argument} | default({}))`, key)} | default(none) }}`];
  }
}

function argumentFor(parameter: Part, name: string, schema: unknown, making: Making): string {
  return making.args.add(name, making.schemas.schema(schema ?? {}, textFrom(parameter["description"])), isRequired(parameter) ? "required" : "optional");
}

/** Whether a value is a list, and what is neither a list nor a single value for certain is refused. */
function isOneList(schema: unknown, types: ReadonlySet<string>, making: Making): boolean {
  const isList = mayBeList(schema, types, making);
  if (isList && ![...types].every((type) => type === "array" || type === "null")) throw new LeftOut("may be a list or another value");
  return isList;
}

/** Whether a value may be a list; refuses what cannot be written in one line. */
function mayBeList(schema: unknown, types: ReadonlySet<string>, making: Making): boolean {
  if (types.has("object")) throw new LeftOut("may be an object, which has no place there");
  if (!types.has("array")) return false;
  if (making.schemas.typesOf(making.schemas.itemsOf(schema)).has("object")) throw new LeftOut("is a list of objects");
  return true;
}

/** An argument through a filter; left out with the argument. */
export function written(argument: string, filter: string): string {
  return `{{ ${argument} | ${filter} if ${argument} is defined and ${argument} is not none else none }}`;
}
