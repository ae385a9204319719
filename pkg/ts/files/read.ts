import { StepweaveError, textOf } from "../api/errors.js";
import type { ByteStore, FormFiles } from "../api/files.js";
import { filledIn } from "../effects/form.js";
import { digestOf } from "../effects/stored-bytes.js";
import { base64 } from "../json/base64.js";
import { kindOf as kindOfValue, reading } from "../schema/options.js";
import { kindOf } from "./kinds.js";
import { boundsOf, type Bounds, type FilesOptions } from "./options.js";

/** What every file has that was read. */
interface Read {
  readonly name: string;
  readonly mediaType: string;
  /** Bytes of the file. */
  readonly size: number;
  /** The SHA-256 of its bytes, as `sha256-` and 64 hexadecimal digits. */
  readonly digest: string;
}

/** A file whose text was read. */
export interface TextFile extends Read {
  readonly type: "text";
  readonly text: string;
}

/** An image, a sound or a PDF, for models that take them. `data` is its base64, where no store keeps the bytes. */
export interface MediaFile extends Read {
  readonly type: "image" | "file";
  readonly data?: string;
}

/** A file that was read: plain JSON, for the state of a run. */
export type ReadFile = TextFile | MediaFile;

/** What has files: a list of them, of an `<input type="file">` or of a drop, or a form. */
export type FileSource = Iterable<Blob> | ArrayLike<Blob> | FormData;

/**
 * Reads files that a person chose, dropped or sent, into plain JSON for a run: the text of txt, Markdown, CSV, JSON, HTML and
 * PDF files, and images and sounds for models that take them.
 *
 * ```ts
 * const files = await readFiles([new File(["# Bees"], "bees.md")]);
 * await workflow.run({ state: { files } }); // { agent, inputFrom: "Sum these up", files: "files" }
 * ```
 *
 * A PDF needs the package `unpdf`, which is loaded when the first one is read. Throws `validation` for what is no such file,
 * and `limit` for what is too large: nothing is cut off.
 */
export async function readFiles(source: FileSource, options: FilesOptions = {}): Promise<ReadFile[]> {
  const bounds = boundsOf(options, "readFiles()");
  return readAll(reading("the files of readFiles()", () => blobsOf(source).map(chosen)), bounds);
}

/**
 * Reads the files of forms for a served workflow.
 *
 * ```ts
 * import { handler } from "stepweave/http";
 * const serve = handler(workflow, { public: true, files: formFiles({ maxFiles: 3 }) });
 * ```
 */
export function formFiles(options: FilesOptions = {}): FormFiles {
  const bounds = boundsOf(options, "formFiles()");
  const { maxTotalBytes, store } = bounds;
  return Object.freeze({ maxTotalBytes, store, read: (files: readonly Blob[]) => readAll(files.map(chosen), bounds) });
}

/** A file that is to be read. */
interface Chosen {
  readonly name: string;
  /** What errors call it. */
  readonly what: string;
  readonly size: number;
  /** What its sender says that it is. */
  readonly declared: string;
  readonly blob: Blob;
}

/** What is known of a file before it is read. */
function chosen(blob: Blob, index: number): Chosen {
  const name = nameOf((blob as Partial<File>).name);
  const declared = textOf(blob.type ?? "").slice(0, 100);
  const named = name === "" ? { name: `file-${index + 1}`, what: `file ${index + 1}` } : { name, what: `\`${name}\`` };
  return { ...named, size: blob.size, declared, blob };
}

/** Reads files within bounds that were checked. */
async function readAll(all: readonly Chosen[], bounds: Bounds): Promise<ReadFile[]> {
  const { maxFiles, maxBytes, maxTotalBytes } = bounds;
  if (all.length > maxFiles) throw tooMuch(`there are ${all.length} files, and no more than ${maxFiles} are read`, "maxFiles");
  // Before any of them is in memory.
  for (const { what, size } of all) if (size > maxBytes) throw tooMuch(`${what} has ${size} bytes, more than ${maxBytes}`, "maxBytes");
  const total = all.reduce((sum, { size }) => sum + size, 0);
  if (total > maxTotalBytes) throw tooMuch(`the files have ${total} bytes together, more than ${maxTotalBytes}`, "maxTotalBytes");
  const files: ReadFile[] = [];
  for (const one of all) files.push(await readOne(one, bounds));
  return files;
}

