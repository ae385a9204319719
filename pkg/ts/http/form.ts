import { isStepweaveError } from "../api/errors.js";
import type { FormFiles } from "../api/files.js";
import { filledIn } from "../effects/form.js";
import { chunksOf } from "./body.js";
import { Refused } from "./problem.js";

/**
 * What a form has: its texts under their names, and its files, each under its name as a list of what was read; as the file
 * itself where the schema of the input has an object there.
 */
export async function formOf(request: Request, reader: FormFiles, maxBodyBytes: number, schema: unknown): Promise<Readonly<Record<string, unknown>>> {
  const fields = new Map<string, (string | File)[]>();
  for (const [name, value] of filledIn(await received(request, reader.maxTotalBytes + maxBodyBytes))) fields.set(name, [...(fields.get(name) ?? []), value]);
  const blobs = [...fields.values()].flat().filter((value) => typeof value !== "string");
  const read = await reader.read(blobs).catch((error: unknown) => {
    if (!isStepweaveError(error) || (error.code !== "limit" && error.code !== "validation")) throw error;
    const { code, message, hint } = error;
    // What the server allows is not the caller's to raise.
    throw code === "limit" ? new Refused(413, "too_large", message) : new Refused(400, code, message, hint === undefined ? {} : { hint });
  });
  const files = [...read];
  return Object.fromEntries([...fields].map(([name, values]) => [name, valueOf(name, values, () => files.shift(), schema)]));
}

function valueOf(name: string, values: readonly (string | File)[], next: () => unknown, schema: unknown): unknown {
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length === 0 && !isOne(schema, name)) return values.map(next);
  if (values.length === 1) return texts[0] ?? next();
  if (texts.length === 0) throw new Refused(400, "validation", `the form has ${values.length} files as \`${name.slice(0, 100)}\`, which is one file`, { hint: "send one of them" });
  throw new Refused(400, "validation", `the form has its field \`${name.slice(0, 100)}\` more than once`, { hint: "send each text once; only files may share a name" });
}

/** Whether the input has one file of this name, and no list of them. */
function isOne(schema: unknown, name: string): boolean {
  const { properties } = Object(schema) as { properties?: Readonly<Record<string, { type?: unknown } | null>> };
  return Object.hasOwn(Object(properties), name) && properties?.[name]?.type === "object";
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
