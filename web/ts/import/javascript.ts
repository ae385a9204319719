// JavaScript, as far as our language says the same. Nothing of it is ever run.
import { Parser } from "acorn";
import { tsPlugin } from "@sveltejs/acorn-typescript";
import { isData, list, text as textOf } from "./data";
import { bracketed, memberOf, quoted } from "./text";

/** A node of the syntax tree. */
export interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const TypeScript = Parser.extend(tsPlugin());

/** A module of TypeScript. */
export function parseModule(text: string): Syntax {
  return TypeScript.parse(text, { ecmaVersion: "latest", sourceType: "module", locations: true }) as unknown as Syntax;
}

/** What the names of an expression stand for: a path from a root, as an expression of ours. Undefined: it cannot be said. */
export type Resolve = (root: Syntax, path: readonly string[]) => string | undefined;

/** An expression of ours for one of JavaScript; undefined where ours cannot say it. */
export function translate(source: string, resolve: Resolve): string | undefined {
  try {
    if (source.length > MOST_SOURCE) return undefined;
    const node = Parser.parseExpressionAt(source, 0, { ecmaVersion: "latest" }) as unknown as Syntax;
    if (source.slice(node.end).replace(/;/g, "").trim() !== "") return undefined;
    return expression(node, resolve);
  } catch {
    return undefined;
  }
}

/** Characters that an expression may have: steps take hardly more, and what repeats a part of itself doubles with each level. */
const MOST_SAID = 2_000;
/** Letters of JavaScript of which an expression is made; blanks and comments count too. */
const MOST_SOURCE = 20_000;
/** Parts of expressions that are looked at in one file: names may stand for others that stand for others. */
const MOST_LOOKS = 500_000;
let looks = 0;

/** Begins with another file. */
export function beginLooking(): void {
  looks = 0;
}

/** Whether as many parts of expressions may still be looked at. */
export function mayLook(count = 1): boolean {
  looks += count;
  return looks <= MOST_LOOKS;
}

/** An expression of ours for a syntax tree; undefined where there is none, or a long one. */
export function expression(node: Syntax, resolve: Resolve): string | undefined {
  if (!mayLook()) return undefined;
  const said = saidOf(node, resolve);
  // A text alone is a text of the document, however long.
  return said === undefined || said.length <= MOST_SAID || node.type === "Literal" ? said : undefined;
}

function saidOf(node: Syntax, resolve: Resolve): string | undefined {
  const of = (field: string): string | undefined => expression(node[field] as Syntax, resolve);
  const path = isLength(node) || mayMiss(node) ? undefined : pathOf(node);
  if (path !== undefined) {
    const said = resolve(path.root, path.names);
    // What a name does not have is not read of a part of it.
    if (said !== undefined || (path.root.type === "Identifier" && path.names.length > 0)) return said;
    if (path.names.length > 0) {
      const root = expression(path.root, resolve);
      return root && path.names.reduce(memberOf, bracketed(root));
    }
  }
  switch (node.type) {
    case "Literal": {
      const value = node["value"];
      if (typeof value === "string") return quoted(value);
      if (typeof value === "number" || typeof value === "boolean") return String(value);
      return value === null && node["regex"] === undefined ? "none" : undefined;
    }
    case "Identifier":
      return node["name"] === "undefined" ? "none" : undefined;
    case "ChainExpression": {
      // A call of what may be missing would be one without it here.
      const said = hasCall(node) ? undefined : of("expression");
      return said && `${said} | default('')`;
    }
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSNonNullExpression":
    case "AwaitExpression":
      return expression((node["expression"] ?? node["argument"]) as Syntax, resolve);
    case "TemplateLiteral": {
      const texts = list(node["quasis"]).map((quasi) => textOf(((quasi as Syntax)["value"] as { cooked?: string }).cooked));
      const values = list(node["expressions"]).map((inner) => expression(inner as Syntax, resolve));
      if (values.includes(undefined)) return undefined;
      const parts = texts.flatMap((text, index) => [...(text === "" ? [] : [quoted(text)]), ...(values[index] ? [bracketed(values[index])] : [])]);
      return parts.length === 0 ? "''" : parts.length === 1 && values.length === 1 ? `${parts[0]} | string` : parts.join(" ~ ");
    }
    case "UnaryExpression": {
      const inner = node["operator"] === "!" ? truth(node["argument"] as Syntax, resolve) : of("argument");
      if (inner === undefined) return undefined;
      return node["operator"] === "!" ? `not ${bracketed(inner)}` : node["operator"] === "-" ? `-${bracketed(inner)}` : undefined;
    }
    case "LogicalExpression":
      if (node["operator"] === "??") return instead(node["left"] as Syntax, of("right"), resolve);
      return binary(node, truth(node["left"] as Syntax, resolve), of("right"));
    case "BinaryExpression":
      return binary(node, compared(node, "left", resolve), compared(node, "right", resolve));
    case "ConditionalExpression": {
      const [test, yes, no] = [truth(node["test"] as Syntax, resolve), of("consequent"), of("alternate")];
      return test && yes && no ? `${bracketed(yes)} if ${bracketed(test)} else ${bracketed(no)}` : undefined;
    }
    case "ArrayExpression": {
      const items = list(node["elements"]).map((item) => (item === null ? undefined : expression(item as Syntax, resolve)));
      return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
    }
    case "ObjectExpression": {
      const members = list(node["properties"]).map((property) => {
        const { key, value, computed, type } = property as Syntax & { key: Syntax; value: Syntax; computed: boolean };
        const said = type === "Property" && !computed ? expression(value, resolve) : undefined;
        return said === undefined ? undefined : `${quoted(textOf(key["name"] ?? key["value"]))}: ${said}`;
      });
      return members.includes(undefined) ? undefined : `{${members.join(", ")}}`;
    }
    case "MemberExpression": {
      const object = of("object");
      if (object === undefined) return undefined;
      const on = mayMiss(node) ? `(${bracketed(object)} | default({}))` : bracketed(object);
      const name = nameOf(node);
      if (isLength(node)) return `${on} | length`;
      if (name !== undefined) return memberOf(on, name);
      const index = of("property");
      return index === undefined ? undefined : `${on}[${index}]`;
    }
    case "CallExpression":
      return call(node, resolve);
    default:
      return undefined;
  }
}

