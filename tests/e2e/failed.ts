import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { FullConfig, Reporter, Suite } from "@playwright/test/reporter";

const FILE = fileURLToPath(new URL("../../test-results/failed.txt", import.meta.url));

/** Writes what failed at every try to a file, a line each, which the list at the end of `cargo xtask test` shows. */
export default class Failed implements Reporter {
  private suite: Suite | undefined;

  onBegin(_config: FullConfig, suite: Suite): void {
    this.suite = suite;
  }

  onEnd(): void {
    const tests = this.suite?.allTests() ?? [];
    const lines = tests.filter((test) => test.outcome() === "unexpected").map(({ location, parent, title }) => {
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
