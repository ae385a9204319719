import { StepweaveError, textOf } from "../api/errors.js";
import { isObject } from "../api/json.js";
import { kindOf } from "../schema/options.js";
import type { Part } from "./part.js";

/** Bytes that a description may have. */
const MAX_BYTES = 5 * 1024 * 1024;
/** How deep its values may nest: what walks through it goes as deep. */
const MAX_DEPTH = 128;
/** Values that it may have, each counted as often as aliases repeat it. */
const MAX_VALUES = 3_000_000;

/** What a text of JSON or YAML says. What reads YAML loads with the first such text. */
export async function readText(text: unknown): Promise<Part> {
  if (typeof text !== "string" || text.trim() === "") {
    throw new StepweaveError("validation", `an OpenAPI description is a text, and this is ${typeof text === "string" ? "empty" : kindOf(text)}`, { hint: "pass the content of the file, as JSON or YAML; nothing is fetched" });
  }
  if (bytesOf(text) > MAX_BYTES) {
    throw new StepweaveError("limit", `the OpenAPI description has more than ${MAX_BYTES} bytes`, { hint: "take a description of the part that is needed: many publishers have one for each product" });
  }
  const value = await valueOf(text.replace(/^\uFEFF/, ""));
  if (!isObject(value)) {
    throw new StepweaveError("validation", `an OpenAPI description is an object, and this text is ${kindOf(value)}`, { hint: "pass the content of a file that begins with openapi: 3.1.0, or with { \"openapi\": \"3.1.0\"" });
  }
  refuseWhatIsTooMuch(value);
  return value;
}

function bytesOf(text: string): number {
  return text.length > MAX_BYTES ? text.length : new TextEncoder().encode(text).length;
}

async function valueOf(text: string): Promise<unknown> {
  if (/^\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new StepweaveError("validation", `the OpenAPI description is no JSON: ${textOf(error)}`, { cause: error, hint: "pass the whole file, as it was published" });
    }
  }
  const { readYaml } = await import("./yaml.js");
  try {
    return readYaml(text, MAX_DEPTH);
  } catch (error) {
    const fault = textOf(error).split("\n", 1)[0] as string;
    const isBound = /exceeded max/.test(fault);
    throw new StepweaveError(isBound ? "limit" : "validation", `the OpenAPI description is ${isBound ? "more than is read" : "neither JSON nor YAML"}: ${fault}`, {
      cause: error,
      hint: isBound ? "write it as JSON without repeating parts: $ref names a part that stands once" : "pass the whole file, as it was published",
    });
  }
}

/** Aliases repeat a value without repeating its text, so the size of the text bounds nothing. */
function refuseWhatIsTooMuch(root: Part): void {
  const open: [unknown, number][] = [[root, 0]];
  let values = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next;
    values += 1;
    if (values + open.length > MAX_VALUES) {
      throw new StepweaveError("limit", `the OpenAPI description has more than ${MAX_VALUES} values, as often as its aliases repeat them`, { hint: "write each part once, and name it with $ref" });
    }
    if (depth > MAX_DEPTH) throw new StepweaveError("limit", `the OpenAPI description nests more than ${MAX_DEPTH} levels deep`, { hint: "give its inner schemas names, and refer to them with $ref" });
    if (typeof value === "number" && !Number.isFinite(value)) throw new StepweaveError("validation", `the OpenAPI description has the number ${value}, which JSON does not hold`, { hint: "take it out: a bound without an end is none" });
    if (typeof value !== "object" || value === null) continue;
    if (Object.hasOwn(value, "__proto__")) throw new StepweaveError("validation", "the OpenAPI description has a key `__proto__`", { hint: "take it out: no request can say it" });
    for (const inner of Object.values(value)) open.push([inner, depth + 1]);
  }
}
