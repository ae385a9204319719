import { StepweaveError, textOf } from "../api/errors.js";
import { isObject } from "../api/json.js";
import { safeName } from "../mcp/names.js";
import { LeftOut } from "./left-out.js";
import { entriesOf, itemsOf, type Part, shortened, textFrom } from "./part.js";
import { readText } from "./read.js";
import { References } from "./references.js";

/** Operations that a description may have. */
const MAX_OPERATIONS = 1000;
/** The methods that a description may have, in its order of words. */
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** An operation as its description says it. */
export interface Described {
  /** The name of its tool. */
  readonly name: string;
  readonly operationId: string | undefined;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly summary: string | undefined;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
  /** Its own servers; empty where it has those of the description. */
  readonly servers: readonly string[];
  readonly definition: Part;
  /** What belongs to all operations of its path. */
  readonly item: Part;
}

/** A description that has been read. */
export interface Description {
  readonly root: Part;
  readonly references: References;
  /** Whether its schemas are in the dialect of OpenAPI 3.0. */
  readonly isOld: boolean;
  readonly title: string;
  readonly version: string | undefined;
  readonly servers: readonly string[];
  readonly operations: readonly Described[];
}

export async function describe(text: unknown): Promise<Description> {
  const root = await readText(text);
  const version = versionOf(root);
  const references = new References(root);
  const info = isObject(root["info"]) ? root["info"] : {};
  const servers = serversOf(root["servers"]);
  return {
    root,
    references,
    isOld: version.startsWith("3.0"),
    title: shortened(textFrom(info["title"]) ?? "API", 100),
    version: textFrom(info["version"]),
    servers,
    operations: operationsOf(root, references, servers),
  };
}

function versionOf({ openapi, swagger }: Part): string {
  if (swagger !== undefined && openapi === undefined) {
    throw new StepweaveError("validation", `this is a description in Swagger ${shortened(textOf(swagger), 20)}, and OpenAPI 3.0 and 3.1 are read`, { hint: "convert it first, as `npx swagger2openapi` or https://converter.swagger.io does" });
  }
  const version = typeof openapi === "number" ? String(openapi) : textFrom(openapi);
  if (version === undefined) throw new StepweaveError("validation", "this is no OpenAPI description: it has no key `openapi`", { hint: "pass the content of a file that begins with openapi: 3.1.0, or with { \"openapi\": \"3.1.0\"" });
  if (!/^3\.[01](?:\.|$)/.test(version)) throw new StepweaveError("validation", `this is a description in OpenAPI ${shortened(version, 20)}, and 3.0 and 3.1 are read`, { hint: "take one of these versions: most publishers keep them" });
  return version;
}

/** Addresses of servers, with the values that their variables have unless somebody says otherwise. */
function serversOf(list: unknown): string[] {
  const servers = itemsOf(list).filter(isObject).map(({ url, variables }) => {
    const values = new Map(entriesOf(variables).map(([name, variable]) => [name, isObject(variable) ? String(variable["default"] ?? "") : ""]));
    return (textFrom(url) ?? "").replace(/\{([^{}]*)\}/g, (whole, name: string) => values.get(name) || whole);
  });
  return [...new Set(servers.filter((server) => server !== ""))].slice(0, 50);
}

function operationsOf({ paths }: Part, references: References, servers: readonly string[]): Described[] {
  const operations: Described[] = [];
  const names = new Set<string>();
  let missing: string | undefined;
  for (const [path, given] of entriesOf(paths)) {
    if (!path.startsWith("/")) continue;
    try {
      const item = references.followed(given);
      for (const method of METHODS) {
        const definition = item[method];
        if (!isObject(definition)) continue;
        if (operations.length >= MAX_OPERATIONS) throw tooMany();
        references.look(itemsOf(definition["tags"]).length + itemsOf(definition["servers"]).length + itemsOf(item["servers"]).length);
        operations.push(described(path, method, definition, item, names, servers));
      }
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      missing ??= `${shortened(path, 80)}: ${error.reason}`;
    }
  }
  if (operations.length === 0) {
    throw new StepweaveError("validation", "the OpenAPI description has no operations", { hint: missing ?? "look whether the file is whole: operations stand under `paths`" });
  }
  return operations;
}

function described(path: string, method: string, definition: Part, item: Part, names: Set<string>, common: readonly string[]): Described {
  const operationId = textFrom(definition["operationId"]);
  const listed = itemsOf(definition["servers"]);
  const own = serversOf(listed.length > 0 ? listed : item["servers"]);
  return {
    name: safeName(operationId ?? `${method}_${path.split(/[^A-Za-z0-9]+/).filter(Boolean).join("_")}`, names),
    operationId,
    method: method.toUpperCase(),
    path,
    summary: textFrom(definition["summary"]) ?? textFrom(item["summary"]),
    tags: itemsOf(definition["tags"]).filter((tag) => typeof tag === "string"),
    isDeprecated: definition["deprecated"] === true,
    servers: own.some((server) => common.includes(server)) ? [] : own,
    definition,
    item,
  };
}

function tooMany(): StepweaveError {
  return new StepweaveError("limit", `the OpenAPI description has more than ${MAX_OPERATIONS} operations`, { hint: "take a description of the part that is needed: many publishers have one for each product" });
}
