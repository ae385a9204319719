// An empty folder with the packed package in it, and with nothing else that could be imported.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = fileURLToPath(new URL(".", import.meta.url));

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What runs inside of every runtime. */
const NEUTRAL = ["scenario", "actions", "events", "invariants", "network", "read-only", "record", "script", "smoke", "virtual-time"];

/** Installs the tarball and lays the programs and scenarios beside it; gives the folder and what removes it. */
export async function install(tarball, entries) {
  const folder = await mkdtemp(join(tmpdir(), "stepweave-runtimes-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await writeFile(join(folder, "package.json"), '{ "private": true }\n');
    const flags = ["--offline", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
    await promisify(execFile)("npm", ["install", ...flags, resolve(tarball)], { cwd: folder });
    await writeFile(join(folder, "entries.mjs"), `export default JSON.parse(${JSON.stringify(JSON.stringify(entries))});\n`);
    for (const name of NEUTRAL) await cp(join(here, `${name}.mjs`), join(folder, `${name}.mjs`));
    for (const name of await readdir(join(here, "programs"))) await cp(join(here, "programs", name), join(folder, name));
    await compile(folder);
    await mkdir(join(folder, "home"));
  } catch (error) {
    await remove();
    throw new Error(`the package cannot be installed from ${tarball}: ${error.stderr || error.message}`);
  }
  return { folder, remove };
}

/** Compiles what is written in TypeScript, with the package's own types and standard decorators. */
async function compile(folder) {
  await cp(join(here, "decorators.mts"), join(folder, "decorators.mts"));
  const options = ["--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2023,dom,dom.iterable", "--skipLibCheck", "--types", ""];
  try {
    await promisify(execFile)(join(root, "node_modules/.bin/tsc"), [...options, "decorators.mts"], { cwd: folder });
  } catch (error) {
    throw Object.assign(new Error("TypeScript"), { stderr: `decorators.mts does not compile:\n${error.stdout}` });
  }
}
