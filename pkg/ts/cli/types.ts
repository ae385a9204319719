import type { WorkflowDocument } from "../api/document.js";
import type { Command } from "./command.js";
import { documentFile, refuseBroken } from "./document.js";
import { EXIT } from "./exit.js";
import { writtenTo } from "./files.js";
import { resultType } from "./result-type.js";
import { keyText, objectType, typeOfSchema, typeOfValue } from "./type-text.js";

/** `stepweave types`. */
export const types: Command = {
  name: "types",
  about: "writes the TypeScript types of a document's input and result",
  places: ["<file.json>"],
  flags: {
    name: { value: "Name", about: "the name that the types begin with; that of the workflow otherwise" },
    out: { value: "file.ts", short: "o", about: "writes to this file instead of standard output" },
  },
  example: "stepweave types support.json --out src/support.types.ts",
  run: async (given, { stdout }) => {
    const file = await documentFile(given.positionals[0] as string);
    await refuseBroken(file);
    const text = typesOf(file.value as WorkflowDocument, given.one("name"));
    const out = given.one("out");
    if (out === undefined) stdout.write(text);
    else await writtenTo(out, text);
    return EXIT.done;
  },
};

/** The types of a document as a module. */
export function typesOf(document: WorkflowDocument, given = document.name): string {
  const words = given.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const name = /^[\p{L}_$]/u.test(joined) ? joined : `Workflow${joined}`;
  return `// Made by \`stepweave types\` of the workflow ${JSON.stringify(document.name)}: run it again when the document changes.

/** The state that a run begins with. */
export type ${name}Input = ${inputType(document)};

/** The state that a run ends with. */
export type ${name}Result = ${resultType(document)};
`;
}

function inputType({ input, initialState = {} }: WorkflowDocument): string {
  if (input !== undefined) return typeOfSchema(input);
  const members = Object.entries(initialState).map(([key, value]) => `${keyText(key)}?: ${typeOfValue(value)}`);
  return members.length === 0 ? "Record<string, unknown>" : `${objectType(members)} & Record<string, unknown>`;
}
