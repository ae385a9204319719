// A folder as one file. The page loads this when somebody takes a project along.
import { strToU8, zipSync } from "fflate";

/** The folder of this name with these texts, each under its path. */
export function packed(folder: string, paths: readonly string[], texts: readonly string[]): Blob {
  const files = paths.map((path, index) => [`${folder}/${path}`, strToU8(texts[index] ?? "")] as const);
  return new Blob([zipSync(Object.fromEntries(files))], { type: "application/zip" });
}
