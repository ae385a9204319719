import { kindOfBytes } from "../models/media.js";

/** What a file is, as far as it is read. */
export type Kind = { readonly reads: "text" | "json" | "html" | "pdf" | "media"; readonly mediaType: string };

// What browsers and servers say of such files differs: what they are called is more to be relied on.
const BY_NAME: Readonly<Record<string, Kind>> = {
  txt: { reads: "text", mediaType: "text/plain" },
  log: { reads: "text", mediaType: "text/plain" },
  md: { reads: "text", mediaType: "text/markdown" },
  markdown: { reads: "text", mediaType: "text/markdown" },
  csv: { reads: "text", mediaType: "text/csv" },
  tsv: { reads: "text", mediaType: "text/tab-separated-values" },
  yaml: { reads: "text", mediaType: "application/yaml" },
  yml: { reads: "text", mediaType: "application/yaml" },
  xml: { reads: "text", mediaType: "application/xml" },
  json: { reads: "json", mediaType: "application/json" },
  html: { reads: "html", mediaType: "text/html" },
  htm: { reads: "html", mediaType: "text/html" },
};

/** What a file is: by what it begins with, then by its name, then by its type; nothing for what is not read. */
export function kindOf(bytes: Uint8Array, name: string, type: string): Kind | undefined {
  const begins = kindOfBytes(bytes);
  if (begins === "application/pdf") return { reads: "pdf", mediaType: begins };
  if (begins !== undefined) return { reads: "media", mediaType: begins };
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  if (Object.hasOwn(BY_NAME, ending)) return BY_NAME[ending];
  const [mediaType = ""] = type.toLowerCase().split(";");
  const named = Object.values(BY_NAME).find((kind) => kind.mediaType === mediaType.trim());
  return named ?? (mediaType.startsWith("text/") ? { reads: "text", mediaType } : undefined);
}
