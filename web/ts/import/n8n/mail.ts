// Mails that nodes of n8n send with Gmail, which takes them whole and encoded.
import type { HttpRequestDocument, StepDocument } from "stepweave";
import { at, list, text } from "../data";
import type { Draft } from "../draft";
import { key, printed } from "../text";
import type { Names } from "./names";
import { kindOf, type Source } from "./source";

/** Whether a node sends a mail. */
export function sendsMail(source: Source): boolean {
  const { resource, operation } = source.parameters;
  return kindOf(source) === "gmail" && /^(?:message|)$/.test(text(resource)) && /^(?:send|)$/.test(text(operation)) && text(toOf(source)) !== "";
}

function toOf({ parameters }: Source): unknown {
  const { sendTo, toList } = parameters;
  return text(sendTo) || list(toList)[0];
}

/** What makes the mail of a node, and the request that sends it. */
export function mailOf(source: Source, names: Names, draft: Draft): { before: StepDocument[]; request: HttpRequestDocument } {
  const { parameters, version } = source;
  const step = names.of(source);
  const isHtml = version < 2 ? parameters["includeHtml"] === true : parameters["emailType"] !== "text";
  const body = version < 2 && isHtml ? parameters["htmlMessage"] : parameters["message"];
  for (const [field, words] of LEFT) if (at(parameters, ...field) !== undefined) draft.remark(source.name, words);
  if (list(parameters["toList"]).length > 1) draft.remark(source.name, "It went to several people: name the others too.");
  const [to, subject, said, raw] = ["to", "subject", "text", "raw"].map((part) => `${step}_${part}`) as [string, string, string, string];
  const set = { [to]: names.expression(source, toOf(source)), [subject]: names.expression(source, parameters["subject"] ?? ""), [said]: names.expression(source, body ?? "") };
  const before = [
    draft.step(draft.nameOf(`Mail of ${step}`), { type: "function", run: { set } }),
    draft.step(draft.nameOf(`Letter of ${step}`), { type: "function", run: { code: letter({ to, subject, said, raw, isHtml }) } }),
  ];
  draft.remark(source.name, "Give its key the name GOOGLE_TOKEN, and its value where the workflow runs.");
  return { before, request: { method: "POST", url: "https://gmail.googleapis.com/gmail/v1/users/me/messages/send", body: { json: { raw: printed(key(raw)) } }, auth: { bearer: { secret: "GOOGLE_TOKEN" } } } };
}

/** What a mail has besides its text. */
const LEFT: readonly (readonly [readonly string[], string])[] = [
  [["options", "attachmentsUi"], "Its attachments are left out."],
  [["additionalFields", "attachmentsUi"], "Its attachments are left out."],
  [["options", "ccList"], "Whom it went to in copy is left out."],
  [["options", "bccList"], "Whom it went to in copy is left out."],
  [["options", "replyTo"], "Where an answer goes to is left out."],
];

/** Code that makes a whole mail of its parts, in the letters that Gmail takes. */
function letter(of: { to: string; subject: string; said: string; raw: string; isHtml: boolean }): string {
  const part = (name: string): string => `String(state[${JSON.stringify(name)}] ?? "")`;
  return [
    "// The bytes of a text, in base64.",
    'const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";',
    "const encoded = (text) => {",
    '  const bytes = [...encodeURIComponent(text).matchAll(/%([0-9A-F]{2})|(.)/g)].map(([, hex, letter]) => (hex ? parseInt(hex, 16) : letter.charCodeAt(0)));',
    '  let said = "";',
    "  for (let at = 0; at < bytes.length; at += 3) {",
    "    const three = (bytes[at] << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);",
    '    said += [18, 12, 6, 0].map((shift, index) => (at + index > bytes.length ? "=" : letters[(three >> shift) & 63])).join("");',
    "  }",
    "  return said;",
    "};",
    'const line = (text) => text.replace(/[\\r\\n]+/g, " ");',
    `const mail = ["To: " + line(${part(of.to)}), "Subject: =?UTF-8?B?" + encoded(line(${part(of.subject)})) + "?=", "MIME-Version: 1.0", "Content-Type: text/${of.isHtml ? "html" : "plain"}; charset=UTF-8", "Content-Transfer-Encoding: base64", "", encoded(${part(of.said)})].join("\\r\\n");`,
    `return { ${JSON.stringify(of.raw)}: encoded(mail).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") };`,
  ].join("\n");
}
