import type { Problem } from "../api/document.js";
import { validate as problemsOf } from "../authoring/workflow.js";
import type { Command } from "./command.js";
import { documentFile } from "./document.js";
import { EXIT } from "./exit.js";
import { oneLine } from "./shown.js";

/** `stepweave validate`. */
export const validate: Command = {
  name: "validate",
  about: "lists every problem of documents with its line, path and hint",
  places: ["<file.json>", "[more files…]"],
  flags: { json: { about: "writes the problems as JSON" } },
  example: "stepweave validate flows/*.json",
  run: async (given, { stdout }) => {
    const found: (Problem & { readonly file: string; readonly line: number; readonly column: number })[] = [];
    for (const path of given.positionals) {
      const file = await documentFile(path);
      for (const problem of await problemsOf(file.text)) {
        const [line = 1, column = 1] = file.lines.of(problem).split(":").map(Number);
        found.push({ file: path, line, column, ...problem });
      }
    }
    if (given.has("json")) stdout.write(`${JSON.stringify(found, null, 2)}\n`);
    else {
      for (const { file, line, column, severity, path, message, hint, code } of found) {
        stdout.write(`${file}:${line}:${column} ${severity} ${path === "" ? "" : `${oneLine(path)}: `}${oneLine(message, 1000)} [${code}]\n${hint === "" ? "" : `  hint: ${oneLine(hint, 1000)}\n`}`);
      }
      const errors = found.filter(({ severity }) => severity === "error").length;
      const count = given.positionals.length;
      stdout.write(`${count} document${count === 1 ? "" : "s"}, ${errors} error${errors === 1 ? "" : "s"}, ${found.length - errors} warning${found.length - errors === 1 ? "" : "s"}\n`);
    }
    return found.some(({ severity }) => severity === "error") ? EXIT.failed : EXIT.done;
  },
};
