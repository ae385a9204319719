// Nodes of n8n for a service, as the request that they send to it.
import type { HttpRequestDocument, Json } from "stepweave";
import { at, data, isData, list, text, type Data } from "../data";
import type { Draft } from "../draft";
import { bracketed } from "../text";
import type { Names } from "./names";
import { isExpression } from "./pieces";
import { idOf, SHEET, tabOf } from "./rows";
import { writtenJson } from "./request";
import { kindOf, type Source } from "./source";

type Request = HttpRequestDocument;

/** The request that a node of a service sends; undefined where it is not known, or does not say enough. */
export function serviceRequest(source: Source, names: Names, draft: Draft): Request | undefined {
  const service = SERVICES[kindOf(source)];
  const { resource, operation } = source.parameters;
  const made = service?.requests[[text(resource) || service.resource, text(operation) || service.operation].filter(Boolean).join(":")]?.(new Parameters(source, names, draft));
  if (service === undefined || made === undefined) return undefined;
  draft.remark(source.name, `Give its key the name ${service.secret}, and its value where the workflow runs.`);
  return { ...made, auth: { bearer: { secret: service.secret } } };
}

interface Service {
  readonly secret: string;
  /** What n8n does where a node does not say it. */
  readonly resource?: string;
  readonly operation: string;
  readonly requests: Readonly<Record<string, (of: Parameters) => Request | undefined>>;
}

/** What a node is set to, as templates. */
class Parameters {
  readonly values: Data;
  readonly #source: Source;
  readonly #names: Names;
  readonly #draft: Draft;

  constructor(source: Source, names: Names, draft: Draft) {
    this.values = source.parameters;
    this.#source = source;
    this.#names = names;
    this.#draft = draft;
  }

  template(value: unknown): string {
    return this.#names.template(this.#source, value);
  }

  /** A value that somebody picked of a list, gave by its id, or by an address. */
  id(field: string, address?: RegExp): string | undefined {
    const found = idOf(this.values[field], address);
    return found === undefined ? undefined : inPath(this.template(found));
  }

  /** A text of JSON that reads something; undefined where it is none. */
  json(value: string): Json | undefined {
    const written = writtenJson(value, this.#source, this.#names);
    return "json" in written ? written.json : undefined;
  }

  /** The values of columns. */
  columns(): Record<string, Json> | undefined {
    const { mappingMode, value } = data(this.values["columns"]);
    if (mappingMode === "autoMapInputData" || !isData(value)) return undefined;
    const rows = Object.entries(value).filter(([name, each]) => name !== "__proto__" && each !== null && each !== undefined);
    return Object.fromEntries(rows.map(([name, each]) => [name, typeof each === "string" ? this.template(each) : (each as Json)]));
  }

  /** The whole of what comes in. */
  item(): string {
    return `{{ ${bracketed(this.#names.rootOf(this.#source))} }}`;
  }

  remark(note: string): void {
    this.#draft.remark(this.#source.name, note);
  }
}

/** A part of an address: what is no expression is encoded, since spaces and slashes stand in names. */
function inPath(template: string): string {
  return template.includes("{{") ? template : encodeURIComponent(template);
}

const SHEETS = "https://sheets.googleapis.com/v4/spreadsheets";
const DRIVE = "https://www.googleapis.com/drive/v3/files";
const GMAIL = "https://gmail.googleapis.com/gmail/v1/users/me";

const SERVICES: Readonly<Record<string, Service>> = {
  slack: { secret: "SLACK_TOKEN", resource: "message", operation: "post", requests: { "message:post": posted } },
  googleSheets: { secret: "GOOGLE_TOKEN", resource: "sheet", operation: "read", requests: { "sheet:read": read, "sheet:append": appended } },
  googleDrive: {
    secret: "GOOGLE_TOKEN",
    resource: "file",
    operation: "upload",
    requests: {
      "file:download": (of) => onFile(of, (id) => ({ url: `${DRIVE}/${id}`, query: { alt: "media" }, response: "bytes" })),
      "file:deleteFile": (of) => onFile(of, (id) => ({ method: "DELETE", url: `${DRIVE}/${id}` })),
    },
  },
  gmail: {
    secret: "GOOGLE_TOKEN",
    resource: "message",
    operation: "send",
    requests: {
      "message:addLabels": (of) => labelled(of, "addLabelIds", of.values["labelIds"]),
      "message:removeLabels": (of) => labelled(of, "removeLabelIds", of.values["labelIds"]),
      "message:markAsRead": (of) => labelled(of, "removeLabelIds", ["UNREAD"]),
      "message:markAsUnread": (of) => labelled(of, "addLabelIds", ["UNREAD"]),
    },
  },
  airtable: {
    secret: "AIRTABLE_TOKEN",
    operation: "",
    requests: {
      create: (of) => recorded(of, "POST", ""),
      append: (of) => recorded(of, "POST", ""),
      update: (of) => recorded(of, "PATCH", "id"),
      get: (of) => inTable(of, (url) => (of.id("id") === undefined ? undefined : { url: `${url}/${of.id("id") ?? ""}` })),
      read: (of) => inTable(of, (url) => (of.id("id") === undefined ? undefined : { url: `${url}/${of.id("id") ?? ""}` })),
      deleteRecord: (of) => inTable(of, (url) => (of.id("id") === undefined ? undefined : { method: "DELETE", url: `${url}/${of.id("id") ?? ""}` })),
      search: found,
      list: found,
    },
  },
  whatsApp: {
    secret: "WHATSAPP_TOKEN",
    resource: "message",
    operation: "",
    requests: {
      "message:send": (of) => {
        const { textBody, recipientPhoneNumber, messageType } = of.values;
        const from = of.id("phoneNumberId");
        if (from === undefined || textBody === undefined || (messageType !== undefined && messageType !== "text")) return undefined;
        return { method: "POST", url: `https://graph.facebook.com/v21.0/${from}/messages`, body: { json: { messaging_product: "whatsapp", to: of.template(recipientPhoneNumber), type: "text", text: { body: of.template(textBody) } } } };
      },
    },
  },
};

function posted(of: Parameters): Request | undefined {
  const { values } = of;
  const to = text(values["select"]) === "user" ? values["user"] : (values["channelId"] ?? values["channel"]);
  const channel = isData(to) ? to["value"] : to;
  const blocks = blocksOf(of);
  if (text(channel) === "" || (text(values["text"]) === "" && blocks === undefined)) return undefined;
  const thread = at(values, "otherOptions", "thread_ts", "replyValues", "thread_ts");
  return {
    method: "POST",
    url: "https://slack.com/api/chat.postMessage",
    // Slack says in the answer itself whether it took the message.
    success: "body.ok",
    body: { json: { channel: of.template(channel), text: of.template(values["text"]), ...(blocks !== undefined && { blocks }), ...(text(thread) !== "" && { thread_ts: of.template(thread) }) } },
  };
}

function blocksOf(of: Parameters): Json | undefined {
  const { messageType, blocksUi } = of.values;
  if (messageType !== "block" || typeof blocksUi !== "string" || blocksUi === "") return undefined;
  const only = /^=\s*\{\{((?:(?!\}\}).)*)\}\}\s*$/s.exec(blocksUi);
  if (only) return of.template(`={{ (${only[1] ?? ""}).blocks }}`);
  const blocks = at(of.json(blocksUi), "blocks");
  if (blocks !== undefined) return blocks as Json;
  of.remark("Its blocks are left out: put them into the body of the request, as `blocks`.");
  return undefined;
}

