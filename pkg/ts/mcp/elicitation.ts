import { StepweaveError } from "../api/errors.js";
import type { JsonObject } from "../api/document.js";
import { isSecure } from "../effects/secure.js";
import { loadValidator } from "../schema/validator.js";
import type { ServerName } from "./failure.js";
import type { Elicited, InputRequest } from "./shapes.js";

/** What a person is shown at most, in characters, and the fields that a form may have. */
const MAX_TEXT = 4000;
const MAX_FIELDS = 50;

/** What a field is called that asks for what no form may ask for. */
const SECRET = /pass[-_ ]?(?:word|phrase|code)|secret|api[-_ ]?key|private[-_ ]?key|credential|(?:^|[-_ a-z])token$|card[-_ ]?number|\bcv[vc]\b|\bpin\b/i;

/** A request of a server to ask people, seen to be one that people may be asked. */
export interface Question {
  /** What the person is shown, with the server's address in it. */
  readonly message: string;
  /** What an accepted answer has to be; nothing where a page was to be opened. */
  readonly schema: JsonObject | undefined;
}

/** The answer to a question, as `pending` describes it. */
export const ANSWER = {
  type: "object",
  properties: {
    action: { enum: ["accept", "decline", "cancel"], description: "what the person wants: give the answer or open the page, refuse, or leave it" },
    content: { type: "object", description: "the fields that are asked for, with accept" },
  },
  required: ["action"],
  additionalProperties: false,
};

/** The question that a request comes to. No form asks for secrets, and pages are opened over https alone. */
export function questionOf(request: InputRequest, server: ServerName): Question {
  const { method, params = {} } = request;
  if (method !== "elicitation/create") throw refused(server, `asks for ${method}, which is not offered`);
  const said = typeof params.message === "string" ? params.message : "";
  if (params.mode === "url") {
    const url = pageOf(params.url, server);
    return { message: shortened(`The MCP server ${server.name} asks you to open a page of ${url.host}: ${said}\n\n${url.href}`), schema: undefined };
  }
  const schema = params.requestedSchema;
  const properties = schema?.properties;
  if (schema?.type !== "object" || typeof properties !== "object" || properties === null) throw refused(server, "asks people without saying for what");
  const fields = Object.entries(properties as Record<string, Readonly<Record<string, unknown>>>);
  if (fields.length > MAX_FIELDS) throw refused(server, `asks people for ${fields.length} fields at once, more than ${MAX_FIELDS}`);
  const secret = fields.find(([name, field]) => isSecret(name, field));
  if (secret !== undefined) {
    throw refused(server, `asks people for \`${secret[0]}\`, a secret as it seems, which no form may ask for`, "a server that needs one has to send people to a page of its own, or give the key to mcpTools() in `headers`");
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const lines = fields.map(([name, { type, title, description, enum: choices }]) => {
    const kind = Array.isArray(choices) ? `one of ${choices.join(", ")}` : String(type ?? "any value");
    const words = [title, description].filter((word) => typeof word === "string").join(": ");
    return `- ${name} (${kind}${required.includes(name) ? "" : ", optional"})${words === "" ? "" : `: ${words}`}`;
  });
  return { message: shortened([`The MCP server ${server.name} asks: ${said}`, ...lines].join("\n")), schema };
}

/** What is wrong with a person's answer; nothing when it is as the server wants it. */
export async function faultOf({ action, content = {} }: Elicited, { schema }: Pick<Question, "schema">): Promise<string | undefined> {
  if (action !== "accept" || schema === undefined) return undefined;
  const [fault] = (await loadValidator([schema])).check(schema, content);
  return fault && `${fault.at === "" ? "it" : fault.at.slice(1)} does not meet ${fault.rule.slice(1)}${fault.missing === undefined ? "" : ` (${fault.missing})`}`;
}

/** Yes or no and a choice among what the server names give nothing away. */
function isSecret(name: string, { type, title, format, enum: choices, oneOf }: Readonly<Record<string, unknown>>): boolean {
  if (format === "password") return true;
  if (type === "boolean" || choices !== undefined || oneOf !== undefined) return false;
  // `apiKey` and `api key` are the same word.
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2");
  return SECRET.test(words) || (typeof title === "string" && SECRET.test(title));
}

function pageOf(given: unknown, server: ServerName): URL {
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !isSecure(url) || url.username !== "" || url.password !== "") throw refused(server, "asks people to open an address that is no https address of a page");
  return url;
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}

function refused(server: ServerName, why: string, hint = "tell whoever runs the server"): StepweaveError {
  return new StepweaveError("tool", `the MCP server ${server.name} ${why}`, { hint, retryable: false });
}
