// The package as a user has it, beside the packages of others that it works with.
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installed as alone } from "../live/installed.mjs";

const vendors = fileURLToPath(new URL("node_modules", import.meta.url));

/** Installs the package; gives its folder, what loads an entry of it, what puts packages beside it, and what removes the folder. */
export async function installed() {
  const home = await alone();
  const program = join(home.folder, "load.js");
  await writeFile(program, "export const load = (name) => import(name);\n");
  const { load } = await import(pathToFileURL(program));
  return { ...home, load, beside: (...names) => Promise.all(names.map((name) => put(home.folder, name))) };
}

async function put(folder, name) {
  const place = join(folder, "node_modules", name);
  await mkdir(join(place, ".."), { recursive: true });
  await symlink(join(vendors, name), place, "dir");
}