async function readOne({ name, what, declared, blob }: Chosen, bounds: Bounds): Promise<ReadFile> {
  const bytes = await bytesOf(blob, what);
  if (bytes.length === 0) throw wrong(`${what} is empty`, "choose another one");
  // What a Blob says of its size is only a claim.
  if (bytes.length > bounds.maxBytes) throw tooMuch(`${what} has ${bytes.length} bytes, more than ${bounds.maxBytes}`, "maxBytes");
  const kind = kindOf(bytes, name, declared);
  if (kind === undefined) throw wrong(`${what}${declared === "" ? "" : ` (${declared})`} is no file that is read`, "pass txt, md, csv, tsv, json, yaml, xml, html, pdf, png, jpeg, gif, webp, wav, mp3, ogg, flac or m4a");
  const { store, pdf, maxCharacters } = bounds;
  const about = { name, mediaType: kind.mediaType, size: bytes.length, digest: await digestOf(bytes) };
  const isWhole = kind.reads === "media" || (kind.reads === "pdf" && pdf === "file");
  const text = isWhole ? undefined : await textIn(bytes, kind.reads, what, maxCharacters);
  if (text !== undefined && text.length > maxCharacters) throw tooMuch(`the text of ${what} has ${text.length} characters, more than ${maxCharacters}`, "maxCharacters");
  // What cannot be read is not kept.
  if (store !== undefined) await keep(store, about.digest, bytes, what);
  if (text !== undefined) return { type: "text", ...about, text };
  const type = kind.mediaType.startsWith("image/") ? "image" : "file";
  return { type, ...about, ...(store === undefined && { data: base64(bytes) }) };
}

async function bytesOf(blob: Blob, what: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await blob.arrayBuffer());
  } catch (error) {
    throw wrong(`${what} could not be read`, "choose it again: it may have been changed or moved meanwhile", error);
  }
}

async function keep(store: ByteStore, digest: string, bytes: Uint8Array, what: string): Promise<void> {
  try {
    await store.put(digest, bytes);
  } catch (error) {
    throw new StepweaveError("handler", `the store of bytes could not keep ${what}`, { cause: error, hint: "look at `cause`" });
  }
}

async function textIn(bytes: Uint8Array, reads: string, what: string, maxCharacters: number): Promise<string> {
  if (reads === "pdf") return (await import("./pdf.js")).textOfPdf(bytes, maxCharacters, what);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw wrong(`${what} is no text in UTF-8`, "save it as UTF-8", error);
  }
  if (reads === "html") return wholePage(text, what);
  if (reads === "json") {
    try {
      JSON.parse(text);
    } catch (error) {
      throw wrong(`${what} is no JSON: ${(error as Error).message}`, "mend it, or call it .txt", error);
    }
  }
  return text;
}

/** What a person would read of a page, all of it. */
async function wholePage(text: string, what: string): Promise<string> {
  const { readable } = await import("../effects/readable.js");
  // No page has this in it.
  const cut = crypto.randomUUID();
  const read = readable(text, "text/html", cut);
  if (!read.includes(cut)) return read;
  throw new StepweaveError("limit", `${what} is nested deeper than a page is read, or has too much in one element`, { hint: "save it as text, or pass the part that matters" });
}

/** How many characters of a name are kept, and how many of them may be its ending. */
const [LONGEST_NAME, LONGEST_ENDING] = [200, 20];

/** What a file is called, without the folders that some clients send along, and without what turns a text around. */
function nameOf(given: unknown): string {
  const whole = typeof given === "string" ? given.replace(/^.*[\\/]/s, "") : "";
  const name = whole.replace(/[\u0000-\u001f\u007f\u2028-\u202e\u2066-\u2069]/g, "");
  if (name.length <= LONGEST_NAME) return name;
  // The ending says what the file is.
  const ending = /\.[^.]+$/.exec(name.slice(-LONGEST_ENDING))?.[0] ?? "";
  // Half of a character is no character.
  return `${name.slice(0, LONGEST_NAME - ending.length).replace(/[\uD800-\uDBFF]$/, "")}${ending}`;
}

function blobsOf(source: FileSource): readonly Blob[] {
  const given: unknown = source instanceof FormData ? filledIn(source).map(([, value]) => value).filter((value) => typeof value !== "string") : source;
  if (typeof given !== "object" || given === null || isBlob(given)) throw wrong(`the files of readFiles() are ${isBlob(given) ? "one file" : kindOfValue(given)}, not a list`, "pass [file], input.files or a form");
  const list: unknown[] = Array.from(given as ArrayLike<unknown>);
  const index = list.findIndex((one) => !isBlob(one));
  if (index >= 0) throw wrong(`file ${index + 1} of readFiles() is ${kindOfValue(list[index])}`, "pass File or Blob objects: new File([bytes], name)");
  return list as Blob[];
}

function isBlob(value: unknown): value is Blob {
  return typeof value === "object" && value !== null && typeof (value as Partial<Blob>).arrayBuffer === "function" && typeof (value as Partial<Blob>).size === "number";
}

function wrong(message: string, hint: string, cause?: unknown): StepweaveError {
  return new StepweaveError("validation", message, { hint, ...(cause !== undefined && { cause }) });
}

function tooMuch(message: string, option: string): StepweaveError {
  return new StepweaveError("limit", message, { hint: `raise ${option}, or pass less` });
}
