// The package as a user has it: packed, and installed into an empty folder.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const npm = (folder, ...words) => promisify(execFile)("npm", words, { cwd: folder });

/** Installs the package; gives the folder, what `import "stepweave"` gives there, and what removes the folder. */
export async function installed() {
  const folder = await mkdtemp(join(tmpdir(), "stepweave-live-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    const tarball = process.env.STEPWEAVE_TARBALL ?? (await packed(folder));
    await npm(folder, "install", "--offline", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error", tarball);
    const program = join(folder, "index.js");
    await writeFile(program, 'export * from "stepweave";\n');
    return { folder, stepweave: await import(pathToFileURL(program)), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** For a test that is run alone: what `cargo xtask build pkg` left behind. */
async function packed(folder) {
  const { stdout } = await npm(root, "pack", "--silent", "--ignore-scripts", "--workspace", "pkg", "--pack-destination", folder);
  return join(folder, stdout.trim().split("\n").at(-1));
}
