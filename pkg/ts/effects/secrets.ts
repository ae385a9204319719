import { StepweaveError } from "../api/errors.js";
import type { Renew, Secret, Secrets } from "../api/run.js";
import { binary } from "../json/base64.js";
import { optionsFrom, quoted } from "../schema/options.js";
import { faultOfKey, KEY_HINT } from "./key.js";
import { originOf } from "./origin.js";
import { originsOfSecret } from "./presets.js";
import { formsOf, longestFirst, SHORTEST_SECRET } from "./secret-forms.js";
import { withoutBeginnings, withoutForms, type Hidden } from "./secret-readings.js";

/** A secret's value and the origins it may go to. */
export interface BoundSecret {
  readonly value: string;
  readonly origins: readonly string[];
  /** Gets another value once this one is refused. */
  readonly renew?: Renew | undefined;
}

/** The secrets of a run: those of its workflow, and those that are given; throws when one is not usable. */
export function secretsOf(own: ReadonlyMap<string, BoundSecret>, given: Secrets | undefined): SecretTable {
  if (own.size > 0 || (given !== undefined && given !== null)) return new SecretTable(own, given);
  return (noSecrets ??= new SecretTable(own, undefined));
}

/** What all runs without secrets share. */
let noSecrets: SecretTable | undefined;

/** Characters of a text that are looked through at once; what has more is looked through in turns where that can be. */
export const LARGE = 500_000;

/** Secrets by name. Values never get into a message. */
export class SecretTable {
  readonly #bound = new Map<string, BoundSecret>();
  /** Tokens that secrets were exchanged for. */
  readonly #given: (readonly [name: string, value: string])[] = [];
  /** What is hidden, and what stands there instead; the longest first. */
  #hidden: Hidden = [];
  /** Large texts of the last answer, from which all has been removed. */
  #looked: ReadonlySet<string> = new Set();
  /** What must not be shown. */
  texts: readonly string[] = [];

