import { StepweaveError } from "../api/errors.js";

/** What every provider takes as the name of a tool. */
const MOST = 64;
const STRANGE = /[^A-Za-z0-9_-]/g;

/**
 * Tool names that models accept, for the names that a server has given them: each character other than a letter, a digit, `_` or `-`
 * becomes `_`, and if two would be the same a number is appended to the later one.
 */
export function safeNames(names: readonly string[], prefix: string): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(names.map((name) => [name, safeName(`${prefix}${name}`, taken)]));
}

/** The same for one name, which is taken afterwards. */
export function safeName(name: string, taken: Set<string>): string {
  const begun = name.replace(STRANGE, "_");
  const plain = /^[A-Za-z_]/.test(begun) ? begun : `_${begun}`;
  let unique = plain.slice(0, MOST);
  for (let number = 2; taken.has(unique); number += 1) unique = `${plain.slice(0, MOST - `_${number}`.length)}_${number}`;
  taken.add(unique);
  return unique;
}

/** Refuses names of tools that the server does not have: a misspelt one would be missing without a word. */
export function refuseUnknownTools(wanted: readonly string[], names: readonly string[], server: string): void {
  const stranger = wanted.find((name) => !names.includes(name));
  if (stranger === undefined) return;
  throw new StepweaveError("validation", `the MCP server ${server} has no tool ${stranger}`, { hint: `it has ${names.join(", ") || "none"}` });
}
