// HTTP requests of n8n.
import type { HttpRequestDocument, Json } from "stepweave";
import { at, data, list, text } from "../data";
import type { Draft } from "../draft";
import { seal } from "../request";
import { bracketed, isPath, joined, literal, printed, quoted } from "../text";
import type { Names } from "./names";
import { isExpression, piecesOf } from "./pieces";
import type { Source } from "./source";

type Request = HttpRequestDocument;

/** The request of a node. Keys that stand in it are taken out, and named as secrets. */
export function requestOf(source: Source, names: Names, draft: Draft): Request {
  const { parameters } = source;
  const method = (text(parameters["method"]) || text(parameters["requestMethod"]) || "GET").replace(/^=/, "").toUpperCase();
  const query = rows(source, names, parameters, ["queryParameters", "queryParametersUi"], "queryParametersJson");
  const headers = rows(source, names, parameters, ["headerParameters", "headerParametersUi"], "headerParametersJson");
  const named = `${text(parameters["genericAuthType"])} ${text(parameters["nodeCredentialType"])} ${text(parameters["authentication"])}`;
  const auth = source.hasCredentials || (/auth|oauth|api/i.test(named) && !/^\s*none\s*$/i.test(named)) ? `${named} kept apart` : "";
  const isForm = /multipart/.test(text(parameters["contentType"]) || text(parameters["bodyContentType"]));
  if (isForm) for (const name of Object.keys(headers)) if (/^content-type$/i.test(name)) delete headers[name];
  const request = seal({ id: source.name, name: source.name, method, url: names.template(source, parameters["url"]), query, headers, auth, draft });
  if (request.method !== undefined && request.method !== "HEAD") {
    const body = bodyOf(source, names, draft);
    if (body) request.body = body;
  }
  const format = text(at(parameters, "options", "response", "response", "responseFormat")) || text(parameters["responseFormat"]);
  const isText = format === "text" || format === "string";
  if (format === "file") request.response = "bytes";
  else if (isText) request.response = "text";
  // What n8n gives besides the body, or around it, under the names that what follows reads.
  const around = text(at(parameters, "options", "response", "response", "outputPropertyName")) || text(parameters["dataPropertyName"]) || "data";
  if (at(parameters, "options", "response", "response", "fullResponse") === true || at(parameters, "options", "fullResponse") === true) request.result = "{'body': body, 'headers': headers, 'statusCode': status}";
  else if (isText) request.result = `{${quoted(around)}: body}`;
  if (at(parameters, "options", "response", "response", "neverError") === true) request.success = "true";
  for (const [option, words] of NOT_TAKEN) if (at(parameters, "options", option) !== undefined) draft.remark(source.name, words);
  if (at(parameters, "options", "pagination") !== undefined) draft.remark(source.name, "It asked for further pages: set “Further pages” of the request.");
  return request;
}

/** Options of a request that have none here. */
const NOT_TAKEN = [
  ["batching", "It sent a few requests at a time: a “For each” has a concurrency."],
  ["allowUnauthorizedCerts", "It took any certificate, which no request here does."],
  ["proxy", "It went through a proxy: that is for where the workflow runs to say."],
] as const;

/** Names and values, from a table or from JSON. */
function rows(source: Source, names: Names, parameters: Source["parameters"], tables: readonly string[], other: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const table of tables) {
    const rows = at(parameters, table, "parameters") ?? at(parameters, table, "parameter") ?? at(parameters, table);
    for (const row of list(rows)) {
      const { name, value } = data(row);
      const named = text(name).replace(/^=/, "").trim();
      if (named !== "" && named !== "__proto__") found[named] = names.template(source, value);
    }
  }
  const json = parsed(parameters[other] ?? parameters[other.replace("ParametersJson", "").replace("header", "jsonHeaders").replace("query", "jsonQuery")]);
  for (const [name, value] of Object.entries(data(json))) found[name] = names.template(source, value);
  return found;
}

function bodyOf(source: Source, names: Names, draft: Draft): Request["body"] {
  const { parameters } = source;
  const raw = parameters["jsonBody"] ?? parameters["bodyParametersJson"] ?? (parameters["body"] !== undefined ? parameters["body"] : undefined);
  const kind = text(parameters["contentType"]) || text(parameters["bodyContentType"]) || "json";
  if (kind === "binaryData") {
    draft.remark(source.name, "It sent a file: set the body of the request.");
    return undefined;
  }
  if (raw !== undefined && raw !== "") {
    const value = typeof raw === "string" && isExpression(raw) ? undefined : parsed(raw);
    if (value !== undefined && typeof value !== "string") return { json: templated(value) };
    if (kind === "json" && typeof raw === "string" && isExpression(raw)) return writtenJson(raw, source, names);
    return { text: names.template(source, raw).trim(), type: mediaOf(text(parameters["rawContentType"])) ?? (kind === "raw" ? "text/plain" : "application/json") };
  }
  const fields = rows(source, names, parameters, ["bodyParameters", "bodyParametersUi"], "");
  if (Object.keys(fields).length === 0) return undefined;
  if (/form-urlencoded/.test(kind)) return { form: fields };
  if (/multipart/.test(kind)) return { multipart: Object.entries(fields).map(([name, value]) => ({ name, text: value })) };
  return { json: fields };
}

/** A kind of content that a person wrote, which may be its last word alone. */
function mediaOf(written: string): string | undefined {
  const said = written.replace(/^=/, "").trim();
  if (/^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/.test(said)) return said;
  return /json/i.test(said) ? "application/json" : /xml/i.test(said) ? "application/xml" : undefined;
}

/**
 * A text of JSON that reads something: JSON whose strings are templates, or a text where something in it may stand for more than a
 * value, as a text of JSON does that an agent gave.
 */
export function writtenJson(raw: string, source: Source, names: Names): NonNullable<Request["body"]> {
  let isInText = false;
  const pieces = piecesOf(raw).map(({ text: said, code }) => {
    if (code !== undefined) return { said: names.template(source, `={{${code}}}`).slice(3, -3), isRead: true, isInText };
    for (const [part] of said.matchAll(/\\.|"/gs)) if (part === '"') isInText = !isInText;
    return { said: literal(said), isRead: false, isInText };
  });
  const values = pieces.map(({ said, isRead, isInText }, index) => {
    if (!isRead) return said;
    const isAlone = pieces[index - 1]?.said.endsWith('"') === true && pieces[index + 1]?.said.startsWith('"') === true;
    if (isInText) return inQuotes(isAlone ? `${bracketed(said)} | string` : said);
    // What is made JSON there is the value itself here.
    const own = said.replace(/ \| tojson$/, "");
    return own !== said || /^[{[]/.test(said) ? `"${inQuotes(own)}"` : undefined;
  });
  const json = values.includes(undefined) ? undefined : parsed(values.join(""));
  if (json !== undefined) return { json: json as Json };
  // What a field has stays within its quotes.
  const texts = pieces.map(({ said, isRead, isInText }) => (isRead ? printed(isInText && isPath(said) ? `(${said} | string | tojson)[1:-1]` : said) : said));
  return { text: joined(texts).trim(), type: "application/json" };
}

/** An expression as a template within a text of JSON. */
function inQuotes(expression: string): string {
  return JSON.stringify(printed(expression)).slice(1, -1);
}

/** Strings of a body are templates: what only looks like one is none. */
function templated(value: unknown): Json {
  return JSON.parse(JSON.stringify(value), (_name, inner: unknown) => (typeof inner === "string" ? literal(inner) : inner)) as Json;
}

function parsed(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value.replace(/^=/, "")) : value;
  } catch {
    return undefined;
  }
}
