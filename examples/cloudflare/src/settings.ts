/** What `wrangler.jsonc` and `wrangler secret put` set. */
export interface Settings {
  readonly LLM_BASE_URL?: string;
  readonly LLM_MODEL?: string;
  readonly LLM_API_KEY?: string;
  readonly ACCESS_TOKEN?: string;
  readonly PUBLIC?: string;
  readonly ALLOWED_ORIGIN?: string;
}

/** The settings do not work. */
export class NotConfigured extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** The names under which they are bound. */
const NAMES: readonly (keyof Settings)[] = ["LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY", "ACCESS_TOKEN", "PUBLIC", "ALLOWED_ORIGIN"];

/** Reads what is bound; an empty variable stands for none. */
export function settingsOf(env: object): Settings {
  const bound = NAMES.map((name) => [name, textOf(env, name)] as const);
  return Object.fromEntries(bound.filter(([, text]) => text !== undefined));
}

function textOf(env: object, name: keyof Settings): string | undefined {
  const bound: unknown = Object.hasOwn(env, name) ? env[name as keyof typeof env] : undefined;
  if (bound === undefined) return undefined;
  // A secret that was piped in often ends with a line break, which no header can hold.
  const text = typeof bound === "string" ? bound.trim() : undefined;
  // A token of nothing would let everyone in, and who set it wants the opposite.
  if (text === undefined || (text === "" && name === "ACCESS_TOKEN")) {
    throw new NotConfigured(`the binding ${name} is ${text === "" ? "empty" : "no text"}`, `set it with npx wrangler secret put ${name}, or as a text in wrangler.jsonc`);
  }
  return text === "" ? undefined : text;
}
