/// <reference types="node" />
import { join } from "node:path";
import { misused } from "./arguments.js";
import type { Command } from "./command.js";
import { EXIT } from "./exit.js";
import { writtenNew } from "./files.js";
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
      await writtenNew(path, text, "choose another name, or remove it first");
      stdout.write(`${path}\n`);
    }
    const first = files[0]?.[0] as string;
    stdout.write(given.has("project") ? `\ncd ${written} && npm install && npm test\n` : `\nnpx stepweave run ${first}\nnpx stepweave test ${files[1]?.[0]}\n`);
    return EXIT.done;
  },
};
