import { StepweaveError } from "../api/errors.js";
import type { FormPart } from "./sending.js";

/** A form with files as bytes, and its content type; throws `validation`. */
export async function multipart(parts: readonly FormPart[]): Promise<{ readonly bytes: Uint8Array; readonly type: string }> {
  const form = new FormData();
  for (const part of parts) {
    const { name, text, file, type, filename } = part;
    if (file === undefined && type === undefined && filename === undefined) form.append(name, text ?? "");
    else form.append(name, blobOf(part), filename ?? (textAt(file, "name") || name));
  }
  // The platform writes it down, and escapes names and file names.
  const written = new Response(form);
  return { bytes: new Uint8Array(await written.arrayBuffer()), type: written.headers.get("content-type") as string };
}

function blobOf({ name, text, file, type }: FormPart): Blob {
  if (file === undefined) return new Blob([text ?? ""], { type: type ?? "text/plain" });
  if (typeof file === "string") return new Blob([file], { type: type ?? "text/plain" });
  const data = textAt(file, "data");
  if (data !== undefined) {
    try {
      return new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], { type: type ?? (textAt(file, "mediaType") || "application/octet-stream") });
    } catch {
      // It is no base64.
    }
  }
  const hint = !textAt(file, "text")
    ? 'give a text, or { mediaType, data } with its bytes in base64, as response: "bytes" does'
    : "of a file that was read as text the text is sent: write `.text` behind it, as in file: \"notes.text\"";
  throw new StepweaveError("validation", `the file of the field \`${name}\` is no file`, { hint, retryable: false });
}

/** A text under a key of what may be an object. */
function textAt(value: unknown, key: string): string | undefined {
  const found = (Object(value) as Readonly<Record<string, unknown>>)[key];
  return typeof found === "string" ? found : undefined;
}
