import { textOf, type StepweaveError } from "../api/errors.js";
import type { InputPart } from "../api/conversation.js";
import { base64, bytesIn } from "../json/base64.js";
import { kindOfBase64, kindOfBytes } from "../models/media.js";
import { unusable } from "./answers.js";

/** A content part in the engine's form. */
type PlainPart =
  | { readonly type: "text"; readonly text: string; readonly name?: string }
  | { readonly type: "image" | "file"; readonly mediaType: string; readonly data?: string; readonly url?: string; readonly digest?: string; readonly name?: string };

/** What was read of a file may have a name too where it is a text, and has a digest where a store has its bytes. */
interface OfFile {
  readonly name?: unknown;
  readonly digest?: unknown;
}

/** A list of texts, images and files, or a conversation, as plain data: bytes become base64. `what` gave it, in words for an error. */
export function plainInput(given: readonly unknown[], what: string): Promise<unknown[]> {
  const isConversation = given.some((part) => typeof part === "object" && part !== null && "role" in part);
  return isConversation ? Promise.all(given.map((message, index) => plainMessage(message, `message ${index + 1} of ${what}`))) : plainParts(given, what);
}

/** The same of what is sent beside a text. */
export function plainFiles(given: readonly unknown[], what: string): Promise<PlainPart[]> {
  const text = given.findIndex((part) => typeof part === "string");
  if (text >= 0) throw wrong(`part ${text + 1} of ${what}`, "is a text, and no image and no file", "put texts into inputFrom, or give { type: \"text\", name, text } for what was read of a file");
  return plainParts(given, what);
}

/** The engine looks at who said what. */
async function plainMessage(message: unknown, what: string): Promise<object> {
  const { role, content, parts, results, echo, model } = (message ?? {}) as { [key in "role" | "content" | "parts" | "results" | "echo" | "model"]?: unknown };
  if (parts !== undefined && content === undefined) throw wrong(what, "has `parts` and no `content`", 'write { role: "user", content }, where content is a text, or a list of texts, images and files');
  // What a model wrote is plain data already, but for the images and files among it.
  const isMedia = (part: unknown): boolean => role !== "assistant" || ["image", "file"].includes((part as Partial<InputPart> | null)?.type ?? "");
  const plain = (part: unknown, index: number): unknown => (isMedia(part) ? plainPart(part as InputPart, `part ${index + 1} of ${what}`) : part);
  return { role, content: Array.isArray(content) ? await Promise.all(content.map(plain)) : content, results, echo, model };
}

function plainParts(given: readonly unknown[], what: string): Promise<PlainPart[]> {
  return Promise.all(given.map((part, index) => plainPart(part as InputPart | string | null, `part ${index + 1} of ${what}`)));
}

async function plainPart(part: InputPart | string | null, what: string): Promise<PlainPart> {
  if (typeof part === "string") return { type: "text", text: part };
  if (typeof part !== "object" || part === null) throw wrong(what, "is neither a text nor an object", FORM);
  if (typeof (part as Partial<Blob>).arrayBuffer === "function") throw wrong(what, "is a Blob", 'write { type: "image", data: blob }, or { type: "file", data: blob }; readFiles() of "stepweave/files" reads the texts of files');
  if (part.type === "text") {
    if (typeof part.text !== "string") throw wrong(what, "has no `text`", FORM);
    return { type: "text", text: part.text, ...named(part) };
  }
  const { type } = part;
  if (type !== "image" && type !== "file") throw wrong(what, `has the type ${textOf(type)}`, FORM);
  const { digest } = part as OfFile;
  const isStored = typeof digest === "string" && part.data === undefined && part.url === undefined;
  if (!isStored && (part.data === undefined) === (part.url === undefined)) throw wrong(what, "needs either `data` or `url`", FORM);
  const { mediaType, ...source }: Source = isStored ? { digest } : await sourceOf(part, what);
  const kind = part.mediaType ?? mediaType;
  if (typeof kind !== "string" || kind === "") throw wrong(what, "does not say what it is", 'write its mediaType, such as "image/png"');
  return { type, mediaType: kind, ...source, ...named(part) };
}

function named(part: InputPart): { readonly name?: string } {
  const { name } = part as OfFile;
  return name === undefined ? {} : { name: String(name) };
}

type Source = { readonly mediaType?: string | undefined } & ({ readonly data: string } | { readonly url: string } | { readonly digest: string });

/** The data or the address, and what they say of their kind. */
async function sourceOf({ data, url }: Exclude<InputPart, { type: "text" }>, what: string): Promise<Source> {
  if (url !== undefined) {
    const address = String(url);
    const inside = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(address);
    if (inside !== null) return { mediaType: inside[1] || kindOfBase64(inside[2] as string), data: inside[2] as string };
    if (!/^https?:\/\//i.test(address)) throw wrong(what, "has a `url` that is no http(s) address", "give the bytes as `data`: endpoints cannot read files of this machine");
    return { url: address };
  }
  if (typeof data === "string") {
    if (/[^A-Za-z0-9+/=\s]/.test(data)) throw wrong(what, "has a text as `data` that is no base64", "pass bytes, a Blob, or base64; an address goes into `url`");
    const text = data.replace(/\s+/g, "");
    return { mediaType: kindOfBase64(text), data: text };
  }
  const isBlob = typeof (data as Partial<Blob> | null)?.arrayBuffer === "function";
  const bytes = bytesIn(isBlob ? await (data as Blob).arrayBuffer() : data);
  if (bytes === undefined) throw wrong(what, "has `data` that is neither base64, bytes nor a Blob", FORM);
  return { mediaType: (data as Partial<Blob>).type || kindOfBytes(bytes), data: base64(bytes) };
}

const FORM = 'give { type: "text", text }, or { type: "image", data } with bytes, a Blob or base64; `url` in place of `data` for an address';

function wrong(what: string, fault: string, hint: string): StepweaveError {
  return unusable(`${what} ${fault}`, hint);
}
