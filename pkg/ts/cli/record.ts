/// <reference types="node" />
import { dirname, join } from "node:path";
import { recordCase } from "../testing/recorded-case.js";
import { misused } from "./arguments.js";
import type { Command } from "./command.js";
import { CODE_FLAG, documentFile, refuseBroken, workflowOf } from "./document.js";
import { EXIT } from "./exit.js";
import { jsonOfFile, writtenNew, writtenTo } from "./files.js";
import { journalNamed } from "./journals.js";
import { JOURNAL_FLAG } from "./run-flags.js";

/** `stepweave record`. */
export const record: Command = {
  name: "record",
  about: "makes a test of a run: its journal is the recording, and what it changed is asserted",
  places: ["<file.json>", "<run | journal.json>"],
  flags: {
    ...JOURNAL_FLAG,
    ...CODE_FLAG,
    name: { value: "text", about: "the name of the test; the id of the run otherwise" },
    to: { value: "flow.test.json", about: "the file of tests that it is added to; the one beside the document otherwise" },
  },
  example: 'stepweave record flow.json order-17 --journal ./journals --name "a late order"',
  run: async (given, { stdout }) => {
    const path = given.positionals[0] as string;
    const file = await documentFile(path);
    const journal = await journalNamed(given.positionals[1] as string, given);
    await refuseBroken(file);
    const to = given.one("to") ?? path.replace(/(?:\.json)?$/, ".test.json");
    const name = given.one("name") ?? journal.id;
    const { recording, ...one } = await recordCase(await workflowOf(file, given), journal, name);
    const tests = await testsIn(to);
    if (tests.cases.some((known) => (Object(known) as { name?: unknown }).name === name)) throw misused(`${to} has a test ${JSON.stringify(name)} already`, "write --name with another one, or remove that test first");
    const place = `recordings/${name.replace(/[^A-Za-z0-9-]+/g, "-").slice(0, 60)}-${journal.id.replace(/[^A-Za-z0-9-]+/g, "-").slice(0, 8)}.json`;
    await writtenNew(join(dirname(to), place), `${JSON.stringify(recording, null, 2)}\n`, "write --name with another name, or remove it first");
    await writtenTo(to, `${JSON.stringify({ ...tests, cases: [...tests.cases, { name, recording: place, status: one.status, assert: one.assert }] }, null, 2)}\n`);
    stdout.write(`${to}: ${name}\n${join(dirname(to), place)}\n`);
    return EXIT.done;
  },
};

async function testsIn(path: string): Promise<{ readonly cases: readonly unknown[] }> {
  let tests: unknown;
  try {
    tests = await jsonOfFile(path);
  } catch (error) {
    if ((error as Error).message.startsWith("there is no file")) return { cases: [] };
    throw error;
  }
  const { cases } = Object(tests) as { cases?: unknown };
  if (!Array.isArray(cases)) throw misused(`${path} is no file of tests`, 'it needs "cases": [ … ]');
  return tests as { cases: unknown[] };
}
