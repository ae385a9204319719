import type { JsonObject } from "../../api/document.js";
import { isObject } from "../../api/json.js";
import type { Pending } from "../../api/results.js";

/** What a client asks a person for a run: an elicitation of the protocol, in the form of its input request. */
export interface Elicitation {
  readonly method: "elicitation/create";
  readonly params: { readonly mode: "form"; readonly message: string; readonly requestedSchema: JsonObject };
}

/** What became of a question: an answer for the run, or that there is none. */
export type Heard = { readonly answer: unknown } | { readonly refusal: string };

/** How a form asks for the answer of one approval: the forms of the protocol are flat. */
type Form = "decision" | "fields" | "json";

const DECISION: JsonObject = {
  type: "object",
  properties: { approved: { type: "boolean", title: "Allow it?" }, reason: { type: "string", title: "Why not" } },
  required: ["approved"],
};

const AS_JSON: JsonObject = { type: "object", properties: { answer: { type: "string", title: "The answer, as JSON" } }, required: ["answer"] };

/** The types that a field of a form may have, and what may be said of it. */
const FIELD_TYPES = ["string", "number", "integer", "boolean"];
const FIELD_KEYS = ["type", "title", "description", "enum", "default", "minLength", "maxLength", "minimum", "maximum"];

/** The elicitation of an approval. */
export function elicitationOf(pending: Pending): Elicitation {
  const { message, schema, step, tool } = pending;
  const form = formOf(pending);
  const asked = message ?? `\`${step.name}\` waits for an answer.`;
  // Whoever allows a call sees what it is.
  const said = tool === undefined ? asked : `${asked}\n\n${JSON.stringify(tool.input, null, 2)}`;
  const requestedSchema = form === "fields" ? flat(schema) : form === "decision" ? DECISION : AS_JSON;
  return { method: "elicitation/create", params: { mode: "form", message: form === "json" ? `${said}\n\nIts schema: ${JSON.stringify(schema)}` : said, requestedSchema } };
}

/** What a client's response says to an approval. It is the client's own, and may be anything. */
export function heard(response: unknown, pending: Pending): Heard {
  const { action, content } = (typeof response === "object" && response !== null ? response : {}) as { action?: unknown; content?: unknown };
  const form = formOf(pending);
  if (action === "accept" && isObject(content)) {
    if (form === "decision" && !isDecision(content)) return { refusal: "the answer does not say whether it is allowed" };
    if (form !== "json") return { answer: content };
    try {
      return { answer: JSON.parse(String((content as { answer?: unknown }).answer)) as unknown };
    } catch {
      return { refusal: "the answer is no JSON" };
    }
  }
  // A no is an answer where yes and no are asked for.
  if (action === "decline" && form === "decision") return { answer: { approved: false } };
  return { refusal: action === "decline" ? "the person declined to answer" : "the person gave no answer" };
}

/** Whether this is what is asked for where a run itself checks nothing. */
function isDecision({ approved, reason }: { approved?: unknown; reason?: unknown }): boolean {
  return typeof approved === "boolean" && (reason === undefined || typeof reason === "string");
}

function formOf({ schema, tool }: Pick<Pending, "schema" | "tool">): Form {
  if (tool !== undefined || schema === undefined || isYesOrNo(schema)) return "decision";
  return isFlat(schema) ? "fields" : "json";
}

/** Whether a schema wants to know whether it is a yes, and nothing else: that of an approval with steps for a yes and a no. */
function isYesOrNo(schema: unknown): boolean {
  if (!isFlat(schema)) return false;
  const { properties: { approved, ...rest }, additionalProperties } = schema;
  return approved?.type === "boolean" && Object.keys(rest).length === 0 && additionalProperties === undefined;
}

function isFlat(schema: unknown): schema is JsonObject & { readonly properties: Record<string, JsonObject> } {
  const { type, properties } = (schema ?? {}) as { type?: unknown; properties?: unknown };
  if (type !== "object" || typeof properties !== "object" || properties === null) return false;
  const fields = Object.values(properties as Record<string, JsonObject>);
  return fields.length > 0 && fields.every((field) => typeof field === "object" && field !== null && FIELD_TYPES.includes(field.type as string) && (field.enum === undefined || (field.type === "string" && Array.isArray(field.enum))));
}

/** The schema as far as a form has it; the run checks the answer by the whole of it. */
function flat(schema: unknown): JsonObject {
  const { properties, required } = schema as { properties: Record<string, JsonObject>; required?: JsonObject[string] };
  const fields = Object.entries(properties).map(([name, field]) => [name, Object.fromEntries(FIELD_KEYS.filter((key) => key in field).map((key) => [key, field[key]]))]);
  return { type: "object", properties: Object.fromEntries(fields) as JsonObject, ...(Array.isArray(required) && { required }) };
}
