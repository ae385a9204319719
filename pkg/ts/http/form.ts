import { isStepweaveError } from "../api/errors.js";
import type { FormFiles } from "../api/files.js";
import { filledIn } from "../effects/form.js";
import { chunksOf } from "./body.js";
import { itemTypesOf, typesOf } from "./form-fields.js";
import type { Input } from "./input.js";
import { Refused } from "./problem.js";

/**
 * What a form has: its texts under their names, and its files, each under its name as a list of what was read; as the file
 * itself where the schema of the input has an object there. Texts become numbers, booleans and lists where the schema wants
 * those, and an empty field of what is no text is left out.
 */
export async function formOf(request: Request, reader: FormFiles, maxBodyBytes: number, input: Input): Promise<Readonly<Record<string, unknown>>> {
  const fields = new Map<string, (string | File)[]>();
  for (const [name, value] of filledIn(await received(request, reader.maxTotalBytes + maxBodyBytes))) {
    if (value !== "" || isText(input, name)) fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  const blobs = [...fields.values()].flat().filter((value) => typeof value !== "string");
  const read = await reader.read(blobs).catch((error: unknown) => {
    if (!isStepweaveError(error) || (error.code !== "limit" && error.code !== "validation")) throw error;
    const { code, message, hint } = error;
    // What the server allows is not the caller's to raise.
    throw code === "limit" ? new Refused(413, "too_large", message) : new Refused(400, code, message, hint === undefined ? {} : { hint });
  });
  const files = [...read];
  return Object.fromEntries([...fields].map(([name, values]) => [name, valueOf(name, values, () => files.shift(), input)]));
}

function valueOf(name: string, values: readonly (string | File)[], next: () => unknown, input: Input): unknown {
  const types = typesOf(input, name);
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length === 0 && !types.includes("object")) return values.map(next);
  if (texts.length === values.length && types.includes("array")) return texts.map((text) => meant(text, itemTypesOf(input, name)));
  if (values.length === 1) return texts[0] === undefined ? next() : meant(texts[0], types);
  if (texts.length === 0) throw new Refused(400, "validation", `the form has ${values.length} files as \`${name.slice(0, 100)}\`, which is one file`, { hint: "send one of them" });
  throw new Refused(400, "validation", `the form has its field \`${name.slice(0, 100)}\` more than once`, { hint: "send each text once; only files and the texts of a list may share a name" });
}

/** What a text of a form means where the input wants a number, or yes or no; a page sends `on` for a box that is ticked. */
function meant(text: string, types: readonly unknown[]): unknown {
  if (types.includes("string")) return text;
  if ((types.includes("number") || types.includes("integer")) && text.trim() !== "" && isKept(Number(text))) return Number(text);
  if (types.includes("boolean") && ["true", "on", "false"].includes(text)) return text !== "false";
  return text;
}

/** Whether a number is what was written: digits that it cannot have are lost from 2^53 on. */
function isKept(number: number): boolean {
  return Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}

/** Whether an empty field of this name can be meant: a page also sends the field of a number in which nothing was written. */
function isText(input: Input, name: string): boolean {
  const types = typesOf(input, name);
  return types.length === 0 || types.includes("string");
}

async function received(request: Request, maxBytes: number): Promise<FormData> {
  const chunks: BlobPart[] = [];
  for await (const chunk of chunksOf(request, maxBytes)) chunks.push(chunk as Uint8Array<ArrayBuffer>);
  try {
    return await new Response(new Blob(chunks), { headers: { "content-type": request.headers.get("content-type") ?? "" } }).formData();
  } catch {
    throw new Refused(400, "validation", "the body is no form that can be read", { hint: "let the client write it: new FormData() in a page, curl -F on a command line" });
  }
}
