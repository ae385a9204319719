import type { StepDocument, ToolDocument } from "../api/document.js";
import { StepweaveError, textOf } from "../api/errors.js";
import type { HttpRequestDocument } from "../api/http.js";
import { isObject } from "../api/json.js";
import type { Json } from "../api/json.js";
import { tool, type Tool } from "../authoring/tool.js";
import { originOf } from "../effects/origin.js";
import { safeName } from "../mcp/names.js";
import { nearest } from "../schema/nearest.js";
import { optionsFrom, reading } from "../schema/options.js";
import { Arguments } from "./arguments.js";
import { BODY, contentOf } from "./body.js";
import { type Described, type Description, describe } from "./description.js";
import { LeftOut } from "./left-out.js";
import { parametersOf, placed } from "./parameters.js";
import { shortened, textFrom } from "./part.js";
import { Schemas } from "./schemas.js";
import { type Auth, authFrom, authOf, type Credentials, kindOfScheme, placeOf, prefixOf, schemesOf, secretOf } from "./security.js";

/** An operation of an OpenAPI description. */
export interface OpenApiOperation {
  /** The name of its tool. */
  readonly name: string;
  readonly operationId?: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly summary?: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** Its own servers, where they are others than those of the description. */
  readonly servers?: readonly string[] | undefined;
  /** Why no tool can be made of it. */
  readonly leftOut?: string | undefined;
}

/** What {@link openApiOperations} finds in a description. */
export interface OpenApiDescription {
  readonly title: string;
  readonly version?: string | undefined;
  /** Where the API is, as the description says: a suggestion, since a key and what a model writes go there. */
  readonly servers: readonly string[];
  readonly operations: readonly OpenApiOperation[];
  /** Its security schemes: names, and the kind of each, such as `apiKey`, `basic`, `bearer` or `oauth2`. */
  readonly schemes: readonly { readonly name: string; readonly kind: string }[];
}

/** How {@link openApiTools} makes tools. */
export interface OpenApiOptions {
  /** Where the API is, such as `https://api.example.com/v1`. Requests and their secrets go there, whatever the description says. */
  server: string;
  /** Operations by their `operationId`, their method and path (`"GET /users/{id}"`) or a tag; all of them when absent. */
  include?: readonly string[] | ((operation: OpenApiOperation) => boolean) | undefined;
  /** What the names of the tools begin with, so that those of several APIs keep apart: `"github_"`. */
  prefix?: string | undefined;
  /** For security schemes of the description, by their names: the name of the secret, the user, the client's id. */
  schemes?: Readonly<Record<string, Credentials>> | undefined;
  /** How every request says who sends it, instead of what the description says. `"none"`: requests carry no secret. */
  auth?: HttpRequestDocument["auth"] | "none" | undefined;
}

/** A secret that the tools need. */
export interface OpenApiSecret {
  readonly name: string;
  /** Where it is sent. */
  readonly origins: readonly string[];
  /** How it is sent. */
  readonly as: "bearer" | "basic" | "header" | "query" | "oauth2";
}

/** What has no place in a request, and why. */
export interface OpenApiLeftOut {
  /** Method and path. */
  readonly operation: string;
  /** What of it; the whole operation when absent. */
  readonly part?: string | undefined;
  readonly reason: string;
}

/** What {@link openApiTools} makes. */
export interface OpenApiTools {
  readonly title: string;
  /** For the `tools` of an agent. */
  readonly tools: readonly Tool[];
  /** The same as data: for the `tools` of a document. */
  readonly document: { readonly [name: string]: ToolDocument };
  /** The same as steps of a document: each sends its request with the values that the state has under the names of the arguments. */
  readonly steps: readonly Extract<StepDocument, { type: "http" }>[];
  readonly secrets: readonly OpenApiSecret[];
  readonly leftOut: readonly OpenApiLeftOut[];
}

const OPTIONS = ["server", "include", "prefix", "schemes", "auth"];
/** Characters that the description of a tool may have: some endpoints take no more. */
const MAX_DESCRIPTION = 1000;

/**
 * The operations of an OpenAPI description, 3.0 or 3.1, as JSON or YAML. Nothing is fetched.
 *
 * ```ts
 * const { title, servers, operations } = await openApiOperations(text);
 * ```
 */
