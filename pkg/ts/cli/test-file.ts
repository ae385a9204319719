/// <reference types="node" />
import { dirname, isAbsolute, join, normalize } from "node:path";
import type { ModelDocument } from "../api/document.js";
import type { Assertion } from "../testing/assertions.js";
import type { TestCase } from "../testing/cases.js";
import { nearest } from "../schema/nearest.js";
import { misused } from "./arguments.js";
import { jsonOfFile } from "./files.js";
import { refuseOther } from "./kinds.js";

/** A file of tests. */
export interface TestFile {
  readonly path: string;
  /** The document that it is about. */
  readonly document: string;
  readonly judge: ModelDocument | undefined;
  readonly cases: readonly TestCase[];
  /** What is asserted of every run: for `what-if`. */
  readonly assert: readonly Assertion[];
}

const KEYS = ["document", "judge", "cases", "assert"];

/** Reads a file of tests, with the recordings that lie beside it. */
export async function testFile(path: string): Promise<TestFile> {
  const given = await jsonOfFile(path);
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw misused(`${path} holds no object`, 'write { "cases": [{ "name": "…", "assert": [ … ] }] }');
  refuseOther(given, path, "tests");
  const stranger = Object.keys(given).find((key) => !KEYS.includes(key));
  if (stranger !== undefined) throw misused(`${path} has a key \`${stranger}\``, `did you mean \`${nearest(stranger, KEYS) ?? KEYS.join("`, `")}\`?`);
  const { document, judge, cases = [], assert = [] } = given as Record<string, unknown>;
  if (document !== undefined && typeof document !== "string") throw misused(`${path} has a \`document\` that is no text`, 'write the path of its file, such as "document": "flow.json", or leave it out');
  if (!Array.isArray(cases)) throw misused(`${path} has \`cases\` that are no list`, 'write "cases": [ … ]');
  if (!Array.isArray(assert)) throw misused(`${path} has an \`assert\` that is no list`, 'write "assert": [ … ]');
  return {
    path,
    document: document === undefined ? documentBeside(path) : beside(path, document, "document"),
    judge: judge as ModelDocument | undefined,
    cases: await Promise.all(cases.map((one: unknown) => withRecording(one, path))),
    assert: assert as Assertion[],
  };
}

/** The document of tests that name none: `flow.json` of `flow.test.json`. */
export function documentBeside(path: string): string {
  if (!path.endsWith(".test.json")) throw misused(`${path} does not say which document it tests`, 'call it flow.test.json beside flow.json, or write "document": "flow.json"');
  return path.replace(/\.test\.json$/, ".json");
}

async function withRecording(one: unknown, path: string): Promise<TestCase> {
  const { recording } = Object(one) as { recording?: unknown };
  if (typeof recording !== "string") return one as TestCase;
  return { ...(one as TestCase), recording: (await jsonOfFile(beside(path, recording, "recording"))) as NonNullable<TestCase["recording"]> };
}

/** A file of the same folder or below: a file of tests may come from somebody else. */
function beside(path: string, file: string, what: string): string {
  const name = normalize(file);
  if (isAbsolute(name) || name.split(/[/\\]/)[0] === "..") throw misused(`${path} has a ${what} outside of its folder: ${file}`, "put it beside the tests");
  return join(dirname(path), name);
}
