// HTTP requests of Dify.
import type { HttpRequestDocument, Json } from "stepweave";
import { data, list, text } from "../data";
import type { Draft } from "../draft";
import { seal } from "../request";
import { bracketed, printed } from "../text";
import type { Block, Selectors } from "./selectors";

export function requestOf(block: Block, selectors: Selectors, draft: Draft): HttpRequestDocument {
  const own = block.data;
  const pairs = (lines: unknown): Record<string, string> =>
    Object.fromEntries(
      text(lines).split("\n").map((line) => /^\s*([^:]+):(.*)$/s.exec(line)).filter((match) => match !== null).map((match) => [(match[1] ?? "").trim(), selectors.template((match[2] ?? "").trim(), block)]).filter(([name]) => name !== "" && name !== "__proto__"),
    ) as Record<string, string>;
  const method = text(own["method"]).toUpperCase();
  const signed = data(own["authorization"]);
  const config = data(signed["config"]);
  const auth = text(signed["type"]) === "api-key" ? (text(config["type"]) === "basic" ? "basic" : text(config["type"]) === "custom" ? `header ${text(config["header"])}` : "bearer") : "";
  const request = seal({ id: block.id, name: block.title, method, url: selectors.template(own["url"], block), query: pairs(own["params"]), headers: pairs(own["headers"]), auth, secretIn: (value) => selectors.secretIn(value), draft });
  const body = bodyOf(block, selectors);
  if (text(data(own["body"])["type"]) === "binary") draft.remark(block.id, "It sent a file: set the body of the request.");
  if (body !== undefined && request.method !== undefined && request.method !== "HEAD") request.body = body;
  // Without a way for failures, an answer that says an error is one like any other there.
  const isStrict = !/^(?:|none)$/.test(text(own["error_strategy"])) || data(own["retry_config"])["retry_enabled"] === true;
  if (!isStrict) request.success = "true";
  // Later nodes read `body`, `status_code` and `headers` of it.
  request.result = "{'body': body if body is string else body | tojson, 'status_code': status, 'headers': headers}";
  return request;
}

function bodyOf(block: Block, selectors: Selectors): HttpRequestDocument["body"] {
  const body = data(block.data["body"]);
  const raw = body["data"];
  const rows = list(raw).map(data);
  const whole = typeof raw === "string" ? raw : text(rows[0]?.["value"]);
  switch (text(body["type"])) {
    case "json": {
      try {
        return { json: JSON.parse(inQuotes(whole), (_name, inner: unknown) => (typeof inner === "string" ? valueOf(inner, block, selectors) : inner)) as Json };
      } catch {
        return { text: selectors.template(whole, block), type: "application/json" };
      }
    }
    case "raw-text":
      return { text: selectors.template(whole, block), type: "text/plain" };
    case "form-data":
    case "x-www-form-urlencoded": {
      const fields = rows.length > 0 ? rows.map((row) => [text(row["key"]), selectors.template(row["value"], block)] as const) : whole.split("\n").map((line) => line.split(":")).map(([name = "", ...value]) => [name.trim(), selectors.template(value.join(":").trim(), block)] as const);
      const named = fields.filter(([name]) => name !== "" && name !== "__proto__");
      return text(body["type"]) === "form-data" ? { multipart: named.map(([name, value]) => ({ name, text: value })) } : { form: Object.fromEntries(named) };
    }
    default:
      return undefined;
  }
}

/** What stands before a variable that had no quotes of its own. */
const BARE = "\u0000";

/** A text of JSON in which variables that stand for whole values are texts too, each of which becomes its value. */
function inQuotes(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.?)*(?:"|$)|\{\{#[^{}"\\]*#\}\}/gs, (piece) => (piece.startsWith('"') ? piece : JSON.stringify(BARE + piece)));
}

/** A text of such JSON as a template; what had quotes stays a text. */
function valueOf(given: string, block: Block, selectors: Selectors): string {
  if (given.startsWith(BARE)) return selectors.template(given.slice(BARE.length), block);
  const template = selectors.template(given, block);
  const expression = /^\{\{#[^{}]*#\}\}$/.test(given) ? /^\{\{ (.*) \}\}$/s.exec(template)?.[1] : undefined;
  return expression === undefined ? template : printed(`${bracketed(expression)} | string`);
}
