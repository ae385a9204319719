// Runs the sandbox's cases through the packed package, on every runtime:
//
//   node tests/sandbox/run.mjs <tarball> [part of a runtime's name]
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browsers } from "../browsers/browsers.mjs";
import { vitePage } from "../runtimes/hosts/page.mjs";
import { bun, deno, nodeImport } from "../runtimes/hosts/process.mjs";
import { workerd } from "../runtimes/hosts/workerd.mjs";
import { install } from "../runtimes/place.mjs";
import { counted } from "./outcome.mjs";

const RUNTIMES = { node: nodeImport, deno, bun, workerd, ...Object.fromEntries(browsers.map((browser) => [browser.name, vitePage(browser)])) };

/** The sandbox calls nobody, but the runtimes want to know whom a program may call. */
const NOWHERE = ["http://127.0.0.1:9"];

const here = fileURLToPath(new URL(".", import.meta.url));

async function main([tarball, filter = ""]) {
  if (tarball === undefined) throw new Error("say which package: node tests/sandbox/run.mjs <tarball> [runtime]");
  const cases = JSON.parse(await readFile(join(here, "cases.json"), "utf8"));
  const { sandbox, removeFirst } = await installed(tarball);
  const entries = counted(sandbox, cases);
  await removeFirst();
  const { folder, remove } = await install(tarball, entries);
  let isFine = true;
  try {
    await cp(join(here, "outcome.mjs"), join(folder, "outcome.mjs"));
    for (const name of await readdir(join(here, "programs"))) await cp(join(here, "programs", name), join(folder, name));
    for (const [name, host] of Object.entries(RUNTIMES)) {
      if (!name.includes(filter)) continue;
      if (host.missing) console.log(`skip ${name.padEnd(10)} ${host.missing}`);
      else isFine = (await passes(name, host({ folder, entries, origins: NOWHERE }), entries)) && isFine;
    }
  } finally {
    await remove();
  }
  return isFine;
}

/** The sandbox of the packed package, here. */
async function installed(tarball) {
  const { folder, remove } = await install(tarball, []);
  const { sandbox } = await import(pathToFileURL(join(folder, "node_modules/stepweave/dist/sandbox.js")));
  return { sandbox, removeFirst: remove };
}

async function passes(name, outcomes, entries) {
  const waiting = new Set(entries.map((one) => one.name));
  const faults = [];
  try {
    for await (const outcome of outcomes) {
      waiting.delete(outcome.name);
      for (const fault of outcome.faults) faults.push(`${outcome.name}: ${fault}`);
    }
  } catch (error) {
    faults.push(`the runtime itself: ${error.message}`);
  }
  for (const one of waiting) faults.push(`${one}: no answer`);
  console.log(`${faults.length === 0 ? "ok  " : "FAIL"} ${name.padEnd(10)} ${entries.length - waiting.size} of ${entries.length} cases ran`);
  for (const fault of faults) console.log(`  ${fault}`);
  return faults.length === 0;
}

try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
