// Values of a file without the keys in them, before anything of a document is made of them.
import { isData, type Data } from "./data";
import { emptied, GONE, isSecret, piecesOf, withoutNamed, withoutShapes } from "./secrets";

/** A value without keys, and the names of the fields that lost one. */
export interface Cleared<T> {
  readonly value: T;
  readonly lost: readonly string[];
}

/** Clears a value of a file. In `lines`, some texts have a field in each line, `name: value`. */
export function cleared<T>(value: T, { lines = false, name = "" }: { lines?: boolean; name?: string } = {}): Cleared<T> {
  const walk = new Walk(lines);
  const clean = walk.value(value, name, isSecret(name)) as T;
  return { value: clean, lost: [...walk.lost] };
}

/** What a person reads of fields that lost a key. */
export function saysLost(lost: readonly string[]): string {
  const names = lost.slice(0, 10).map((name) => `“${withoutShapes(name).slice(0, 60)}”`);
  const more = lost.length > names.length ? ` and ${lost.length - names.length} more` : "";
  return `A key stood in ${names.join(", ")}${more}: it was left behind. Name it as the key of a request, or give it where the workflow runs.`;
}

/** Fields that say what their neighbour is called. */
const NAMES = ["name", "key", "label", "variable", "field", "header"] as const;

/** Fields of a rule that is compared with a value, and the value. */
const COMPARED = [["leftValue", "rightValue"], ["value1", "value2"], ["variable_selector", "value"]] as const;

class Walk {
  readonly lost = new Set<string>();
  readonly #lines: boolean;
  /** Whether the rules at hand are compared with what is called as keys are. */
  #rules = false;

  constructor(lines: boolean) {
    this.#lines = lines;
  }

  value(value: unknown, name: string, isKey: boolean): unknown {
    if (typeof value === "string") return isKey ? this.#noted(value, emptied(value), name) : this.#text(value, name);
    if (typeof value === "number") return isKey ? this.#noted<unknown>(value, "", name) : value;
    if (Array.isArray(value)) return value.map((inner) => this.value(inner, name, isKey));
    return isData(value) ? this.#object(value, name, isKey) : value;
  }

  #noted<T>(before: T, after: T, name: string): T {
    if (after !== before) this.lost.add(name.replace(/^=/, "") || "its text");
    return after;
  }

  #object(value: Data, around: string, isKey: boolean): unknown {
    const called = NAMES.map((field) => value[field]).find((said) => typeof said === "string" && said !== "") as string | undefined ?? targetOf(value);
    const compared = called === undefined ? (COMPARED.find(([left]) => isRead(value[left]))?.[1] ?? (this.#rules ? "value2" : undefined)) : undefined;
    // A value that says where it is read from is no key.
    const reads = ["type", "value_type", "input_type"].some((field) => value[field] === "variable");
    const inner = Object.entries(value).map(([name, inner]) => {
      const isValue = !reads && (name === "value" || name === "default" || name.endsWith("Value"));
      if (name === compared && typeof inner === "string") return [name, inner === "" || inner.includes("{{") ? inner : this.#noted(inner, GONE, name)];
      if (isValue && called !== undefined && isSecret(called)) return [name, this.value(inner, called, true)];
      if (name === "rules" && compared === "value2") return [name, this.#ofRules(inner)];
      // What is called a key and holds several fields has it in its value.
      return [name, this.value(inner, isValue && called === undefined ? around || name : name, isSecret(name) || (isValue && isKey))];
    });
    return Object.fromEntries(inner);
  }

  /** The rules of a switch of n8n, which has the other side of each comparison itself. */
  #ofRules(rules: unknown): unknown {
    const before = this.#rules;
    this.#rules = true;
    const clean = this.value(rules, "rules", false);
    this.#rules = before;
    return clean;
  }

  #text(text: string, name: string): string {
    const isJson = /^[{[]/.test(text.trimStart().replace(/^=/, "").trimStart());
    const found = isJson ? parsed(text) : undefined;
    if (found !== undefined) {
      const walk = new Walk(false);
      const clean = walk.value(found, name, false);
      for (const lost of walk.lost) this.lost.add(lost);
      return walk.lost.size === 0 ? text : `${text.startsWith("=") ? "=" : ""}${JSON.stringify(clean, undefined, 2)}`;
    }
    const note = (lost: string): void => void this.lost.add(lost);
    const code = (text: string): string => withoutNamed(text, note);
    const named = isJson || CODE.test(name) ? code(text) : piecesOf(text).map((piece) => (piece.isRead ? code(piece.text) : piece.text)).join("");
    const lined = this.#lines && /^(?:headers|params|data)$/.test(name) ? named.split("\n").map((line) => this.#line(line)).join("\n") : named;
    // The fields of a form are those of a query.
    const form = /^=?[\w.-]+=[^\s=]*(?:&|$)/.exec(lined) && withoutShapes(`?${lined.replace(/^=/, "")}`).slice(1);
    const bare = form === null ? withoutShapes(lined) : (lined.startsWith("=") ? "=" : "") + form;
    return this.#noted(lined, bare, name);
  }

  /** `name: value`, as Dify keeps each header and parameter. */
  #line(line: string): string {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim();
    const value = line.slice(colon + 1).trim();
    return colon > 0 && isSecret(name, "parameter") ? `${name}:${this.#noted(value, emptied(value), name)}` : line;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.trimStart().replace(/^=/, "")) as unknown;
  } catch {
    // It may have expressions in it, and is looked at as the text that it is.
    return undefined;
  }
}

/** Fields of files that hold code or texts of requests; what people write for models is left to what keys look like. */
const CODE = /code|body|json|query|output|headers|data$/i;

/** What Dify's assigner gives a constant to. */
function targetOf(value: Data): string | undefined {
  const target = value["variable_selector"];
  return Array.isArray(target) && value["comparison_operator"] === undefined ? String(target.at(-1) ?? "") : undefined;
}

/** Whether a side of a comparison reads something that is called as keys are. */
function isRead(side: unknown): boolean {
  const name = Array.isArray(side) ? String(side.at(-1) ?? "") : typeof side === "string" ? /([A-Za-z_][\w-]*)["'\]\s]*\}\}\s*$/.exec(side.slice(-200))?.[1] : undefined;
  return name !== undefined && isSecret(name);
}