  constructor(own: ReadonlyMap<string, BoundSecret>, given: Secrets | undefined) {
    for (const [name, secret] of own) this.#bound.set(name, secret);
    if (given !== undefined && given !== null) {
      if (typeof given !== "object") throw wrong("the option `secrets` must be an object", "write secrets: { OPENAI_API_KEY: key }");
      for (const [name, secret] of Object.entries(given)) {
        if (secret !== undefined) this.#bound.set(name, bind(name, secret));
      }
    }
    if (this.#bound.size > 0) this.#hide();
  }

  /**
   * The value of a secret for this address, which is written there; throws `auth` when there is none, or when it may not go
   * there. It is needed for all of `origins`.
   */
  valueFor(name: string, url: string, written = "the model's baseUrl", origins = [originOf(url) ?? url]): string {
    const secret = this.#bound.get(name);
    if (secret === undefined) {
      throw new StepweaveError("auth", `the workflow needs the secret ${name}`, {
        hint: originsOfSecret(name).length > 0
          ? `pass it where the run starts: secrets: { ${name}: "…" }`
          : `pass it where the run starts: secrets: { ${name}: { value: "…", origins: ${JSON.stringify(origins)} } }`,
      });
    }
    const origin = originOf(url);
    if (origin === undefined || !secret.origins.includes(origin)) {
      throw new StepweaveError(
        "auth",
        `the secret ${name} is bound to ${secret.origins.join(", ")} and was not sent to ${origin ?? url}`,
        { hint: `check ${written}; if the secret is meant for it, add "${origin ?? url}" to its origins` },
      );
    }
    return secret.value;
  }

  /** The value of now, which goes nowhere without {@link valueFor}. */
  valueOf(name: string): string | undefined {
    return this.#bound.get(name)?.value;
  }

  /** What gets another value for a secret, where whoever gave it has said so. */
  renewal(name: string): Renew | undefined {
    return this.#bound.get(name)?.renew;
  }

  /** Gives a secret another value; the one before stays hidden. */
  replace(name: string, value: string): void {
    const before = this.#bound.get(name);
    if (before === undefined) return;
    this.#bound.set(name, bind(name, { ...before, value }));
    this.hide(before.value, name);
  }

  /** All values, also those of before and what was given in exchange. */
  get values(): readonly string[] {
    return [...[...this.#bound.values()].map(({ value }) => value), ...this.#given.map(([, value]) => value)];
  }

  /** Those that go over the network and are too short to be hidden. */
  get shown(): string[] {
    return [...this.#bound].flatMap(([name, { value, origins }]) => (value.length < SHORTEST_SECRET && origins.some((origin) => origin.startsWith("https:")) ? [name] : []));
  }

  /** Whether a secret may go there: whoever gave it has named this origin. */
  goTo(origin: string): boolean {
    return [...this.#bound.keys()].some((name) => this.isBoundTo(name, origin));
  }

  /** Whether this secret may go there. */
  isBoundTo(name: string, origin: string): boolean {
    return this.#bound.get(name)?.origins.includes(origin) === true;
  }

  /** Whether there is nothing to hide, nor will be: what a secret buys is hidden too. */
  get isEmpty(): boolean {
    return this.#bound.size === 0 && this.#hidden.length === 0;
  }

  /** The text with every secret's value replaced by its name. */
  redact(text: string): string {
    return text.length > LARGE && this.#looked.has(text) ? text : withoutForms(text, this.#hidden);
  }

  /** Takes the large texts of an answer that have been looked through. */
  looked(texts: ReadonlySet<string>): void {
    this.#looked = texts;
  }

  /**
   * A message of the engine, which quotes texts and cuts them: without what a cut has left of a secret too. Never a value
   * of a run, whose author would find a secret out by it letter by letter.
   */
  redactMessage(message: string): string {
    return withoutBeginnings(this.redact(message), this.#hidden, SHORTEST_SECRET);
  }

  /** The same of bytes as a text with a character for each; what they stand for is in UTF-8 or has a byte for each character. */
  redactBinary(text: string): string {
    const inUtf8 = this.#hidden.map(([form, shown]) => [binary(new TextEncoder().encode(form)), shown] as const);
    return withoutForms(withoutForms(text, inUtf8), this.#hidden);
  }

  /** Hides what was given in exchange for a secret, under its name. */
  hide(value: string, name: string): void {
    this.#given.push([name, value]);
    this.#hide();
  }

  #hide(): void {
    this.#looked = new Set();
    const hidden = new Map<string, string>();
    for (const [name, value] of [...[...this.#bound].map(([name, { value }]) => [name, value] as const), ...this.#given]) {
      for (const text of formsOf(value)) hidden.set(text, `[secret ${name}]`);
    }
    this.#hidden = [...hidden].sort(([one], [other]) => longestFirst(one, other));
    this.texts = this.#hidden.map(([text]) => text);
  }
}

function bind(name: string, secret: Secret): BoundSecret {
  const { value, origins, renew } = typeof secret === "object" && secret !== null
    ? optionsFrom(secret, ["value", "origins", "renew"], `the secret ${name}`)
    : { value: secret, origins: originsOfSecret(name), renew: undefined };
  if (typeof value !== "string" || value === "") {
    throw wrong(`the secret ${name} has no value`, `check where it comes from; write secrets: { ${name}: "…" } or leave it out`);
  }
  const fault = faultOfKey(value);
  if (fault !== undefined) throw wrong(`the secret ${name} ${fault}`, KEY_HINT);
  if (!Array.isArray(origins) || origins.length === 0) {
    throw wrong(
      `the secret ${name} is not bound to an origin`,
      `say where it may go: secrets: { ${name}: { value, origins: ["https://…"] } }`,
    );
  }
  if (renew !== undefined && typeof renew !== "function") throw wrong(`the option \`renew\` of the secret ${name} is no function`, "pass one that resolves to another value, or leave it out");
  return { value, origins: origins.map((origin) => checkedOrigin(name, origin)), renew };
}

function checkedOrigin(name: string, text: unknown): string {
  const origin = originOf(text);
  // The address of an endpoint will do: a key is bound to all of an origin, whatever path stands behind it.
  if (origin !== undefined) return origin;
  throw wrong(`an origin of the secret ${name} is no http(s) address: ${quoted(text)}`, 'write an origin such as "https://llm.example.com"');
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
