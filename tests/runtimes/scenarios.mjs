// The scenario files.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../scenarios", import.meta.url));

/** Every scenario whose name has the filter in it, by name. */
export async function read(filter) {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json")).sort();
  const names = files.map((file) => file.slice(0, -".json".length)).filter((name) => name.includes(filter));
  return Promise.all(names.map(async (name) => ({ name, scenario: JSON.parse(await readFile(pathOf(name), "utf8")) })));
}

/** Writes what a scenario that only the package can run comes to. */
export async function write(name, scenario) {
  await writeFile(pathOf(name), `${JSON.stringify(scenario, null, 2)}\n`);
}

function pathOf(name) {
  return join(folder, `${name}.json`);
}
