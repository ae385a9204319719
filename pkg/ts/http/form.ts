import { isStepweaveError } from "../api/errors.js";
import type { FormFiles } from "../api/files.js";
import { filledIn } from "../effects/form.js";
import { chunksOf } from "./body.js";
import type { Input } from "./input.js";
import { Refused } from "./problem.js";

/**
 * What a form has: its texts under their names, and its files, each under its name as a list of what was read; as the file
 * itself where the schema of the input has an object there. Texts become numbers, booleans and lists where the schema wants
 * those, and an empty field of what is no text is left out.
 */
export async function formOf(request: Request, reader: FormFiles, maxBodyBytes: number, members: Input["members"]): Promise<Readonly<Record<string, unknown>>> {
  const fields = new Map<string, (string | File)[]>();
  for (const [name, value] of filledIn(await received(request, reader.maxTotalBytes + maxBodyBytes))) {
    if (value !== "" || isText(members, name)) fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  const blobs = [...fields.values()].flat().filter((value) => typeof value !== "string");
  const read = await reader.read(blobs).catch((error: unknown) => {
    if (!isStepweaveError(error) || (error.code !== "limit" && error.code !== "validation")) throw error;
    const { code, message, hint } = error;
    // What the server allows is not the caller's to raise.
    throw code === "limit" ? new Refused(413, "too_large", message) : new Refused(400, code, message, hint === undefined ? {} : { hint });
  });
  const files = [...read];
  return Object.fromEntries([...fields].map(([name, values]) => [name, valueOf(name, values, () => files.shift(), members)]));
}

function valueOf(name: string, values: readonly (string | File)[], next: () => unknown, members: Input["members"]): unknown {
  const texts = values.filter((value) => typeof value === "string");
  const types = typesOf(members, name);
  if (texts.length === 0 && !types.includes("object")) return values.map(next);
  if (texts.length === values.length && types.includes("array")) return texts;
  if (values.length === 1) return texts[0] === undefined ? next() : meant(texts[0], types);
  if (texts.length === 0) throw new Refused(400, "validation", `the form has ${values.length} files as \`${name.slice(0, 100)}\`, which is one file`, { hint: "send one of them" });
  throw new Refused(400, "validation", `the form has its field \`${name.slice(0, 100)}\` more than once`, { hint: "send each text once; only files and the texts of a list may share a name" });
}

/** What a text of a form means where the input wants a number, or yes or no; a page sends `on` for a box that is ticked. */
function meant(text: string, types: readonly unknown[]): unknown {
  if (types.includes("string")) return text;
  if ((types.includes("number") || types.includes("integer")) && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (types.includes("boolean") && ["true", "on", "false"].includes(text)) return text !== "false";
  return text;
}

/** Whether an empty field of this name can be meant: a page also sends the field of a number in which nothing was written. */
function isText(members: Input["members"], name: string): boolean {
  const types = typesOf(members, name);
  return types.length === 0 || types.includes("string");
}

/** What the input may have under this name; nothing where it does not say. */
function typesOf(members: Input["members"], name: string): readonly unknown[] {
  return (members.get(name) ?? []).flatMap((schema) => (Object(schema) as { type?: unknown }).type ?? []);
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
