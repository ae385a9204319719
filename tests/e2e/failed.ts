import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Reporter, TestCase } from "@playwright/test/reporter";

const FILE = fileURLToPath(new URL("../../test-results/failed.txt", import.meta.url));

/** Writes what failed at every try to a file, a line each, which the list at the end of `cargo xtask test` shows. */
export default class Failed implements Reporter {
  private readonly tests = new Set<TestCase>();

  onTestEnd(test: TestCase): void {
    if (test.outcome() === "unexpected") this.tests.add(test);
    else this.tests.delete(test);
  }

  onEnd(): void {
    const lines = [...this.tests].map(({ location, parent, title }) => {
      const project = parent.project()?.name ?? "";
      return `${relative(import.meta.dirname, location.file)}:${location.line} ${title} (${project})\n`;
    });
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, lines.join(""));
  }

  /** The list of Playwright goes on beside this. */
  printsToStdio(): boolean {
    return false;
  }
}
