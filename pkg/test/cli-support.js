// Runs the program of the package as a person does: in a folder of its own, with an environment that says what it may know.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const program = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

/** A folder with these files, which goes away with the test. */
export function folderWith(t, files) {
  const folder = mkdtempSync(join(tmpdir(), "stepweave-cli-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content, null, 2));
  return folder;
}

/** Starts the program; `ended` has what it wrote and its exit code. */
export function started(cwd, args, { env = {}, input = "", t } = {}) {
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { PATH: process.env.PATH, ...env } });
  t?.after(() => child.kill("SIGKILL"));
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (written[name] += text));
  child.stdin.end(input);
  const ended = new Promise((resolve, reject) => child.once("error", reject).once("close", (code) => resolve({ code, ...written })));
  return { child, written, ended };
}

/** Runs the program to its end. */
export const cli = (cwd, args, options) => started(cwd, args, options).ended;
