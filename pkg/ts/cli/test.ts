import { runTests, type CaseResult } from "../testing/cases.js";
import type { Command } from "./command.js";
import { documentFile, refuseBroken, workflowOf } from "./document.js";
import { EXIT } from "./exit.js";
import { BOUND_FLAGS, boundsFrom } from "./run-flags.js";
import { oneLine, shownTime, shownUsage } from "./shown.js";
import { testFile } from "./test-file.js";

/** `stepweave test`. */
export const test: Command = {
  name: "test",
  about: "runs the tests that lie beside documents",
  places: ["<flow.test.json>", "[more files…]"],
  flags: { ...BOUND_FLAGS, only: { value: "text", about: "runs the tests alone whose names have this text" }, json: { about: "writes the results as JSON" } },
  example: "stepweave test flows/*.test.json",
  run: async (given, io) => {
    const bounds = boundsFrom(given, io);
    const all: (CaseResult & { readonly file: string })[] = [];
    for (const path of given.positionals) {
      const tests = await testFile(path);
      const file = await documentFile(tests.document);
      await refuseBroken(file);
      const workflow = await workflowOf(file, given);
      const only = given.one("only");
      // All are checked, whichever of them are run.
      const cases = tests.cases.filter(({ name }) => only === undefined || String(name).includes(only));
      if (!given.has("json") && given.positionals.length > 1) io.stdout.write(`${path}\n`);
      const controller = new AbortController();
      const abort = (): void => controller.abort();
      const ends = [io.onInterrupt(abort), io.onUnread(abort)];
      try {
        await runTests(workflow, cases, {
          ...bounds,
          signal: controller.signal,
          ...(tests.judge !== undefined && { judge: { document: tests.judge } }),
          onResult: (result) => {
            all.push({ file: path, ...result });
            if (!given.has("json")) io.stdout.write(shown(result));
          },
        });
      } finally {
        for (const end of ends) end();
      }
      if (controller.signal.aborted) return EXIT.cancelled;
    }
    const failed = all.filter(({ passed }) => !passed).length;
    io.stdout.write(given.has("json") ? `${JSON.stringify(all, null, 2)}\n` : `${all.length} test${all.length === 1 ? "" : "s"}, ${failed} failed\n`);
    // Tests that are all left out have shown nothing.
    return failed > 0 || all.length === 0 ? EXIT.failed : EXIT.done;
  },
};

function shown({ name, passed, assertions, usage, durationMs }: CaseResult): string {
  const notes = [shownTime(durationMs), shownUsage(usage)].filter((note) => note !== undefined).join(" · ");
  const wrong = assertions.filter(({ passed }) => !passed).map(({ message }) => `    ${oneLine(message, 1000)}\n`);
  return `${passed ? "✓" : "✗"} ${oneLine(name)}  ${notes}\n${wrong.join("")}`;
}
