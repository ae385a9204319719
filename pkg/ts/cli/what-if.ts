import type { Journal } from "../api/journal.js";
import type { WhatIf, WhatIfSide } from "../testing/what-if.js";
import { whatIf as compared } from "../testing/what-if.js";
import { type Given, misused } from "./arguments.js";
import type { Command } from "./command.js";
import { documentFile, refuseBroken, workflowOf } from "./document.js";
import { EXIT } from "./exit.js";
import { journalNamed, storeToRead } from "./journals.js";
import { BOUND_FLAGS, boundsFrom, JOURNAL_FLAG } from "./run-flags.js";
import { oneLine, shownCost, shownTime } from "./shown.js";
import { testFile } from "./test-file.js";

/** `stepweave what-if`. */
export const whatIf: Command = {
  name: "what-if",
  about: "replays recorded runs with a changed document; only what has changed is called",
  places: ["<before.json>", "<after.json>", "[runs or journal.json files…]"],
  flags: {
    ...JOURNAL_FLAG,
    ...BOUND_FLAGS,
    tests: { value: "flow.test.json", about: "a file of tests, whose `assert` is asserted of every run before and after" },
    json: { about: "writes the rows as JSON" },
  },
  example: "stepweave what-if flow.json flow-shorter.json --journal ./journals --tests flow.test.json",
  run: async (given, io) => {
    const [before, after, ...names] = given.positionals as [string, string, ...string[]];
    const files = [await documentFile(before), await documentFile(after)] as const;
    for (const file of files) await refuseBroken(file);
    const [workflow, changed] = [await workflowOf(files[0], given), await workflowOf(files[1], given)];
    const tests = given.one("tests") === undefined ? undefined : await testFile(given.one("tests") as string);
    const journals = names.length === 0 ? await journalsOf(workflow.name, given) : await Promise.all(names.map((name) => journalNamed(name, given)));
    const rows = await compared(workflow, changed, journals, {
      ...boundsFrom(given, io),
      ...(tests !== undefined && { assert: tests.assert }),
      ...(tests?.judge !== undefined && { judge: { document: tests.judge } }),
    });
    io.stdout.write(given.has("json") ? `${JSON.stringify(rows, null, 2)}\n` : tableOf(rows));
    return rows.every(isGood) ? EXIT.done : EXIT.failed;
  },
};

/** The runs of a folder that have ended, of the workflow with this name. */
async function journalsOf(name: string, given: Given): Promise<readonly Journal[]> {
  const store = await storeToRead(given);
  if (store === undefined) throw misused("`what-if` needs recorded runs", "name the files of journals, or write --journal ./journals for all runs of a folder");
  const journals: Journal[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.list({ status: "done", cursor });
    for (const { id, documentName } of page.runs) {
      const journal = documentName === name ? await store.load(id) : undefined;
      if (journal !== undefined) journals.push(journal);
    }
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  if (journals.length === 0) throw misused(`${given.one("journal")} has no run of ${JSON.stringify(name)} that is done`, `stepweave inspect --journal ${given.one("journal")} lists the runs`);
  return journals;
}

function passed({ assertions }: WhatIfSide): number {
  return assertions.filter(({ passed }) => passed).length;
}

function isGood({ stands, before, after }: WhatIf): boolean {
  return stands && after !== undefined && after.status === before.status && passed(after) >= passed(before);
}

const HEAD = ["run", "recording", "called", "cost", "time", "differs", "assertions"];

function tableOf(rows: readonly WhatIf[]): string {
  const cells = rows.map(({ runId, stands, before, after, asked, differs }) => {
    const both = (show: (side: WhatIfSide) => string): string => (after === undefined ? show(before) : `${show(before)} → ${show(after)}`);
    return [
      oneLine(runId, 36),
      stands ? "stands" : `differs: ${oneLine(before.error ?? "", 60)}`,
      String(asked),
      both(({ cost }) => (cost === undefined ? "?" : shownCost(cost))),
      both(({ agentMs }) => shownTime(agentMs)),
      `${differs.map((key) => oneLine(key, 40)).join(", ") || "nothing"}${after?.error === undefined ? "" : ` (${after.status}: ${oneLine(after.error, 60)})`}`,
      before.assertions.length === 0 ? "–" : both((side) => `${passed(side)}/${side.assertions.length}`),
    ];
  });
  const widths = HEAD.map((title, column) => Math.max(title.length, ...cells.map((row) => (row[column] as string).length)));
  const line = (row: readonly string[]): string => `${row.map((cell, column) => cell.padEnd(widths[column] as number)).join("  ").trimEnd()}\n`;
  const sum = (of: (row: WhatIf) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const called = sum(({ asked }) => asked);
  const standing = rows.filter(({ stands }) => stands).length;
  return `${line(HEAD)}${cells.map(line).join("")}${standing} of ${rows.length} recordings stand; ${called} call${called === 1 ? "" : "s"} for ${shownCost(sum(({ spent }) => spent))}; ${rows.filter(({ differs }) => differs.length > 0).length} runs differ\n`;
}
