import { StepweaveError } from "../api/errors.js";
import type { HttpRequestDocument } from "../api/http.js";
import { isObject } from "../api/json.js";
import { originOf } from "../effects/origin.js";
import { optionsFrom, reading } from "../schema/options.js";
import { LeftOut } from "./left-out.js";
import { entriesOf, itemsOf, type Part, shortened, textFrom } from "./part.js";
import { MAX_NAME } from "./parameters.js";
import type { References } from "./references.js";

/** How a request says who sends it. */
export type Auth = NonNullable<HttpRequestDocument["auth"]>;

/** What belongs to a security scheme and is not in a description. */
export interface Credentials {
  /** The name of the secret. */
  secret?: string | undefined;
  /** Basic: who signs in. */
  user?: string | undefined;
  /** OAuth 2.0: who fetches the token, by client credentials. */
  clientId?: string | undefined;
}

/** The authorization of an operation: the first of its alternatives that takes one secret. */
export function authOf(definition: Part, root: Part, references: References, credentials: ReadonlyMap<string, Credentials>, prefix: string): Auth | undefined {
  const given = itemsOf(Array.isArray(definition["security"]) ? definition["security"] : root["security"]);
  references.look(given.length);
  const alternatives = given.filter(isObject).map((needs) => Object.keys(needs).map((name) => [name, itemsOf(needs[name])] as const));
  references.look(alternatives.reduce((sum, { length }) => sum + length, 0));
  const reasons: string[] = [];
  const found: Auth[] = [];
  for (const needs of alternatives.filter(({ length }) => length > 0)) {
    const [[name, scopes], ...more] = needs as [readonly [string, readonly unknown[]], ...unknown[]];
    try {
      if (more.length > 0) throw new LeftOut(`takes ${needs.length} keys at once (${needs.slice(0, 5).map(([one]) => shortened(one, 40)).join(", ")}): give one as \`auth\``);
      found.push(authBy(schemeOf(name, root, references), name, scopes, credentials.get(name) ?? {}, prefix));
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      reasons.push(error.reason);
    }
  }
  // Addresses are written down in many places: a key in one is the last choice.
  const [best] = [...found.filter((auth) => !("query" in auth)), ...found];
  if (best !== undefined) return best;
  // An empty alternative says that nobody has to be known.
  if (reasons.length === 0 || alternatives.some(({ length }) => length === 0)) return undefined;
  throw new LeftOut(`it ${reasons[0]}`);
}

function schemeOf(name: string, root: Part, references: References): Part {
  const { components } = root;
  const schemes = isObject(components) ? components["securitySchemes"] : undefined;
  if (!isObject(schemes) || !Object.hasOwn(schemes, name)) throw new LeftOut(`names a security scheme that is nowhere (${shortened(name, 40)}): give \`auth\``);
  return references.followed(schemes[name]);
}