export async function openApiOperations(text: string): Promise<OpenApiDescription> {
  const description = await describe(text);
  const { root, references, title, version, servers, operations } = description;
  const making = { server: "https://api.example.com", auth: undefined, credentials: anybody(root), title };
  const all = operations.map((operation) => {
    // Whether it can be made does not depend on where it goes: its own server is confirmed with it.
    return { ...shownOf(operation), leftOut: refusalOf(() => made(operation, description, { ...making, server: operation.servers[0] ?? making.server })) };
  });
  return { title, version, servers, operations: all, schemes: schemesOf(root).map((name) => ({ name, kind: kindOfScheme(name, root, references) })) };
}

/**
 * Tools for operations of an OpenAPI description, 3.0 or 3.1, as JSON or YAML: each is an HTTP request as data. Nothing is
 * fetched, neither now nor when they run, but for the requests themselves.
 *
 * ```ts
 * const petstore = await openApiTools(text, { server: "https://petstore3.swagger.io/api/v3", include: ["getPetById"] });
 * const agent = new Agent({ name: "clerk", model: openai("gpt-5-mini"), tools: [...petstore.tools] });
 * ```
 */
export async function openApiTools(text: string, options: OpenApiOptions): Promise<OpenApiTools> {
  const { include, prefix = "", schemes = {}, auth, server: given } = optionsFrom(options, OPTIONS, "openApiTools()");
  if (typeof prefix !== "string" || prefix.length > 32) throw wrong("the `prefix` of openApiTools() is no short text", 'write prefix: "github_"');
  const description = await describe(text);
  const server = serverFrom(given, description.servers);
  const credentials = credentialsFrom(schemes, schemesOf(description.root));
  const making: Making = { server, auth: authFrom(auth), credentials, title: description.title };

  const document: [string, ToolDocument][] = [];
  const secrets = new Map<string, OpenApiSecret>();
  const leftOut: OpenApiLeftOut[] = [];
  const chosen = reading("the option `include` of openApiTools()", () => chosenFrom(description.operations, include));
  const names = prefixed(chosen, prefix);
  for (const operation of chosen) {
    const where = wordsOf(operation);
    try {
      const { tool, missing, auth: used } = made(operation, description, making);
      document.push([names.get(operation) as string, tool]);
      for (const { part, reason } of missing) leftOut.push({ operation: where, part, reason });
      if (used !== undefined) secrets.set(secretOf(used), { name: secretOf(used), origins: originsOf(used, server), as: Object.keys(used)[0] as OpenApiSecret["as"] });
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      leftOut.push({ operation: where, reason: error.reason });
    }
  }
  if (document.length === 0) {
    const [first] = leftOut as [OpenApiLeftOut];
    throw wrong(`no tool can be made of ${chosen.length === 1 ? "the operation" : `the ${chosen.length} operations`}: ${first.operation}: ${first.reason}`, "choose other operations; openApiOperations() says which can be tools");
  }
  const tools = document.map(([name, { description: words, input, run }]) => tool({ name, description: words, input, http: (run as { http: HttpRequestDocument }).http }));
  const steps = document.map(([name, made]) => stepOf(name, made));
  return { title: description.title, tools: Object.freeze(tools), document: Object.fromEntries(document), steps: Object.freeze(steps), secrets: [...secrets.values()], leftOut };
}

/** A state has other keys than the arguments too. */
function stepOf(name: string, { description, input, run }: ToolDocument): OpenApiTools["steps"][number] {
  const { additionalProperties: _, ...schema } = input as { readonly [key: string]: Json };
  return { id: name, type: "http", name, notes: description, input: schema, http: (run as { http: HttpRequestDocument }).http };
}

interface Making {
  readonly server: string;
  readonly auth: OpenApiOptions["auth"];
  readonly credentials: ReadonlyMap<string, Credentials>;
  readonly title: string;
}

/** The tool of an operation, what of it is left out, and the secret that it takes. */
function made(operation: Described, { root, references, isOld }: Description, making: Making) {
  const { definition, item, method } = operation;
  if (method === "OPTIONS" || method === "TRACE") throw new LeftOut(`it is a ${method}, which requests do not send`);
  if (operation.servers.length > 0 && !operation.servers.some((own) => isServer(own, making.server))) {
    throw new LeftOut(`it is at a server of its own, ${operation.servers.map((own) => shortened(own, 80)).join(" or ")}: make it a tool by itself, with that \`server\``);
  }
  const auth = making.auth === "none" ? undefined : (making.auth ?? authOf(definition, root, references, making.credentials, prefixOf(making.title)));
  const schemas = new Schemas(references, isOld);
  const args = new Arguments();
  if (definition["requestBody"] !== undefined) args.reserve(BODY);
  const { places, missing } = placed(parametersOf(definition, item, references), { references, schemas, args, secret: placeOf(auth) });
  const content = contentOf(definition["requestBody"], method, references, schemas, args);
  const http = requestOf(operation, making.server, places, content, auth);
  const input = args.schema(schemas.definitions());
  const what = references.isSpent ? "belongs to more schemas than are read at once: what is left of it takes any value. Take fewer operations" : "is larger than a model can be shown: what is deep in it takes any value";
  const cut = schemas.isCut ? [{ part: "the schema of the arguments", reason: what }] : [];
  const tool: ToolDocument = { description: descriptionOf(operation), input: input as Json, run: { http } };
  return { tool, auth, missing: [...missing, ...content.missing, ...cut] };
}