function read(of: Parameters): Request | undefined {
  const [sheet, tab] = [of.id("documentId", SHEET), tabOf(of.values["sheetName"])];
  if (sheet === undefined || tab === undefined) return undefined;
  for (const row of list(at(of.values, "filtersUI", "values"))) {
    const { lookupColumn, lookupValue } = data(row);
    if (isExpression(text(lookupValue))) of.remark(`It read only the rows whose “${text(lookupColumn).slice(0, 60)}” is ${text(lookupValue).slice(0, 80)}: look for them in what follows.`);
  }
  return { url: `${SHEETS}/${sheet}/values/${inPath(of.template(tab))}` };
}

function appended(of: Parameters): Request | undefined {
  const [sheet, tab, columns] = [of.id("documentId", SHEET), tabOf(of.values["sheetName"]), of.columns()];
  if (sheet === undefined || tab === undefined || columns === undefined || Object.keys(columns).length === 0) return undefined;
  const known = list(at(of.values, "columns", "schema")).map(data).filter((column) => column["removed"] !== true).map((column) => text(column["id"])).filter(Boolean);
  const order = Object.keys(columns).every((name) => known.includes(name)) ? known : Object.keys(columns);
  of.remark(`It writes a row of ${order.slice(0, 8).map((name) => `“${name.slice(0, 40)}”`).join(", ")}${order.length > 8 ? ", …" : ""}: look whether the sheet has its columns in this order.`);
  return { method: "POST", url: `${SHEETS}/${sheet}/values/${inPath(of.template(tab))}:append`, query: { valueInputOption: "USER_ENTERED", insertDataOption: "INSERT_ROWS" }, body: { json: { values: [order.map((name) => columns[name] ?? "")] } } };
}

function onFile(of: Parameters, make: (id: string) => Request): Request | undefined {
  const id = of.id("fileId", /(?:\/d\/|[?&]id=)([\w-]+)/);
  return id === undefined ? undefined : make(id);
}

function labelled(of: Parameters, change: string, labels: unknown): Request | undefined {
  const id = of.id("messageId");
  const given = typeof labels === "string" ? of.template(labels) : list(labels).map((label) => of.template(label));
  return id === undefined || given.length === 0 ? undefined : { method: "POST", url: `${GMAIL}/messages/${id}/modify`, body: { json: { [change]: given } } };
}

function inTable(of: Parameters, make: (url: string) => Request | undefined): Request | undefined {
  const [base, table] = [of.id("base", /\/(app\w+)/) ?? of.id("application", /\/(app\w+)/), of.id("table", /\/(tbl\w+)/)];
  return base === undefined || table === undefined ? undefined : make(`https://api.airtable.com/v0/${base}/${table}`);
}

/** A record that is written, whose id is the column of this name, or none yet. */
function recorded(of: Parameters, method: "POST" | "PATCH", key: string): Request | undefined {
  return inTable(of, (url) => {
    const { [key]: id, ...columns } = of.columns() ?? {};
    const isWhole = of.columns() === undefined;
    if (key !== "" && typeof id !== "string") return undefined;
    return { method, url: key === "" ? url : `${url}/${inPath(String(id))}`, body: { json: { fields: isWhole ? of.item() : columns, typecast: at(of.values, "options", "typecast") === true } } };
  });
}

function found(of: Parameters): Request | undefined {
  const formula = text(of.values["filterByFormula"]) || text(at(of.values, "additionalOptions", "filterByFormula"));
  const most = of.values["returnAll"] === false ? text(of.values["limit"]) : "";
  return inTable(of, (url) => {
    of.remark("It gives the list of records, each with its `fields`: wrap what follows in a “For each” over it.");
    return { url, ...((formula !== "" || most !== "") && { query: { ...(formula !== "" && { filterByFormula: of.template(formula) }), ...(most !== "" && { maxRecords: most }) } }), result: "body.records" };
  });
}