function authBy(scheme: Part, name: string, scopes: readonly unknown[], own: Credentials, prefix: string): Auth {
  const secret = { secret: own.secret ?? secretName(prefix, name) };
  const what = shortened(name, 40);
  switch (textFrom(scheme["type"])) {
    case "apiKey": {
      const key = textFrom(scheme["name"])?.slice(0, MAX_NAME);
      if (key !== undefined && scheme["in"] === "query") return { query: { name: key, value: secret } };
      if (key !== undefined && scheme["in"] === "header" && /^[\w!#$%&'*+.^`|~-]+$/.test(key)) return { header: { name: key, value: secret } };
      throw new LeftOut(`takes a key as ${scheme["in"] === "cookie" ? "a cookie, and requests carry none" : "something that is no header"} (${what}): give \`auth\``);
    }
    case "http": {
      const kind = textFrom(scheme["scheme"])?.toLowerCase();
      if (kind === "bearer") return { bearer: secret };
      if (kind !== "basic") throw new LeftOut(`signs in by ${shortened(kind ?? "nothing", 40)} (${what}): give \`auth\``);
      if (own.user === undefined) throw new LeftOut(`signs in with a user and a password: give schemes: { ${JSON.stringify(what)}: { user: "…" } }`);
      return { basic: { user: literal(own.user), password: secret } };
    }
    case "oauth2": {
      const flows = isObject(scheme["flows"]) ? scheme["flows"] : {};
      const flow = flows["clientCredentials"];
      // Of the other ways somebody else has to have gone one: what is kept is the token.
      if (own.clientId === undefined || !isObject(flow)) return { bearer: secret };
      const tokenUrl = textFrom(flow["tokenUrl"]) ?? "";
      if (originOf(tokenUrl) === undefined || /[{}#]/.test(tokenUrl) || tokenUrl.length > MAX_NAME) throw new LeftOut(`fetches its token at no whole address (${what}): give \`auth: { oauth2: … }\``);
      const scope = scopes.filter((one) => typeof one === "string").join(" ");
      return { oauth2: { tokenUrl, clientId: own.clientId, clientSecret: secret, ...(scope !== "" && { scope }) } };
    }
    case "openIdConnect":
      return { bearer: secret };
    default:
      throw new LeftOut(`has a security scheme of another kind (${what}): give \`auth\``);
  }
}

/** An authorization that the caller gives, seen to be one. */
export function authFrom(given: unknown): Auth | "none" | undefined {
  if (given === undefined || given === "none") return given;
  return reading("the option `auth` of openApiTools()", () => {
    const [[form, inner] = [], ...more] = entriesOf(given);
    const auth = more.length === 0 && isObject(inner) ? authMade(form, inner) : undefined;
    if (auth !== undefined) return auth;
    throw new StepweaveError("validation", "the option `auth` of openApiTools() is no authorization", { hint: 'write auth: { bearer: { secret: "MY_TOKEN" } }, or another form that `auth` of a request has; "none" for requests without a secret' });
  });
}

/** The keys of each form. */
const KEYS: Readonly<Record<string, readonly string[]>> = { bearer: ["secret"], basic: ["user", "password"], header: ["name", "value"], query: ["name", "value"], oauth2: ["tokenUrl", "clientId", "clientSecret", "scope"] };

/** A copy of what a request may have, if every text of it is one. */
function authMade(form: string | undefined, given: Part): Auth | undefined {
  const known = form !== undefined && Object.hasOwn(KEYS, form) ? (KEYS[form] as readonly string[]) : [];
  if (form === undefined || known.length === 0) return undefined;
  const what = `\`auth.${form}\` of openApiTools()`;
  optionsFrom(given, known, what);
  const text = (key: string): string => (typeof given[key] === "string" ? given[key] : "");
  const secretIn = (part: unknown) => {
    const { secret } = isObject(part) ? optionsFrom(part, part === given ? known : ["secret"], `the secret in ${what}`) : {};
    return { secret: typeof secret === "string" ? secret : "" };
  };
  const made: Readonly<Record<string, () => Auth>> = {
    bearer: () => ({ bearer: secretIn(given) }),
    basic: () => ({ basic: { user: text("user"), password: secretIn(given["password"]) } }),
    header: () => ({ header: { name: text("name"), value: secretIn(given["value"]) } }),
    query: () => ({ query: { name: text("name"), value: secretIn(given["value"]) } }),
    oauth2: () => ({ oauth2: { tokenUrl: text("tokenUrl"), clientId: text("clientId"), clientSecret: secretIn(given["clientSecret"]), ...(text("scope") !== "" && { scope: text("scope") }) } }),
  };
  const auth = made[form]?.();
  return auth === undefined || isGap(auth) ? undefined : auth;
}

/** Whether a text of it is missing. A user may be empty. */
function isGap(auth: Auth): boolean {
  if ("basic" in auth) return auth.basic.password.secret === "";
  if ("oauth2" in auth) return [auth.oauth2.tokenUrl, auth.oauth2.clientId, auth.oauth2.clientSecret.secret].includes("");
  const named = "header" in auth ? auth.header : "query" in auth ? auth.query : undefined;
  return named?.name === "" || secretOf(auth) === "";
}

/** The secret that goes along, by its name. */
export function secretOf(auth: Auth): string {
  if ("bearer" in auth) return auth.bearer.secret;
  if ("basic" in auth) return auth.basic.password.secret;
  if ("oauth2" in auth) return auth.oauth2.clientSecret.secret;
  return ("header" in auth ? auth.header : auth.query).value.secret;
}

/** The header or the parameter that is the secret, in lower case: it is no argument. */
export function placeOf(auth: Auth | undefined): string | undefined {
  if (auth !== undefined && "header" in auth) return auth.header.name.toLowerCase();
  return auth !== undefined && "query" in auth ? auth.query.name.toLowerCase() : undefined;
}

/** The names of security schemes of a description. */
export function schemesOf({ components }: Part): string[] {
  return entriesOf(isObject(components) ? components["securitySchemes"] : undefined).map(([name]) => name);
}

/** The kind of a scheme: its type, or for those of HTTP how it signs in. */
export function kindOfScheme(name: string, root: Part, references: References): string {
  try {
    const { type, scheme } = schemeOf(name, root, references);
    return (textFrom(type === "http" ? scheme : type) ?? "unknown").toLowerCase().replace("apikey", "apiKey").replace("openidconnect", "openIdConnect");
  } catch (error) {
    if (error instanceof LeftOut) return "unknown";
    throw error;
  }
}

/** What names of secrets begin with that belong to a description of this title. */
export function prefixOf(title: string): string {
  const words = upper(title).split("_").filter((word) => !/^(?:API|REST|OPENAPI|THE|HTTP|SPECIFICATION|\d*)$/.test(word));
  return words.slice(0, 3).join("_") || "API";
}

function secretName(prefix: string, scheme: string): string {
  const name = `${prefix}_${upper(scheme)}`.replace(/_+$/, "").slice(0, 64);
  return /^[A-Z_]/.test(name) ? name : `_${name}`;
}

function upper(text: string): string {
  return text.replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^_+|_+$/g, "");
}

/** A text where a template is expected. */
function literal(text: string): string {
  return /\{[{%#]/.test(text) ? `{{ ${JSON.stringify(text)} }}` : text;
}
