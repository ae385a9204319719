/// <reference types="node" />
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { textOf } from "../api/errors.js";
import { misused } from "./arguments.js";
import type { Command } from "./command.js";
import { EXIT } from "./exit.js";
import { documentNamed, projectFiles, testsOf } from "./template.js";

/** `stepweave new`. */
export const fresh: Command = {
  name: "new",
  about: "writes a ready document with its tests, or a small project",
  places: ["<name>"],
  flags: { project: { short: "p", about: "makes a folder of this name: the document, its tests, package.json and README.md" } },
  example: "stepweave new triage",
  run: async (given, { stdout }) => {
    const written = (given.positionals[0] as string).replace(/\.json$/, "");
    const name = written.split(/[/\\]/).at(-1) as string;
    if (!/^[a-z0-9][a-z0-9._-]*$/i.test(name)) throw misused(`${JSON.stringify(name)} is no name for a workflow's file`, "use letters, digits, - and _");
    const files = given.has("project")
      ? Object.entries(projectFiles(name)).map(([file, text]) => [join(written, file), text] as const)
      : [[`${written}.json`, documentNamed(name)] as const, [`${written}.test.json`, testsOf()] as const];
    for (const [path, text] of files) {
      await writtenOnce(path, text);
      stdout.write(`${path}\n`);
    }
    const first = files[0]?.[0] as string;
    stdout.write(given.has("project") ? `\ncd ${written} && npm install && npm test\n` : `\nnpx stepweave run ${first}\nnpx stepweave test ${files[1]?.[0]}\n`);
    return EXIT.done;
  },
};

/** Nothing that is there is written over. */
async function writtenOnce(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    if ((error as { code?: unknown }).code === "EEXIST") throw misused(`${path} is there already`, "choose another name, or remove it first");
    throw misused(`${path} cannot be written: ${textOf(error)}`, "check the folder");
  }
}
