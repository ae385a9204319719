/// <reference types="node" />
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isStepweaveError, StepweaveError, textOf } from "../api/errors.js";
import type { Workflow as AWorkflow } from "../api/workflow.js";
import type { DocumentCode } from "../authoring/bring.js";
import { validate, Workflow } from "../authoring/workflow.js";
import { type Flags, type Given, misused } from "./arguments.js";
import { textOfFile } from "./files.js";
import { refuseOther } from "./kinds.js";
import { Lines } from "./lines.js";

/** The flag of commands that run a document. */
export const CODE_FLAG: Flags = {
  code: { value: "module.js", about: "a module that exports the `handlers`, `tools`, `models` and `agents` which the document names" },
};

/** A document as its file has it. */
export interface DocumentFile {
  readonly path: string;
  readonly text: string;
  readonly lines: Lines;
  /** What the text holds; nothing where it is no JSON. */
  readonly value: unknown;
}

/** Reads a document, whatever it holds, unless it is another file of stepweave. */
export async function documentFile(path: string): Promise<DocumentFile> {
  const text = await textOfFile(path);
  const value = jsonIn(text);
  refuseOther(value, path, "document");
  return { path, text, lines: new Lines(text), value };
}

/** The workflow of a document's file, with the code that the command line names. */
export async function workflowOf(file: DocumentFile, given: Given): Promise<AWorkflow> {
  const code = given.one("code");
  return Workflow.fromDocument(file.text, code === undefined ? {} : await codeOf(code));
}

/** Throws every error of a document, with its line. */
export async function refuseBroken(file: DocumentFile): Promise<void> {
  const problems = (await validate(file.text)).filter(({ severity }) => severity === "error");
  if (problems.length > 0) throw located(new StepweaveError("document", "the document has problems", { hint: `stepweave validate ${file.path} lists them`, problems }), file);
}

/** What a text holds, if it is JSON: where it stops being that is said elsewhere. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error of a document, whose problems have the lines of the file. */
export function located(error: unknown, { path, lines }: DocumentFile): unknown {
  if (!isStepweaveError(error) || error.code !== "document" || error.problems === undefined) return error;
  const problems = error.problems.map((problem) => ({ ...problem, path: `${path}:${lines.of(problem)}${problem.path === "" ? "" : ` ${problem.path}`}` }));
  return new StepweaveError("document", error.message, { hint: error.hint, problems });
}

const EXPORTS = ["handlers", "tools", "models", "agents"] as const;

async function codeOf(path: string): Promise<DocumentCode> {
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(/* webpackIgnore: true */ /* @vite-ignore */ pathToFileURL(resolve(path)).href)) as Record<string, unknown>;
  } catch (error) {
    throw misused(`the module ${path} cannot be loaded: ${textOf(error)}`, "pass an ES module that runs in Node by itself");
  }
  const code = Object.fromEntries(EXPORTS.filter((name) => name in loaded).map((name) => [name, loaded[name]]));
  if (Object.keys(code).length === 0) throw misused(`the module ${path} exports none of ${EXPORTS.join(", ")}`, 'write export const handlers = { … };');
  return code as DocumentCode;
}