function binary(node: Syntax, left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return undefined;
  const said = OPERATORS.get(textOf(node["operator"]));
  const [one, two] = [bracketed(left), bracketed(right)];
  if (node["operator"] === "+" && [left, right].some((side) => /^["']|~/.test(side))) return `${one} ~ ${two}`;
  return said === undefined ? undefined : `${one} ${said} ${two}`;
}

/** Whether a node asks how many there are. The data of an item is no list, and has fields of this name. */
function isLength(node: Syntax): boolean {
  if (node.type !== "MemberExpression" || node["computed"] || nameOf(node) !== "length") return false;
  const object = node["object"] as Syntax;
  return !(object.type === "Identifier" && object["name"] === "$json") && !(object.type === "MemberExpression" && nameOf(object) === "json");
}

/** Whether a member is read of what may be missing, by `?.` there or before. */
function mayMiss(node: Syntax): boolean {
  for (let here = node; here.type === "MemberExpression"; here = here["object"] as Syntax) if (here["optional"]) return true;
  return false;
}

/** A value of which JavaScript asks whether it counts as true, so that it may be missing. */
function truth(node: Syntax, resolve: Resolve): string | undefined {
  const here = unwrapped(node);
  if (here.type === "LogicalExpression" && here["operator"] !== "??") return binary(here, truth(here["left"] as Syntax, resolve), truth(here["right"] as Syntax, resolve));
  const said = expression(here, resolve);
  return said !== undefined && here.type === "MemberExpression" && !isLength(here) ? `${said} | default(none)` : said;
}

/** A side of a comparison; beside `undefined` and `null` it may be missing. */
function compared(node: Syntax, side: "left" | "right", resolve: Resolve): string | undefined {
  const other = node[side === "left" ? "right" : "left"] as Syntax;
  const isNothing = (other.type === "Identifier" && other["name"] === "undefined") || (other.type === "Literal" && other["raw"] === "null");
  return isNothing ? truth(node[side] as Syntax, resolve) : expression(node[side] as Syntax, resolve);
}

/** `left ?? right`. */
function instead(left: Syntax, right: string | undefined, resolve: Resolve): string | undefined {
  const said = expression(unwrapped(left), resolve);
  if (said === undefined || right === undefined) return undefined;
  const [one, two] = [bracketed(said), bracketed(right)];
  return `${one} if ${one} is defined and ${one} is not none else ${two}`;
}

/** A node without the brackets around it, and a member without what it is when it is missing. */
function unwrapped(node: Syntax): Syntax {
  let here = node;
  while (here.type === "ParenthesizedExpression" || here.type === "TSNonNullExpression" || here.type === "TSAsExpression" || (here.type === "ChainExpression" && (here["expression"] as Syntax).type === "MemberExpression" && !hasCall(here))) {
    here = here["expression"] as Syntax;
  }
  return here;
}

/** Whether a chain of `?.` calls something. */
function hasCall(chain: Syntax): boolean {
  for (let here = chain["expression"] as Syntax; here.type === "MemberExpression" || here.type === "CallExpression"; here = here["object"] as Syntax) if (here.type === "CallExpression") return true;
  return false;
}

/** Calls of methods that a filter or a test of ours does the same as. */
function call(node: Syntax, resolve: Resolve): string | undefined {
  const callee = node["callee"] as Syntax;
  const given = list(node["arguments"]).map((argument) => expression(argument as Syntax, resolve));
  if (given.includes(undefined)) return undefined;
  const [first, second] = given;
  if (callee.type === "Identifier") {
    const filter = FUNCTIONS.get(textOf(callee["name"]));
    return filter && first && given.length === 1 ? `${bracketed(first)} | ${filter}` : undefined;
  }
  if (callee.type !== "MemberExpression") return undefined;
  const name = nameOf(callee);
  const owner = callee["object"] as Syntax;
  if (owner.type === "Identifier" && owner["name"] === "JSON") {
    return name === "stringify" && first ? `${bracketed(first)} | tojson` : undefined;
  }
  if (owner.type === "Identifier" && owner["name"] === "Object" && name === "keys" && first) return `${bracketed(first)} | keys`;
  if (owner.type === "Identifier" && owner["name"] === "Math" && name === "round" && first) return `${bracketed(first)} | round | int`;
  const object = expression(owner, resolve);
  if (object === undefined || name === undefined) return undefined;
  const on = bracketed(object);
  if (METHODS.has(name) && given.length === 0) return `${on} | ${METHODS.get(name)}`;
  // Ours splits by nothing in another way.
  if (name === "split" && first === '""') return undefined;
  if ((name === "split" || name === "join") && given.length === 1) return `${on} | ${name}(${first})`;
  if (name === "replaceAll" && given.length === 2) return `${on} | replace(${first}, ${second})`;
  if (name === "includes" && first && given.length === 1) return `${bracketed(first)} in ${on}`;
  if (name === "startsWith" && first && given.length === 1) return `${on}[:${bracketed(first)} | length] == ${bracketed(first)}`;
  if (name === "endsWith" && first && given.length === 1) return `${on}[-(${bracketed(first)} | length):] == ${bracketed(first)}`;
  if (name === "concat" && first && given.length === 1) return `${on} + ${bracketed(first)}`;
  if (name === "slice" && first && given.length <= 2) return `${on}[${first}:${second ?? ""}]`;
  return undefined;
}

/** Names that a path may have. It is looked for at each of its members. */
const MOST_NAMES = 100;

/** `a.b["c"]` as its root `a` and its names, through `?.` and `!`. */
export function pathOf(node: Syntax): { root: Syntax; names: string[] } | undefined {
  const names: string[] = [];
  let here = node;
  for (let count = 0; count < MOST_NAMES; count += 1) {
    if (here.type === "ChainExpression" || here.type === "TSNonNullExpression" || here.type === "TSAsExpression" || here.type === "ParenthesizedExpression") {
      here = here["expression"] as Syntax;
    } else if (here.type === "MemberExpression" && nameOf(here) !== undefined) {
      names.push(nameOf(here) ?? "");
      here = here["object"] as Syntax;
    } else {
      return here.type === "Identifier" || here.type === "CallExpression" ? { root: here, names: names.reverse() } : undefined;
    }
  }
  return undefined;
}

/** The name of a member, also one in brackets; a number counts as one. */
function nameOf(node: Syntax): string | undefined {
  const property = node["property"] as Syntax;
  if (!node["computed"]) return textOf(property["name"]);
  return property.type === "Literal" && ["string", "number"].includes(typeof property["value"]) ? textOf(property["value"]) : undefined;
}

const OPERATORS = new Map([..."== != < <= > >= + - * / %".split(" ").map((same) => [same, same] as const), ["===", "=="], ["!==", "!="], ["&&", "and"], ["||", "or"], ["**", "**"]] as [string, string][]);
const FUNCTIONS = new Map([["Number", "float"], ["parseFloat", "float"], ["parseInt", "int"], ["String", "string"]]);
const METHODS = new Map([["trim", "trim"], ["toUpperCase", "upper"], ["toLowerCase", "lower"], ["toString", "string"], ["first", "first"], ["last", "last"], ["toJsonString", "tojson"], ["length", "length"], ["isEmpty", "length == 0"], ["isNotEmpty", "length > 0"]]);

/** Every node of a syntax tree. */
export function* nodesOf(root: unknown): Generator<Syntax> {
  const open: unknown[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) for (const inner of [...(next as unknown[])].reverse()) open.push(inner);
    else if (isData(next)) {
      if (textOf(next["type"]) !== "") yield next as unknown as Syntax;
      for (const [field, inner] of Object.entries(next).reverse()) if (field !== "loc" && typeof inner === "object" && inner !== null) open.push(inner);
    }
  }
}
