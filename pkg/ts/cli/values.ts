import type { Secrets } from "../api/run.js";
import { originOf } from "../effects/origin.js";
import { originsOfSecret } from "../effects/presets.js";
import { type Flags, type Given, misused } from "./arguments.js";
import { jsonOfFile } from "./files.js";
import type { Io } from "./io.js";

/** The flags of keys. */
export const SECRET_FLAG: Flags = {
  secret: { value: "NAME[@origin]", multiple: true, about: "a key, read from the variable NAME of the environment; no other variable is read. With an origin where the name is not that of a known provider" },
};

/** `key=value` pairs and objects of a flag, merged in their order: `key=value`, `'{"key": …}'` or `@file.json`. */
export async function objectFrom(given: Given, flag: string): Promise<Record<string, unknown> | undefined> {
  const parts = given.all(flag);
  if (parts.length === 0) return undefined;
  const merged: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const part of parts) for (const [key, value] of await pairsOf(part, flag)) merged[key] = value;
  return Object.fromEntries(Object.entries(merged));
}

async function pairsOf(part: string, flag: string): Promise<[string, unknown][]> {
  if (part.startsWith("@") || part.trimStart().startsWith("{")) {
    const value = part.startsWith("@") ? await jsonOfFile(part.slice(1)) : jsonOr(part, () => wrong(part, flag));
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw misused(`--${flag} ${part} holds no object`, `write --${flag} key=value, --${flag} '{"key": "value"}' or --${flag} @file.json`);
    return Object.entries(value);
  }
  const at = part.indexOf("=");
  if (at < 1) throw wrong(part, flag);
  const text = part.slice(at + 1);
  return [[part.slice(0, at), text.startsWith("@") ? await jsonOfFile(text.slice(1)) : jsonOr(text, () => text)]];
}

/** A value that is no JSON is the text that it is. */
function jsonOr(text: string, otherwise: () => unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const instead = otherwise();
    if (instead instanceof Error) throw instead;
    return instead;
  }
}

function wrong(part: string, flag: string): Error {
  return misused(`--${flag} cannot be read: ${part}`, `write --${flag} key=value, --${flag} '{"key": "value"}' or --${flag} @file.json`);
}

/** The keys that a command line names. Each is one variable of the environment, and goes to the origins that are its own. */
export function secretsFrom(given: Given, io: Pick<Io, "variable">): Secrets | undefined {
  const found = new Map<string, { value: string; origins: string[] }>();
  for (const written of given.all("secret")) {
    const at = written.indexOf("@");
    const name = at < 0 ? written : written.slice(0, at);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw misused("--secret needs the name of a variable of the environment", "write --secret OPENAI_API_KEY; a key's value does not belong on a command line, which others can read");
    const value = io.variable(name);
    if (value === undefined || value === "") throw misused(`the environment has no variable ${name}`, `set it, then call again: --secret ${name} reads it`);
    const secret = found.get(name) ?? { value, origins: [...originsOfSecret(name)] };
    if (at >= 0) {
      const origin = originOf(written.slice(at + 1));
      if (origin === undefined) throw misused(`the secret ${name} is bound to ${JSON.stringify(written.slice(at + 1))}, which is no origin`, `write --secret ${name}@https://llm.example.com`);
      secret.origins.push(origin);
    }
    if (secret.origins.length === 0) throw misused(`the secret ${name} is bound to no origin`, `write where it may go: --secret ${name}@https://llm.example.com`);
    found.set(name, secret);
  }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}
