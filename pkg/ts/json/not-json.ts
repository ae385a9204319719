import { textOf } from "../api/errors.js";

/** A value that JSON cannot hold, and where it stands. */
export class NotJson extends Error {
  constructor(
    /** The key path, such as `patch.items[3].when`. */
    readonly path: string,
    /** What is wrong there, as a predicate: `is a Date`. */
    readonly fault: string,
    /** What to do. */
    readonly hint: string,
    options?: ErrorOptions,
  ) {
    super(`${path} ${fault}`, options);
  }

  /** What to do where the value is not returned, but written, passed or given. */
  hintTo(act: "write" | "pass" | "give"): string {
    return this.hint.replace(/^return /, `${act} `);
  }
}

/** A key as it stands in a path. */
export function memberPath(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** What is said of a value that throws when it is looked at. */
export function unreadable(path: string, error: unknown): NotJson {
  return new NotJson(path, `cannot be read: ${textOf(error)}`, "return plain values without getters or proxies", { cause: error });
}

/** What is wrong with a value that JSON cannot hold, as a predicate. */
export function faultOf(value: unknown): string {
  switch (typeof value) {
    case "function":
      return "is a function";
    case "symbol":
      return "is a symbol";
    case "bigint":
      return "is a bigint";
    case "number":
      return `is ${value}`;
    case "undefined":
      return "is undefined";
    case "object":
      return Array.isArray(value) ? "is an array" : isOf(classOf(value as object));
    default:
      return `is a ${typeof value}`;
  }
}

function isOf(name: string): string {
  return `is ${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}

function classOf(value: object): string {
  try {
    const name = (value.constructor as { name?: unknown } | undefined)?.name;
    return typeof name === "string" && name !== "" ? name : "class instance";
  } catch {
    return "proxy that throws";
  }
}

/** What to do about such a value, which stands at this path. */
export function adviceFor(value: unknown, path: string): string {
  const name = memberIn(path);
  if (typeof value === "bigint") return `return String(${name}), or Number(${name}) if it is small`;
  if (typeof value === "number") return `return null, or leave ${name} out`;
  if (typeof value === "function") return "return what the function computes; functions belong in the workflow's steps or in the option `dependencies`";
  if (value instanceof Date) return `return ${name}.toISOString()`;
  if (value instanceof Map) return `return Object.fromEntries(${name})`;
  if (value instanceof Set) return `return [...${name}]`;
  if (value instanceof Error) return `return ${name}.message, or throw it`;
  if (ArrayBuffer.isView(value)) return `return Array.from(${name}), or base64 text`;
  if (typeof Blob === "function" && value instanceof Blob) return `return what readFiles([${name}]) of "stepweave/files" gives, or await ${name}.text()`;
  if (typeof value === "object") return "return plain objects, arrays, texts, numbers, booleans and null";
  return "return only what JSON can hold";
}

/** Where a path is read: a name, or what stands in brackets. */
const PART = /\.?[\p{L}_$][\p{L}\p{N}_$]*|\[(?:\d+|"(?:[^"\\]|\\.)*")\]/gu;

/** The end of a path, as it can be written: from its last name on. */
function memberIn(path: string): string {
  const parts = path.match(PART) ?? [path];
  const last = parts.findLastIndex((part) => !part.startsWith("["));
  return parts.slice(Math.max(last, 0)).join("").replace(/^\./, "");
}