function requestOf(operation: Described, server: string, places: ReturnType<typeof placed>["places"], content: ReturnType<typeof contentOf>, auth: Auth | undefined): HttpRequestDocument {
  const query = Object.fromEntries(places.query);
  const headers = Object.fromEntries([...places.headers, ...content.headers]);
  return {
    method: operation.method as HttpRequestDocument["method"],
    url: `${server}${pathOf(operation.path, places.path)}`,
    ...(places.query.size > 0 && { query }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(content.body !== undefined && { body: content.body }),
    ...(auth !== undefined && { auth }),
    // Nothing else comes back.
    ...(operation.method === "HEAD" && { result: "headers" }),
  };
}

/** A path with a template at the place of each parameter. What stands between them is only a path. */
function pathOf(path: string, parameters: ReadonlyMap<string, string>): string {
  if (/[?#]/.test(path.replace(/\{[^{}]*\}/g, ""))) throw new LeftOut("its path has a query or a fragment in it");
  const pieces = path.split(/(\{[^{}]*\})/).map((piece) => {
    if (!/^\{.*\}$/.test(piece)) return encoded(piece);
    const template = parameters.get(piece.slice(1, -1));
    if (template === undefined) throw new LeftOut(`its path names ${shortened(piece, 80)}, and no parameter is called so`);
    return template;
  });
  const whole = pieces.join("");
  if (path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) throw new LeftOut("its path leads elsewhere by `.` or `..`");
  return whole;
}

function encoded(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, (letter) => encodeURIComponent(letter.replace(/\p{Cs}/u, "\uFFFD")));
}

function descriptionOf({ summary, definition, isDeprecated, method, path }: Described): string {
  const described = textFrom(definition["description"]);
  const words = [isDeprecated ? "Deprecated." : undefined, summary, described === summary ? undefined : described].filter((text) => text !== undefined);
  return shortened(words.join("\n") || `${method} ${path}`, MAX_DESCRIPTION);
}

/** The address that somebody has confirmed. */
function serverFrom(given: unknown, servers: readonly string[]): string {
  const suggested = servers.length === 0 ? "the description names none" : `the description names ${servers.slice(0, 5).map((server) => shortened(server, 120)).join(", ")}`;
  if (given === undefined || given === null || given === "") {
    throw wrong("openApiTools() needs the address of the API as `server`: keys and what a model writes go there", `confirm it yourself, as in server: "https://api.example.com/v1"; ${suggested}`);
  }
  const fault = `the \`server\` of openApiTools() is no whole address: ${shortened(textOf(given), 120)}`;
  const hint = `write scheme, host and path, without a query, a user or a variable, such as https://api.example.com/v1; ${suggested}`;
  if (typeof given !== "string" || originOf(given) === undefined || !/^https?:\/\/[^/?#@{}\\\s]+(?:\/[^?#{}\\\s]*)?$/i.test(given)) throw wrong(fault, hint);
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(given)) throw wrong(`the path of the \`server\` of openApiTools() leads elsewhere: ${shortened(given, 120)}`, "write the path without `.` and `..`");
  const path = given.replace(/^https?:\/\/[^/]+/i, "");
  return `${originOf(given) as string}${encoded(path)}`.replace(/\/+$/, "");
}

function isServer(suggested: string, server: string): boolean {
  return suggested.replace(/\/+$/, "") === server || (originOf(suggested) !== undefined && serverFrom(suggested, []) === server);
}

function credentialsFrom(given: unknown, known: readonly string[]): ReadonlyMap<string, Credentials> {
  return reading("the option `schemes` of openApiTools()", () => {
    if (!isObject(given)) throw wrong("the option `schemes` of openApiTools() is no object", 'write schemes: { apiKey: { secret: "MY_KEY" } }');
    return new Map(Object.entries(given).map(([name, credentials]) => {
      if (!known.includes(name)) throw wrong(`the description has no security scheme \`${shortened(name, 80)}\``, `it has ${known.slice(0, 20).map((one) => shortened(one, 40)).join(", ") || "none"}`);
      const { secret, user, clientId } = optionsFrom(credentials as Credentials, ["secret", "user", "clientId"], `the scheme ${name}`);
      if (secret !== undefined && !(typeof secret === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(secret))) throw wrong(`the secret of the scheme ${shortened(name, 80)} has no name that secrets have`, 'write schemes: { apiKey: { secret: "MY_KEY" } }, and give its value where a run starts');
      if ([user, clientId].some((text) => text !== undefined && typeof text !== "string")) throw wrong(`the user or the client of the scheme ${shortened(name, 80)} is no text`, 'write schemes: { basicAuth: { user: "me" } }');
      return [name, { secret, user, clientId }];
    }));
  });
}

/** Credentials for every scheme, to see what could be made. */
function anybody(root: Description["root"]): ReadonlyMap<string, Credentials> {
  return new Map(schemesOf(root).map((name) => [name, { user: "user" }]));
}

/** The operations that are wanted. A misspelt one would be missing without a word. */
function chosenFrom(operations: readonly Described[], include: OpenApiOptions["include"]): readonly Described[] {
  if (include === undefined) return operations;
  if (typeof include === "function") {
    const chosen = operations.filter((operation) => isWanted(include, operation));
    if (chosen.length === 0) throw wrong("`include` of openApiTools() takes none of the operations", "return true for those that are to be tools");
    return chosen;
  }
  if (!Array.isArray(include) || include.length === 0 || !include.every((word) => typeof word === "string")) {
    throw wrong("`include` of openApiTools() is no list of operations", 'write include: ["listUsers", "GET /users/{id}"], or a function of the operation');
  }
  const wanted = new Set<Described>();
  for (const word of include as readonly string[]) {
    const named = operations.filter(({ operationId }) => operationId === word);
    if (named.length > 1) throw wrong(`the description has ${named.length} operations \`${shortened(word, 80)}\``, `name the one by its method and path: ${named.slice(0, 3).map(wordsOf).join(", ")}`);
    const found = named.length > 0 ? named : operations.filter((operation) => wordsOf(operation) === word.trim() || operation.tags.includes(word));
    if (found.length === 0) throw unknown(word, operations);
    for (const operation of found) wanted.add(operation);
  }
  return operations.filter((operation) => wanted.has(operation));
}

function isWanted(include: (operation: OpenApiOperation) => boolean, operation: Described): boolean {
  try {
    return include(shownOf(operation)) === true;
  } catch (cause) {
    throw new StepweaveError("validation", `\`include\` of openApiTools() threw at ${wordsOf(operation)}`, { cause, hint: "return true for the operations that are to be tools; the cause says what was thrown" });
  }
}

function unknown(word: string, operations: readonly Described[]): StepweaveError {
  const known = [...new Set(operations.flatMap((operation) => [operation.operationId ?? "", wordsOf(operation), ...operation.tags]))].filter((one) => one !== "");
  const meant = nearest(word, known);
  const hint = meant === undefined ? `it has ${known.slice(0, 8).map((one) => shortened(one, 60)).join(", ")}…` : `did you mean \`${shortened(meant, 120)}\`?`;
  return wrong(`the description has no operation or tag \`${shortened(word, 80)}\``, hint);
}

/** Names with what they are to begin with, unique again. */
function prefixed(operations: readonly Described[], prefix: string): ReadonlyMap<Described, string> {
  const taken = new Set<string>();
  return new Map(operations.map((operation) => [operation, prefix === "" ? operation.name : safeName(`${prefix}${operation.name}`, taken)]));
}

function wordsOf({ method, path }: Described): string {
  return `${method} ${path}`;
}

function shownOf({ name, operationId, method, path, summary, tags, isDeprecated, servers }: Described): OpenApiOperation {
  return { name, operationId, method, path, summary: summary === undefined ? undefined : shortened(summary, 200), tags, deprecated: isDeprecated, servers: servers.length === 0 ? undefined : servers };
}

function originsOf(auth: Auth, server: string): string[] {
  return [originOf("oauth2" in auth ? auth.oauth2.tokenUrl : undefined), originOf(server)].filter((origin, at, all) => origin !== undefined && all.indexOf(origin) === at) as string[];
}

function refusalOf(make: () => unknown): string | undefined {
  try {
    make();
    return undefined;
  } catch (error) {
    if (error instanceof LeftOut) return error.reason;
    throw error;
  }
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
